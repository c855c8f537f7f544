//! The SAPs: admission of starts, the I/O processors with their threads, and what else keeps those busy.

mod admission;
mod eadm;
mod iop_choice;
mod iops;

pub(crate) use self::admission::ImageWire;
pub(crate) use self::eadm::EadmFlow;
pub(crate) use self::iops::{Iops, RetryCause};
