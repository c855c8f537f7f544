//! A run from its options to its record: the two processes, disturbances, real data and captures, and the laws that watch
//! every run from outside.
//!
//! Components and their events are in the other rooms; here they are driven, counted and compared.

pub(crate) mod disturbance;
pub(crate) mod process;
pub(crate) mod simulation;
pub(crate) mod throughput_bounds;
