//! The tandem itself: numbers of stations and customers, mean service, and the interface of a program.

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;

/// Stations in the circle.
pub const STATIONS: usize = 5;
/// Customers, all at station 0 at the start of the run.
pub const CUSTOMERS: usize = 64;
/// Mean of the exponential service of every station.
pub const MEAN_SERVICE: Span = Span::from_us(100);

/// A program that simulates the tandem.
pub trait Tandem {
    /// Handles every departure before `until`.
    fn run_until(&mut self, until: Time);

    /// Returns the hops so far.
    fn hops(&self) -> u64;

    /// Returns the instant of the last hop.
    fn now(&self) -> Time;

    /// Returns the customer in service at station `station`, if any.
    fn in_service(&self, station: usize) -> Option<u32>;
}

/// Returns the random stream from which station `station` has its services.
pub(crate) fn stream(seed: u64, station: usize) -> RandomStream {
    RandomStream::new(seed, &name(station))
}

/// Returns the canonical name of station `station`.
pub(crate) fn name(station: usize) -> String {
    format!("STATION.{station}")
}

/// Returns the station after `station`.
#[inline]
pub(crate) const fn next(station: usize) -> usize {
    if station + 1 == STATIONS { 0 } else { station + 1 }
}

/// Returns the instant by which about `hops` hops have happened in steady state.
///
/// In a balanced closed network every station is busy customers / (customers + stations - 1) of the time (Lazowska et
/// al., *Quantitative System Performance*, 1984, ch. 6).
pub fn time_of_hops(hops: u64) -> Time {
    let (stations, customers) = (STATIONS as u128, CUSTOMERS as u128);
    let services = u128::from(hops) * (customers + stations - 1);
    let ps = u128::from(MEAN_SERVICE.as_ps()) * services / (stations * customers);
    Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}
