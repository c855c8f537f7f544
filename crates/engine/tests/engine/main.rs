//! The engine beside closed forms, laws and counted allocations.

mod allocations;
mod closed_forms;
mod coverage;
mod harness;
mod lanes;
mod percentiles;
mod properties;
mod warm_up;
mod windows;
