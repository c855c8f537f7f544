//! The end of a command: status, sense, data-in and residual.

use halftrack_wire::fcp::{Residual, ScsiStatus};

use crate::sense::{Sense, SenseCode};

/// Response to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Status.
    pub status: ScsiStatus,
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
