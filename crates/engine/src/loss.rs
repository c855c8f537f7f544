//! A station with several equal servers and no queue: who finds all engaged is turned away.

use crate::server_line::ServerLine;
use halftrack_base::{Span, Time};

/// Loss system of `c` servers and no queue (Erlang), fused: the departure of an arrival, or its loss, is computed at
/// once.
#[derive(Clone, Debug, PartialEq)]
pub struct LossStation {
    servers: ServerLine,
    given: Span,
    accepted: u64,
    lost: u64,
}

impl LossStation {
    /// Creates a station with `servers` idle servers.
    ///
    /// # Panics
    /// When `servers` is zero.
    pub fn new(servers: u32) -> Self {
        Self { servers: ServerLine::new(servers), given: Span::ZERO, accepted: 0, lost: 0 }
    }

    /// Offers a customer at `now` who needs `service`; its departure, or `None` if all servers are engaged.
    ///
    /// A server whose customer departs at `now` is free at `now`.
    #[inline]
    pub fn try_arrive(&mut self, now: Time, service: Span) -> Option<Time> {
        if self.servers.earliest() > now {
            self.lost += 1;
            return None;
        }
        self.accepted += 1;
        self.given += service;
        Some(self.servers.engage(now, service).1)
    }

    /// Returns the busy time from the start until `at`, summed over the servers; exact if `at` is not before the latest arrival.
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

    /// Returns the customers who found a server.
    #[inline]
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Returns the customers who were turned away.
    #[inline]
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_away_only_while_all_are_engaged() {
        let (at, span) = (Time::from_ps, Span::from_ps);
        let mut station = LossStation::new(2);
        assert_eq!(station.try_arrive(at(0), span(10)), Some(at(10)));
        assert_eq!(station.try_arrive(at(1), span(10)), Some(at(11)));
        assert_eq!(station.try_arrive(at(9), span(10)), None);
        assert_eq!(station.busy_servers(at(9)), 2);
        assert_eq!(station.try_arrive(at(10), span(10)), Some(at(20)));
        assert_eq!((station.accepted(), station.lost(), station.servers()), (3, 1, 2));
        assert_eq!(station.busy_before(at(15)), span(10 + 10 + 5));
    }
}
