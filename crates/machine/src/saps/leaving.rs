//! Starts that leave their thread when their drives are due, where those are events of another process.
//!
//! A thread takes one request after the other, so that the drive of a start is fixed when it comes, and drives of a thread are
//! due in order.

use std::collections::VecDeque;

use halftrack_engine::EventKey;

/// Starts of one thread that have not left it when the last of them came.
#[derive(Debug, Default)]
pub(super) struct Leaving(VecDeque<EventKey>);

impl Leaving {
    /// Expects a start to leave when its drive is `due`, after all others.
    #[inline(always)]
    pub(super) fn expect(&mut self, due: EventKey) {
        debug_assert!(self.0.back().is_none_or(|last| *last < due));
        self.0.push_back(due);
    }

    /// Lets the starts leave whose drives come before `instant`, and counts them.
    #[inline(always)]
    pub(super) fn leave_before(&mut self, instant: EventKey) -> u32 {
        let mut left = 0;
        while self.0.front().is_some_and(|due| *due < instant) {
            self.0.pop_front();
            left += 1;
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_base::Time;
    use halftrack_engine::{Rank, Sequencer};

    #[test]
    fn a_start_leaves_at_its_drive_and_not_at_an_event_before_it_in_the_instant() {
        let mut orders = Sequencer::new(Rank::from_position(3));
        let [one, other, last] = [5, 7, 7].map(|ps| EventKey { at: Time::from_ps(ps), order: orders.next() });
        let mut leaving = Leaving::default();
        leaving.expect(one);
        leaving.expect(other);
        assert_eq!(leaving.leave_before(one), 0);
        assert_eq!(leaving.leave_before(other), 1);
        assert_eq!(leaving.leave_before(last), 1);
        assert_eq!(leaving.leave_before(EventKey::NEVER), 0);
    }
}
