//! When each of several equal servers is next free, earliest first.

use serde::{Deserialize, Serialize};

use crate::quaternary_heap::QuaternaryHeap;
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

/// The servers of a station by the time at which they are free, ties by index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerHeap {
    heap: QuaternaryHeap<FreeAt, ()>,
}

impl ServerHeap {
    /// `servers` idle servers.
    ///
    /// # Panics
    /// When `servers` is zero.
    pub(crate) fn new(servers: u32) -> Self {
        assert!(servers > 0, "a station has at least one server");
        let mut heap = QuaternaryHeap::with_capacity(servers as usize);
        for server in 0..servers {
            heap.push(key(SimTime::ZERO, server), ());
        }
        Self { heap }
    }

    /// Number of servers.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.heap.len() as u32
    }

    /// When the earliest server is free.
    #[inline]
    pub(crate) fn earliest(&self) -> SimTime {
        self.heap.peek().map_or(SimTime::MAX, |(first, ())| time_of(first))
    }

    /// Engages the earliest server from `now`, or from when it is free, for `service`: its index, start and departure.
    #[inline]
    pub(crate) fn engage(&mut self, now: SimTime, service: SimDuration) -> (u32, SimTime, SimTime) {
        // The heap is never empty between calls; an idle server 0 is what an empty one would mean.
        let (first, ()) = self.heap.pop().unwrap_or_default();
        let server = first as u32;
        let start = time_of(first).max(now);
        let depart = start + service;
        self.heap.push(key(depart, server), ());
        (server, start, depart)
    }

    /// Service that is still to be given after `at`, summed over the servers.
    pub(crate) fn backlog(&self, at: SimTime) -> SimDuration {
        self.heap.keys().map(|key| time_of(key).saturating_since(at)).sum()
    }

    /// Servers that are engaged beyond `at`.
    pub(crate) fn busy(&self, at: SimTime) -> u32 {
        self.heap.keys().filter(|&key| time_of(key) > at).count() as u32
    }
}
