//! The twin of zEDC Express: the cards of a deck and its hardware in virtual time, under a load that has lengths and no octets.
//!
//! ```text
//! FUNCTION statements, plugged cards ─► Installation ─┐
//! load file: streams, updates ─► Load ────────────────┼─► run ─► Activity: functions (SMF 74 subtype 9), streams
//! catalog: rate and set-up ───────────────────────────┘
//! ```
//!
//! The machine of a study has the same cards at work: [`CardWork`], with a clock of its own.
//!
//! Cards, partitions, queues and their order are those of the crate `zedc`: here are only arrivals, the time of each slice, and
//! updates of firmware. A run is computed by one thread, and depends on nothing but its input.
#![forbid(unsafe_code)]

mod activity;
mod activity_text;
mod card_work;
mod event;
mod installation;
mod lengths;
mod load;
mod run;
mod software;
mod source;
mod stream;

pub use activity::{Activity, FunctionActivity, SmfCounts, StreamActivity, counted_since};
pub use activity_text::activity_text;
pub use card_work::{CardWork, RequestEnd, SliceEnd, shown_state};
pub use installation::{Installation, InstallationPlan, Place, PlacedFunction};
pub use load::{Load, Update, read_load, resource_group};
pub use run::run;
pub use stream::{EXPLOITERS, Exploiter, ReadStream, Stream, ratio, read_streams};
