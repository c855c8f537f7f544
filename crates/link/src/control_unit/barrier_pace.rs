//! Pace of the barriers of one volume: how long a group waits for more chains.
//!
//! ```text
//! barrier over ─ statuses go out ─ chains come again, `gap` apart ─ all that were out are there, or it takes too long: barrier
//! ```
//!
//! A barrier of many chains costs little more than one of a single chain, so that hosts whose chains have just been released
//! are waited for: otherwise their chains fall into two groups that take turns, with twice the barriers. On a fast disk the
//! chains take longer to come than a barrier costs. Then the next barrier begins at once, and the chains come meanwhile.

use halftrack_base::{Span, Time};

/// Part of its length by which the shortest barrier is taken to be longer with each barrier that took longer.
const FORGOTTEN: u64 = 32;

/// Pace of the barriers of one volume.
#[derive(Debug, Default)]
pub struct BarrierPace {
    is_under_way: bool,
    /// When the barrier under way began, and its chains.
    began: Time,
    chains: u32,
    /// When the last barrier ended, and the chains that may come again.
    ended: Time,
    expected: u32,
    /// The shortest barrier of late: the price of one more.
    price: Span,
    /// Chains that waited when last counted.
    waiting: u32,
    /// Chains since the last barrier ended, and when the last one of them came.
    came: u32,
    last_came: Time,
    /// Time between two chains, until as many had come as were released.
    gap: Span,
}

impl BarrierPace {
    /// Returns whether a barrier is under way.
    pub fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// Notes how many chains wait for a barrier that has not begun.
    pub fn count(&mut self, now: Time, waiting: u32) {
        if waiting > self.waiting {
            self.came += waiting - self.waiting;
            self.last_came = now;
        }
        self.waiting = waiting;
    }

    /// Returns when the group of the chains that wait is due.
    pub fn due(&self) -> Time {
        let missing = self.expected.saturating_sub(self.waiting);
        let are_soon_there = self.gap <= self.price / u64::from(missing.max(1));
        if missing > 0 && are_soon_there { self.ended.saturating_add(self.price) } else { self.ended }
    }

    /// Notes the begin of the barrier of the chains that wait.
    pub fn begin(&mut self, now: Time) {
        (self.is_under_way, self.began) = (true, now);
        self.chains = std::mem::take(&mut self.waiting);
    }

    /// Notes the end of the barrier under way.
    pub fn end(&mut self, now: Time) {
        let took = now.saturating_since(self.began);
        let longer = self.price.saturating_add(self.price / FORGOTTEN);
        self.price = if self.price.is_zero() { took } else { took.min(longer) };
        if self.came > 0 {
            self.gap = self.last_came.saturating_since(self.ended) / u64::from(self.came);
        }
        self.is_under_way = false;
        (self.ended, self.expected, self.came) = (now, self.chains + self.waiting, 0);
    }

    /// Notes that the barrier under way is done by somebody else.
    pub fn give_up(&mut self) {
        self.is_under_way = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_us(us: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_us(us))
    }

    /// Runs a barrier with so many chains, during which others come.
    fn barrier(pace: &mut BarrierPace, begins_us: u64, ends_us: u64, meanwhile: u32) {
        pace.begin(at_us(begins_us));
        pace.count(at_us(begins_us + 10), meanwhile);
        pace.end(at_us(ends_us));
    }

    #[test]
    fn a_group_waits_for_the_chains_that_come_again_and_no_longer_than_a_barrier_takes() {
        let mut pace = BarrierPace::default();
        pace.count(at_us(90), 1);
        assert!(pace.due() <= at_us(90), "the first waits for nobody");
        barrier(&mut pace, 100, 1100, 31);
        pace.count(at_us(1110), 32);
        assert!(pace.due() <= at_us(1110), "all are there");
        barrier(&mut pace, 1200, 2200, 0);
        pace.count(at_us(2300), 31);
        assert_eq!(pace.due(), at_us(3200));
        pace.count(at_us(2310), 32);
        assert_eq!(pace.due(), at_us(2200));
    }

    #[test]
    fn one_job_alone_waits_for_nobody() {
        let mut pace = BarrierPace::default();
        pace.count(at_us(0), 1);
        barrier(&mut pace, 0, 1000, 0);
        pace.count(at_us(1100), 1);
        assert!(pace.due() <= at_us(1100));
    }

    #[test]
    fn chains_that_come_slower_than_a_barrier_is_paid_are_not_waited_for() {
        let mut pace = BarrierPace::default();
        pace.count(at_us(0), 32);
        barrier(&mut pace, 0, 100, 0);
        for came in 1..=32 {
            pace.count(at_us(100 + 10 * u64::from(came)), came);
        }
        barrier(&mut pace, 420, 520, 0);
        pace.count(at_us(530), 1);
        assert_eq!(pace.due(), at_us(520), "31 of them would take 310 us");
        pace.count(at_us(760), 25);
        assert_eq!(pace.due(), at_us(620), "seven of them would take 70 us");
    }
}
