//! The tandem through the engine: stations as components, departures as events, one logical process.

use std::convert::Infallible;

use halftrack_base::{Span, Time};
use halftrack_engine::{EventKey, LogicalProcess, PendingSet, ranks, windows};

use super::model::{CUSTOMERS, STATIONS, Tandem, name, next};
use super::station::{Station, StationStatistics};

/// The customer in service at a station departs.
#[derive(Clone, Copy, Debug)]
struct Departure {
    station: u32,
}

/// The tandem with all statistics, written as the components of a machine are.
#[derive(Clone, Debug)]
pub struct ThroughEngine {
    /// Stays empty.
    outbox: Vec<(usize, Infallible)>,
    pending: PendingSet<Departure>,
    stations: [Station; STATIONS],
    /// When each customer arrived where it is.
    arrivals: [Time; CUSTOMERS],
    now: Time,
    hops: u64,
    /// Until when the tandem has run, and since when there are statistics.
    until: Time,
    measured_since: Time,
}

impl ThroughEngine {
    /// Returns the tandem at the start of a run with `seed`.
    pub fn new(seed: u64) -> Self {
        let names: [String; STATIONS] = std::array::from_fn(name);
        let ranks = ranks(names.iter().map(String::as_str)).expect("the stations have different names");
        let mut tandem = Self {
            outbox: Vec::new(),
            pending: PendingSet::with_capacity(STATIONS),
            stations: std::array::from_fn(|station| Station::new(seed, station, ranks[station])),
            arrivals: [Time::ZERO; CUSTOMERS],
            now: Time::ZERO,
            hops: 0,
            until: Time::ZERO,
            measured_since: Time::ZERO,
        };
        (0..CUSTOMERS as u32).for_each(|customer| tandem.arrive(0, customer));
        tandem
    }

    /// Returns the statistics of the stations since its last call, or since the start of the run.
    pub fn take_statistics(&mut self) -> [StationStatistics; STATIONS] {
        let since = std::mem::replace(&mut self.measured_since, self.until);
        std::array::from_fn(|station| self.stations[station].take_statistics(since, self.until))
    }

    #[inline]
    fn arrive(&mut self, station: usize, customer: u32) {
        if let Some((at, order)) = self.stations[station].arrive(self.now, customer) {
            self.pending.push(at, order, Departure { station: station as u32 });
        }
    }

    #[inline]
    fn on_departure(&mut self, event: Departure) {
        let from = event.station as usize;
        let (customer, following) = self.stations[from].depart(self.now, &mut self.arrivals);
        if let Some((at, order)) = following {
            self.pending.push(at, order, event);
        }
        self.arrive(next(from), customer);
        self.hops += 1;
    }
}

impl Tandem for ThroughEngine {
    fn run_until(&mut self, until: Time) {
        let ran = windows::run(std::slice::from_mut(self), until, 1);
        ran.expect("a process that sends nothing breaks no contract");
        self.until = self.until.max(until);
    }

    fn hops(&self) -> u64 {
        self.hops
    }

    fn now(&self) -> Time {
        self.now
    }

    fn in_service(&self, station: usize) -> Option<u32> {
        self.stations[station].in_service()
    }
}

impl LogicalProcess for ThroughEngine {
    type Message = Infallible;

    fn next_time(&mut self) -> Option<Time> {
        self.pending.peek_time()
    }

    /// Returns the longest span: the process sends nothing.
    fn lookahead(&self, _next: Time) -> Span {
        Span::MAX
    }

    fn run_until(&mut self, horizon: Time) {
        while let Some((now, event)) = self.pending.pop_before(EventKey::before(horizon)) {
            self.now = now;
            self.on_departure(event);
        }
    }

    fn outbox(&mut self) -> &mut Vec<(usize, Infallible)> {
        &mut self.outbox
    }

    fn deliver(&mut self, message: Infallible) {
        match message {}
    }
}
