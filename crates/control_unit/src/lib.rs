//! ECKD as the control unit sees it: tracks, command chains, domains, sense; command mode and transport mode.
//! Never touches transport between channel and control unit, time, or the channel's storage.
//!
//! Data are lengths here: a data phase says how many bytes move and at which place of the device they lie.

mod access;
mod chain;
mod data_phase;
mod domain;
mod ending;
mod extent;
mod locate;
mod position;
#[cfg(test)]
mod rig;
mod sense;
mod tracks;
mod transfer;
mod transport;

pub use chain::Chain;
pub use data_phase::{Areas, CommandOutcome, DataPhase, Direction, Place};
pub use ending::Ending;
pub use sense::{
    COMMAND_REJECT, END_OF_CYLINDER, EQUIPMENT_CHECK, FILE_PROTECTED, INVALID_TRACK_FORMAT, Message,
    NO_RECORD_FOUND, SENSE_BYTES, Sense, UnitCheck, WRITE_INHIBITED,
};
pub use tracks::{RECORD_ZERO, RecordLengths, Tracks, UniformTracks};
pub use transport::{ProgramCheckReason, TransportEnding, TransportOutcome, execute_dcws};
