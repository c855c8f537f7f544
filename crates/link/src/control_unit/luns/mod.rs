//! The logical units of a control unit: one SCSI target behind its FCP ports.
//!
//! ```text
//! FCP_CMND ─► PortLuns (initiator's name, port) ─► Target ─► LunBlocks
//!     ▲          └── progress of commands of other ports ◄──┘ └► reservations in a file (APTPL), before the response
//! ```

mod lun_blocks;
mod lun_table;
mod port_luns;
mod raw_blocks;
mod reservation_file;
#[cfg(test)]
mod tests;

pub use lun_table::{FcpPort, LunError, LunTable, LunVolume};
pub use port_luns::PortLuns;
