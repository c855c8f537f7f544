//! The integral of a level over time: queue lengths, things in use.

use halftrack_base::Time;

/// A level that changes at instants, and its exact integral over time in level-picoseconds.
///
/// The integral until an instant is what the present level would have made of the time from zero to then, less what each
/// change had not made of it before: the sum of changes times their instants. So a change costs an addition and no
/// multiplication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeIntegral {
    /// Sum of the changes, each times its instant; wraps.
    moment_ps: u128,
    level: u64,
}

impl TimeIntegral {
    /// Returns the level `level` from `start` on, nothing integrated.
    pub const fn new(start: Time, level: u64) -> Self {
        Self { moment_ps: level as u128 * start.as_ps() as u128, level }
    }

    /// Changes the level by `by` at `now`.
    ///
    /// # Panics
    /// When the level would be negative.
    #[inline(always)]
    pub fn change(&mut self, now: Time, by: i64) {
        self.moment_ps = self.moment_ps.wrapping_add_signed(i128::from(by) * i128::from(now.as_ps()));
        self.level = match self.level.checked_add_signed(by) {
            Some(level) => level,
            None => panic!("a level of {} cannot change by {by}", self.level),
        };
    }

    /// Returns the level since the last change.
    #[inline]
    pub const fn level(&self) -> u64 {
        self.level
    }

    /// Returns the integral until `now`, which is not before the last change.
    #[inline]
    pub fn area_until(&self, now: Time) -> u128 {
        (u128::from(self.level) * u128::from(now.as_ps())).wrapping_sub(self.moment_ps)
    }

    /// Returns the integral until `now`, which starts from zero again there: the split at the end of an interval.
    /// `now` is not before the last change.
    pub fn take_until(&mut self, now: Time) -> u128 {
        let area = self.area_until(now);
        *self = Self::new(now, self.level);
        area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_is_exact_and_splits_anywhere() {
        let at = Time::from_ps;
        let mut whole = TimeIntegral::new(at(5), 1);
        whole.change(at(10), 2);
        let mut split = whole;
        let before = split.take_until(at(12));
        for integral in [&mut whole, &mut split] {
            integral.change(at(15), -3);
            assert_eq!(integral.level(), 0);
        }
        assert_eq!(before, 5 + 3 * 2);
        assert_eq!(whole.area_until(at(99)), 5 + 3 * 5);
        assert_eq!(before + split.area_until(at(99)), whole.area_until(at(99)));
    }

    #[test]
    #[should_panic(expected = "a level of 1 cannot change by -2")]
    fn level_is_never_negative() {
        TimeIntegral::new(Time::ZERO, 1).change(Time::ZERO, -2);
    }
}
