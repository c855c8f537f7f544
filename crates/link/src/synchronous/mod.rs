//! Synchronous I/O (zHyperLink) between two processes of a host: slots in shared memory, polled by both ends.
//!
//! ```text
//!  drive: HostLink ── request ──► SharedArea ──► Adapter ──► devices ──► volumes
//!           spins  ◄── answer ───   (memfd)        polls, or sleeps until its event
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `shared_area` | the mapped memory, as slots |
//! | `handover` | the memory that crosses the socket |
//! | `adapter`, `adapter_link` | the control unit's end: hosts let in, slots polled |
//! | `host_link`, `host_links` | the host's end: a link from connection to loss, requests with a time-out |

mod adapter;
mod adapter_link;
mod handover;
mod host_link;
mod host_links;
mod shared_area;
#[cfg(test)]
mod tests;

pub use halftrack_exchange::synchronous::{Completion, CompletionShare};

pub use adapter::{Adapter, AdapterCounters, AdapterOptions};
pub use host_link::{HostLinkOptions, Pending};
pub use host_links::HostLinks;
pub use shared_area::SharedArea;
