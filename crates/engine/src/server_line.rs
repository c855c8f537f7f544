//! When each of several equal servers is next free, earliest first.

use serde::{Deserialize, Serialize};

use crate::{SimDuration, SimTime};

/// When a server is free, and its index below: compared as one integer, which needs no branch.
type FreeAt = u128;

#[inline]
fn key(free_at: SimTime, server: u32) -> FreeAt {
    u128::from(free_at.as_ps()) << 64 | u128::from(server)
}

#[inline]
fn time_of(key: FreeAt) -> SimTime {
    SimTime::from_ps((key >> 64) as u64)
}

/// The servers of a station sorted by the time at which they are free, ties by index, in a ring.
///
/// Who is engaged now is mostly free last: it goes from the head of the line to its end and passes few on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerLine {
    ring: Vec<FreeAt>,
    /// Place of the server that is free first.
    first: usize,
}

impl ServerLine {
    /// `servers` idle servers.
    ///
    /// # Panics
    /// When `servers` is zero.
    pub(crate) fn new(servers: u32) -> Self {
        assert!(servers > 0, "a station has at least one server");
        Self { ring: (0..servers).map(|server| key(SimTime::ZERO, server)).collect(), first: 0 }
    }

    /// Number of servers.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    /// When the earliest server is free.
    #[inline]
    pub(crate) fn earliest(&self) -> SimTime {
        time_of(self.ring[self.first])
    }

    /// Engages the earliest server from `now`, or from when it is free, for `service`: its index, start and departure.
    #[inline(always)]
    pub(crate) fn engage(&mut self, now: SimTime, service: SimDuration) -> (u32, SimTime, SimTime) {
        let taken = self.ring[self.first];
        let server = taken as u32;
        let start = time_of(taken).max(now);
        let depart = start + service;
        let freed = key(depart, server);
        // The place that was first is the last one now.
        let mut place = self.first;
        self.first = if place + 1 == self.ring.len() { 0 } else { place + 1 };
        while place != self.first {
            let before = if place == 0 { self.ring.len() - 1 } else { place - 1 };
            if self.ring[before] < freed {
                break;
            }
            self.ring[place] = self.ring[before];
            place = before;
        }
        self.ring[place] = freed;
        (server, start, depart)
    }

    /// Service that is still to be given after `at`, summed over the servers.
    pub(crate) fn backlog(&self, at: SimTime) -> SimDuration {
        self.ring.iter().map(|key| time_of(*key).saturating_since(at)).sum()
    }

    /// Servers that are engaged beyond `at`.
    pub(crate) fn busy(&self, at: SimTime) -> u32 {
        self.ring.iter().filter(|key| time_of(**key) > at).count() as u32
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
            let expected = (0..3).min_by_key(|server| (free_at[*server], *server)).unwrap();
            let (server, start, depart) = line.engage(now, SimDuration::from_ps(service));
            assert_eq!(server as usize, expected);
            assert_eq!(start, now.max(SimTime::from_ps(free_at[expected])));
            free_at[expected] = depart.as_ps();
            let busy = free_at.iter().filter(|free| **free > now.as_ps()).count();
            assert_eq!(line.busy(now) as usize, busy);
        }
    }
}
