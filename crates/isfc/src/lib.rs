//! ISFC logical links, sans-IO: up to 16 channel-to-channel devices carry the streams of two systems of a collection.
//! Never touches transports, clocks or channels.
//!
//! Which device carries a block is the rule of z/VM: [`Designation`] has the devices on which a side writes, in their
//! order, and [`Layout`] has how devices are spread over channels.
#![forbid(unsafe_code)]

mod designation;
mod device_number;
mod layout;
mod system_name;

pub use designation::{Designation, MAX_DEVICES, Role, write_devices};
pub use device_number::{DeviceNumber, sorted};
pub use layout::{Layout, LayoutError, Numbering, Place, Wiring};
pub use system_name::{SystemName, SystemNameError};
