//! The I/O driver's streams: when the next I/O comes, which device, read or write, hit or miss, and what its records
//! hold; knows no machine, never reads a clock and draws from seeded random streams only.
//!
//! [`StreamState`], [`TraceState`] for what was recorded and [`EadmState`] are plain state machines: the caller owns the time and asks
//! for one value after the other.
//! Nothing is allocated after it is built.

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
