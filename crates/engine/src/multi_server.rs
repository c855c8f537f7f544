//! A station with several equal servers and one first-in first-out queue.

use crate::server_line::ServerLine;
use halftrack_base::{Span, Time};

/// Multi-server of `c` servers, one queue, first in first out, fused: start and departure of an arrival are computed
/// at once.
///
/// The customer goes to the server that is free earliest. As with [`crate::Fifo`], arrivals must be presented in
/// order of their times. An arrival costs one step for each server that is to be free later than the one engaged:
/// few, unless services differ much.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiServer {
    servers: ServerLine,
    given: Span,
    completions: u64,
}

impl MultiServer {
    /// Creates a station with `servers` idle servers.
    ///
    /// # Panics
    /// When `servers` is zero.
    pub fn new(servers: u32) -> Self {
        Self { servers: ServerLine::new(servers), given: Span::ZERO, completions: 0 }
    }

    /// Accepts a customer at `now` who needs `service`: when it starts and when it departs.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, service: Span) -> (Time, Time) {
        self.given += service;
        self.completions += 1;
        self.servers.engage(now, service)
    }

    /// Returns the instant from which a customer who arrives at `now` would be served.
    #[inline]
    pub fn start_of(&self, now: Time) -> Time {
        self.servers.earliest().max(now)
    }

    /// Returns the busy time from the start until `at`, summed over the servers.
    ///
    /// Exact for every `at` that is not before the latest arrival; see [`crate::Fifo::busy_before`].
    pub fn busy_before(&self, at: Time) -> Span {
        self.given.saturating_sub(self.servers.backlog(at))
    }

    /// Returns the servers that are engaged beyond `at`.
    pub fn busy_servers(&self, at: Time) -> u32 {
        self.servers.busy(at)
    }

    /// Returns the number of servers.
    #[inline]
    pub fn servers(&self) -> u32 {
        self.servers.len()
    }

    /// Returns all service given, the backlog included.
    #[inline]
    pub fn service_given(&self) -> Span {
        self.given
    }

    /// Returns the customers whose departure has been computed; those in the backlog are among them.
    #[inline]
    pub fn completions(&self) -> u64 {
        self.completions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }
    const fn span(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    #[test]
    fn the_server_that_is_free_earliest_takes_the_customer() {
        let mut station = MultiServer::new(3);
        assert_eq!(station.arrive(at(0), span(10)), (at(0), at(10)));
        assert_eq!(station.arrive(at(0), span(10)), (at(0), at(10)));
        assert_eq!(station.arrive(at(0), span(4)), (at(0), at(4)));
        assert_eq!(station.start_of(at(1)), at(4));
        assert_eq!(station.arrive(at(1), span(6)), (at(4), at(10)));
        assert_eq!(station.arrive(at(9), span(1)), (at(10), at(11)));
        assert_eq!(station.arrive(at(9), span(1)), (at(10), at(11)));
        assert_eq!((station.servers(), station.completions()), (3, 6));
    }

    #[test]
    fn busy_time_sums_over_servers() {
        let mut station = MultiServer::new(2);
        station.arrive(at(0), span(10));
        station.arrive(at(2), span(3));
        assert_eq!(station.busy_before(at(4)), span(4 + 2));
        assert_eq!(station.busy_before(at(7)), span(7 + 3));
        assert_eq!(station.busy_before(at(70)), station.service_given());
        assert_eq!((station.busy_servers(at(4)), station.busy_servers(at(5))), (2, 1));
    }

    #[test]
    fn one_server_is_a_fifo() {
        let (mut many, mut one) = (MultiServer::new(1), crate::Fifo::new());
        for (now, service) in [(0, 5), (1, 2), (20, 3), (21, 9)] {
            assert_eq!(many.arrive(at(now), span(service)).1, one.arrive(at(now), span(service)));
            assert_eq!(many.busy_before(at(now + 1)), one.busy_before(at(now + 1)));
        }
    }
}
