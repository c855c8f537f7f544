//! The device-level dialogue of a circuit: ESCON, and the parallel interface with its tags.
//!
//! Every CCW takes two interlocks, each a trip there and back:
//!
//! ```text
//! channel                                     control unit
//!    │ command (accepts the status before) ──────► │
//!    │ ◄────────────────────── command response    │   first interlock
//!    │ command response accepted ────────────────► │
//!    │ ◄═══ data, answered by data requests ═════► │   either way, under the window
//!    │ ◄──────────────────────────────── status    │   second interlock
//! ```
//!
//! and the last status is accepted. So Define Extent, Locate Record and Read Data are six trips before the
//! ending status is here, as published ("6 handshakes", ficon-2002), where FICON has one.
//!
//! Data move in pieces of [`PIECE_BYTES`]. At most `Login::window_bytes` of them, the receiver's buffer, may be
//! under way unanswered; that is what makes the rate fall with the distance. Who holds the path meanwhile is not known
//! here: the path is below the dialogue, as buffer credits are below that of FICON.

pub mod channel;
pub mod control_unit;
mod window;

pub use channel::ChannelCircuit;
pub use control_unit::ControlUnitCircuit;

/// Bytes of data that are answered together: assumed. A receiver hands the data on as they come; a piece this small
/// against its buffer of 1,530 bytes lets the window slide as nearly as they do.
pub const PIECE_BYTES: u32 = 64;
