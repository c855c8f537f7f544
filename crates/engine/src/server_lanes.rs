//! A lane for each of some servers whose events are in order only with their own.

use crate::{Heads, Lane, Order};
use halftrack_base::Time;

/// So many lanes; where there are more servers, some share one, and their events pass each other there.
const LANES: usize = Heads::BOTTOM;

/// For each server a [`Lane`] of up to `ROOM` events, and the first of all of them.
#[derive(Clone, Debug)]
pub struct ServerLanes<T, const ROOM: usize> {
    lanes: Box<[Lane<T, ROOM>; LANES]>,
    heads: Heads,
}

impl<T: Copy + Default, const ROOM: usize> ServerLanes<T, ROOM> {
    /// Returns the empty lanes.
    pub fn new() -> Self {
        Self { lanes: Box::new(std::array::from_fn(|_| Lane::new())), heads: Heads::new() }
    }

    /// Inserts an event of `server` and returns whether it is now the first of all, as [`Lane::push`] does.
    #[inline(always)]
    pub fn push(
        &mut self,
        server: u32,
        at: Time,
        order: Order,
        payload: T,
        elsewhere: impl FnMut(Time, Order, T),
    ) -> bool {
        let position = server as usize % LANES;
        let is_first = self.lanes[position].push(at, order, payload, elsewhere);
        if is_first {
            self.heads.set_at_bottom(position, at, order);
        }
        is_first && self.heads.first() % LANES == position
    }

    /// Takes the first event of all, of which there is one, from the lanes whose leaf in `heads` is `leaf`. It is
    /// returned as its payload, and that of the next of the same server or of one before.
    #[inline(always)]
    pub fn take(&mut self, heads: &mut Heads, leaf: usize) -> (T, T) {
        let taken = self.pop();
        let (at, order) = self.first_key();
        heads.set(leaf, at, order);
        taken
    }

    /// Takes the first event of all as [`Self::take`] does, from lanes under no other heads.
    #[inline(always)]
    pub fn pop(&mut self) -> (T, T) {
        let position = self.heads.first() % LANES;
        let lane = &mut self.lanes[position];
        let payload = lane.pop();
        let (at, order) = lane.first_key();
        let next = *lane.soon(0);
        self.heads.set_at_bottom(position, at, order);
        (payload, next)
    }

    /// Returns the time at which the first of all comes and its place in that instant; [`Time::MAX`] if there is none.
    #[inline(always)]
    pub fn first_key(&self) -> (Time, Order) {
        (self.heads.first_at(), self.heads.first_order())
    }

    /// Returns all events, by server.
    pub fn iter(&self) -> impl Iterator<Item = (Time, Order, T)> {
        self.lanes.iter().flat_map(Lane::iter)
    }
}

impl<T: Copy + Default, const ROOM: usize> Default for ServerLanes<T, ROOM> {
    fn default() -> Self {
        Self::new()
    }
}
