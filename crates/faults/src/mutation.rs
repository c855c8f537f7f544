//! Bugs of recovery put back, one at a time, where parts of the product meet: the swarm has to find each of them.

use halftrack_exchange::{ChannelOutcome, ExchangeEnd};

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// A control unit admits every start, late ones too.
    NoFence,
    /// An interface-control check counts as a normal end.
    CheckTakenAsEnd,
    /// Busy counts as a normal end.
    BusyTakenAsEnd,
    /// Timers of the channel paths are not handled.
    ChannelTimersIgnored,
    /// Timers of the control unit's ports are not handled.
    ControlUnitTimersIgnored,
}

impl Mutation {
    /// All bugs.
    pub const ALL: [Self; 5] = [
        Self::NoFence,
        Self::CheckTakenAsEnd,
        Self::BusyTakenAsEnd,
        Self::ChannelTimersIgnored,
        Self::ControlUnitTimersIgnored,
    ];

    /// Changes the end of an exchange before the I/O driver has it.
    pub fn mutate_end(self, end: &mut ExchangeEnd) {
        let is_taken = match end.outcome {
            ChannelOutcome::InterfaceControlCheck(_) => self == Self::CheckTakenAsEnd,
            ChannelOutcome::Busy(_) => self == Self::BusyTakenAsEnd,
            ChannelOutcome::Ended { .. } | ChannelOutcome::Cancelled => false,
        };
        if is_taken {
            end.outcome = NORMAL_END;
        }
    }
}

/// Channel end and device end, all bytes moved.
const NORMAL_END: ChannelOutcome = ChannelOutcome::Ended {
    device_status: 0x0C,
    residual: 0,
    incorrect_length: false,
    sense: None,
    last_command: 0,
};
