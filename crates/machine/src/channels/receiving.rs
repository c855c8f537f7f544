//! The channel receives: frames from the fibre over the bus, then the IUs of which the last frame has come.

use halftrack_base::{Span, Time};
use halftrack_engine::Order;
use halftrack_program::Protocol;
use halftrack_wire::IuKind;

use super::bus::Burst;
use super::exchange::{Exchange, Visit};
use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::events::message::{Body, Message, Parcel, Transit};
use crate::fabric::bus::Direction;
use crate::fabric::load::Chunk;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Channels {
    /// Frames have arrived at the channel.
    #[inline(never)]
    pub(crate) fn on_inbound(&mut self, out: &mut impl Outside, w: &Wiring, transit_slot: u32) {
        let transit = Transit::take(out.transits(), transit_slot);
        if !self.try_take_answer(out, w, &transit) {
            self.on_any_inbound(out, w, transit);
        }
    }

    #[inline(never)]
    pub(super) fn on_any_inbound(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        Transit { parcel, mut cargo }: Transit,
    ) {
        let slot = parcel.envelope.exchange;
        if self.subchannels.has_data() {
            self.damage(slot, &mut cargo);
        }
        let path = &w.paths[parcel.envelope.path as usize];
        let chunk = *cargo.chunk(w);
        self.traffic.frames_received(chunk.frames, chunk.data_bytes);
        let exchange = &mut self.exchanges[slot];
        exchange.note_arrival(w, &parcel);
        let channel = &mut self.channels[path.channel as usize];
        let credit = path.frame_by_frame.then(|| channel.sequencer.next());
        if parcel.envelope.epoch != channel.losses() || exchange.lost {
            if let Some(order) = credit {
                out.send(returned_credit(w, path, out.now(), order));
            }
            self.settle(out, w, slot);
            return;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.inbound(w, &parcel, &cargo, out.now());
        }
        let lpar = exchange.lpar as usize;
        channel.parts[lpar].read_bytes += u64::from(chunk.data_bytes);
        exchange.received_cost += cargo.receive_cost(w, channel.costs, || channel.tariff(exchange.protocol));
        if let Some(held) = &mut channel.held_bus {
            held.count(lpar, chunk.steps.into(), chunk.frames.into(), chunk.data_bytes);
        }
        if chunk.steps > 0 {
            (exchange.connect, exchange.disconnect) = parcel.note.times();
        }
        if let Some(live) = cargo.live.filter(|live| !live.ius.is_empty()) {
            // IUs of the plan that came before and are not yet worked on keep their places.
            exchange.received_ius.resize_with(usize::from(exchange.unhandled), || None);
            exchange.received_ius.extend(live.ius.into_iter().map(Some));
        }
        exchange.unhandled += chunk.steps;
        self.store(out, w, slot, credit, (parcel, chunk));
    }

    /// Moves the data of a `chunk` that has come with `parcel` over the bus, or has it wait for the bus.
    #[inline]
    fn store(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        slot: u32,
        credit: Option<Order>,
        (parcel, chunk): (Parcel, Chunk),
    ) {
        let path = &w.paths[parcel.envelope.path as usize];
        let exchange = &mut self.exchanges[slot];
        let channel = &mut self.channels[path.channel as usize];
        // An IU without data of its own still comes after the data before it.
        let (data_bytes, steps) = (chunk.data_bytes, chunk.steps);
        let comes_behind = data_bytes == 0 && exchange.on_bus > 0;
        if (data_bytes > 0 || comes_behind) && !channel.bus.is_free(Direction::Read, out.now()) {
            exchange.on_bus += 1;
            let credit = credit.map(|order| (order, parcel.envelope.path));
            let burst = Burst { exchange: slot, steps, credit };
            channel.wait_for_bus(out, path.channel, Direction::Read, (data_bytes, burst));
            return;
        }
        let stored = match data_bytes {
            0 => out.now(),
            bytes => {
                let from = out.now().saturating_sub(parcel.tail_lag);
                channel.bus.move_burst(Direction::Read, from, bytes, (&mut self.shares, channel.share))
            }
        };
        if let Some(order) = credit {
            // A frame keeps its receive buffer until the bus has taken it.
            out.send(returned_credit(w, path, stored.max(out.now()), order));
        }
        if stored <= out.now() && exchange.on_bus == 0 {
            exchange.received_steps += chunk.steps;
            if exchange.visit == Visit::Idle && exchange.received_cost.is_zero() {
                self.receive_at_once(out, w, slot);
            } else {
                self.advance(out, w, slot);
            }
            return;
        }
        exchange.on_bus += 1;
        let event = HostEvent::Stored { exchange: slot, steps };
        out.push(stored.max(out.now()), channel.sequencer.next(), event);
    }

    /// The credit of what came over `path` goes back: the bus has taken it at `freed`.
    #[cold]
    pub(super) fn return_credit(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: u32,
        freed: Time,
        order: Order,
    ) {
        out.send(returned_credit(w, &w.paths[path as usize], freed, order));
    }

    /// Takes received IUs whose work costs nothing.
    #[inline(always)]
    fn receive_at_once(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        exchange.visit_steps = std::mem::take(&mut exchange.received_steps);
        self.receive(out, w, slot);
        self.go_on(out, w, slot);
    }

    /// Received data has gone over the bus.
    #[inline(never)]
    pub(crate) fn on_stored(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32, steps: u16) {
        let exchange = &mut self.exchanges[slot];
        exchange.on_bus -= 1;
        if exchange.lost {
            self.settle(out, w, slot);
            return;
        }
        exchange.received_steps += steps;
        self.advance(out, w, slot);
    }

    /// Hands the received IUs that have been worked on to the half.
    #[inline(always)]
    pub(super) fn receive(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let steps = std::mem::take(&mut exchange.visit_steps);
        exchange.unhandled -= steps;
        if exchange.received_ius.is_empty() {
            // On the plan: the address of the exchange is not needed.
            let awaited = exchange.protocol == Protocol::Command && exchange.command_response == Time::ZERO;
            let command_response = awaited && exchange.half.has_command_response(&w.plans, steps);
            if exchange.half.receive_planned(steps) {
                self.received(out, w, slot, command_response);
                return;
            }
        }
        for _ in 0..steps {
            let command_response = self.exchanges[slot].receive_live(w, out.now());
            self.received(out, w, slot, command_response);
        }
    }

    /// The half has taken IUs; with `command_response` one was among them.
    #[inline(always)]
    fn received(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32, command_response: bool) {
        let now = out.now();
        let exchange = &mut self.exchanges[slot];
        if command_response && exchange.command_response == Time::ZERO {
            exchange.command_response = now;
            self.paced[w.alternatives.path_of(exchange.envelope.path) as usize] = true;
        }
        if exchange.reported {
            return;
        }
        if let Some(outcome) = exchange.half.outcome(&w.plans) {
            exchange.reported = true;
            if exchange.command_response == Time::ZERO {
                // A chain that ended before its first command response: the ending status is the response.
                exchange.command_response = now;
            }
            self.attempt_over(out, w, slot, &outcome);
        }
    }
}

/// The credit of the last link, whose buffer is free at `freed`, on its way to its sender in the storage's process.
#[cold]
fn returned_credit(w: &Wiring, path: &PathWire, freed: Time, order: Order) -> Message {
    let link = w.last_link(path.inbound);
    let at = freed + w.configuration.links[link as usize].propagation.max(Span::from_ps(1));
    Message { at, order, body: Body::Credit { link } }
}

impl Exchange {
    /// Hands the next received IU to the half where a live end is involved: whether it is a command response.
    #[cold]
    fn receive_live(&mut self, w: &Wiring, now: Time) -> bool {
        let iu = self.received_ius.pop_front().flatten();
        let kind = self.half.arriving_step(&w.plans, iu.as_ref()).kind;
        let identity = w.identity(&self.envelope);
        self.half.handle(&w.plans, identity, now, iu.as_ref());
        kind == IuKind::CommandResponse
    }
}
