//! Health of a channel path by the ends of its exchanges: one whose exchanges time out leaves the path group, and is
//! tested before it returns.
//!
//! ```text
//! sound ─ three time-outs in a row ─► down ─ rests ─► tested ─ the test ends ─► on trial ─ an I/O ends ─► sound
//!                                      ▲                │ no answer in 1 s          │ three time-outs
//!                                      └── rests twice as long ◄────────────────────┘
//! ```
//!
//! The watch of a path ([`crate::PathWatch`]) finds one that carries nothing. This finds one that answers probes and
//! loses what exchanges send. Hosts count such errors too: z/OS ten a minute (`PATH_THRESHOLD`), Linux 256 in a row
//! (recovery reference, section 5.3).

use halftrack_base::Span;

/// Time-outs in a row after which a path leaves its group. Assumed, 2 to 10 would do: an exchange takes 2 s to time
/// out, so that fewer find no more than chance losses and more cost time.
pub const TIMEOUTS_MAX: u8 = 3;
/// How long a path that left its group may take to answer the test of its first device. Our choice: half the time in
/// which an exchange times out, because the device takes no other start meanwhile.
pub const TEST_WAIT: Span = Span::from_s(1);
/// How long a path that left its group for the first time stays down. Our choice; it doubles each time.
const REST_FIRST: Span = Span::from_s(4);
/// Times that the rest doubles: to about a minute.
const DOUBLINGS_MAX: u8 = 4;

/// Health of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathHealth {
    /// Time-outs since an exchange ended with status.
    timeouts: u8,
    /// Times that it left the group since an I/O ended over it.
    failures: u8,
}

impl PathHealth {
    /// Counts an exchange that timed out; true when the path has to leave its group.
    pub fn handle_timeout(&mut self) -> bool {
        self.timeouts = self.timeouts.saturating_add(1);
        self.timeouts >= TIMEOUTS_MAX
    }

    /// Notes that an I/O was answered over the path: it is sound.
    #[inline]
    pub fn handle_answer(&mut self) {
        *self = Self::default();
    }

    /// Forgets the time-outs of a path that stays in its group, because no other one works.
    pub fn forgive(&mut self) {
        self.timeouts = 0;
    }

    /// Takes the path out of its group; how long it stays down.
    pub fn fail(&mut self) -> Span {
        let rest = REST_FIRST * (1 << self.failures.min(DOUBLINGS_MAX));
        *self = Self { timeouts: 0, failures: self.failures.saturating_add(1) };
        rest
    }

    /// Returns true for a path that left its group and has carried no I/O since: it is tested before it returns.
    #[must_use]
    pub fn is_on_trial(&self) -> bool {
        self.failures > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_in_a_row_fail_a_path_and_an_answer_between_them_does_not() {
        let mut health = PathHealth::default();
        for _ in 0..5 {
            assert!((1..TIMEOUTS_MAX).all(|_| !health.handle_timeout()));
            health.handle_answer();
        }
        let counted: Vec<bool> = (0..TIMEOUTS_MAX).map(|_| health.handle_timeout()).collect();
        assert_eq!(counted, [false, false, true]);
        health.forgive();
        assert!(!health.handle_timeout() && !health.is_on_trial());
    }

    #[test]
    fn a_path_that_fails_again_rests_longer_until_an_io_was_answered() {
        let mut health = PathHealth::default();
        let rests: Vec<Span> = (0..7).map(|_| health.fail()).collect();
        assert_eq!(rests, [4, 8, 16, 32, 64, 64, 64].map(Span::from_s));
        assert!(health.is_on_trial());
        health.handle_answer();
        assert_eq!((health.is_on_trial(), health.fail()), (false, Span::from_s(4)));
    }
}
