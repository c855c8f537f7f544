//! Interval statistics: integer sums, split exactly at the boundary, folded into a digest when an interval closes.

use halftrack_base::{Span, Time};
use halftrack_engine::Fifo;

/// Folds one integer into a digest.
pub fn fold(digest: u64, value: u64) -> u64 {
    (digest ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// Sums of one device in an interval.
#[derive(Clone, Copy, Default)]
pub struct DeviceSums {
    pub active: Span,
    pub response: Span,
    pub pending: Span,
    pub ended: u64,
}

/// Stations and what had been measured of them when the last interval closed.
pub struct Stations {
    pub stations: Vec<Fifo>,
    seen: Vec<(Span, u64)>,
}

impl Stations {
    pub fn new(stations: u32) -> Self {
        let stations = stations as usize;
        Self { stations: vec![Fifo::new(); stations], seen: vec![(Span::ZERO, 0); stations] }
    }

    /// Closes the interval of length `length` at `boundary`: busy time and number of services of each station.
    pub fn close(&mut self, boundary: Time, length: Span, mut digest: u64) -> u64 {
        for (station, (busy_seen, services_seen)) in self.stations.iter().zip(&mut self.seen) {
            let (busy, services) = (station.busy_before(boundary), station.completions());
            assert!(busy - *busy_seen <= length, "a station is busy longer than the interval");
            digest = fold(fold(digest, (busy - *busy_seen).as_ps()), services - *services_seen);
            (*busy_seen, *services_seen) = (busy, services);
        }
        digest
    }

    /// Returns all service given, and the number of services.
    pub fn totals(&self) -> (Span, u64) {
        let given = self.stations.iter().map(Fifo::service_given).sum();
        (given, self.stations.iter().map(Fifo::completions).sum())
    }
}

/// Where the intervals stand.
pub struct Intervals {
    start: Time,
    length: Span,
}

impl Intervals {
    pub fn new(length: Span) -> Self {
        Self { start: Time::ZERO, length }
    }

    pub fn start(&self) -> Time {
        self.start
    }

    /// Returns the end of the current interval.
    pub fn boundary(&self) -> Time {
        self.start + self.length
    }

    pub fn length(&self) -> Span {
        self.length
    }

    /// Opens the next interval.
    pub fn advance(&mut self) {
        self.start += self.length;
    }
}
