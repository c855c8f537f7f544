//! Information units of which frames were lost on the way.

/// The information units that end with a chunk and have lost a frame. Of a chunk with which none ends it is the unit under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LostSteps(u16);

impl LostSteps {
    /// The unit under way.
    pub(crate) const FIRST: Self = Self(1);

    /// Returns true when any is lost.
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns true when the unit with this number is lost.
    pub(crate) fn has(self, step: u16) -> bool {
        self.0 & Self::of(step).0 != 0
    }

    /// Returns true when none of so many `steps` is left.
    pub(crate) fn are_all(self, steps: u16) -> bool {
        self.any() && (0..steps).all(|step| self.has(step))
    }

    /// Returns the one with this number; no chunk ends more than some.
    fn of(step: u16) -> Self {
        Self(1 << step.min(u16::BITS as u16 - 1))
    }

    /// Adds the unit that the `octet` of a chunk is of, where several end with it that have so many octets in it each.
    pub(crate) fn add(&mut self, step_octets: &[u32], octet: u32) {
        let mut end = 0;
        let before = step_octets.iter().take_while(|octets| {
            end += **octets;
            end <= octet
        });
        let step = before.count().min(step_octets.len().saturating_sub(1));
        self.0 |= Self::of(step as u16).0;
    }

    /// Takes the losses of a chunk with which so many `steps` end into account, `is_damaged` being whether the unit under way
    /// has lost a frame. Returns what is lost of the chunk.
    pub(crate) fn follow(self, steps: u16, is_damaged: &mut bool) -> Self {
        let damaged = if *is_damaged { Self::FIRST.0 } else { 0 };
        let lost = Self(self.0 | damaged);
        *is_damaged = steps == 0 && lost.any();
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octet_is_of_one_of_the_units_of_a_chunk() {
        let of = |octet| {
            let mut lost = LostSteps::default();
            lost.add(&[100, 2000, 60], octet);
            [0, 1, 2].map(|step| lost.has(step))
        };
        assert_eq!(of(99), [true, false, false]);
        assert_eq!(of(100), [false, true, false]);
        assert_eq!(of(2100), [false, false, true]);
        assert_eq!(of(9999), [false, false, true]);
        let mut lost = LostSteps::default();
        lost.add(&[], 5);
        assert_eq!(lost, LostSteps::FIRST);
        assert!(lost.are_all(1) && !lost.are_all(2));
    }

    #[test]
    fn a_unit_that_lost_a_frame_is_lost_when_its_last_has_come() {
        let mut is_damaged = false;
        assert_eq!(LostSteps::default().follow(0, &mut is_damaged), LostSteps::default());
        assert_eq!(LostSteps::FIRST.follow(0, &mut is_damaged), LostSteps::FIRST);
        assert_eq!(LostSteps::default().follow(0, &mut is_damaged), LostSteps::FIRST, "the rest of it");
        assert_eq!(LostSteps::default().follow(2, &mut is_damaged), LostSteps::FIRST);
        assert_eq!(LostSteps::default().follow(1, &mut is_damaged), LostSteps::default());
    }
}
