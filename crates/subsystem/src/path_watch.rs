//! A watch over a logical path: whether it still carries anything while a start is out.
//!
//! ```text
//! something came, or nothing is out ◄──────────────────────────┐
//!        │ a start is out and nothing comes for 1 s            │ anything comes
//!        └► probe ─ 0.5 s ─► probe ─ 0.5 s ─► stalled ─────────┘
//! ```
//!
//! One timer cannot distinguish a stalled path from a slow device, but a slow device's path answers probes (recovery
//! reference, section 1).

use halftrack_base::{Decision, Span, Time};
use halftrack_wire::timers::RECEIVER_TRANSMITTER_TIMEOUT_US;

/// Longest time that nothing may come over a logical path while a start is out. Our choice.
pub const SILENCE_MAX: Span = Span::from_s(1);
/// Longest time that the answer to a probe may take. Our choice: more than a hundred times the way to the farthest
/// device.
pub const PROBE_WAIT: Span = Span::from_ms(500);
/// Probes that are not answered before a path counts as stalled. Our choice.
pub const PROBES: u8 = 2;

/// Time after which the answer to a probe shows that the path had stalled: R_T_TOV, our choice.
const ANSWER_LATE: Span = Span::from_us(RECEIVER_TRANSMITTER_TIMEOUT_US);

/// Action that a watch demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// Nothing now.
    Nothing,
    /// A probe is to be sent over it.
    Probe,
    /// It carries nothing: its probes were not answered.
    Stalled,
}

/// The watch over one logical path.
#[derive(Debug, Clone, Copy, Default)]
pub struct PathWatch {
    /// Time at which something is to be done; none while no start is out.
    next: Option<Time>,
    /// Probes that were sent since something came.
    sent: u8,
}

impl PathWatch {
    /// Notes that a start goes out.
    #[inline]
    pub fn handle_start(&mut self, now: Time) {
        self.next.get_or_insert(now.saturating_add(SILENCE_MAX));
    }

    /// Notes that something has come over the path; `open` is true when a start is still out. Returns true after a
    /// stall: a probe was not answered for so long that frames which were on their way may be lost.
    #[inline]
    pub fn handle_frame(&mut self, now: Time, open: bool) -> bool {
        let was_stalled = self.sent > 1 || self.sent == 1 && self.next.is_some_and(|next| is_late(now, next));
        self.sent = 0;
        self.next = open.then(|| now.saturating_add(SILENCE_MAX));
        was_stalled
    }

    /// Returns the time at which [`PathWatch::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    /// Handles time that has passed. A path that counts as stalled does so again and again until something comes.
    pub fn handle_timeout(&mut self, now: Time, open: bool) -> Watched {
        if self.next.is_none_or(|at| at > now) {
            return Watched::Nothing;
        }
        if !open {
            *self = Self::default();
            return Watched::Nothing;
        }
        self.next = Some(now.saturating_add(PROBE_WAIT));
        if self.sent >= PROBES {
            Decision::PathStalled.count();
            return Watched::Stalled;
        }
        self.sent += 1;
        Decision::PathProbed.count();
        Watched::Probe
    }
}

/// Returns whether the answer to a probe is late, after which something is to be done at `next`.
fn is_late(now: Time, next: Time) -> bool {
    now.saturating_add(PROBE_WAIT).saturating_since(next) >= ANSWER_LATE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_ms(ms))
    }

    #[test]
    fn two_probes_without_answer_make_a_stall() {
        let mut watch = PathWatch::default();
        assert_eq!((watch.poll_timeout(), watch.handle_timeout(at(9000), true)), (None, Watched::Nothing));
        watch.handle_start(at(100));
        watch.handle_start(at(900));
        assert_eq!(watch.handle_timeout(at(1099), true), Watched::Nothing);
        assert_eq!(watch.handle_timeout(at(1100), true), Watched::Probe);
        assert_eq!(watch.handle_timeout(at(1600), true), Watched::Probe);
        assert_eq!(watch.handle_timeout(at(2099), true), Watched::Nothing);
        assert_eq!(watch.handle_timeout(at(2100), true), Watched::Stalled);
        assert_eq!(watch.handle_timeout(at(2600), true), Watched::Stalled);
    }

    #[test]
    fn an_answer_that_is_late_shows_a_stall() {
        for (probes, answer_ms, is_stall) in [(1, 1099, false), (1, 1100, true), (2, 1500, true)] {
            let mut watch = PathWatch::default();
            watch.handle_start(at(0));
            for probe in 0..probes {
                assert_eq!(watch.handle_timeout(at(1000 + 500 * probe), true), Watched::Probe);
            }
            assert_eq!(watch.handle_frame(at(answer_ms), true), is_stall, "{probes} probes, {answer_ms} ms");
            assert!(!watch.handle_frame(at(answer_ms + 1), true), "it is over");
        }
    }

    #[test]
    fn an_answer_and_the_last_end_begin_anew() {
        let mut watch = PathWatch::default();
        watch.handle_start(at(0));
        assert_eq!(watch.handle_timeout(at(1000), true), Watched::Probe);
        watch.handle_frame(at(1200), true);
        assert_eq!(watch.handle_timeout(at(2100), true), Watched::Nothing);
        assert_eq!(watch.handle_timeout(at(2200), true), Watched::Probe);
        watch.handle_frame(at(2300), false);
        assert_eq!(watch.poll_timeout(), None);
        watch.handle_start(at(5000));
        assert_eq!(
            watch.handle_timeout(at(6000), false),
            Watched::Nothing,
            "it was given up by its own timer"
        );
        assert_eq!(watch.poll_timeout(), None);
    }

    /// A process that was stopped finds its timers due before it reads the frames that have come: that is no stall.
    #[test]
    fn a_time_that_was_slept_through_is_one_step() {
        let mut watch = PathWatch::default();
        watch.handle_start(at(0));
        assert_eq!(watch.handle_timeout(at(60_000), true), Watched::Probe);
        assert_eq!(watch.handle_timeout(at(60_001), true), Watched::Nothing);
    }
}
