//! The end of a command: status, sense, data-in and residual.

use crate::sense::{Sense, SenseCode};

/// SCSI status (SAM-5, 5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Status {
    /// The command was carried out.
    Good = 0x00,
    /// Sense has the reason.
    CheckCondition = 0x02,
    /// The blocks of PRE-FETCH fit.
    ConditionMet = 0x04,
    /// No room, and the nexus has no task in the unit.
    Busy = 0x08,
    /// A reservation of another nexus forbids the command.
    ReservationConflict = 0x18,
    /// No room for another task.
    TaskSetFull = 0x28,
    /// Another nexus aborted the task.
    TaskAborted = 0x40,
}

/// Difference between the bytes that the initiator expects and those that the command calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Residual {
    /// There is none.
    #[default]
    None,
    /// So many bytes of the expected ones were not transferred.
    Under(u32),
    /// So many bytes would have been transferred beyond the expected ones.
    Over(u32),
}

impl Residual {
    /// Returns the residual of a command that calls for `called_for` bytes where `expected` are.
    pub(crate) fn of(called_for: u64, expected: u32) -> Self {
        let expected = u64::from(expected);
        let limit = |bytes: u64| bytes.min(u64::from(u32::MAX)) as u32;
        match called_for.cmp(&expected) {
            std::cmp::Ordering::Less => Self::Under(limit(expected - called_for)),
            std::cmp::Ordering::Equal => Self::None,
            std::cmp::Ordering::Greater => Self::Over(limit(called_for - expected)),
        }
    }
}

/// Response to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Status.
    pub status: Status,
    /// Sense in the format of the unit; empty but for CHECK CONDITION.
    pub sense: Vec<u8>,
    /// Data-in.
    pub data_in: Vec<u8>,
    /// Residual.
    pub residual: Residual,
}

/// Reason for which a command is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// CHECK CONDITION.
    Check(Sense),
    /// RESERVATION CONFLICT.
    Conflict,
}

impl From<Sense> for Refusal {
    fn from(sense: Sense) -> Self {
        Self::Check(sense)
    }
}

impl From<SenseCode> for Refusal {
    fn from(code: SenseCode) -> Self {
        Self::Check(code.into())
    }
}
