//! Departures from a host-adapter port: after cache or staging, chunk by chunk onto the fibre.

use halftrack_base::{Span, Time};

use super::HostAdapters;
use crate::events::event::StorageEvent;
use crate::events::message::{Parcel, Transit};
use crate::fabric::bus::Direction;
use crate::storage::bus::{Burst, Fetch};
use crate::storage::context::Context;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl HostAdapters {
    /// Sends a cache miss to the back end.
    #[inline(never)]
    pub(in crate::storage) fn on_stage(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let path = &w.paths[self.exchanges[slot].envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let staged = self.control_units.stage(path.lcu, context.now(), port.miss);
        let exchange = &mut self.exchanges[slot];
        exchange.disconnected += staged.since(context.now());
        exchange.misses = false;
        context.push(staged, port.sequencer.next(), StorageEvent::Send { exchange: slot });
        if path.has_circuit() && self.exchanges[slot].open {
            let exchange = &mut self.exchanges[slot];
            self.circuits.disconnect(context, w, &mut self.ports, exchange);
        }
    }

    /// Gathers what may be sent, and has the port serve it.
    #[inline(always)]
    pub(in crate::storage) fn on_send(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if exchange.is_express {
            let port = &self.ports[w.paths[exchange.envelope.path as usize].port as usize];
            let is_held_up = self.goes_ahead && port.is_busy(context.now());
            if !is_held_up && port.bus.is_free(Direction::Read, context.now()) {
                self.send_answer(context, w, slot);
                return;
            }
            exchange.is_express = false;
        }
        self.on_any_send(context, w, slot);
    }

    #[inline(never)]
    fn on_any_send(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let (exchange, group) = self.exchanges.with_group(slot);
        if !exchange.open {
            self.abandoned(context, w, slot);
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        if exchange.away {
            let port = &mut self.ports[path.port as usize];
            self.circuits.reconnect(context, w, port, exchange);
            return;
        }
        let first = exchange.departures(w, path);
        if !group.gather(&mut exchange.half, w, first, path.frame_by_frame) {
            // A time-out or the channel has withdrawn what was due.
            debug_assert!(path.is_lossy, "the next IU was due");
            exchange.sending = false;
            self.close_if_over(context, w, slot);
            return;
        }
        group.closes = exchange.half.outcome(&w.plans).is_some();
        let data_bytes = group.next_fetched_bytes(w);
        let port = &mut self.ports[path.port as usize];
        let is_busy = self.goes_ahead && port.is_busy(context.now());
        let tariff = || port.tariff(w.plans[exchange.envelope.plan].key.protocol);
        let cost = group.send_cost(w, port.costs, tariff);
        let worked = port.work_unless_free(context.now(), cost, path.has_circuit());
        if data_bytes > 0 {
            let first = exchange.cached == Time::ZERO;
            exchange.cached =
                if first { context.now() } else { exchange.cached + port.cache_time(data_bytes) };
        }
        let is_behind = is_busy && !cost.is_zero();
        self.fetch(context, w, data_bytes, Fetch { exchange: slot, worked, is_behind });
    }

    /// Moves `bytes` of what an exchange sends over the bus of its port, or has them wait for it.
    #[inline(always)]
    fn fetch(&mut self, context: &mut Context, w: &Wiring, bytes: u32, fetch: Fetch) {
        let port_index = w.paths[self.exchanges[fetch.exchange].envelope.path as usize].port;
        let port = &mut self.ports[port_index as usize];
        if bytes > 0 && !port.bus.is_free(Direction::Read, context.now()) {
            port.wait_for_bus(context, port_index, Direction::Read, (bytes, Burst::Sent(fetch)));
            return;
        }
        let moved = port.move_burst(&mut self.shares, Direction::Read, context.now(), bytes);
        self.leave(context, w, fetch, moved);
    }

    /// Lets a burst that has `moved` over the bus of its port enter the fibre when the processor, too, has done its part.
    #[inline(always)]
    pub(super) fn leave(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        Fetch { exchange, worked, is_behind }: Fetch,
        moved: Time,
    ) {
        if is_behind && worked > moved {
            // The fibre is for others until then.
            let port = w.paths[self.exchanges[exchange].envelope.path as usize].port;
            let order = self.ports[port as usize].sequencer.next();
            context.push(worked, order, StorageEvent::Leave { exchange });
            return;
        }
        self.send_next(context, w, exchange, worked.max(moved));
    }

    /// Sends what the port has worked on for the exchange, behind other work.
    #[inline(never)]
    pub(in crate::storage) fn on_leave(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if !exchange.open {
            self.abandoned(context, w, slot);
            return;
        }
        self.send_next(context, w, slot, context.now());
    }

    /// Prepares what the exchange has to send after a chunk that has entered the fibre.
    #[inline(never)]
    pub(in crate::storage) fn on_pump(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let (exchange, group) = self.exchanges.with_group(slot);
        if !exchange.open {
            self.abandoned(context, w, slot);
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        if !group.has_more() {
            exchange.sending = false;
            let now = context.now();
            if !exchange.try_schedule_next(context, w, path, port, now) {
                self.close_if_over(context, w, slot);
            }
            return;
        }
        let data_bytes = group.next_fetched_bytes(w);
        let fetched = exchange.cached + port.cache_time(data_bytes);
        if fetched > context.now() {
            // Once more when the cache has supplied it: the port and the fibre are for others meanwhile.
            context.push(fetched, port.sequencer.next(), StorageEvent::Pump { exchange: slot });
            return;
        }
        exchange.cached = fetched;
        let worked = port.work_unless_free(context.now(), Span::ZERO, path.has_circuit());
        self.fetch(context, w, data_bytes, Fetch { exchange: slot, worked, is_behind: false });
    }

    /// Puts the next burst of the exchange on the fibre at `ready`; there is one.
    #[inline(always)]
    fn send_next(&mut self, context: &mut Context, w: &Wiring, slot: u32, ready: Time) {
        let (exchange, group) = self.exchanges.with_group(slot);
        let path = &w.paths[exchange.envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let connected = ready.saturating_since(exchange.taken_up).saturating_sub(exchange.disconnected);
        group.reported = (connected, exchange.disconnected);
        let first = exchange.next_transit(w, path, (context.now(), port), group);
        if path.frame_by_frame && exchange.try_go_on(w, path, group) {
            self.send_frames(context, w, slot, first, ready);
        } else {
            self.send(context, w, path, first, ready);
        }
    }

    /// Puts the `first` frame of a burst and those that leave with it on the fibre at `ready`. The next burst can be prepared
    /// when the first has entered it.
    #[inline(never)]
    fn send_frames(&mut self, context: &mut Context, w: &Wiring, slot: u32, first: Transit, ready: Time) {
        let (exchange, group) = self.exchanges.with_group(slot);
        let path = &w.paths[exchange.envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let mut others = std::mem::take(&mut self.frames);
        loop {
            others.push(exchange.cut(w, path, (context.now(), port), group));
            if !exchange.try_go_on(w, path, group) {
                break;
            }
        }
        let pump = exchange.pump(w, path, port, group);
        let parcel = exchange.parcel(group, false);
        let Transit { parcel: of_first, cargo } = first;
        self.send(context, w, path, Transit { parcel: Parcel { pump, ..of_first }, cargo }, ready);
        for (cargo, closes) in others.drain(..) {
            self.send(context, w, path, Transit { parcel: Parcel { closes, ..parcel }, cargo }, ready);
        }
        self.frames = others;
    }

    /// Puts `transit` on the fibre at `ready`.
    #[inline(always)]
    fn send(&mut self, context: &mut Context, w: &Wiring, path: &PathWire, transit: Transit, ready: Time) {
        if transit.parcel.closes && path.is_circuit {
            self.release_circuit(context, w, transit.parcel.envelope.path, transit.parcel.envelope.exchange);
        }
        let (exchange, closes) = (transit.parcel.envelope.exchange, transit.parcel.closes);
        if let Some(launched) = context.send(w, path, transit, ready)
            && closes
            && path.is_bridged
        {
            // Its ports are free when the bridge has it.
            let order = self.ports[path.port as usize].sequencer.next();
            let at = launched.at + launched.tail_lag;
            context.push(at, order, StorageEvent::Released { exchange });
        }
    }
}
