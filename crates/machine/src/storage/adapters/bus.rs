//! Turns of the bus of a port: bursts on their way from the cache and to it.

use super::HostAdapters;
use crate::fabric::bus::{BusOwner, Direction, Turn};
use crate::storage::bus::{Burst, Fetch, Store};
use crate::storage::context::Context;
use crate::wiring::Wiring;

impl HostAdapters {
    /// Moves the burst of `port` whose turn it is, if the bus is free for one that waits.
    #[inline(never)]
    pub(in crate::storage) fn on_bus(&mut self, context: &mut Context, w: &Wiring, port: u32) {
        if let Some(Turn { bytes, burst, .. }) = self.ports[port as usize].bus.take_turn(context.now()) {
            match burst {
                Burst::Sent(fetch) => self.move_sent(context, w, port, bytes, fetch),
                Burst::Come(store) => self.move_come(context, w, port, bytes, *store),
            }
        }
        let state = &mut self.ports[port as usize];
        let owner = BusOwner { index: port, sequencer: &mut state.sequencer, now: context.now() };
        state.bus.schedule_turn(context, owner);
    }

    fn move_sent(&mut self, context: &mut Context, w: &Wiring, port: u32, bytes: u32, fetch: Fetch) {
        if !self.exchanges[fetch.exchange].open {
            self.abandoned(context, w, fetch.exchange);
            return;
        }
        let port = &mut self.ports[port as usize];
        let moved = port.move_burst(&mut self.shares, Direction::Read, context.now(), bytes);
        self.leave(context, w, fetch, moved);
    }

    fn move_come(&mut self, context: &mut Context, w: &Wiring, port: u32, bytes: u32, store: Store) {
        let envelope = store.transit.parcel.envelope;
        if !store.is_of(&self.exchanges[envelope.exchange]) {
            // It was lost with the fibre, or the exchange is over.
            context.return_credit(w, &w.paths[envelope.path as usize], context.now(), store.credit);
            return;
        }
        let port = &mut self.ports[port as usize];
        let moved = port.move_burst(&mut self.shares, Direction::Write, context.now(), bytes);
        self.store(context, w, store, moved);
    }
}
