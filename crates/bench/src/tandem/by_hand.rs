//! The tandem as a plain loop: arrays, a 4-ary heap, no statistics but the departures counted.

use halftrack_base::Time;

use super::heap::{Departure, Heap};
use super::model::{CUSTOMERS, STATIONS, Tandem, next};
use super::services::Services;

/// The customers at a station in the order in which they came.
#[derive(Clone, Debug)]
struct Line {
    customers: [u8; CUSTOMERS],
    first: usize,
    len: usize,
}

impl Line {
    #[inline]
    fn push(&mut self, customer: u8) {
        self.customers[(self.first + self.len) % CUSTOMERS] = customer;
        self.len += 1;
    }

    #[inline]
    fn pop(&mut self) -> u8 {
        let customer = self.customers[self.first];
        self.first = (self.first + 1) % CUSTOMERS;
        self.len -= 1;
        customer
    }
}

/// The tandem by hand. `S` decides when a service is drawn: [`super::Immediate`], as everybody does, or
/// [`super::Prefetched`].
#[derive(Clone, Debug)]
pub struct ByHand<S> {
    services: [S; STATIONS],
    lines: [Line; STATIONS],
    departures: Heap<STATIONS>,
    now_ps: u64,
    hops: u64,
}

impl<S: Services> ByHand<S> {
    /// Returns the tandem at the start of a run with `seed`.
    pub fn new(seed: u64) -> Self {
        let empty = Line { customers: [0; CUSTOMERS], first: 0, len: 0 };
        let mut tandem = Self {
            services: std::array::from_fn(|station| S::new(seed, station)),
            lines: std::array::from_fn(|_| empty.clone()),
            departures: Heap::new(),
            now_ps: 0,
            hops: 0,
        };
        (0..CUSTOMERS as u8).for_each(|customer| tandem.lines[0].push(customer));
        let at_ps = tandem.services[0].next().as_ps();
        tandem.departures.push(Departure { at_ps, station: 0 });
        tandem
    }
}

impl<S: Services> Tandem for ByHand<S> {
    fn run_until(&mut self, until: Time) {
        let until_ps = until.as_ps();
        while let Some(Departure { at_ps: now_ps, station }) = self.departures.first() {
            if now_ps >= until_ps {
                break;
            }
            let from = station as usize;
            let to = next(from);
            let customer = self.lines[from].pop();
            if self.lines[from].len > 0 {
                let at_ps = now_ps + self.services[from].next().as_ps();
                self.departures.replace_first(Departure { at_ps, station });
            } else {
                self.departures.remove_first();
            }
            self.lines[to].push(customer);
            if self.lines[to].len == 1 {
                let at_ps = now_ps + self.services[to].next().as_ps();
                self.departures.push(Departure { at_ps, station: to as u32 });
            }
            self.now_ps = now_ps;
            self.hops += 1;
        }
    }

    fn hops(&self) -> u64 {
        self.hops
    }

    fn now(&self) -> Time {
        Time::from_ps(self.now_ps)
    }

    fn in_service(&self, station: usize) -> Option<u32> {
        let line = &self.lines[station];
        (line.len > 0).then(|| u32::from(line.customers[line.first]))
    }
}
