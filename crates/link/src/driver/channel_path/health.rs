//! Health of a channel path: it leaves its group after time-outs in a row, and is tested before it returns.

use halftrack_base::Time;
use halftrack_exchange::{Cause, ChannelOutcome, ExchangeEnd};
use halftrack_subsystem::TIMEOUTS_MAX;

use super::{ChannelPath, Stage, VARY_ONLINE};
use crate::connector::Connector;

impl<C: Connector> ChannelPath<C> {
    /// Counts time-outs in a row.
    #[inline]
    pub(super) fn note_health(&mut self, end: &ExchangeEnd) {
        match end.outcome {
            ChannelOutcome::Ended { .. } | ChannelOutcome::Busy(_) => {
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

    /// Returns whether an exchange over the path has ended with an answer since.
    pub fn has_ended_since(&self, since: Time) -> bool {
        self.stage == Stage::Online && self.answered > since
    }

    /// Keeps the path in its group although its exchanges time out.
    pub fn forgive(&mut self) {
        self.health.forgive();
    }

    /// Takes the path out of its group, because its exchanges time out: it rests, and is tested before it returns.
    pub fn fail(&mut self, now: Time) {
        let why = format!("{TIMEOUTS_MAX} of its exchanges in a row timed out");
        self.rest(now, why);
    }

    pub(super) fn rest(&mut self, now: Time, why: String) {
        self.lose(now, why);
        self.stage = Stage::Down { retry_at: now.saturating_add(self.health.fail()) };
    }
}
