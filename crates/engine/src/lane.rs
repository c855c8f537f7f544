//! A lane: pending events of one kind, which mostly happen in the order in which they are made.

use crate::event_key::EventKey;
use crate::{Heads, Order};
use halftrack_base::Time;
use std::hint::select_unpredictable;

/// An event that would pass so many leaves its lane: moving them costs as much as the other events' set does.
const MOST_PASSED: usize = 32;
/// So many leave a lane together when they are in the way.
const LEAVING: usize = 8;
/// Places that a lane uses at first. What it holds goes round all that it uses, so they are no more than are needed.
const FIRST_PLACES: usize = 16;
/// So many are passed one by one, before more are at once.
const FEW: usize = 8;
/// So many are passed at a time, a power of two.
const STRIDE: usize = 8;

/// A pending event.
#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    at: Time,
    order: Order,
    payload: T,
}

impl<T> Entry<T> {
    fn key(&self) -> EventKey {
        EventKey { at: self.at, order: self.order }
    }
}

/// Up to `ROOM` pending events with a payload `T`, taken in the order of ([`Time`], [`Order`]).
///
/// A station with a constant service time lets its customers go in the order in which they came, so of the events of
/// one kind the new one is mostly the last. A lane is a line that is kept sorted from its end, in a ring of fixed room.
/// An event that would have to pass many, or finds no room, is returned, and its owner keeps it elsewhere: in a
/// [`crate::PendingSet`] that stands beside all lanes under the same [`crate::Heads`]. Lanes decide the cost of an event
/// and never the order.
#[derive(Clone, Debug)]
pub struct Lane<T, const ROOM: usize> {
    events: Box<[Entry<T>; ROOM]>,
    /// Places in use, a power of two, less one.
    mask: usize,
    /// How many have ever been taken from its head and put behind its end; the difference is how many are in it.
    taken: usize,
    put: usize,
    /// Not before the time of any event in it.
    last_at: Time,
}

impl<T: Copy + Default, const ROOM: usize> Lane<T, ROOM> {
    /// Creates an empty lane.
    pub fn new() -> Self {
        const { assert!(ROOM.is_power_of_two() && ROOM >= FIRST_PLACES, "a lane has a power of two of places") };
        let free = Entry { at: Time::MAX, order: Order::default(), payload: T::default() };
        let events = vec![free; ROOM].into_boxed_slice().try_into();
        Self {
            events: events.unwrap_or_else(|_| unreachable!("as many places as room")),
            mask: FIRST_PLACES - 1,
            taken: 0,
            put: 0,
            last_at: Time::ZERO,
        }
    }

    /// Returns the number of events in it.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.put.wrapping_sub(self.taken)
    }

    /// Returns whether it has no event.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.put == self.taken
    }

    /// Inserts an event and returns whether it is now the first of the lane. That event, or some that were in its
    /// way, may go to `elsewhere` instead. No two events may have the same time and order.
    #[inline(always)]
    pub fn push(
        &mut self,
        at: Time,
        order: Order,
        payload: T,
        elsewhere: impl FnMut(Time, Order, T),
    ) -> bool {
        let len = self.len();
        if at > self.last_at && len <= self.mask {
            *self.at_mut(len) = Entry { at, order, payload };
            self.put += 1;
            self.last_at = at;
            return len == 0;
        }
        self.insert(Entry { at, order, payload }, elsewhere)
    }

    /// Inserts as [`Self::push`] when the event may not be the last, or all places in use are taken.
    #[cold]
    #[inline(never)]
    fn insert(&mut self, event: Entry<T>, mut elsewhere: impl FnMut(Time, Order, T)) -> bool {
        let (len, key) = (self.len(), event.key());
        let passes_most = len.checked_sub(MOST_PASSED).is_some_and(|place| key < self.at(place).key());
        if passes_most {
            // Perhaps the last of the lane are far ahead of their kind. They leave it, so that they are not long in the
            // way of what comes next.
            (0..LEAVING).for_each(|n| {
                let last = self.at(len - 1 - n);
                elsewhere(last.at, last.order, last.payload);
            });
            self.put -= LEAVING;
            self.last_at = self.at(self.len() - 1).at;
        }
        if passes_most || len == ROOM {
            elsewhere(event.at, event.order, event.payload);
            return false;
        }
        if len > self.mask {
            self.use_more_places();
        }
        let place = self.make_place(key);
        *self.at_mut(place) = event;
        self.put += 1;
        self.last_at = self.at(len).at;
        place == 0
    }

    /// Moves the events after `key` by one place, and returns the place that is free now: one by one while they are few.
    #[inline(always)]
    fn make_place(&mut self, key: EventKey) -> usize {
        let mut free = self.len();
        let few = free.saturating_sub(FEW);
        while free > few {
            let before = *self.at(free - 1);
            if before.key() < key {
                return free;
            }
            *self.at_mut(free) = before;
            free -= 1;
        }
        if free > 0 { self.make_far_place(free, key) } else { free }
    }

    /// Moves the events before the place `free` that are after `key` by one, as [`Self::make_place`] does, all at once.
    #[cold]
    #[inline(never)]
    fn make_far_place(&mut self, free: usize, key: EventKey) -> usize {
        let mut place = self.place_after(key.at, free);
        while place > 0 && key < self.at(place - 1).key() {
            place -= 1;
        }
        let index = |place: usize| self.taken.wrapping_add(place) & self.mask & (ROOM - 1);
        let (first, end) = (index(place), index(free));
        if first <= end {
            self.events.copy_within(first..end, first + 1);
        } else {
            (place..free).rev().for_each(|place| *self.at_mut(place + 1) = *self.at(place));
        }
        place
    }

    /// Returns the place behind the last event that is not after the instant `at`, from the place `end` downwards. Whole strides
    /// come first, the rest without a branch that chance decides.
    #[inline(always)]
    fn place_after(&self, at: Time, end: usize) -> usize {
        let mut place = end;
        while place >= STRIDE && self.at(place - STRIDE).at > at {
            place -= STRIDE;
        }
        let mut step = STRIDE / 2;
        while step > 0 {
            let is_later = (place >= step) & (self.at(place.wrapping_sub(step)).at > at);
            place -= select_unpredictable(is_later, step, 0);
            step /= 2;
        }
        place
    }

    /// Doubles the places, of which those in use are full.
    fn use_more_places(&mut self) {
        let (before, mask) = (self.mask, 2 * self.mask + 1);
        for number in self.taken..self.put {
            self.events[number & mask] = self.events[number & before];
        }
        self.mask = mask;
    }

    #[inline(always)]
    fn at(&self, position: usize) -> &Entry<T> {
        &self.events[self.taken.wrapping_add(position) & self.mask & (ROOM - 1)]
    }

    #[inline(always)]
    fn at_mut(&mut self, position: usize) -> &mut Entry<T> {
        &mut self.events[self.taken.wrapping_add(position) & self.mask & (ROOM - 1)]
    }

    /// Takes the first of a lane that has one and whose leaf in `heads` is `leaf`.
    #[inline(always)]
    pub fn take(&mut self, heads: &mut Heads, leaf: usize) -> T {
        let payload = self.pop();
        let (at, order) = self.first_key();
        heads.set(leaf, at, order);
        payload
    }

    /// Takes the first of a lane that has one.
    #[inline(always)]
    pub fn pop(&mut self) -> T {
        debug_assert!(!self.is_empty(), "an empty lane has no first");
        let payload = self.at(0).payload;
        self.taken += 1;
        payload
    }

    /// Returns the time at which the first comes and its place in that instant; [`Time::MAX`] if there is none.
    #[inline(always)]
    pub fn first_key(&self) -> (Time, Order) {
        let first = self.at(0);
        (select_unpredictable(self.is_empty(), Time::MAX, first.at), first.order)
    }

    /// Returns the payload `position` places behind the first, so that its data can be fetched meanwhile
    /// ([`crate::Prefetch`]). If there are not so many it is one that was in the lane before, or none that ever was:
    /// to fetch that does no harm, and a test costs more.
    #[inline(always)]
    pub fn soon(&self, position: usize) -> &T {
        &self.at(position).payload
    }

    /// Returns all events in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Time, Order, T)> {
        (0..self.len()).map(|position| {
            let event = self.at(position);
            (event.at, event.order, event.payload)
        })
    }
}

impl<T: Copy + Default, const ROOM: usize> Default for Lane<T, ROOM> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomStream, Rank, Sequencer};

    fn nowhere(_: Time, _: Order, payload: u64) {
        panic!("{payload} has its place in the lane");
    }

    /// Events far ahead of their kind cost the next few their places and not the lane its use.
    #[test]
    fn events_far_ahead_leave_their_lane() {
        let mut orders = Sequencer::new(Rank::default());
        let mut lane: Lane<u64, 256> = Lane::new();
        let far: Vec<u64> = (0..(MOST_PASSED + LEAVING) as u64).map(|n| 1_000_000 + n).collect();
        let mut elsewhere = Vec::new();
        for ps in (0..100).chain(far.iter().copied()).chain(100..200) {
            lane.push(Time::from_ps(ps), orders.next(), ps, |at, _, payload| {
                assert_eq!(at.as_ps(), payload);
                elsewhere.push(payload);
            });
        }
        assert_eq!(elsewhere.len(), 2 * (LEAVING + 1));
        let left = lane.iter().map(|(_, _, payload)| payload);
        let mut all: Vec<u64> = left.chain(elsewhere).collect();
        all.sort_unstable();
        assert!((0..200).chain(far).eq(all));
    }

    /// Events without room are returned, and a full ring wraps around.
    #[test]
    fn a_full_lane_takes_nothing() {
        let mut orders = Sequencer::new(Rank::default());
        let mut lane: Lane<u64, 16> = Lane::new();
        let mut given_back = Vec::new();
        for ps in 0..100 {
            if ps % 20 == 19 {
                assert_eq!(lane.len(), 16);
                (0..8).for_each(|_| _ = lane.pop());
            }
            lane.push(Time::from_ps(ps), orders.next(), ps, |_, _, payload| given_back.push(payload));
        }
        assert!(given_back.starts_with(&[16, 17, 18]) && given_back.len() + 5 * 8 + lane.len() == 100);
        assert!(lane.iter().map(|event| event.2).is_sorted());
    }

    /// An event that moves to the front is reported as the first, and so is one that enters an empty lane.
    #[test]
    fn the_first_of_a_lane_is_told() {
        let (mut orders, mut stream) = (Sequencer::new(Rank::default()), RandomStream::new(3, "lane"));
        let mut lane: Lane<u64, 64> = Lane::new();
        for n in 0..2_000 {
            let before = lane.iter().next();
            let (at, order) = (Time::from_ps(n + stream.below(4)), orders.next());
            let is_first = lane.push(at, order, n, nowhere);
            assert_eq!(is_first, before.is_none_or(|first| (at, order) < (first.0, first.1)));
            assert_eq!(Some(*lane.soon(lane.len() - 1)), lane.iter().last().map(|last| last.2));
            while lane.len() as u64 > n % 5 {
                lane.pop();
            }
        }
    }

    #[test]
    fn of_one_instant_the_order_decides() {
        let mut lane: Lane<u64, 16> = Lane::new();
        let order = |position| Order::new(Rank::from_position(position), 0);
        for position in [3, 1, 2, 0] {
            lane.push(Time::from_ps(7), order(position), u64::from(position), nowhere);
        }
        assert_eq!(lane.first_key(), (Time::from_ps(7), order(0)));
        assert!(std::iter::from_fn(|| (!lane.is_empty()).then(|| lane.pop())).eq(0..4));
        assert_eq!(lane.first_key().0, Time::MAX);
    }
}
