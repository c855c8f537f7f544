//! A station with one server and a first-in first-out queue.

use halftrack_base::{Span, Time};

/// One server, first in first out, fused: the departure of an arrival is computed at once.
///
/// Departure = max(arrival, server free) + service. This holds only if arrivals are presented in order of their
/// times; the owner sees to that, usually by presenting each at the event that brings it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo {
    free_at: Time,
    given: Span,
    completions: u64,
}

impl Fifo {
    /// Creates an idle station at the start of the run.
    pub const fn new() -> Self {
        Self { free_at: Time::ZERO, given: Span::ZERO, completions: 0 }
    }

    /// Accepts a customer at `now` who needs `service`; returns its departure.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, service: Span) -> Time {
        let departure = self.free_at.max(now) + service;
        self.free_at = departure;
        // Never more than the departure, which is in range.
        self.given = Span::from_ps(self.given.as_ps().wrapping_add(service.as_ps()));
        self.completions += 1;
        departure
    }

    /// Returns the backlog at `now`: how long the server stays busy if nobody else arrives.
    #[inline]
    pub fn busy_until(&self, now: Time) -> Span {
        self.free_at.saturating_since(now)
    }

    /// Returns how long the server has been busy from the start until `at`.
    ///
    /// Exact for every `at` that is not before the latest arrival: what is left of the service given is then one
    /// contiguous backlog. To split statistics at a boundary, call it before the first arrival after it.
    #[inline]
    pub fn busy_before(&self, at: Time) -> Span {
        self.given.saturating_sub(self.busy_until(at))
    }

    /// Returns the time at which the server is next free; in the past if it is idle.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
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
    fn departures_queue_behind_each_other() {
        let mut station = Fifo::new();
        assert_eq!(station.arrive(at(10), span(5)), at(15));
        assert_eq!(station.arrive(at(12), span(5)), at(20));
        assert_eq!(station.arrive(at(30), span(1)), at(31));
        assert_eq!(station.completions(), 3);
        assert_eq!(station.free_at(), at(31));
    }

    #[test]
    fn busy_time_is_split_at_any_instant() {
        let mut station = Fifo::new();
        station.arrive(at(10), span(5));
        assert_eq!(station.busy_before(at(10)), span(0));
        assert_eq!(station.busy_before(at(12)), span(2));
        station.arrive(at(12), span(5));
        assert_eq!(station.busy_until(at(12)), span(8));
        assert_eq!(station.busy_before(at(19)), span(9));
        assert_eq!(station.busy_before(at(99)), span(10));
        assert_eq!(station.service_given(), span(10));
    }
}
