//! The pending event set: what will happen, ordered by time and then by [`Order`].

use crate::Order;
use crate::event_key::EventKey;
use crate::near_line::{MOST_WAITING, NearLine};
use crate::quaternary_heap::QuaternaryHeap;
use crate::short_line::ShortLine;
use crate::wheel::{LEAST_BUCKETS, Wheel};
use halftrack_base::Time;

/// Width of a bucket before anything is known: 2^20 ps, about a microsecond.
const FIRST_SHIFT: u32 = 20;
/// A bucket is at most 2^40 ps wide, a second; at least 2 ps, so that bucket numbers stay below 2^63.
const MOST_SHIFT: u32 = 40;
/// Binary logarithm of the width of a bucket in mean distances between events, or up to half of that: some events in
/// each, so that few are searched for and each is sorted in one go.
const LOG2_EVENTS_PER_BUCKET: u32 = 3;
/// Buckets for each pending event. As mean delay = pending events * mean distance (Little's law), the ring then reaches at
/// least eight times the mean delay ahead, and half as far or a quarter while the fit is off.
const BUCKETS_PER_EVENT: usize = 2;
const MOST_BUCKETS: usize = 1 << 20;
/// Number of events between tunings of the width of the buckets, or as many as are pending if these are more.
const TUNING_PERIOD: u64 = 4_096;
/// Most events at a tuning that are gathered in one short line.
const FEW_EVENTS: usize = 32;
/// Number of events before the first tuning.
const FIRST_TUNING: u64 = 256;

/// Pending events with a payload `P`, taken in the order of ([`Time`], [`Order`]).
///
/// Three parts by distance in time: a sorted line with the events of the current bucket and before, a ring of buckets
/// of equal width, and a heap for what lies beyond the ring (Brown, "Calendar queues", CACM 31, 1988; Tang, Goh and
/// Thng, "Ladder queue", ACM TOMACS 15, 2005). An event costs constant time if it goes through the ring: a bucket is
/// sorted once, when its turn comes. The width follows the mean distance between events; it decides the cost and never
/// the order. If all events crowd into one bucket, the set is a 4-ary heap with replace-top. While no more events are
/// pending than fit a short sorted line, all of them wait there and the three parts are empty.
///
/// Events are not removed. To cancel one, keep a generation number in the component and in the payload, count the
/// component's up, and ignore the event when it comes and its generation is an old one.
///
/// Keep `P` small (8 bytes are ideal, 16 the most): it is moved two or three times.
///
/// Two sets are equal if they hold the same events, whatever the shape of their parts.
#[derive(Clone, Debug)]
pub struct PendingSet<P: Copy> {
    /// All events, unless `spread`.
    few: ShortLine<P>,
    /// The events are in the three parts below.
    spread: bool,
    /// The events of bucket `current` and before.
    near: NearLine<P>,
    /// Events of the current bucket for which the line has no room.
    crowd: QuaternaryHeap<EventKey, P>,
    /// The events of the buckets from `current + 1` to `current + buckets - 1`.
    ring: Wheel<EventKey, P>,
    /// All events of later buckets.
    far: QuaternaryHeap<EventKey, P>,
    /// Number of the current bucket since the start of the run.
    current: u64,
    /// A bucket is 2^shift ps wide.
    shift: u32,
    /// Events that have come near since the last tuning, and how many let the next one begin.
    came_near: u64,
    tuning_period: u64,
    tuned_at: Time,
    /// Room for the events while they move to other buckets.
    moving: Vec<(EventKey, P)>,
}

impl<P: Copy> PendingSet<P> {
    /// Creates an empty set with room for `events` events; it grows when there are more.
    pub fn with_capacity(events: usize) -> Self {
        Self {
            few: ShortLine::new(),
            spread: false,
            near: NearLine::new(),
            crowd: QuaternaryHeap::with_capacity(MOST_WAITING),
            ring: Wheel::new(buckets_for(events), events),
            far: QuaternaryHeap::with_capacity(events / 8),
            current: 0,
            shift: FIRST_SHIFT,
            came_near: 0,
            tuning_period: FIRST_TUNING,
            tuned_at: Time::ZERO,
            moving: Vec::with_capacity(events),
        }
    }

    /// Puts an event in. No two events of a set may have the same time and order.
    #[inline]
    pub fn push(&mut self, at: Time, order: Order, payload: P) {
        let key = EventKey { at, order };
        if !self.spread {
            if self.few.push(key, payload) || self.few.push_first(key, payload) {
                return;
            }
            self.spread_out();
        }
        self.place(key, payload);
        if self.came_near >= self.tuning_period {
            self.tune();
        }
    }

    /// Takes the first event.
    pub fn pop(&mut self) -> Option<(Time, Order, P)> {
        let order = self.first_key()?.order;
        self.pop_before(EventKey::NEVER).map(|(at, payload)| (at, order, payload))
    }

    /// Takes the first event if it comes before `limit`: its time and payload.
    #[inline]
    pub fn pop_before(&mut self, limit: EventKey) -> Option<(Time, P)> {
        if !self.spread {
            return self.few.pop_before(limit);
        }
        match self.near.first() {
            Some((key, payload)) if self.crowd.len() == 0 => {
                if key >= limit {
                    return None;
                }
                self.near.take_first();
                Some((key.at, payload))
            }
            _ => self.pop_crowd_or_next_bucket(limit),
        }
    }

    /// Returns the time of the first event.
    #[inline]
    pub fn peek_time(&self) -> Option<Time> {
        if self.spread { self.first_spread_key().map(|key| key.at) } else { self.few.first_time() }
    }

    /// Returns the time and order of the first event.
    #[inline]
    pub fn peek_key(&self) -> Option<(Time, Order)> {
        self.first_key().map(|key| (key.at, key.order))
    }

    /// Returns the number of pending events.
    #[inline]
    pub fn len(&self) -> usize {
        self.few.len() + self.near.len() + self.crowd.len() + self.ring.len() + self.far.len()
    }

    /// Returns whether nothing is pending.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts an event into the part where it belongs.
    #[inline]
    fn place(&mut self, key: EventKey, payload: P) {
        let bucket = key.at.as_ps() >> self.shift;
        if bucket <= self.current {
            self.came_near += 1;
            if !self.near.insert(key, payload) {
                self.crowd.push(key, payload);
            }
        } else if bucket - self.current < self.ring.buckets() as u64 {
            self.ring.insert(bucket, key, payload);
        } else {
            self.far.push(key, payload);
        }
    }

    /// Pops as [`Self::pop_before`] when the line is not all of the current bucket, or is empty.
    #[inline(never)]
    fn pop_crowd_or_next_bucket(&mut self, limit: EventKey) -> Option<(Time, P)> {
        if self.near.len() == 0 && self.crowd.len() == 0 && !self.next_bucket() {
            return None;
        }
        if !self.spread {
            // Going on to the last bucket has gathered them.
            return self.few.pop_before(limit);
        }
        let first =
            self.near.first().filter(|(key, _)| self.crowd.peek().is_none_or(|(other, _)| *key < other));
        let Some((key, payload)) = first else {
            return self.crowd.pop_if(|key| key < limit).map(|(key, payload)| (key.at, payload));
        };
        if key >= limit {
            return None;
        }
        self.near.take_first();
        Some((key.at, payload))
    }

    /// Goes on to the next bucket that has events, with nothing near; false if there is none.
    fn next_bucket(&mut self) -> bool {
        let Some(distance) = self.ring.distance_to_next(self.current) else { return self.leap() };
        let (bucket, near, crowd) = (self.current + distance, &mut self.near, &mut self.crowd);
        let start_ps = bucket << self.shift;
        self.ring.drain(bucket, |key, payload| near.gather(start_ps, key, payload));
        self.came_near += near.gathered() as u64;
        near.sort(self.shift, |(key, payload)| crowd.push(key, payload));
        self.advance(bucket);
        true
    }

    /// Makes `bucket` the current one; the ring has nothing up to it. Later events come within reach of the ring.
    #[inline]
    fn advance(&mut self, bucket: u64) {
        self.current = bucket;
        let (end, shift) = (bucket + self.ring.buckets() as u64, self.shift);
        while let Some((key, payload)) = self.far.pop_if(|key| key.at.as_ps() >> shift < end) {
            self.place(key, payload);
        }
        if self.came_near >= self.tuning_period {
            self.tune();
        }
    }

    /// Goes on to the first of the later events, with nothing near and nothing in the ring; false if there is none.
    #[cold]
    fn leap(&mut self) -> bool {
        let Some((first, _)) = self.far.peek() else { return false };
        self.advance(first.at.as_ps() >> self.shift);
        true
    }

    #[inline]
    fn first_key(&self) -> Option<EventKey> {
        if self.spread { self.first_spread_key() } else { self.few.first_key() }
    }

    fn first_spread_key(&self) -> Option<EventKey> {
        if let Some((key, _)) = self.near.first() {
            return Some(self.crowd.peek().map_or(key, |(other, _)| key.min(other)));
        }
        if let Some((key, _)) = self.crowd.peek() {
            return Some(key);
        }
        match self.ring.distance_to_next(self.current) {
            Some(distance) => self.ring.least_of(self.current + distance),
            None => self.far.peek().map(|(key, _)| key),
        }
    }

    /// Fits the width of the buckets to the events since the last tuning, and their number to the events pending.
    #[cold]
    fn tune(&mut self) {
        let now = self.first_key().map_or(Time::from_ps(self.current << self.shift), |first| first.at);
        let distance_ps = now.saturating_since(self.tuned_at).as_ps() / self.came_near.max(1);
        // Events that all happen at once give no estimate of the distance.
        let fitting_shift = match distance_ps.checked_ilog2() {
            Some(log2) => (log2 + LOG2_EVENTS_PER_BUCKET).min(MOST_SHIFT),
            None => self.shift,
        };
        let fitting_buckets = buckets_for(self.len());
        // The first tuning is taken as it is; later buckets may be too narrow once, but too wide is dearer.
        let narrowest = fitting_shift - u32::from(self.tuning_period != FIRST_TUNING);
        self.came_near = 0;
        self.tuned_at = now;
        self.tuning_period = TUNING_PERIOD.max(self.len() as u64);
        let fits = (narrowest..=fitting_shift).contains(&self.shift)
            && self.ring.buckets().ilog2().abs_diff(fitting_buckets.ilog2()) <= 1;
        if self.len() <= FEW_EVENTS {
            self.gather();
        } else if !fits {
            self.rebuild(now, fitting_shift, fitting_buckets);
        }
    }

    /// Puts all events into a new ring of `buckets` buckets 2^`shift` ps wide that begins at `now`.
    fn rebuild(&mut self, now: Time, shift: u32, buckets: usize) {
        let mut events = std::mem::take(&mut self.moving);
        self.take_all(&mut events);
        if self.ring.buckets() != buckets {
            self.ring = Wheel::new(buckets, self.ring.capacity().max(events.len()));
        }
        self.shift = shift;
        self.current = now.as_ps() >> shift;
        events.drain(..).for_each(|(key, payload)| self.place(key, payload));
        self.moving = events;
        self.came_near = 0;
    }

    /// Puts all events, which are few, into the short line.
    fn gather(&mut self) {
        let few = &mut self.few;
        let mut put = |key, payload| {
            let fits = few.push(key, payload);
            debug_assert!(fits, "fewer events are gathered than fit");
        };
        self.near.drain(&mut put);
        self.crowd.drain(&mut put);
        self.ring.drain_all(&mut put);
        self.far.drain(&mut put);
        self.spread = false;
    }

    /// Spreads the events of a full short line over the three parts.
    #[cold]
    fn spread_out(&mut self) {
        let now = self.few.first_key().map_or(Time::ZERO, |first| first.at);
        self.spread = true;
        self.current = now.as_ps() >> self.shift;
        (self.came_near, self.tuned_at, self.tuning_period) = (0, now, FIRST_TUNING);
        while let Some((key, payload)) = self.few.pop() {
            self.place(key, payload);
        }
    }

    /// Moves all events into `events`, in no particular order.
    fn take_all(&mut self, events: &mut Vec<(EventKey, P)>) {
        let mut take = |key, payload| events.push((key, payload));
        self.few.drain(&mut take);
        self.near.drain(&mut take);
        self.crowd.drain(&mut take);
        self.ring.drain_all(&mut take);
        self.far.drain(&mut take);
    }
}

impl<P: Copy> From<PendingSet<P>> for Vec<(Time, Order, P)> {
    /// Returns all events in their order.
    fn from(mut pending: PendingSet<P>) -> Self {
        let mut events = Vec::with_capacity(pending.len());
        pending.take_all(&mut events);
        events.sort_unstable_by_key(|&(key, _)| key);
        events.into_iter().map(|(key, payload)| (key.at, key.order, payload)).collect()
    }
}

impl<P: Copy + PartialEq> PartialEq for PendingSet<P> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && Vec::from(self.clone()) == Vec::from(other.clone())
    }
}

/// Returns the number of buckets for a set of `events` events.
fn buckets_for(events: usize) -> usize {
    (events * BUCKETS_PER_EVENT).next_power_of_two().clamp(LEAST_BUCKETS, MOST_BUCKETS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{RandomStream, Rank, Sequencer};
    use halftrack_base::Span;

    const fn at(ps: u64) -> Time {
        Time::from_ps(ps)
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
        assert_eq!(pending.pop_before(EventKey::before(at(1))), None);
        assert_eq!(pending.pop_before(EventKey::before(at(2))), Some((at(1), 1)));
        pending.push(at(2), orders.next(), 22);
        assert_eq!(pending.pop().map(|(_, _, ps)| ps), Some(2), "the older of two at the same time");
        assert_eq!(pending.peek_key().map(|(when, order)| (when, order.sequence())), Some((at(2), 8)));
    }

    #[test]
    fn a_copy_goes_on_alike() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = PendingSet::with_capacity(8);
        (0..20_u32).for_each(|n| pending.push(at(1 << (n * 7 % 50)), orders.next(), n));
        pending.pop();
        let mut copy = pending.clone();
        assert_eq!(copy, pending);
        while let Some(event) = pending.pop() {
            assert_ne!(copy, pending, "one of them has an event less");
            assert_eq!(copy.pop(), Some(event));
        }
        assert_eq!(copy.pop(), None);
    }

    /// Takes and puts `turns` times at distances up to `reach_ps` and compares with an ordered map.
    fn hold(pending: &mut PendingSet<u64>, stream: &mut RandomStream, reach_ps: u64, turns: u64) {
        let mut model: BTreeMap<(Time, Order), u64> = BTreeMap::new();
        for (when, order, payload) in Vec::from(pending.clone()) {
            model.insert((when, order), payload);
        }
        let mut orders = Sequencer::new(Rank::from_position(stream.below(1 << 20) as u32));
        for turn in 0..turns {
            let taken = pending.pop();
            assert_eq!(taken, model.pop_first().map(|((when, order), payload)| (when, order, payload)));
            let (now, _, payload) = taken.unwrap();
            // One in 16 far ahead, one in 16 at once, the others spread.
            let reach = if turn % 16 == 0 { reach_ps * 1000 } else { reach_ps };
            let ahead = if turn % 16 == 1 { 0 } else { stream.below(reach) };
            let (when, order) = (now + Span::from_ps(ahead), orders.next());
            pending.push(when, order, payload);
            model.insert((when, order), payload);
        }
    }

    /// The scale of the distances changes by 10^8 and back; the width follows and the order stays right.
    #[test]
    fn the_width_follows_the_distances() {
        let mut stream = RandomStream::new(5, "hold");
        let mut pending = PendingSet::with_capacity(8);
        let mut orders = Sequencer::new(Rank::default());
        (0..300).for_each(|n| pending.push(at(n), orders.next(), n));
        let mut shifts = Vec::new();
        for reach_ps in [10_000_000_000, 100, 10_000_000_000] {
            hold(&mut pending, &mut stream, reach_ps, 40_000);
            shifts.push(pending.shift);
        }
        assert!(shifts[0] > shifts[1] + 8 && shifts[2] > shifts[1] + 8, "{shifts:?}");
        assert_eq!(pending.len(), 300);
    }

    /// The number of events goes up and down across what fits the short line.
    #[test]
    fn few_are_gathered_and_many_are_spread() {
        let mut stream = RandomStream::new(6, "hold");
        let mut pending = PendingSet::with_capacity(8);
        let mut orders = Sequencer::new(Rank::default());
        let mut spread = Vec::new();
        for events in [10, 80, 10, 65, 12] {
            while pending.len() > events {
                pending.pop();
            }
            let now = pending.peek_time().unwrap_or_default();
            while pending.len() < events {
                pending.push(now + Span::from_ps(stream.below(1_000)), orders.next(), 0);
            }
            hold(&mut pending, &mut stream, 1_000, 10_000);
            spread.push(pending.spread);
            assert_eq!(pending.len(), events);
        }
        assert_eq!(spread, [false, true, false, true, false]);
    }

    /// Simultaneous events, and times at the end of the range, are in order.
    #[test]
    fn extremes_are_ordered() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = PendingSet::with_capacity(0);
        for n in 0..3_000_u64 {
            pending.push(at(7), orders.next(), n);
            pending.push(Time::MAX, orders.next(), 10_000 + n);
        }
        let taken: Vec<u64> = std::iter::from_fn(|| pending.pop()).map(|event| event.2).collect();
        assert!((0..3_000).chain(10_000..13_000).eq(taken));
    }
}
