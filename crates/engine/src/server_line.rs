//! When each of several equal servers is next free, earliest first.

use serde::{Deserialize, Serialize};

use crate::{SimDuration, SimTime};

/// The times at which the servers of a station are free, sorted, in a ring. Which server that is makes no difference.
///
/// Who is engaged now is mostly free last: it goes from the head of the line to its end and passes few on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerLine {
    ring: Vec<SimTime>,
    /// Place of the earliest.
    first: usize,
}

impl ServerLine {
    /// `servers` idle servers.
    ///
    /// # Panics
    /// When `servers` is zero.
    pub(crate) fn new(servers: u32) -> Self {
        assert!(servers > 0, "a station has at least one server");
        Self { ring: vec![SimTime::ZERO; servers as usize], first: 0 }
    }

    /// Number of servers.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    /// When the earliest server is free.
    #[inline]
    pub(crate) fn earliest(&self) -> SimTime {
        self.ring[self.first]
    }

    /// Engages the earliest server from `now`, or from when it is free, for `service`: start and departure.
    #[inline(always)]
    pub(crate) fn engage(&mut self, now: SimTime, service: SimDuration) -> (SimTime, SimTime) {
        let start = self.ring[self.first].max(now);
        let depart = start + service;
        // The place that was first is the last one now.
        let mut place = self.first;
        self.first = if place + 1 == self.ring.len() { 0 } else { place + 1 };
        while place != self.first {
            let before = if place == 0 { self.ring.len() - 1 } else { place - 1 };
            if self.ring[before] <= depart {
                break;
            }
            self.ring[place] = self.ring[before];
            place = before;
        }
        self.ring[place] = depart;
        (start, depart)
    }

    /// Service that is still to be given after `at`, summed over the servers.
    pub(crate) fn backlog(&self, at: SimTime) -> SimDuration {
        self.ring.iter().map(|free_at| free_at.saturating_since(at)).sum()
    }

    /// Servers that are engaged beyond `at`.
    pub(crate) fn busy(&self, at: SimTime) -> u32 {
        self.ring.iter().filter(|free_at| **free_at > at).count() as u32
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
            let now = SimTime::from_ps(turn as u64 * 4);
            let expected = (0..3).min_by_key(|server| free_at[*server]).unwrap();
            let (start, depart) = line.engage(now, SimDuration::from_ps(service));
            assert_eq!(start, now.max(SimTime::from_ps(free_at[expected])));
            free_at[expected] = depart.as_ps();
            let busy = free_at.iter().filter(|free| **free > now.as_ps()).count();
            assert_eq!(line.busy(now) as usize, busy);
        }
    }
}
