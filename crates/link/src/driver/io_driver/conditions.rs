//! Conditions of a device that an I/O is started again for: nothing of it was executed, and none ends in error for them.
//!
//! ```text
//! resetting event ──────► start again, at once
//! state change pending ─► start again, after a time
//! ```

use std::cmp::Reverse;

use halftrack_base::Time;
use halftrack_control_unit::DeviceCondition;
use halftrack_exchange::{ChannelOutcome, ExchangeEnd};
use halftrack_subsystem::StartFunction;

use super::{IoDriver, State, Timer};
use crate::driver::STATE_CHANGE_WAIT;
use crate::driver::paths::ChannelPaths;

/// Returns the condition for which a start has ended.
#[inline]
pub(in crate::driver) fn condition_of(outcome: &ChannelOutcome) -> Option<DeviceCondition> {
    match outcome {
        ChannelOutcome::Ended { sense: Some(sense), .. } => DeviceCondition::of_sense(sense),
        _ => None,
    }
}

impl IoDriver {
    /// Starts an I/O again whose exchange has ended with a condition of the device. It is a new start, with its own time
    /// for a missing interrupt.
    #[cold]
    pub(super) fn handle_condition(
        &mut self,
        now: Time,
        end: &ExchangeEnd,
        condition: DeviceCondition,
        paths: &mut impl ChannelPaths,
    ) {
        let Some(io) = self.ios.get_mut(end.tag as usize).and_then(Option::as_mut) else { return };
        self.streams[usize::from(io.request.stream)].statistics.started_again(condition);
        let (start, action) = StartFunction::begin(now, &mut self.group);
        io.start = start;
        match condition {
            DeviceCondition::ResettingEvent => self.act(now, end.tag, action, paths),
            DeviceCondition::StateChangePending => {
                io.state = State::Waiting;
                let at = now.saturating_add(STATE_CHANGE_WAIT);
                self.timers.push(Reverse((at, Timer::Redrive { slot: end.tag })));
            }
        }
    }
}

#[cfg(test)]
mod tests;
