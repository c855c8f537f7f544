//! A library with the interface of zlib for `LD_PRELOAD`: streams use a zEDC Express card when they can, and software when not.
//!
//! ```text
//! program ─► exports ─► Stream ─┬─► Deflation, Inflation ─► connections ─► Accelerator (a card)
//!                               └─► libz-rs-sys (software)
//! ```
//!
//! A stream is the card's or the software's from its first call on (`deflation`, `inflation`). When a card is lost, software goes
//! on in the middle of the stream. Without cards everything is software.

mod accelerator;
#[allow(unsafe_code)]
mod buffers;
mod connections;
#[allow(unsafe_code)]
mod deflation;
mod exports;
mod format;
#[allow(unsafe_code)]
mod gz;
#[allow(unsafe_code)]
mod inflation;
#[allow(unsafe_code)]
mod queue;
mod ring_accelerator;
mod settings;
#[allow(unsafe_code)]
mod stream;

pub use accelerator::{Accelerator, CheckValues};
pub use connections::{Connect, connect_by};
pub use exports::*;
pub use gz::*;
