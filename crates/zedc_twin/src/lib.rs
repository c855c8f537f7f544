//! The twin of zEDC Express: the cards of a deck and its hardware in virtual time, under a load that has lengths and no octets.
//!
//! ```text
//! FUNCTION statements, plugged cards ─► Installation ─┐
//! load file: streams, updates ─► Load ────────────────┼─► run ─► Activity: functions (SMF 74 subtype 9), streams
//! catalog: rate and set-up ───────────────────────────┘
//! ```
//!
//! Cards, partitions, queues and their order are those of the crate `zedc`: here are only arrivals, the time of each slice, and
//! updates of firmware. A run is computed by one thread, and depends on nothing but its input.
#![forbid(unsafe_code)]

mod activity;
mod activity_text;
mod event;
mod installation;
mod lengths;
mod load;
mod run;
mod software;
mod source;

pub use activity::{Activity, FunctionActivity, SmfCounts, StreamActivity};
pub use activity_text::activity_text;
pub use installation::{Installation, Place, PlacedFunction};
pub use load::{Exploiter, Load, Stream, Update, read_load};
pub use run::run;
