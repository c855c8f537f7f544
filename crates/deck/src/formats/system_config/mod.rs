//! z/VM SYSTEM CONFIG: the statements of logical links, written from a deck and checked against one.
//!
//! Reference: IOCP, section 8; zHyperLink and ISFC, section B2. `RDEVice` names real devices and their type, `ACTIVATE ISLINK`
//! the devices of a logical link and the node at its other end. Comments are those of C, words of any case, and a comma at the
//! end of a line goes on with the next.

mod check;
mod devices;
mod statements;
mod write;

pub use check::check_system_config;
pub use write::{SystemConfig, system_config};
