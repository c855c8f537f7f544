//! The end of a start that was given up: it is fenced, so that nothing of it reaches the records when others use them.
//!
//! ```text
//! given up ─► every exchange was ended by the control unit ────────────────► over
//!          └► No-operation over another path, for its number alone ─ ended ─► over
//!          └► the exchange withdrawn, and the control unit answers ─────────► over
//!          └► R_A_TOV has gone ─────────────────────────────────────────────► over
//! ```

use std::cmp::Reverse;

use halftrack_base::{Decision, Span, Time};
use halftrack_exchange::{ChannelOutcome, ExchangeEnd};
use halftrack_subsystem::{Ending, PathMask};
use halftrack_wire::StartNumber;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;

use super::{IoDriver, State, Timer};
use crate::driver::paths::ChannelPaths;

/// Bit of the tag of a No-operation that fences.
pub(super) const FENCE_TAG: u32 = 0x4000_0000;
/// How long a fence that could not be had is waited with before it is tried again. Our choice.
const FENCE_STEP: Span = Span::from_ms(100);

/// Recovery from a start that was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fencing {
    /// How the start is over then.
    pub ending: Ending,
    /// Number of the No-operation that is under way.
    number: Option<StartNumber>,
    /// The exchange of the start is over at this end.
    is_closed: bool,
    /// When it is fenced by its age.
    until: Time,
}

impl IoDriver {
    /// Gives a start up, to end in this way.
    pub(super) fn give_up(&mut self, now: Time, slot: u32, ending: Ending, paths: &mut impl ChannelPaths) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let is_open = io.state == State::Attempt;
        if !is_open && !io.unsettled {
            return self.end(now, slot, ending, None);
        }
        let until = now.saturating_add(RESOURCE_ALLOCATION_TIMEOUT);
        io.state = State::Fencing(Fencing { ending, number: None, is_closed: !is_open, until });
        let (path, unit, number) = (io.path, io.unit, io.number);
        if is_open {
            paths.cancel(now, path, slot);
            paths.give_up(unit, number);
        }
        self.fence(now, slot, paths);
    }

    /// Tries to fence a start that was given up, or ends it when its time has come.
    pub(super) fn fence(&mut self, now: Time, slot: u32, paths: &mut impl ChannelPaths) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let State::Fencing(mut fencing) = io.state else { return };
        if now >= fencing.until {
            Decision::FencedByAge.count();
            if let Some(number) = fencing.number {
                paths.give_up(io.unit, number);
            }
            return self.end(now, slot, fencing.ending, None);
        }
        if fencing.number.is_none() {
            let (unit, tag) = (io.unit, slot | FENCE_TAG);
            // Over the path of the start it has a meaning only when the control unit has nothing open there.
            let mut tried = if fencing.is_closed { PathMask::default() } else { PathMask::of(io.path) };
            while let Some(path) = self.group.select(tried) {
                tried = tried.with(PathMask::of(path));
                fencing.number = paths.start(now, path, unit, &self.no_operation, tag);
                if fencing.number.is_some() {
                    break;
                }
            }
            io.state = State::Fencing(fencing);
        }
        let again = if fencing.number.is_some() { fencing.until } else { now.saturating_add(FENCE_STEP) };
        self.timers.push(Reverse((again.min(fencing.until), Timer::Fence { slot })));
    }

    /// Handles the end of an exchange that belongs to a start given up: its own, or one of a No-operation.
    pub(super) fn fence_step(
        &mut self,
        now: Time,
        slot: u32,
        (mut fencing, is_own): (Fencing, bool),
        end: &ExchangeEnd,
    ) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        if is_own && !fencing.is_closed {
            fencing.is_closed = true;
            io.unsettled |= !end.is_settled;
            if !io.unsettled {
                Decision::FencedByControlUnit.count();
                return self.end(now, slot, fencing.ending, None);
            }
        } else if fencing.number == Some(end.number) {
            // Its status is shown to nobody. One that came to the device has fenced whatever is older.
            if matches!(end.outcome, ChannelOutcome::Ended { .. }) {
                Decision::FencedByNewerStart.count();
                return self.end(now, slot, fencing.ending, None);
            }
            fencing.number = None;
        }
        io.state = State::Fencing(fencing);
        self.timers.push(Reverse((now.saturating_add(FENCE_STEP), Timer::Fence { slot })));
    }
}

#[cfg(test)]
pub(super) mod tests;
