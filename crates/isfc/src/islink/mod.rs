//! Operators' commands of CP on logical links: ACTIVATE, DEACTIVE and QUERY ISLINK, and their responses.
//!
//! Numbers of messages are those of z/VM (CP Commands and Utilities Reference; CP Messages and Codes); where only the sense of a
//! text was found, the words are ours. The layout of QUERY ISLINK is ours: that of z/VM was not found.

mod command;
mod query;
mod reply;

pub use command::{Activate, Command, CommandError};
pub use query::{notice_line, query};
pub use reply::{RealDevice, RealDevices, Reply, activate, deactivate};
