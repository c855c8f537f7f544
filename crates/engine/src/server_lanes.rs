//! A lane for each of some servers whose events are in order only with their own.

use crate::{Alarms, Heads, Lane, Order, SimTime};

/// For each server a [`Lane`] of up to `ROOM` events, and the first of all of them.
#[derive(Clone, Debug)]
pub struct ServerLanes<T, const ROOM: usize> {
    lanes: Vec<Lane<T, ROOM>>,
    /// By server: its first event.
    heads: Alarms,
}

impl<T: Copy + Default, const ROOM: usize> ServerLanes<T, ROOM> {
    /// Empty lanes of `servers` servers.
    pub fn new(servers: usize) -> Self {
        Self { lanes: vec![Lane::new(); servers], heads: Alarms::new(servers) }
    }

    /// Puts an event of `server` in and tells whether it is now the first of all, as [`Lane::push`] does.
    ///
    /// # Panics
    /// When there is no such server.
    #[inline(always)]
    pub fn push(
        &mut self,
        server: u32,
        at: SimTime,
        order: Order,
        payload: T,
        elsewhere: impl FnMut(SimTime, Order, T),
    ) -> bool {
        let is_first = self.lanes[server as usize].push(at, order, payload, elsewhere);
        if is_first {
            self.heads.set(server, at, order);
        }
        is_first && self.heads.first() == server
    }

    /// Takes the first event of all, of which there is one, from the lanes whose leaf in `heads` is `leaf`: its payload,
    /// and that of the next of the same server.
    #[inline(always)]
    pub fn take(&mut self, heads: &mut Heads, leaf: usize) -> (T, Option<T>) {
        let server = self.heads.first();
        let lane = &mut self.lanes[server as usize];
        let (payload, next) = (lane.pop(), lane.soon(0));
        let (at, order) = lane.first_key();
        self.heads.set(server, at, order);
        let (at, order) = self.first_key();
        heads.set(leaf, at, order);
        (payload, next)
    }

    /// When the first of all comes and its place in that instant; [`SimTime::MAX`] if there is none.
    #[inline(always)]
    pub fn first_key(&self) -> (SimTime, Order) {
        let first = self.heads.first_due();
        (first.at, first.order)
    }

    /// All events, by server.
    pub fn iter(&self) -> impl Iterator<Item = (SimTime, Order, T)> {
        self.lanes.iter().flat_map(Lane::iter)
    }
}
