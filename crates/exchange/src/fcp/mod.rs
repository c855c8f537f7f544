//! FCP: both ends of an exchange of SCSI over Fibre Channel (FCP-4; FCP reference sections 1 and 2).
//!
//! | file | content |
//! | --- | --- |
//! | [`request`], [`outcome`] | an exchange that an initiator begins, and how it ends there |
//! | [`initiator`], `initiator_recovery` | the initiator's machine; REC, SRR and ABTS |
//! | [`target`], `target_recovery` | the target's machine; answers to REC, SRR and ABTS |
//! | [`frames`] | information units as frames |
//! | [`channel_fcp`], [`control_unit_fcp`], `device_task` | both ends as plans and the twin have them |
//! | [`port`] | all open exchanges of an initiator's port, and of a target's, on frames |
//! | [`device`] | the SCSI device behind a target |
//! | `message_queue` | messages that can be sent |
//! | [`message`] | all that goes between the two: information units, and link services about an exchange |
//! | [`agreement`] | values of the login, and time-outs |
//!
//! A machine is driven like any end: `handle_*`, then `poll_transmit` until it gives nothing, then `poll_outcome`, then
//! `poll_timeout` for when to come again.

pub mod agreement;
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
mod message_queue;
pub mod outcome;
#[cfg(test)]
mod plan_exceptions;
pub mod port;
pub mod request;
#[cfg(test)]
mod rig;
pub mod target;
mod target_recovery;
#[cfg(test)]
mod task_set;

pub use agreement::{FcpAgreement, FcpTimers};
pub use channel_fcp::ChannelFcp;
pub use control_unit_fcp::ControlUnitFcp;
pub use device::{ScsiDevice, ScsiEnding, ScsiProgress, TaskTag};
pub use initiator::FcpInitiator;
pub use message::FcpMessage;
pub use outcome::FcpOutcome;
pub use port::{CommandEnd, FcpInitiatorPort, FcpPeer, FcpTargetPort};
pub use request::FcpRequest;
pub use target::FcpTarget;
