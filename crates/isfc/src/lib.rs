//! ISFC logical links, sans-IO: up to 16 channel-to-channel devices carry the streams of two systems of a collection.
//! Never touches transports, clocks or channels.
//!
//! Which device carries a block is the rule of z/VM: [`Designation`] has the devices on which a side writes, in their
//! order, and [`Layout`] has how devices are spread over channels. An [`End`] is one side of a link. [`relocation`] and
//! [`workload`] give it data, and [`islink`] has the operators' commands.
#![forbid(unsafe_code)]

mod block;
mod counters;
mod designation;
mod device;
mod device_number;
mod end;
#[cfg(test)]
mod every_order;
mod hello;
mod inbound;
pub mod islink;
mod layout;
mod order;
mod outbound;
mod payload;
pub mod relocation;
mod system_name;
#[cfg(test)]
mod tests;
pub mod workload;

pub use block::{
    BLOCK_BYTES_MAX, Block, BlockError, Flags, HEADER_BYTES, Header, Incarnation, Kind, StreamId, ccw_counts,
};
pub use counters::{Counters, DirectionCounters};
pub use designation::{Designation, MAX_DEVICES, Role, write_devices};
pub use device_number::{DeviceNumber, sorted};
pub use end::{DeviceReport, DeviceState, End, Partner, Settings};
pub use hello::{ContentError, Hello, Level, Report};
pub use inbound::Delivery;
pub use layout::{Layout, LayoutError, Numbering, Place, Wiring};
pub use order::{ActivationError, Notice, Order, ProgramEnd, Received, Refusal, SENSED_BYTES};
pub use outbound::STREAMS_MAX;
pub use payload::Payload;
pub use system_name::{SystemName, SystemNameError};
