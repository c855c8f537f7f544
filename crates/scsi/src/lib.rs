//! The SCSI target of fixed-block volumes, sans-IO: commands of initiators on units of logical blocks, with data, status and
//! sense as SAM-5, SPC-4 and SBC-3 define them. Never touches transports or clocks.
//!
//! ```text
//! command ─► masking ─► task set ─► unit attention ─► decode ─► state, range ─► data-out ─► blocks ─► response
//! ```
#![forbid(unsafe_code)]

mod access_state;
mod capacity;
mod command;
mod identity;
mod inquiry;
mod lba_status;
mod limits;
mod log_pages;
mod logical_blocks;
mod logical_unit;
mod masking;
mod medium;
mod memory_blocks;
mod mode_commands;
mod mode_parameters;
mod nexus;
mod operation;
mod range;
mod report_luns;
mod request;
mod reservation_report;
mod reservation_store;
mod reservation_type;
mod reservations;
mod response;
#[cfg(test)]
mod rig;
mod sense;
mod statistics;
mod supported_operations;
mod target;
mod target_port;
mod target_port_groups;
mod task_set;
#[cfg(test)]
mod tests;
mod unit_attention;
mod unmap;
mod unseen_unit;
mod volume_blocks;

pub use halftrack_wire::fcp::{Lun, Residual, ResponseCode, ScsiStatus, TaskManagement};

pub use access_state::AccessState;
pub use identity::Identity;
pub use logical_blocks::{BlockFault, LogicalBlocks, Space};
pub use logical_unit::LogicalUnit;
pub use masking::Masking;
pub use memory_blocks::MemoryBlocks;
pub use nexus::{Nexus, TaskId};
pub use request::{Request, TaskAttribute, Transfer};
pub use reservation_store::ReservationStore;
pub use reservation_type::ReservationType;
pub use reservations::{Registration, Reservation, SavedReservations};
pub use response::Response;
pub use sense::{FieldPointer, Sense, SenseCode};
pub use target::{Target, Transmit};
pub use target_port::TargetPort;
pub use volume_blocks::VolumeBlocks;
