//! Bugs of recovery put back, one at a time, where parts of the product meet: the swarm has to find each of them.

use halftrack_exchange::fcp::{CommandEnd, FcpOutcome};
use halftrack_exchange::{ChannelOutcome, ExchangeEnd};
use halftrack_program::DeviceStatus;
use halftrack_wire::fcp::{Residual, ScsiStatus};

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
    /// A journal that was replayed before is replayed into the newer image again.
    ForeignJournal,
    /// The journal of a process that ended is not replayed.
    JournalDiscarded,
    /// Barriers make nothing safe.
    BarriersSkipped,
    /// Unit check counts as a normal end.
    UnitCheckTakenAsEnd,
    /// A start is driven again without waiting that the older one is fenced or over, and the control unit admits every start.
    ImmediateRedrive,
    /// The I/O driver has no notice that a path is back.
    ReturnUnnoticed,
    /// Barriers of the image make nothing safe, those of the journal do.
    ImageBarriersSkipped,
    /// FCP: a command that was aborted counts as one that ended with GOOD.
    AbortTakenAsEnd,
    /// FCP: CHECK CONDITION counts as GOOD.
    CheckConditionTakenAsEnd,
    /// FCP: the records of a write of which something may still be on its way are written anew at once.
    WritesReleasedEarly,
    /// Logical units acknowledge writes before their barriers, as in write-back mode.
    UnitsGatherWrites,
}

impl Mutation {
    /// All bugs.
    pub const ALL: [Self; 16] = [
        Self::NoFence,
        Self::CheckTakenAsEnd,
        Self::BusyTakenAsEnd,
        Self::ChannelTimersIgnored,
        Self::ControlUnitTimersIgnored,
        Self::ForeignJournal,
        Self::JournalDiscarded,
        Self::BarriersSkipped,
        Self::UnitCheckTakenAsEnd,
        Self::ImmediateRedrive,
        Self::ReturnUnnoticed,
        Self::ImageBarriersSkipped,
        Self::AbortTakenAsEnd,
        Self::CheckConditionTakenAsEnd,
        Self::WritesReleasedEarly,
        Self::UnitsGatherWrites,
    ];

    /// Returns whether a host over FCP has the bug.
    #[must_use]
    pub const fn is_of_fcp(self) -> bool {
        matches!(
            self,
            Self::AbortTakenAsEnd
                | Self::CheckConditionTakenAsEnd
                | Self::WritesReleasedEarly
                | Self::UnitsGatherWrites
        )
    }

    /// Changes the end of an exchange before the I/O driver has it.
    pub fn mutate_end(self, end: &mut ExchangeEnd) {
        let is_taken = match end.outcome {
            ChannelOutcome::InterfaceControlCheck(_) => self == Self::CheckTakenAsEnd,
            ChannelOutcome::Busy(_) => self == Self::BusyTakenAsEnd,
            ChannelOutcome::Ended { device_status, .. } => {
                self == Self::UnitCheckTakenAsEnd
                    && DeviceStatus(device_status).contains(DeviceStatus::UNIT_CHECK)
            }
            ChannelOutcome::Cancelled => false,
        };
        if is_taken {
            end.outcome = NORMAL_END;
        }
        end.is_settled |= self == Self::ImmediateRedrive;
    }

    /// Changes the end of a command of FCP before the I/O driver has it.
    pub fn mutate_command_end(self, end: &mut CommandEnd) {
        let is_taken = match &end.outcome {
            FcpOutcome::Aborted(_) => self == Self::AbortTakenAsEnd,
            FcpOutcome::Ended { status: ScsiStatus::CHECK_CONDITION, .. } => {
                self == Self::CheckConditionTakenAsEnd
            }
            _ => false,
        };
        if is_taken {
            let (status, residual) = (ScsiStatus::GOOD, Residual::None);
            end.outcome = FcpOutcome::Ended { status, residual, sense: Vec::new(), retry_delay: 0 };
        }
        end.is_settled |= self == Self::WritesReleasedEarly;
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
