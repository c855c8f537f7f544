//! FCP: both ends of an exchange of SCSI over Fibre Channel (FCP-4; FCP reference sections 1 and 2).
//!
//! | file | content |
//! | --- | --- |
//! | [`request`], [`outcome`] | an exchange that an initiator begins, and how it ends there |
//! | [`initiator`], `initiator_recovery` | the initiator's machine; REC, SRR and ABTS |
//! | [`target`], `target_recovery` | the target's machine; answers to REC, SRR and ABTS |
//! | [`task_set`] | the open exchanges of a target, and which of them a task management function aborts |
//! | [`channel`] | the open exchanges of an initiator, and their ids |
//! | [`frames`] | information units as frames |
//! | [`channel_fcp`], [`control_unit_fcp`], `device_task` | both ends as plans and the twin have them |
//! | [`device`] | the SCSI device behind a target |
//! | [`message`] | all that goes between the two: information units, and link services about an exchange |
//! | [`agreement`] | values of the login, and time-outs |
//!
//! A machine is driven like any end: `handle_*`, then `poll_transmit` until it gives nothing, then `poll_outcome`, then
//! `poll_timeout` for when to come again.

pub mod agreement;
pub mod channel;
pub mod channel_fcp;
pub mod control_unit_fcp;
pub mod device;
mod device_task;
#[cfg(test)]
mod every_order;
#[cfg(test)]
mod exceptions;
pub mod frames;
pub mod initiator;
mod initiator_recovery;
pub mod message;
pub mod outcome;
#[cfg(test)]
mod plan_exceptions;
pub mod request;
#[cfg(test)]
mod rig;
pub mod target;
mod target_recovery;
pub mod task_set;

pub use agreement::{FcpAgreement, FcpTimers};
pub use channel::{CommandEnd, FcpChannel};
pub use channel_fcp::ChannelFcp;
pub use control_unit_fcp::ControlUnitFcp;
pub use device::{Nexus, ScsiDevice, ScsiEnding};
pub use initiator::FcpInitiator;
pub use message::FcpMessage;
pub use outcome::FcpOutcome;
pub use request::FcpRequest;
pub use target::FcpTarget;
pub use task_set::TaskSet;
