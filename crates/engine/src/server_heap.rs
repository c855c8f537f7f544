//! When each of several equal servers is next free, earliest first.

use serde::{Deserialize, Serialize};

use crate::quaternary_heap::QuaternaryHeap;
use crate::{SimDuration, SimTime};

/// The servers of a station by the time at which they are free, ties by index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerHeap {
    heap: QuaternaryHeap<(SimTime, u32), ()>,
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
            heap.push((SimTime::ZERO, server), ());
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
        self.heap.peek().map_or(SimTime::MAX, |((free_at, _), ())| free_at)
    }

    /// Engages the earliest server from `now`, or from when it is free, for `service`: its index, start and departure.
    #[inline]
    pub(crate) fn engage(&mut self, now: SimTime, service: SimDuration) -> (u32, SimTime, SimTime) {
        // The heap is never empty between calls; an idle server 0 is what an empty one would mean.
        let ((free_at, server), ()) = self.heap.pop().unwrap_or_default();
        let start = free_at.max(now);
        let depart = start + service;
        self.heap.push((depart, server), ());
        (server, start, depart)
    }

    /// Service that is still to be given after `at`, summed over the servers.
    pub(crate) fn backlog(&self, at: SimTime) -> SimDuration {
        self.heap.keys().map(|(free_at, _)| free_at.saturating_since(at)).sum()
    }

    /// Servers that are engaged beyond `at`.
    pub(crate) fn busy(&self, at: SimTime) -> u32 {
        self.heap.keys().filter(|&(free_at, _)| free_at > at).count() as u32
    }
}
