//! The pending event set: what will happen, ordered by time and then by [`Order`].

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::quaternary_heap::QuaternaryHeap;
use crate::{Order, SimTime};

/// Key of an event. Compared as one 128-bit integer, which needs no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    at: SimTime,
    order: Order,
}

impl Key {
    #[inline]
    fn wide(self) -> u128 {
        u128::from(self.at.as_ps()) << 64 | u128::from(self.order.as_u64())
    }
}

impl Ord for Key {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.wide().cmp(&other.wide())
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.wide() < other.wide()
    }
    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.wide() <= other.wide()
    }
}

/// Pending events with a payload `P`, taken in the order of ([`SimTime`], [`Order`]).
///
/// A 4-ary heap with replace-top: taking an event leaves a hole at the root that the next event put in fills, so that
/// the usual "take one, put its successor in" costs one way down instead of one down and one up.
///
/// Events are not removed. To cancel one, keep a generation number in the component and in the payload, count the
/// component's up, and ignore the event when it comes and its generation is an old one.
///
/// Keep `P` small (8 bytes are ideal, 16 the most): it is moved at every step of the way down.
///
/// Equality is equality of the stored shape: sets with the same history are equal; sets with the same events but
/// another history may not be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingSet<P: Copy> {
    heap: QuaternaryHeap<Key, P>,
}

impl<P: Copy> PendingSet<P> {
    /// An empty set with room for `events` events; it grows when there are more.
    pub fn with_capacity(events: usize) -> Self {
        Self { heap: QuaternaryHeap::with_capacity(events) }
    }

    /// Puts an event in. No two events of a set may have the same time and order.
    #[inline]
    pub fn push(&mut self, at: SimTime, order: Order, payload: P) {
        self.heap.push(Key { at, order }, payload);
    }

    /// Takes the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Order, P)> {
        self.heap.pop().map(|(key, payload)| (key.at, key.order, payload))
    }

    /// Takes the first event if its time is strictly before `horizon`; cheaper than a look and a [`Self::pop`].
    #[inline]
    pub fn pop_before(&mut self, horizon: SimTime) -> Option<(SimTime, Order, P)> {
        self.heap.pop_if(|key| key.at < horizon).map(|(key, payload)| (key.at, key.order, payload))
    }

    /// Time of the first event.
    #[inline]
    pub fn peek_time(&self) -> Option<SimTime> {
        self.heap.peek().map(|(key, _)| key.at)
    }

    /// Time and order of the first event.
    #[inline]
    pub fn peek_key(&self) -> Option<(SimTime, Order)> {
        self.heap.peek().map(|(key, _)| (key.at, key.order))
    }

    /// Number of pending events.
    #[inline]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is pending.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rank, Sequencer};

    const fn at(ps: u64) -> SimTime {
        SimTime::from_ps(ps)
    }

    #[test]
    fn time_first_then_rank_then_sequence() {
        let mut low = Sequencer::new(Rank::from_position(1));
        let mut high = Sequencer::new(Rank::from_position(2));
        let mut pending = PendingSet::with_capacity(4);
        for (ps, order, name) in
            [(5, high.next(), 'd'), (5, low.next(), 'b'), (5, low.next(), 'c'), (4, high.next(), 'a')]
        {
            pending.push(at(ps), order, name);
        }
        let taken: String = std::iter::from_fn(|| pending.pop()).map(|(_, _, name)| name).collect();
        assert_eq!(taken, "abcd");
        assert!(pending.is_empty());
    }

    #[test]
    fn a_hole_is_invisible() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = PendingSet::with_capacity(8);
        for ps in [3, 1, 4, 1, 5, 9, 2, 6] {
            pending.push(at(ps), orders.next(), ps);
        }
        assert_eq!(pending.pop().map(|(_, _, ps)| ps), Some(1));
        assert_eq!((pending.len(), pending.peek_time()), (7, Some(at(1))));
        assert_eq!(pending.pop_before(at(1)), None);
        assert_eq!(pending.pop_before(at(2)).map(|(_, _, ps)| ps), Some(1));
        pending.push(at(2), orders.next(), 22);
        assert_eq!(pending.pop().map(|(_, _, ps)| ps), Some(2), "the older of two at the same time");
        assert_eq!(pending.peek_key().map(|(when, order)| (when, order.sequence())), Some((at(2), 8)));
    }

    #[test]
    fn a_checkpoint_goes_on_alike() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = PendingSet::with_capacity(8);
        (0..20_u32).for_each(|n| pending.push(at(u64::from(n * 7 % 11)), orders.next(), n));
        pending.pop();
        let text = serde_json::to_string(&pending).unwrap();
        let mut restored: PendingSet<u32> = serde_json::from_str(&text).unwrap();
        assert_eq!(restored, pending);
        while let Some(event) = pending.pop() {
            assert_eq!(restored.pop(), Some(event));
        }
        assert_eq!(restored.pop(), None);
    }
}
