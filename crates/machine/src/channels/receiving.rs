//! Arrivals at a channel: frames from the fibre over the bus, then the IUs of which the last frame has come.

use halftrack_base::Time;
use halftrack_engine::Order;
use halftrack_program::Protocol;

use super::bus::Burst;
use super::exchange::Visit;
use super::outbound;
use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::events::message::{Parcel, Transit};
use crate::fabric::bus::Direction;
use crate::wiring::Wiring;
use crate::wiring::load::Chunk;

impl Channels {
    /// Takes the frames in `transit_slot`, which have arrived at the channel.
    #[inline(never)]
    pub(crate) fn on_inbound(&mut self, out: &mut impl Outside, w: &Wiring, transit_slot: u32) {
        if let Some((slot, tail_lag, connect)) = self.answered(w, &out.transits()[transit_slot]) {
            out.transits().give(transit_slot);
            self.take_answer(out, w, slot, tail_lag, connect);
        } else {
            let transit = Transit::take(out.transits(), transit_slot);
            self.on_any_inbound(out, w, transit);
        }
    }

    /// Takes what has arrived in the common lane.
    #[inline(always)]
    pub(super) fn on_any_inbound(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        Transit { mut parcel, mut cargo }: Transit,
    ) {
        let slot = parcel.envelope.exchange;
        if self.subchannels.has_data() {
            self.damage(slot, &mut cargo);
        }
        let path = &w.paths[parcel.envelope.path as usize];
        let mut chunk = *cargo.chunk(w);
        self.outbound.count_received(&chunk);
        let exchange = &mut self.exchanges[slot];
        exchange.note_arrival(w, &parcel);
        let losses = self.subchannels.lost_paths.losses(parcel.envelope.path);
        let channel = &mut self.channels[path.channel as usize];
        let credit = path.frame_by_frame.then(|| channel.sequencer.next());
        if parcel.envelope.epoch != losses || exchange.lost || (path.is_lossy && exchange.is_closed()) {
            if let Some(order) = credit {
                outbound::return_credit(out, w, path, out.now(), order);
            }
            self.settle(out, w, slot);
            return;
        }
        if path.is_lossy {
            let is_new = parcel.lost.any();
            parcel.lost = parcel.lost.follow(chunk.steps, &mut exchange.is_damaged);
            chunk = chunk.without(parcel.lost);
            if is_new {
                self.report_loss(out, w, slot);
            }
        }
        let exchange = &mut self.exchanges[slot];
        let channel = &mut self.channels[path.channel as usize];
        if !parcel.lost.are_all(chunk.steps) {
            self.outbound.capture_inbound(w, &parcel, &cargo, out.now());
            let tariff = || channel.tariff(exchange.protocol);
            exchange.received_cost += cargo.receive_cost(w, channel.costs, tariff);
        }
        let lpar = exchange.lpar as usize;
        channel.parts[lpar].read_bytes += u64::from(chunk.data_bytes);
        if let Some(held) = &mut channel.held_bus {
            held.count(lpar, chunk.steps.into(), chunk.frames.into(), chunk.data_bytes);
        }
        exchange.take_chunk(&parcel, &chunk, cargo);
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
            let burst = Burst { event: HostEvent::Stored { exchange: slot, steps }, credit };
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
            outbound::return_credit(out, w, path, stored.max(out.now()), order);
        }
        if stored <= out.now() && exchange.on_bus == 0 {
            if steps == 0 && exchange.only_gathers_data() {
                return;
            }
            exchange.received_steps += steps;
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

    /// Takes received IUs whose work costs nothing.
    #[inline(always)]
    fn receive_at_once(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        exchange.visit_steps = std::mem::take(&mut exchange.received_steps);
        self.receive(out, w, slot);
        self.go_on(out, w, slot);
    }

    /// Notes that received data, with which so many `steps` are complete, have gone over the bus.
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
        if self.exchanges[slot].is_watched {
            self.watch(out, slot);
        }
    }

    /// Follows up IUs that the half has taken; with `command_response` one was among them.
    #[inline(always)]
    pub(super) fn received(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32, command_response: bool) {
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
