//! The tandem itself: how many stations and customers, how long a service takes, what a program of it tells.

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

    /// Hops so far.
    fn hops(&self) -> u64;

    /// The instant of the last hop.
    fn now(&self) -> Time;

    /// The customer in service at station `station`, if any.
    fn in_service(&self, station: usize) -> Option<u32>;
}

/// The random stream from which station `station` has its services.
pub(crate) fn stream(seed: u64, station: usize) -> RandomStream {
    RandomStream::new(seed, &name(station))
}

/// The canonical name of station `station`.
pub(crate) fn name(station: usize) -> String {
    format!("STATION.{station}")
}

/// The station after `station`.
#[inline]
pub(crate) const fn next(station: usize) -> usize {
    if station + 1 == STATIONS { 0 } else { station + 1 }
}

/// The instant by which about `hops` hops have happened in steady state.
///
/// In a balanced closed network every station is busy customers / (customers + stations - 1) of the time (Lazowska et
/// al., *Quantitative System Performance*, 1984, ch. 6).
pub fn time_of_hops(hops: u64) -> Time {
    let (stations, customers) = (STATIONS as u128, CUSTOMERS as u128);
    let services = u128::from(hops) * (customers + stations - 1);
    let ps = u128::from(MEAN_SERVICE.as_ps()) * services / (stations * customers);
    Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}
