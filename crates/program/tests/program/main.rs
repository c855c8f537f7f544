//! Channel programs beside an independent model, and their allocations.

mod allocations;
mod model;
