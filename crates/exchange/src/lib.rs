//! Exchange state machines of both ends, plans recorded from them, and ends that follow a plan or run live; never a
//! socket, a clock, a thread or a random number.
//!
//! | file | content |
//! | --- | --- |
//! | [`half`] | one end as the twin holds it: planned or live |
//! | [`end`] | the calls of a live end |
//! | [`plan`], [`plans`], [`step`] | the recorded graph of a fault-free exchange |
//! | [`recorder`](crate::Plans::record) | how it is recorded |
//! | [`channel_end`], [`control_unit_end`] | the live machines, by protocol in files of their own |
//! | `control_unit_core` | how an exchange ends at every control unit |
//! | [`circuit`] | the live machines of ESCON and the parallel interface |
//! | [`program`], [`device`], [`wait`] | programs that an exchange carries, devices that it is carried to, and their barriers |
//! | [`sequence`] | information units cut into frames and put together again |
//! | [`fcp`] | both ends of an exchange of SCSI over Fibre Channel |
//! | [`port`] | all open exchanges of a channel path, and of a host-adapter port, on frames |
//! | [`buffer_credit`] | how many frames a link takes |
//! | [`unsolicited_status`] | status that a control unit presents by itself |
//! | [`synchronous`] | both ends of synchronous I/O over slots of shared memory |
//! | [`rig`] | both ends against each other in virtual time, with faults |
//!
//! A live end is driven in this order: `handle_*`, then `poll_transmit` until it gives nothing, then
//! `poll_outcome`, then `poll_timeout` for when to come again.

pub mod buffer_credit;
mod bursts;
pub mod channel_command;
pub mod channel_end;
pub mod channel_transport;
pub mod circuit;
#[cfg(test)]
mod command_exceptions;
#[cfg(test)]
mod command_waits;
pub mod control_unit_command;
mod control_unit_core;
pub mod control_unit_end;
pub mod control_unit_transport;
#[cfg(test)]
mod conversation;
mod deadline;
pub mod device;
pub mod eckd_device;
pub mod end;
mod end_delegates;
pub mod fcp;
pub mod half;
mod outbox;
pub mod outcome;
mod pacing;
pub mod plan;
pub mod plans;
pub mod port;
pub mod program;
mod purge;
mod recorder;
pub mod rig;
pub mod sequence;
pub mod step;
pub mod synchronous;
#[cfg(test)]
mod transport_exceptions;
mod twin_device;
pub mod unsolicited_status;
pub mod wait;

pub use buffer_credit::BufferCredit;
pub use channel_end::ChannelEnd;
pub use control_unit_end::ControlUnitEnd;
pub use end::{End, FramedEnd, Identity};
pub use half::{Half, Transmit};
pub use outcome::{BusyKind, Cause, ChannelOutcome, ControlUnitOutcome};
pub use plan::{Carrier, Login, Plan, PlanId, PlanKey};
pub use plans::{PlanError, Plans};
pub use port::{
    ChannelPort, ControlUnitPort, Discard, ExchangeEnd, ExchangeState, Opened, PortCounts, Start, Target,
    Units,
};
pub use program::Program;
pub use step::{Delay, FrameForm, Side, Step, Work};
pub use twin_device::TwinDevice;
pub use wait::Wait;

/// The channel's end as the twin holds it.
pub type ChannelHalf = Half<ChannelEnd>;

/// The control unit's end as the twin holds it.
pub type ControlUnitHalf = Half<ControlUnitEnd>;
