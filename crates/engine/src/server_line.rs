//! When each of several equal servers is next free, earliest first.

use halftrack_base::{Span, Time};

/// The times at which the servers of a station are free, sorted, in a ring. Which server that is makes no difference.
///
/// The server engaged now is mostly free last: it moves from the head of the line to its end and passes few on the way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerLine {
    /// A power of two of places, one at least more than servers: he who was engaged last still stands before the first.
    ring: Vec<Time>,
    /// Place of the earliest, counted on and on.
    first: usize,
    servers: u32,
}

impl ServerLine {
    /// Returns `servers` idle servers.
    ///
    /// # Panics
    /// When `servers` is zero.
    pub(crate) fn new(servers: u32) -> Self {
        assert!(servers > 0, "a station has at least one server");
        Self { ring: vec![Time::ZERO; (servers as usize + 1).next_power_of_two()], first: 0, servers }
    }

    /// Returns the number of servers.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.servers
    }

    /// Returns the time at which the earliest server is free.
    #[inline]
    pub(crate) fn earliest(&self) -> Time {
        self.ring[self.first & (self.ring.len() - 1)]
    }

    /// Engages the earliest server from `now`, or from when it is free, for `service`: start and departure.
    #[inline(always)]
    pub(crate) fn engage(&mut self, now: Time, service: Span) -> (Time, Time) {
        let start = self.earliest().max(now);
        let depart = start + service;
        let ring = self.ring.as_mut_slice();
        let mask = ring.len() - 1;
        let mut place = self.first.wrapping_add(self.servers as usize);
        self.first = self.first.wrapping_add(1);
        // The one engaged departs no sooner than it was free, so that nobody goes past its old place.
        while ring[place.wrapping_sub(1) & mask] > depart {
            ring[place & mask] = ring[place.wrapping_sub(1) & mask];
            place = place.wrapping_sub(1);
        }
        ring[place & mask] = depart;
        (start, depart)
    }

    /// Returns the times at which the servers are free.
    fn free_at(&self) -> impl Iterator<Item = Time> {
        let places = (0..self.servers as usize).map(|place| self.first.wrapping_add(place));
        places.map(|place| self.ring[place & (self.ring.len() - 1)])
    }

    /// Returns the service that is still to be given after `at`, summed over the servers.
    pub(crate) fn backlog(&self, at: Time) -> Span {
        self.free_at().map(|free_at| free_at.saturating_since(at)).sum()
    }

    /// Returns the servers that are engaged beyond `at`.
    pub(crate) fn busy(&self, at: Time) -> u32 {
        self.free_at().filter(|free_at| *free_at > at).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_server_is_engaged_whatever_the_services() {
        let mut line = ServerLine::new(3);
        let mut free_at = [0_u64; 3];
        for (turn, service) in [50, 7, 20, 3, 3, 90, 1, 12, 40, 5, 5, 8].into_iter().enumerate() {
            let now = Time::from_ps(turn as u64 * 4);
            let expected = (0..3).min_by_key(|server| free_at[*server]).unwrap();
            let (start, depart) = line.engage(now, Span::from_ps(service));
            assert_eq!(start, now.max(Time::from_ps(free_at[expected])));
            free_at[expected] = depart.as_ps();
            let busy = free_at.iter().filter(|free| **free > now.as_ps()).count();
            assert_eq!(line.busy(now) as usize, busy);
        }
    }
}
