//! Streams of the I/O driver: time, device, direction, cache hit and contents of each I/O. Depends on no machine, never
//! reads a clock and draws from seeded random streams only.
//!
//! [`StreamState`], [`TraceState`] for recorded I/Os and [`EadmState`] are plain state machines: the caller owns the
//! time and takes one value after the other. Nothing is allocated after it is built.

mod device_choice;
mod eadm_state;
mod pattern;
mod stream_state;
mod trace_state;
mod track_choice;
mod zipf;

pub use device_choice::device_shares;
pub use eadm_state::EadmState;
pub use pattern::{Pattern, RecordId, UNWRITTEN};
pub use stream_state::{Request, StreamState};
pub use trace_state::TraceState;
