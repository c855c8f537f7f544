//! A station as a component of the engine, and its statistics.

use halftrack_base::{Span, Time};
use halftrack_engine::{Fifo, Order, Rank, Sequencer, Tally, TimeIntegral, Waiters};

use super::model::CUSTOMERS;
use super::services::{Prefetched, Services};

/// One server and its line.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// Customers present, the one in service first.
    customers: Waiters,
    server: Fifo,
    services: Prefetched,
    sequencer: Sequencer,
    present: TimeIntegral,
    responses: Tally,
    /// How long the server had been busy when the statistics were last taken.
    busy_taken: Span,
}

/// Statistics of a station over a span of virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationStatistics {
    /// Customers who have departed.
    pub departures: u64,
    /// Departures for each second of virtual time.
    pub rate_per_s: f64,
    /// Mean time from arrival to departure, us.
    pub response_us: f64,
    /// Standard deviation of the time from arrival to departure, us.
    pub response_deviation_us: f64,
    /// Mean number of customers present, the one in service included.
    pub number: f64,
    /// Share of the time in which the server was busy.
    pub utilization: f64,
}

impl Station {
    pub(crate) fn new(seed: u64, station: usize, rank: Rank) -> Self {
        Self {
            customers: Waiters::with_capacity(CUSTOMERS),
            server: Fifo::new(),
            services: Prefetched::new(seed, station),
            sequencer: Sequencer::new(rank),
            present: TimeIntegral::default(),
            responses: Tally::new(),
            busy_taken: Span::ZERO,
        }
    }

    /// Accepts `customer` at `now`; returns the departure to schedule, if its service begins at once.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, customer: u32) -> Option<(Time, Order)> {
        self.present.change(now, 1);
        self.customers.push(customer);
        (self.customers.len() == 1).then(|| self.serve(now))
    }

    /// Lets the customer in service go at `now` and replaces its arrival in `arrivals`. Returns it and, if there is a next
    /// one, the departure to schedule.
    ///
    /// # Panics
    /// When nobody is here: then no departure was scheduled.
    #[inline]
    pub(crate) fn depart(
        &mut self,
        now: Time,
        arrivals: &mut [Time; CUSTOMERS],
    ) -> (u32, Option<(Time, Order)>) {
        let customer = self.customers.pop().expect("a departure is scheduled for a customer in service");
        let arrived = std::mem::replace(&mut arrivals[customer as usize], now);
        self.present.change(now, -1);
        self.responses.record(now - arrived);
        (customer, (!self.customers.is_empty()).then(|| self.serve(now)))
    }

    /// Begins the service of the first in line.
    #[inline]
    fn serve(&mut self, now: Time) -> (Time, Order) {
        (self.server.arrive(now, self.services.next()), self.sequencer.next())
    }

    /// Returns the customer in service, if any.
    pub(crate) fn in_service(&self) -> Option<u32> {
        self.customers.first()
    }

    /// Returns the statistics from `since`, its last call, until `now`.
    pub(crate) fn take_statistics(&mut self, since: Time, now: Time) -> StationStatistics {
        let (span, busy) = (now - since, self.server.busy_before(now));
        let busy_before = std::mem::replace(&mut self.busy_taken, busy);
        let responses = self.responses.take();
        let area_ps = self.present.take_until(now);
        if span.is_zero() {
            return StationStatistics::default();
        }
        let span_ps = span.as_ps() as f64;
        StationStatistics {
            departures: responses.count(),
            rate_per_s: responses.count() as f64 / span.as_s_f64(),
            response_us: responses.mean_ps() / 1e6,
            response_deviation_us: responses.deviation_ps() / 1e6,
            number: area_ps as f64 / span_ps,
            utilization: (busy - busy_before).as_ps() as f64 / span_ps,
        }
    }
}
