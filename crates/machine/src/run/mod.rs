//! A run from warm-up to its record: the two processes, disturbances, intervals and estimates, and the instants at which the
//! laws are applied.
//!
//! Components and their events are in the other rooms; here they are driven, collected and compared.

pub(crate) mod both_sides;
mod disturbance;
mod lookaheads;
pub(crate) mod process;
pub(crate) mod simulation;
pub(crate) mod thread_count;
pub(crate) mod throughput_bounds;
