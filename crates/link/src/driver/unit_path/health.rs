//! Health of a path: it leaves its group after time-outs in a row, and is tested before it returns.

use halftrack_base::{Span, Time};
use halftrack_exchange::{Cause, ChannelOutcome, ExchangeEnd};
use halftrack_subsystem::TIMEOUTS_MAX;

use super::{Stage, UnitPath, VARY_ONLINE};

/// Silence after which the answers of a path count anew. Our choice: half the time in which an exchange times out.
const PAUSE: Span = Span::from_s(1);
/// How long a path must have answered before another counts as worse. Our choice: as long as a probe is waited for.
const ANSWERS_LEAST: Span = Span::from_ms(500);

impl UnitPath {
    /// Counts time-outs in a row.
    #[inline]
    pub(super) fn note_health(&mut self, end: &ExchangeEnd) {
        match end.outcome {
            ChannelOutcome::Ended { .. } | ChannelOutcome::Busy(_) => {
                if self.now > self.answered.saturating_add(PAUSE) {
                    self.answers_since = self.now;
                }
                self.answered = self.now;
                if end.tag & VARY_ONLINE == 0 {
                    self.health.handle_answer();
                }
            }
            ChannelOutcome::InterfaceControlCheck(Cause::Timeout) => {
                self.is_failing |= self.health.handle_timeout();
            }
            ChannelOutcome::InterfaceControlCheck(_) | ChannelOutcome::Cancelled => {}
        }
    }

    /// Returns true once when so many exchanges in a row timed out that the path has to leave its group.
    pub fn take_failing(&mut self) -> bool {
        std::mem::take(&mut self.is_failing)
    }

    /// Returns whether the path works while another times out. Exchanges over it have ended with an answer since, and did
    /// before: the control unit does not just answer again on all paths.
    pub fn works_since(&self, now: Time, since: Time) -> bool {
        let answers_long = self.answers_since.saturating_add(ANSWERS_LEAST) <= now;
        self.stage == Stage::Online && self.answered > since && answers_long
    }

    /// Keeps the path in its group although its exchanges time out.
    pub fn forgive(&mut self) {
        self.health.forgive();
    }

    /// Returns why a path is lost whose exchanges time out. It has to rest then.
    pub fn failure() -> String {
        format!("{TIMEOUTS_MAX} of its exchanges in a row timed out")
    }

    /// Loses the path, which rests, and is tested before it returns.
    pub fn rest(&mut self, now: Time, why: String) {
        self.lose(now, why);
        self.retry_at = now.saturating_add(self.health.fail());
    }
}
