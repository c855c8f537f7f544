//! How long nothing was free of a pool while somebody waited.

use serde::{Deserialize, Serialize};

use crate::{SimDuration, SimTime};

/// The time of the shortages of a pool, in whole picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortage {
    /// Since when there is one; [`SimTime::MAX`] while there is none.
    since: SimTime,
    /// Of those that are over, and of this one what has been taken off.
    sum: SimDuration,
}

impl Default for Shortage {
    fn default() -> Self {
        Self { since: SimTime::MAX, sum: SimDuration::ZERO }
    }
}

impl Shortage {
    /// Somebody waits from `now` on; nothing changes if somebody does already.
    #[inline]
    pub fn begin(&mut self, now: SimTime) {
        if self.since == SimTime::MAX {
            self.since = now;
        }
    }

    /// Nobody waits any longer; nothing changes if nobody did.
    #[inline]
    pub fn end(&mut self, now: SimTime) {
        if self.since != SimTime::MAX {
            self.sum += now.saturating_since(self.since);
            self.since = SimTime::MAX;
        }
    }

    /// Somebody waits, or nobody, from `now` on.
    #[inline]
    pub fn set(&mut self, now: SimTime, is_short: bool) {
        if is_short { self.begin(now) } else { self.end(now) }
    }

    /// Returns the time of all of them until `now` that has not been taken.
    pub fn until(&self, now: SimTime) -> SimDuration {
        self.sum + now.saturating_since(self.since)
    }

    /// Returns the same; it is not in what is asked for later.
    pub fn take(&mut self, now: SimTime) -> SimDuration {
        let taken = self.until(now);
        self.sum = SimDuration::ZERO;
        if self.since < now {
            self.since = now;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_us(us)
    }

    fn taken(shortage: &mut Shortage, us: u64) -> u64 {
        shortage.take(at(us)).as_ps() / SimDuration::from_us(1).as_ps()
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
