//! Synchronous I/O (zHyperLink): one slot of shared memory for each function, without exchange, frame or interrupt.
//!
//! ```text
//!             post               take                answer
//!   Free ──────────► Posted ──────────────► Taken ──────────► Answered
//!    ▲                  │                                        │
//!    └──── give up ─────┘◄────────── the host has read it ───────┘
//!      host                  control unit             host
//! ```
//!
//! Posted is left by one compare-and-swap of either end: a request that the host has taken back is never executed, and one
//! that the control unit has taken is over only when it is answered, or the memory is given up. The control unit executes
//! what it has taken before it takes anything else, from slots or fibres, so that nothing of a request comes after the I/O
//! that the host has started in its place.

mod completion;
#[cfg(test)]
mod every_order;
mod function;
mod slot;
mod slot_memory;

pub use completion::{Completion, CompletionShare, LinkError, LocalReject, check_buffer};
pub use function::{Function, GivenUp};
pub use slot::{TakenRequest, answer, load_written, store_read, take};
pub use slot_memory::SlotMemory;
