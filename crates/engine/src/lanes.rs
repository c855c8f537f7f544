//! Pending events in lanes: those of one kind mostly happen in the order in which they are made.
//!
//! A station with a constant service time lets its customers go in the order in which they came, so of the events of
//! one kind the new one is mostly the last. Such a kind has a lane, a line that is kept sorted from its end, and the
//! first of all events is the least of the lanes' heads. What would have to pass many in its lane waits with all other
//! events in a [`PendingSet`]. Lanes decide the cost of an event and never the order.

use crate::event_key::EventKey;
use crate::{Alarms, Order, PendingSet, SimTime};

/// An event that would pass so many leaves its lane: moving them costs as much as the other events' set does.
const MOST_PASSED: usize = 16;
/// So many leave a lane together when they are in the way.
const LEAVING: usize = 8;
/// How far behind the head of a lane an event is told of: some tens of events before its turn, which is longer than the
/// memory takes.
const TOLD_AHEAD: usize = 4;
const FIRST_ROOM: usize = 64;

/// A kind of event that knows its lane.
pub trait InLane: Copy {
    /// Of events whose order is not that of their making.
    const NO_LANE: usize = usize::MAX;

    /// The lane of this event, below the number of lanes of its set, or [`Self::NO_LANE`].
    fn lane(self) -> usize;
}

/// A line of events, first to last, in a ring that grows.
#[derive(Clone, Debug)]
struct Lane<P> {
    /// A power of two of places, or none before the first event.
    events: Vec<(EventKey, P)>,
    head: usize,
    len: usize,
}

impl<P: Copy> Lane<P> {
    const fn new() -> Self {
        Self { events: Vec::new(), head: 0, len: 0 }
    }

    /// The event `position` places behind the head; any event if there are not so many.
    #[inline(always)]
    fn behind_head(&self, position: usize) -> (EventKey, P) {
        self.events[self.head.wrapping_add(position) & (self.events.len() - 1)]
    }

    #[inline(always)]
    fn head_key(&self) -> EventKey {
        if self.len == 0 { EventKey::NEVER } else { self.behind_head(0).0 }
    }

    /// Puts an event in at its place; false if too many would have to be passed.
    #[inline(always)]
    fn push(&mut self, key: EventKey, payload: P) -> bool {
        if self.len == self.events.len() {
            self.grow(payload);
        }
        if self.len > MOST_PASSED && key < self.behind_head(self.len - MOST_PASSED).0 {
            return false;
        }
        let mask = self.events.len() - 1;
        let mut behind = self.len;
        while behind > 0 {
            let before = self.behind_head(behind - 1);
            if before.0 < key {
                break;
            }
            self.events[self.head.wrapping_add(behind) & mask] = before;
            behind -= 1;
        }
        self.events[self.head.wrapping_add(behind) & mask] = (key, payload);
        self.len += 1;
        true
    }

    /// Takes the first of a lane that has one.
    #[inline(always)]
    fn take_first(&mut self) -> P {
        let (_, payload) = self.behind_head(0);
        self.head = self.head.wrapping_add(1);
        self.len -= 1;
        payload
    }

    /// Takes the last of a lane that has one.
    fn take_last(&mut self) -> (EventKey, P) {
        self.len -= 1;
        self.behind_head(self.len)
    }

    /// Twice the room; `payload` fills the places that are free.
    #[cold]
    fn grow(&mut self, payload: P) {
        let room = (2 * self.events.len()).max(FIRST_ROOM);
        let mut events = Vec::with_capacity(room);
        events.extend((0..self.len).map(|position| self.behind_head(position)));
        events.resize(room, (EventKey::NEVER, payload));
        (self.events, self.head) = (events, 0);
    }
}

/// Pending events with a payload `P`, taken in the order of ([`SimTime`], [`Order`]), in `N - 2` lanes by kind, a lane
/// for each of a number of servers whose events are in order only with their own, and a [`PendingSet`] for all others.
/// Events are not removed, as there.
#[derive(Clone, Debug)]
pub struct LanedSet<P: InLane, const N: usize> {
    /// The last two stay empty.
    lanes: [Lane<P>; N],
    servers: Vec<Lane<P>>,
    /// By server: its first event.
    server_heads: Alarms,
    others: PendingSet<P>,
    /// By lane the key of its first event; then that of the servers; then that of the others.
    heads: [EventKey; N],
    /// Which of them is the least.
    first: usize,
}

impl<P: InLane, const N: usize> LanedSet<P, N> {
    const SERVERS: usize = N - 2;
    const OTHERS: usize = N - 1;

    /// An empty set with lanes for `servers` servers; it grows.
    pub fn new(servers: usize) -> Self {
        Self {
            lanes: [const { Lane::new() }; N],
            servers: (0..servers).map(|_| Lane::new()).collect(),
            server_heads: Alarms::new(servers),
            others: PendingSet::with_capacity(FIRST_ROOM),
            heads: [EventKey::NEVER; N],
            first: Self::OTHERS,
        }
    }

    /// Puts an event in. No two events of a set may have the same time and order.
    #[inline(always)]
    pub fn push(&mut self, at: SimTime, order: Order, payload: P) {
        let (key, lane) = (EventKey { at, order }, payload.lane());
        if lane >= Self::SERVERS {
            return self.push_to_others(key, payload);
        }
        if !self.lanes[lane].push(key, payload) {
            return self.push_out_of_lane(lane, key, payload);
        }
        if key < self.heads[lane] {
            self.set_head(lane, key);
        }
    }

    /// Puts an event of `server` in, in the lane that it has there.
    ///
    /// # Panics
    /// When there is no such server.
    #[inline(always)]
    pub fn push_at(&mut self, server: u32, at: SimTime, order: Order, payload: P) {
        let (key, lane) = (EventKey { at, order }, &mut self.servers[server as usize]);
        let head = lane.head_key();
        if !lane.push(key, payload) {
            return self.push_to_others(key, payload);
        }
        if key < head {
            self.server_heads.set(server, at, order);
            if key < self.heads[Self::SERVERS] {
                self.set_head(Self::SERVERS, key);
            }
        }
    }

    /// A lane has got an earlier first event.
    #[inline(always)]
    fn set_head(&mut self, lane: usize, key: EventKey) {
        self.heads[lane] = key;
        if key < self.heads[self.first] {
            self.first = lane;
        }
    }

    #[inline]
    fn push_to_others(&mut self, key: EventKey, payload: P) {
        self.others.push(key.at, key.order, payload);
        if key < self.heads[Self::OTHERS] {
            self.set_head(Self::OTHERS, key);
        }
    }

    /// An event that would have to pass too many: perhaps because the last of its lane are far ahead of their kind.
    /// Some of these leave the lane too, so that they are not long in the way of what comes next.
    #[cold]
    fn push_out_of_lane(&mut self, lane: usize, key: EventKey, payload: P) {
        for _ in 0..LEAVING {
            let (last_key, last) = self.lanes[lane].take_last();
            self.push_to_others(last_key, last);
        }
        self.push_to_others(key, payload);
    }

    /// Takes the first event.
    pub fn pop(&mut self) -> Option<(SimTime, Order, P)> {
        let order = self.heads[self.first].order;
        self.pop_before(EventKey::NEVER).map(|(at, payload)| (at, order, payload))
    }

    /// Takes the first event if it comes before `limit`: its time and payload.
    #[inline]
    pub fn pop_before(&mut self, limit: EventKey) -> Option<(SimTime, P)> {
        self.pop_before_and_tell(limit, |_| {})
    }

    /// The same. Mostly `soon` is told of an event that will be among the next, so that what it touches can be fetched
    /// meanwhile ([`crate::Prefetch`]); not of all of them, and nothing else may depend on it.
    #[inline(always)]
    pub fn pop_before_and_tell(&mut self, limit: EventKey, soon: impl FnOnce(P)) -> Option<(SimTime, P)> {
        let (first, key) = (self.first, self.heads[self.first]);
        if key >= limit {
            return None;
        }
        if first == Self::OTHERS {
            return self.pop_other();
        }
        if first == Self::SERVERS {
            return Some((key.at, self.take_of_server(soon)));
        }
        let lane = &mut self.lanes[first];
        let payload = lane.take_first();
        self.heads[first] = lane.head_key();
        if lane.len > TOLD_AHEAD {
            soon(lane.behind_head(TOLD_AHEAD).1);
        }
        self.first = self.least();
        Some((key.at, payload))
    }

    /// Takes the first event of all servers; the next of the same server is told of.
    #[inline(always)]
    fn take_of_server(&mut self, soon: impl FnOnce(P)) -> P {
        let server = self.server_heads.first();
        let lane = &mut self.servers[server as usize];
        let payload = lane.take_first();
        let next = lane.head_key();
        if lane.len > 0 {
            soon(lane.behind_head(0).1);
        }
        self.server_heads.set(server, next.at, next.order);
        self.heads[Self::SERVERS] = self.server_heads.first_due();
        self.first = self.least();
        payload
    }

    fn pop_other(&mut self) -> Option<(SimTime, P)> {
        let taken = self.others.pop_before(EventKey::NEVER);
        self.heads[Self::OTHERS] =
            self.others.peek_key().map_or(EventKey::NEVER, |(at, order)| EventKey { at, order });
        self.first = self.least();
        taken
    }

    /// The lane whose head is the least: a look at each, which needs no branch that chance decides.
    #[inline(always)]
    fn least(&self) -> usize {
        let (mut least, mut key) = (0, self.heads[0]);
        for lane in 1..N {
            let other = self.heads[lane];
            let earlier = other < key;
            least = if earlier { lane } else { least };
            key = if earlier { other } else { key };
        }
        least
    }

    /// Time of the first event.
    #[inline]
    pub fn peek_time(&self) -> Option<SimTime> {
        self.peek_key().map(|(at, _)| at)
    }

    /// Time and order of the first event.
    #[inline]
    pub fn peek_key(&self) -> Option<(SimTime, Order)> {
        let key = self.heads[self.first];
        (key != EventKey::NEVER).then_some((key.at, key.order))
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        self.lanes.iter().chain(&self.servers).map(|lane| lane.len).sum::<usize>() + self.others.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<P: InLane, const N: usize> From<LanedSet<P, N>> for Vec<(SimTime, Order, P)> {
    /// All events in their order.
    fn from(mut pending: LanedSet<P, N>) -> Self {
        std::iter::from_fn(|| pending.pop()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{RandomStream, Rank, Sequencer, SimDuration};

    /// An event of the kind `payload % 5`; kind 3 has no lane, and kind 4 is of servers.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Event(u64);

    impl InLane for Event {
        fn lane(self) -> usize {
            (self.0 % 5) as usize
        }
    }

    type Set = LanedSet<Event, 5>;

    /// Takes and puts and compares with an ordered map. `delay` of the kinds in ps, and how far chance spreads it.
    fn hold(delays: [(u64, u64); 5], events: u64) {
        let mut stream = RandomStream::new(7, "lanes");
        let mut orders = Sequencer::new(Rank::from_position(3));
        let (mut pending, mut model) = (Set::new(3), BTreeMap::new());
        let mut now = SimTime::ZERO;
        for n in 0..60_000_u64 {
            if n >= events {
                let told_at = pending.peek_time();
                let taken = pending.pop();
                assert_eq!(taken.map(|(at, _, _)| at), told_at);
                assert_eq!(taken, model.pop_first().map(|((at, order), event)| (at, order, event)));
                now = taken.unwrap().0;
            }
            let (delay, spread) = delays[(n % 5) as usize];
            let ahead = delay + if spread == 0 { 0 } else { stream.below(spread) };
            let (at, order) = (now + SimDuration::from_ps(ahead), orders.next());
            if n % 5 == 4 {
                pending.push_at((n / 5 % 3) as u32, at, order, Event(n));
            } else {
                pending.push(at, order, Event(n));
            }
            model.insert((at, order), Event(n));
            assert_eq!(pending.len(), model.len());
        }
        let left: Vec<_> = model.into_iter().map(|((at, order), event)| (at, order, event)).collect();
        assert_eq!(Vec::from(pending), left);
    }

    #[test]
    fn constant_delays_are_taken_in_order() {
        hold([(1_000, 0), (70_000, 0), (2_500, 0), (1_000, 0), (1_000_000, 0)], 500);
    }

    #[test]
    fn delays_by_chance_are_taken_in_order() {
        hold([(0, 10), (70_000, 900), (0, 1_000_000), (5, 1_000_000_000), (0, 3)], 500);
    }

    #[test]
    fn events_of_one_instant_are_taken_by_their_order() {
        hold([(0, 0), (0, 2), (0, 0), (0, 0), (1, 0)], 3);
        hold([(0, 0), (0, 2), (1, 0), (0, 0), (1, 0)], 300);
    }

    /// Events far ahead of their kind cost the next few their places and not the lane its use.
    #[test]
    fn events_far_ahead_leave_their_lane() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = Set::new(3);
        let far: Vec<u64> = (0..3 * LEAVING as u64).map(|n| 1_000_000 + n).collect();
        for ps in (0..100).chain(far.iter().copied()).chain(100..200) {
            pending.push(SimTime::from_ps(ps), orders.next(), Event(0));
        }
        assert_eq!(pending.others.len(), 2 * (LEAVING + 1));
        let times: Vec<u64> = std::iter::from_fn(|| pending.pop()).map(|(at, _, _)| at.as_ps()).collect();
        assert!((0..200).chain(far).eq(times));
    }

    #[test]
    fn nothing_is_taken_at_the_limit() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = Set::new(3);
        assert!(pending.pop().is_none() && pending.peek_key().is_none() && pending.is_empty());
        pending.push(SimTime::from_ps(5), orders.next(), Event(1));
        pending.push(SimTime::from_ps(4), orders.next(), Event(3));
        assert_eq!(pending.pop_before(EventKey::before(SimTime::from_ps(4))), None);
        assert_eq!(
            pending.pop_before(EventKey::before(SimTime::from_ps(5))),
            Some((SimTime::from_ps(4), Event(3)))
        );
        assert_eq!(pending.pop_before(EventKey::before(SimTime::from_ps(5))), None);
        assert_eq!(pending.pop().map(|(_, _, event)| event), Some(Event(1)));
    }

    /// Some events are told before their turn, and only those that are pending.
    #[test]
    fn what_comes_soon_is_told() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = Set::new(3);
        (0..100).for_each(|n| pending.push(SimTime::from_ps(n), orders.next(), Event(5 * n)));
        let mut told = Vec::new();
        while pending.pop_before_and_tell(EventKey::NEVER, |event| told.push(event.0 / 5)).is_some() {}
        assert!((TOLD_AHEAD as u64 + 1..100).eq(told));
    }
}
