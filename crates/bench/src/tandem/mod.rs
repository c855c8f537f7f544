//! A closed tandem of stations through the engine and by hand, for comparing speeds; never reads a clock.
//!
//! Five stations in a circle, one server each, first in first out, exponential service of equal mean, 64 customers.
//! A hop is one departure and the arrival at the next station. [`ThroughEngine`] is the model as the components of a
//! machine are written, with all statistics; [`ByHand`] is the loop that somebody would write who needs nothing else
//! and wants no statistics. The same seed gives both the same departures.

mod by_hand;
mod heap;
mod model;
mod services;
mod station;
mod through_engine;

pub use by_hand::ByHand;
pub use model::{CUSTOMERS, MEAN_SERVICE, STATIONS, Tandem, time_of_hops};
pub use services::{Immediate, Prefetched, Services};
pub use station::StationStatistics;
pub use through_engine::ThroughEngine;
