//! Arrivals at a host-adapter port: its processor and bus, and what the exchange does with them.

use halftrack_base::Time;
use halftrack_engine::Order;
use halftrack_program::Protocol;

use super::HostAdapters;
use crate::events::message::Transit;
use crate::fabric::bus::Direction;
use crate::storage::bridge;
use crate::storage::bus::{Burst, Store};
use crate::storage::context::Context;
use crate::wiring::Wiring;

impl HostAdapters {
    /// Frames have arrived at a port.
    #[inline(never)]
    pub(in crate::storage) fn on_arrived(&mut self, context: &mut Context, w: &Wiring, transit_slot: u32) {
        let transit = context.take(transit_slot);
        if !self.try_take_command(context, w, &transit) {
            self.on_any_arrived(context, w, transit);
        }
    }

    #[inline(never)]
    pub(super) fn on_any_arrived(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        Transit { parcel, cargo }: Transit,
    ) {
        let (envelope, slot) = (parcel.envelope, parcel.envelope.exchange);
        let path = &w.paths[envelope.path as usize];
        let chunk = *cargo.chunk(w);
        context.count_received(chunk.frames, chunk.data_bytes);
        let credit = path.frame_by_frame.then(|| self.ports[path.port as usize].sequencer.next());
        self.exchanges.reach(slot);
        if context.is_lost(envelope) {
            // Lost with the fibre; what would have opened an exchange never does.
            context.return_credit(w, path, context.now(), credit);
            if parcel.opens {
                self.send_closed(context, w, slot, envelope.path);
            }
            return;
        }
        let transit = Transit { parcel, cargo };
        if path.has_circuit()
            && parcel.opens
            && !self.circuits.try_open(context, w, &mut self.ports, (envelope.path, slot), credit)
        {
            if path.is_bridged {
                self.circuits.hold_at_bridge(context, transit);
            }
            return;
        }
        self.admit(context, w, transit, credit);
    }

    /// Hands a frame that has arrived, with the order of its `credit`, to its exchange.
    #[inline(always)]
    pub(super) fn admit(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        transit: Transit,
        credit: Option<Order>,
    ) {
        let Transit { parcel, cargo } = transit;
        let (envelope, slot) = (parcel.envelope, parcel.envelope.exchange);
        let path = &w.paths[envelope.path as usize];
        let chunk = *cargo.chunk(w);
        let exchange = &mut self.exchanges[slot];
        let port = &mut self.ports[path.port as usize];
        let mut refused = false;
        if parcel.opens {
            exchange.begin(w, envelope, context.now());
            if let Some(device) = self.control_units.device(w, path, envelope.device) {
                exchange.begin_with(w, device, context.now());
            }
            exchange.held = port.try_take_exchange(context.now());
            if !exchange.held || self.control_units.is_busy(path.lcu) {
                exchange.refuse(w, context.now());
                refused = true;
            } else if let Some(track) = parcel.note.track() {
                exchange.look_up(w, path, &mut self.control_units, track);
            }
        }
        if !exchange.open || exchange.envelope.path != envelope.path {
            context.return_credit(w, path, context.now(), credit);
            if path.is_bridged && self.circuits.is_held_at_bridge(context, slot) {
                self.circuits.hold_at_bridge(context, Transit { parcel, cargo });
            }
            // Else the rest of what was sent to an exchange that is over.
            return;
        }
        let cost = cargo.receive_cost(w, port.costs, || port.tariff(w.plans[envelope.plan].key.protocol));
        // A command that opens is decoded while what comes with it still arrives.
        let from = if parcel.opens { context.now().saturating_sub(parcel.tail_lag) } else { context.now() };
        let worked = port.work_unless_free(from, cost, path.has_circuit());
        if parcel.opens {
            exchange.take_up(w.plans[envelope.plan].key.protocol, port, from);
        }
        let transit = Transit { parcel, cargo };
        let store = Store { transit, worked, credit, refused, taken_up: exchange.taken_up };
        // An IU without data of its own still comes after the data before it.
        let is_behind = || port.bus.waiting().any(|burst| burst.is_for(slot));
        if !port.bus.is_free(Direction::Write, context.now()) && (chunk.data_bytes > 0 || is_behind()) {
            let burst = (chunk.stored_bytes, Burst::Come(Box::new(store)));
            port.wait_for_bus(context, path.port, Direction::Write, burst);
            return;
        }
        let moved = port.move_burst(&mut self.shares, Direction::Write, from, chunk.stored_bytes);
        self.store(context, w, store, moved);
    }

    /// Passes a burst that has come, and has `moved` over the bus of its port, into cache: its exchange goes on.
    #[inline(always)]
    pub(super) fn store(&mut self, context: &mut Context, w: &Wiring, store: Store, moved: Time) {
        let Store { transit: Transit { parcel, cargo }, worked, credit, refused, taken_up: _ } = store;
        let (envelope, slot) = (parcel.envelope, parcel.envelope.exchange);
        let path = &w.paths[envelope.path as usize];
        let chunk = *cargo.chunk(w);
        let exchange = &mut self.exchanges[slot];
        let port = &mut self.ports[path.port as usize];
        let mut ready = match w.plans[envelope.plan].key.protocol {
            // The command response goes out first.
            Protocol::Command if parcel.opens => context.now(),
            Protocol::Command | Protocol::Transport => worked.max(moved).max(context.now()),
        };
        ready = ready.max(exchange.taken_up);
        if path.is_bridged {
            ready = bridge::after_dialogue(w, path, &cargo, ready);
        }
        if port.box_works && parcel.opens && !refused {
            let worked = self.control_units.work_on(path.lcu, ready);
            ready = exchange.work_on(w.plans[envelope.plan].key.protocol, ready, worked);
        }
        if chunk.stored_bytes > 0 {
            ready = exchange.pass_cache(port, ready, chunk.stored_bytes);
        }
        // On the plan the address of the exchange is not needed.
        if cargo.live.is_some() || !exchange.half.receive_planned(chunk.steps) {
            exchange.receive_live(w, chunk.steps, cargo, ready);
        }
        if chunk.steps > 0 && !exchange.sending && !exchange.try_schedule_next(context, w, path, port, ready)
        {
            self.close_if_over(context, w, slot);
        }
        // A frame keeps its receive buffer until the port's bus has taken it.
        context.return_credit(w, path, moved, credit);
        if refused {
            let hold = self.ports[path.port as usize].busy_hold;
            self.control_units.owe_end(context, path.lcu, hold);
        }
    }
}
