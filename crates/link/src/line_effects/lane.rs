//! Octets on their way in one direction.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};

/// Octets on their way in one direction of a link.
#[derive(Debug, Default)]
pub struct Lane {
    /// Batches, by the time at which they arrive.
    pub batches: VecDeque<(Time, Vec<u8>)>,
    /// When the last arrives of those that nothing overtakes.
    in_order: Time,
    /// When the end of the link arrives, behind everything.
    pub ends: Option<Time>,
}

impl Lane {
    /// Puts a batch where its time of arrival places it.
    pub fn put(&mut self, at: Time, batch: Vec<u8>) {
        let place = self.batches.partition_point(|(arrives, _)| *arrives <= at);
        self.batches.insert(place, (at, batch));
    }

    /// Puts a batch behind all that came before it, by so much when that drains slowly.
    pub fn put_in_order(&mut self, at: Time, batch: Vec<u8>, drain: Span) {
        self.in_order = at.max(self.in_order.saturating_add(drain));
        self.put(self.in_order, batch);
    }
}
