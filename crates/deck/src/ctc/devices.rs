//! Devices of an end: numbers, and the unit addresses that they have there.

use crate::model::DeviceRange;

/// Devices whose numbers and unit addresses step together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceRun {
    /// First device number.
    pub number: u16,
    /// How many.
    pub count: u16,
    /// Unit address of the first.
    pub unit_address: u8,
}

impl DeviceRun {
    /// Returns device numbers with their unit addresses.
    pub fn devices(self) -> impl Iterator<Item = (u16, u8)> {
        (0..self.count).map(move |step| {
            let address = u16::from(self.unit_address).wrapping_add(step) & 0xFF;
            (self.number.wrapping_add(step), u8::try_from(address).unwrap_or(u8::MAX))
        })
    }

    /// Returns true when `next` goes on where this run ends.
    fn is_followed_by(self, next: DeviceRun) -> bool {
        let step = u32::from(self.count);
        u32::from(self.number) + step == u32::from(next.number)
            && u32::from(self.unit_address) + step == u32::from(next.unit_address)
    }
}

/// Returns the devices of `ranges` by number, in the longest runs. Two ends have the same devices when these are equal,
/// in however many statements they are defined.
pub(super) fn runs(ranges: &[&DeviceRange]) -> Vec<DeviceRun> {
    let mut runs: Vec<DeviceRun> = ranges
        .iter()
        .map(|range| DeviceRun {
            number: range.number.value,
            count: range.count,
            unit_address: range.unit_address,
        })
        .collect();
    runs.sort_unstable();
    joined(runs)
}

/// Returns `runs`, which are in order, with those joined that follow each other.
pub(super) fn joined(runs: impl IntoIterator<Item = DeviceRun>) -> Vec<DeviceRun> {
    let mut whole: Vec<DeviceRun> = Vec::new();
    for run in runs {
        match whole.last_mut() {
            Some(last) if last.is_followed_by(run) => last.count += run.count,
            _ => whole.push(run),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u16, count: u16, unit_address: u8) -> DeviceRun {
        DeviceRun { number, count, unit_address }
    }

    #[test]
    fn runs_are_joined_where_numbers_and_unit_addresses_go_on() {
        assert_eq!(joined([run(0x4000, 2, 0), run(0x4002, 2, 2)]), [run(0x4000, 4, 0)]);
        let striped = [run(0x4000, 1, 0), run(0x4002, 1, 1)];
        assert_eq!(joined(striped), striped);
        let moved = [run(0x4000, 2, 0), run(0x4002, 2, 4)];
        assert_eq!(joined(moved), moved);
    }
}
