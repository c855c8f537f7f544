//! SMC-R between processes of one host: the element of each end and a mailbox for its messages lie in memory that both map.
//!
//! The protocol is that of the crate `smc`. A write into the peer's element is a copy, done when the call returns, so that no link
//! loses it and a message is complete when it is posted. A message has all that earlier ones had, so that one which was not taken is
//! overwritten. Whoever sleeps arms its own bell first, and the peer rings it: how is the caller's.
//!
//! | file | contents |
//! | --- | --- |
//! | `memory` | memory of one end: its mailbox, its bell and its element |
//! | `mailbox` | the last message |
//! | `end` | an end in the middle of an operation |
//! | `shared_end` | one end that several processes have |
//! | `registry` | listening sockets whose owners have SMC-R |
//! | `option` | the option of TCP by which peers show SMC-R |
//! | `meeting` | exchange of the memory of both ends |
//! | `about` | names of an end |
//! | `fallbacks` | connections that stayed with TCP |
//! | `high` | descriptors out of the way of a program |
//! | `holders` | processes that have an end |
//! | `link_status` | links by which octets leave the host |
//! | `census` | connections and fall-backs of the host |
//! | `name` | sockets with names that are in no file system |
#![forbid(unsafe_code)]

mod about;
mod census;
mod end;
mod fallbacks;
mod high;
mod holders;
mod link_status;
mod mailbox;
mod meeting;
mod memory;
mod name;
mod option;
mod registry;
mod shared_end;
#[cfg(test)]
mod tests;

pub use about::{About, Sign};
pub use census::{Census, ConnectionEntry, FallbackEntry, set_ports};
pub use end::Readiness;
pub use fallbacks::{Fallback, FallbackLog};
pub use high::{high, high_and_lasting};
pub use link_status::{Fabric, LinkStatus};
pub use meeting::{Attendance, Invitation};
pub use memory::{EndMemory, NAME as MEMORY_NAME};
pub use option::{
    ControlGroup, can_show_option, is_option_shown, leave_group, remove_when_empty, show_option,
};
pub use registry::{ListenerEntry, is_peer_entered};
pub use shared_end::{STATE_NAME, SharedEnd};
