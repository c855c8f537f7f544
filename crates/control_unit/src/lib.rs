//! Devices as a channel sees them: ECKD and FBA command sets, domains, sense, in command and transport mode; the
//! channel-to-channel adapter between two of them.
//! Never touches transport between channel and control unit, time, or the channel's storage.
//!
//! One code moves octets and, over tracks that keep none, their numbers.

mod access;
mod chain;
mod characteristics;
pub mod ctc;
mod device_condition;
mod domain;
mod eckd_device;
mod extent;
mod fba_device;
mod fba_parameters;
mod format_write;
mod interrogation;
mod locate;
mod parameters;
mod path_group;
mod path_state;
mod phase;
mod position;
mod predecessor;
mod program_check;
mod record_read;
mod record_write;
#[cfg(test)]
mod rig;
mod search;
mod seek;
mod sense;
mod subsystem_function;
mod synchronous;
mod track_set;
mod track_transfer;
mod transport;
mod transport_operation;

pub use device_condition::DeviceCondition;
pub use eckd_device::EckdDevice;
pub use fba_device::FbaDevice;
pub use path_state::{PathGroupId, PathState};
pub use program_check::ProgramCheckReason;
pub use sense::{
    COMMAND_REJECT, DATA_CHECK, END_OF_CYLINDER, EQUIPMENT_CHECK, FILE_PROTECTED, IMPRECISE_ENDING,
    INVALID_TRACK_FORMAT, Message, NO_RECORD_FOUND, PERMANENT_ERROR, Sense, UnitCheck, WRITE_INHIBITED,
};
pub use synchronous::RecordFault;
