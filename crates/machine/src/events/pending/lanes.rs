//! The lines in which events wait: a lane for each kind of which there are many, and one set for all others.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Heads, Lane, Order, PendingSet};

use crate::events::slab::Slab;

/// Most events of one kind that wait in their lane.
pub(super) const ROOM: usize = 4096;
/// Most events of one thread of the IOPs that wait in its lane.
pub(super) const THREAD_ROOM: usize = 64;
/// Events in no lane that there is room for from the start.
const OTHERS_ROOM: usize = 64;

/// A lane of the slots that the events of a kind are of: I/Os, exchanges or transits.
pub(crate) type Slots = Lane<u32, ROOM>;

/// The events of a process that are in no lane.
#[derive(Debug, Clone)]
pub(super) struct Others<E: Copy> {
    pub(super) events: PendingSet<E>,
    leaf: usize,
}

impl<E: Copy> Others<E> {
    /// Makes an empty set, whose leaf in the tournament is `leaf`.
    pub(super) fn new(leaf: usize) -> Self {
        Self { events: PendingSet::with_capacity(OTHERS_ROOM), leaf }
    }

    /// Puts an event in.
    #[inline(never)]
    pub(super) fn push(&mut self, heads: &mut Heads, at: Time, order: Order, event: E) {
        self.events.push(at, order, event);
        if self.events.peek_key() == Some((at, order)) {
            heads.set(self.leaf, at, order);
        }
    }

    /// Takes the first event.
    #[inline(never)]
    pub(super) fn take(&mut self, heads: &mut Heads) -> Option<E> {
        let first = self.events.pop();
        let (at, order) = self.events.peek_key().unwrap_or((Time::MAX, Order::default()));
        heads.set(self.leaf, at, order);
        first.map(|(_, _, event)| event)
    }
}

/// Puts an event of `payload` into `lane`, whose leaf is `leaf`, or among the `others` where the lane has no place for it.
#[inline(always)]
pub(super) fn put<T: Copy + Default, E: Copy, const R: usize>(
    (lane, leaf): (&mut Lane<T, R>, usize),
    heads: &mut Heads,
    others: &mut Others<E>,
    EventKey { at, order }: EventKey,
    payload: T,
    mut event: impl FnMut(T) -> E,
) {
    if lane.push(at, order, payload, |at, order, payload| others.push(heads, at, order, event(payload))) {
        heads.set(leaf, at, order);
    }
}

/// A lane of messages that stand in it whole, and room aside for those that have no place in it.
#[derive(Debug)]
pub(crate) struct MessageLane<T> {
    lane: Lane<T, ROOM>,
    aside: Slab<T>,
}

impl<T: Copy + Default> MessageLane<T> {
    /// Makes an empty lane.
    pub(super) fn new() -> Self {
        Self { lane: Lane::new(), aside: Slab::with_capacity(0) }
    }

    /// Puts `message` in, or lays it aside and makes an `event` of its place there.
    #[inline(always)]
    pub(super) fn put<E: Copy>(
        &mut self,
        (leaf, heads, others): (usize, &mut Heads, &mut Others<E>),
        key: EventKey,
        message: T,
        event: impl Fn(u32) -> E,
    ) {
        put((&mut self.lane, leaf), heads, others, key, message, |message| event(self.aside.put(message)));
    }

    /// Takes the first message of a lane that has one and whose leaf in `heads` is `leaf`.
    #[inline(always)]
    pub(crate) fn take(&mut self, heads: &mut Heads, leaf: usize) -> T {
        self.lane.take(heads, leaf)
    }

    /// Returns the message at `position`, as [`Lane::soon`] does.
    #[inline(always)]
    pub(crate) fn soon(&self, position: usize) -> &T {
        self.lane.soon(position)
    }

    /// Takes the message that has been laid aside in the slot `aside`.
    pub(crate) fn take_aside(&mut self, aside: u32) -> T {
        self.aside.give(aside);
        self.aside[aside]
    }

    /// Returns true when no message is in the lane.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.lane.is_empty()
    }

    /// Collects all messages, with those aside whose slots `slot_of` finds in their events.
    pub(super) fn all<E: Copy>(&self, others: &Others<E>, slot_of: impl Fn(E) -> Option<u32>) -> Vec<T> {
        let aside = Vec::from(others.events.clone()).into_iter().filter_map(|(.., event)| slot_of(event));
        let in_lane = self.lane.iter().map(|(.., message)| message);
        in_lane.chain(aside.map(|aside| self.aside[aside])).collect()
    }
}
