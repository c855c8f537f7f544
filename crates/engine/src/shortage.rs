//! How long nothing was free of a pool while somebody waited.

use halftrack_base::{Span, Time};

/// The time of the shortages of a pool, in whole picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// Since when there is one; [`Time::MAX`] while there is none.
    since: Time,
    /// Of those that are over, and of this one what has been taken off.
    sum: Span,
}

impl Default for Shortage {
    fn default() -> Self {
        Self { since: Time::MAX, sum: Span::ZERO }
    }
}

impl Shortage {
    /// Begins a shortage at `now`; nothing changes if there is one already.
    #[inline]
    pub fn begin(&mut self, now: Time) {
        if self.since == Time::MAX {
            self.since = now;
        }
    }

    /// Ends the shortage at `now`; nothing changes if there is none.
    #[inline]
    pub fn end(&mut self, now: Time) {
        if self.since != Time::MAX {
            self.sum += now.saturating_since(self.since);
            self.since = Time::MAX;
        }
    }

    /// Begins or ends a shortage at `now`.
    #[inline]
    pub fn set(&mut self, now: Time, is_short: bool) {
        if is_short { self.begin(now) } else { self.end(now) }
    }

    /// Returns the time of all of them until `now` that has not been taken.
    pub fn until(&self, now: Time) -> Span {
        self.sum + now.saturating_since(self.since)
    }

    /// Returns the time in shortage so far and leaves it out of later results.
    pub fn take(&mut self, now: Time) -> Span {
        let taken = self.until(now);
        self.sum = Span::ZERO;
        if self.since < now {
            self.since = now;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn taken(shortage: &mut Shortage, us: u64) -> u64 {
        shortage.take(at(us)).as_ps() / Span::from_us(1).as_ps()
    }

    #[test]
    fn shortages_are_dealt_to_the_intervals_in_which_they_were() {
        let mut shortage = Shortage::default();
        assert_eq!(taken(&mut shortage, 5), 0);
        shortage.begin(at(6));
        shortage.begin(at(7));
        assert_eq!(taken(&mut shortage, 10), 4);
        shortage.end(at(13));
        shortage.end(at(14));
        shortage.set(at(16), true);
        shortage.set(at(17), false);
        assert_eq!((taken(&mut shortage, 20), taken(&mut shortage, 30)), (4, 0));
    }

    #[test]
    fn who_waits_only_later_does_not_yet() {
        let mut shortage = Shortage::default();
        shortage.begin(at(12));
        assert_eq!((taken(&mut shortage, 10), taken(&mut shortage, 15)), (0, 3));
    }
}
