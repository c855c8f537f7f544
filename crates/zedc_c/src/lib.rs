//! The services of zEDC Express cards for programs in C: FPZ4RZV, PRB, RMR, DMR, ABC and URZ as functions.
//!
//! ```text
//! program ─► exports ─► services ─► spaces ─► SharedProgram (halftrack_zedc_rings) ─► cards
//! ```
//!
//! `include/halftrack_zedc.h` declares them. A pointer is followed by the system (`caller_memory`), so that one that leads
//! nowhere is an answer; a panic ends at `exports`.

#[allow(unsafe_code)]
mod caller_memory;
mod codes;
#[allow(unsafe_code)]
mod exports;
mod layout;
mod services;
#[allow(unsafe_code)]
mod spaces;

pub use codes::{Codes, Fault};
pub use exports::*;
pub use layout::{RegionName, RendezvousName, Run, RunResult};
