//! Lanes, lanes of servers and a pending set under one tournament are a sorted list.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_engine::{Heads, Lane, Order, PendingSet, RandomStream, Rank, Sequencer, ServerLanes};
use proptest::collection::vec;
use proptest::prelude::*;

const LANES: [usize; 3] = [2, 24, 25];
const SERVERS: usize = 13;
const OTHERS: usize = 7;

/// Set of events of the kind `payload % 5`. Three kinds have a lane, one has no lane, and one is of seventy servers,
/// some of which share lanes.
struct Set {
    heads: Heads,
    lanes: [Lane<u64, 32>; 3],
    servers: ServerLanes<u64, 16>,
    others: PendingSet<u64>,
}

impl Set {
    fn new() -> Self {
        let lanes = std::array::from_fn(|_| Lane::new());
        Self { heads: Heads::new(), lanes, servers: ServerLanes::new(), others: PendingSet::with_capacity(8) }
    }

    fn push(&mut self, at: Time, order: Order, payload: u64) {
        let (others, kind) = (&mut self.others, (payload % 5) as usize);
        let elsewhere = |at, order, payload| others.push(at, order, payload);
        let (is_first, leaf) = match kind {
            0..3 => (self.lanes[kind].push(at, order, payload, elsewhere), LANES[kind]),
            3 => (self.servers.push((payload / 5 % 70) as u32, at, order, payload, elsewhere), SERVERS),
            _ => {
                others.push(at, order, payload);
                (false, OTHERS)
            }
        };
        if is_first {
            self.heads.set(leaf, at, order);
        }
        self.inspect_others();
    }

    fn inspect_others(&mut self) {
        let (at, order) = self.others.peek_key().unwrap_or((Time::MAX, Order::default()));
        self.heads.set(OTHERS, at, order);
    }

    /// Takes the first event.
    fn pop(&mut self) -> Option<(Time, Order, u64)> {
        let (at, order, leaf) = (self.heads.first_at(), self.heads.first_order(), self.heads.first());
        if at == Time::MAX {
            return None;
        }
        let lane = LANES.iter().position(|lane| *lane == leaf);
        let payload = match lane {
            Some(lane) => self.lanes[lane].take(&mut self.heads, leaf),
            None if leaf == SERVERS => self.servers.take(&mut self.heads, leaf).0,
            None => {
                let (_, _, payload) = self.others.pop()?;
                self.inspect_others();
                payload
            }
        };
        Some((at, order, payload))
    }

    fn all(&self) -> Vec<(Time, Order, u64)> {
        let lanes = self.lanes.iter().flat_map(Lane::iter);
        let mut all: Vec<_> =
            lanes.chain(self.servers.iter()).chain(Vec::from(self.others.clone())).collect();
        all.sort();
        all
    }
}

/// Takes and puts and compares with an ordered map. `delay` of the kinds in ps, and how far chance spreads it.
fn hold(delays: [(u64, u64); 5], events: u64) {
    let mut stream = RandomStream::new(7, "lanes");
    let mut orders = Sequencer::new(Rank::from_position(3));
    let (mut pending, mut model) = (Set::new(), BTreeMap::new());
    let mut now = Time::ZERO;
    for n in 0..60_000_u64 {
        if n >= events {
            let taken = pending.pop();
            assert_eq!(taken, model.pop_first().map(|((at, order), event)| (at, order, event)));
            now = taken.unwrap().0;
        }
        let (delay, spread) = delays[(n % 5) as usize];
        let ahead = delay + if spread == 0 { 0 } else { stream.below(spread) };
        let (at, order) = (now + Span::from_ps(ahead), orders.next());
        pending.push(at, order, n);
        model.insert((at, order), n);
    }
    let left: Vec<_> = model.into_iter().map(|((at, order), event)| (at, order, event)).collect();
    assert_eq!(pending.all(), left);
    assert!(std::iter::from_fn(|| pending.pop()).eq(left));
}

#[test]
fn constant_delays_are_taken_in_order() {
    hold([(1_000, 0), (70_000, 0), (2_500, 0), (1_000_000, 0), (1_000, 0)], 100);
    hold([(1_000, 0), (70_000, 0), (2_500, 0), (1_000_000, 0), (1_000, 0)], 500);
}

#[test]
fn delays_by_chance_are_taken_in_order() {
    hold([(0, 10), (70_000, 900), (0, 1_000_000), (0, 3), (5, 1_000_000_000)], 500);
}

#[test]
fn events_of_one_instant_are_taken_by_their_order() {
    hold([(0, 0), (0, 2), (0, 0), (1, 0), (0, 0)], 3);
    hold([(0, 0), (0, 2), (1, 0), (1, 0), (0, 0)], 300);
}

proptest! {
    /// Events at any times, in any order of pushes and pops, come out sorted; the soon ones were pushed at some time.
    #[test]
    fn a_set_of_lanes_is_a_sorted_list(acts in vec(prop_oneof![
        4 => (prop_oneof![0..40_u64, 0..u64::MAX], 0..5_u32).prop_map(Some),
        3 => Just(None),
    ], 0..1_000)) {
        let mut pending = Set::new();
        let mut model: Vec<(Time, Order, u64)> = Vec::new();
        for (n, act) in (0_u64..).zip(acts) {
            match act {
                Some((ps, rank)) => {
                    let event = (Time::from_ps(ps), Order::new(Rank::from_position(rank), n), n);
                    pending.push(event.0, event.1, n);
                    model.push(event);
                    model.sort();
                }
                None => {
                    let first = (!model.is_empty()).then(|| model.remove(0));
                    prop_assert_eq!(pending.pop(), first);
                }
            }
            prop_assert_eq!(pending.heads.first_at(), model.first().map_or(Time::MAX, |first| first.0));
            for (kind, lane) in (0..).zip(&pending.lanes) {
                let soon = *lane.soon((n % 4) as usize);
                prop_assert!(soon == 0 || soon <= n && soon % 5 == kind);
                let pending = lane.iter().nth((n % 4) as usize);
                prop_assert!(pending.is_none_or(|event| event.2 == soon));
            }
        }
        prop_assert_eq!(pending.all(), model);
    }
}
