//! Common parts of the peers: the tandem's dimensions, its services, the tally of responses, the line printed.

pub mod whole_machine;

use std::time::Duration;

use halftrack_base::Span;
use halftrack_engine::RandomStream;
use serde::{Deserialize, Serialize};

/// Stations in the circle.
pub const STATIONS: usize = 5;
/// Customers, all at station 0 at the start.
pub const CUSTOMERS: usize = 64;
/// Mean of the exponential service of every station.
pub const MEAN_SERVICE: Span = Span::from_us(100);

/// A random stream of halftrack. nexosim takes models only that serde can write; a stream is written as its name, and read as
/// its beginning.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct NamedStream {
    name: String,
    /// The stream itself.
    pub random: RandomStream,
}

impl From<String> for NamedStream {
    fn from(name: String) -> Self {
        Self { random: RandomStream::new(1, &name), name }
    }
}

impl From<NamedStream> for String {
    fn from(stream: NamedStream) -> Self {
        stream.name
    }
}

/// The services of a station, drawn when they begin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Services(NamedStream);

impl Services {
    /// Begins the services of station `station`.
    pub fn new(station: usize) -> Self {
        Self(format!("STATION.{station}").into())
    }

    /// Draws the next service, ps.
    #[inline]
    pub fn next_ps(&mut self) -> u64 {
        self.0.random.exponential(MEAN_SERVICE).as_ps()
    }
}

/// Count, sum, sum of squares, least and greatest of the responses, us.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    sum_squares: f64,
    least: f64,
    greatest: f64,
}

impl Tally {
    /// Observes one response.
    #[inline]
    pub fn record(&mut self, response_us: f64) {
        self.count += 1;
        self.sum += response_us;
        self.sum_squares += response_us * response_us;
        self.least = self.least.min(response_us);
        self.greatest = self.greatest.max(response_us);
    }
}

/// Reads the approximate number of hops: the first argument.
pub fn hops_argument() -> u64 {
    let hops = std::env::args().nth(1).and_then(|text| text.parse().ok());
    hops.unwrap_or_else(|| {
        eprintln!("usage: PROGRAM HOPS");
        std::process::exit(2)
    })
}

/// Returns the virtual time that `hops` hops take in steady state, us.
pub fn time_of_hops_us(hops: u64) -> f64 {
    let busy = CUSTOMERS as f64 / (CUSTOMERS + STATIONS - 1) as f64;
    hops as f64 * MEAN_SERVICE.as_us_f64() / (STATIONS as f64 * busy)
}

/// Returns the processor time of this process so far, s. Other work on the machine does not lengthen it.
pub fn processor_time_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32).as_secs_f64()
}

/// Prints one line of JSON: how fast `peer` was, and the mean response of its `tallies`.
pub fn report(peer: &str, spent_s: f64, tallies: &[Tally]) {
    let hops: u64 = tallies.iter().map(|tally| tally.count).sum();
    let response_us = tallies.iter().map(|tally| tally.sum).sum::<f64>() / hops as f64;
    println!(
        "{{\"program\": \"{peer}\", \"hops\": {hops}, \"hops_per_s\": {:.0}, \"response_us\": {response_us:.1}}}",
        hops as f64 / spent_s
    );
}
