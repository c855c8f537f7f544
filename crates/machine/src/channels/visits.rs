//! The visits of exchanges to their channel processor, from the opening until both halves are over.
//!
//! Firmware serves an exchange one thing at a time: what has arrived first, then what may be sent.
//!
//! ```text
//!          ┌───────────── advance ◄──────────────┐
//!          ▼ received?            ▼ may send?    │
//!   visit (Receive)         visit (Send)         │
//!          ▼                      ▼              │
//!   half.handle ─► outcome?   bus ─► fibre ──────┘
//! ```

use halftrack_base::Span;
use halftrack_config::Part;

use super::exchange::{Exchange, Express, Opening, Visit};
use super::subchannels::NONE;
use super::{Channels, Outside};
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// The begin of a visit to the channel processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// It costs nothing and is over.
    Done,
    /// The channel processor works on it, or on an earlier one.
    Working,
}

impl Channels {
    /// Opens an exchange over `path`; the channel has one free.
    #[inline(always)]
    pub(super) fn open(&mut self, out: &mut impl Outside, w: &Wiring, path: &PathWire, mut opening: Opening) {
        let path = if w.alternatives.are_several() {
            self.take_route(w, &mut opening);
            &w.paths[opening.envelope.path as usize]
        } else {
            path
        };
        if !self.try_open_express(out, w, path, opening) {
            self.open_any(out, w, path, opening);
        }
    }

    /// Opens any exchange.
    #[inline(never)]
    fn open_any(&mut self, out: &mut impl Outside, w: &Wiring, path: &PathWire, opening: Opening) {
        let (slot, exchange) = self.exchanges.open(path, &opening, out.now());
        exchange.open_half(w, path, out.now());
        if path.is_circuit {
            self.hold_path(out, slot);
        }
        if self.subchannels.has_data() {
            self.open_with_data(out, w, slot);
        }
        // What an exchange sends first costs something on every channel but one without prices.
        if self.begin_visit(out, w, slot) != Some(Begun::Working) {
            self.visit_over(out, w, slot);
            self.advance(out, w, slot);
        }
    }

    /// Gives `opening` the route of its path whose turn it is, and the plan that its program has there.
    #[cold]
    fn take_route(&mut self, w: &Wiring, opening: &mut Opening) {
        let path = opening.envelope.path;
        let route = self.take_turn(w, path);
        opening.envelope.path = route;
        opening.envelope.epoch = self.subchannels.lost_paths.losses(route);
        let wire = &w.paths[route as usize];
        if wire.class != w.paths[path as usize].class {
            let (io, paced) = (self.subchannels.io(opening.io), self.paced[path as usize]);
            (opening.envelope.plan, _) = w.plan(io.program, wire, io.operation, io.hit, paced);
        }
    }

    /// Returns the alternative of `path` whose turn it is of those that are not lost; one is there. Its frames are encrypted
    /// where the connection is.
    fn take_turn(&mut self, w: &Wiring, path: u32) -> u32 {
        let is_reversed = self.subchannels.is_reversed(w, path);
        let (turn, lost) = (&mut self.turns[path as usize], &self.subchannels.lost_paths);
        let mut chosen = path;
        for _ in w.alternatives.ways(path) {
            chosen = match is_reversed {
                false => w.alternatives.at_turn(path, *turn),
                true => w.alternatives.reversed_at_turn(path, *turn),
            };
            *turn = turn.wrapping_add(1);
            if !lost.is_lost(chosen) {
                break;
            }
        }
        chosen
    }

    /// Goes from visit to visit of the exchange as long as they cost nothing.
    pub(super) fn advance(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        while self.begin_visit(out, w, slot) == Some(Begun::Done) {
            self.visit_over(out, w, slot);
            if !self.exchanges[slot].has_work(w) {
                break;
            }
        }
        if self.exchanges[slot].reported {
            self.settle(out, w, slot);
        }
    }

    /// Begins the visit for what the exchange can do now. Returns `None` when that is nothing.
    #[inline(never)]
    fn begin_visit(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) -> Option<Begun> {
        let exchange = &mut self.exchanges[slot];
        if exchange.visit != Visit::Idle {
            return Some(Begun::Working);
        }
        let receives = exchange.received_steps > 0;
        if !receives && (exchange.sending || !exchange.gather(w)) {
            return None;
        }
        // Only an exchange with work has a channel for certain.
        let channel = &mut self.channels[exchange.channel as usize];
        let cost = if receives {
            exchange.visit = Visit::Receive;
            exchange.visit_steps = std::mem::take(&mut exchange.received_steps);
            std::mem::take(&mut exchange.received_cost)
        } else {
            (exchange.visit, exchange.sending) = (Visit::Send, true);
            if let Some(held) = &mut channel.held_bus {
                let work = exchange.group.work(w);
                held.count(exchange.lpar as usize, work.sequences, work.frames, work.moved_bytes);
            }
            let tariff = || channel.tariff(exchange.protocol);
            exchange.group.send_cost(w, channel.costs, tariff)
        };
        if cost.is_zero() {
            return Some(Begun::Done);
        }
        self.work_for(out, slot, cost);
        Some(Begun::Working)
    }

    /// Has the channel processor work on the visit of exchange `slot` that has just begun, for `cost` on average.
    #[inline(always)]
    pub(super) fn work_for(&mut self, out: &mut impl Outside, slot: u32, cost: Span) {
        let Exchange { channel, lpar, .. } = self.exchanges[slot];
        self.channels[channel as usize].work(out, channel, (slot, lpar), cost);
    }

    /// Ends the visit of `slot`, which was alone on the channel processor when it began. If it has not been alone since, the
    /// alarm ends it, which is not before now.
    #[inline(never)]
    pub(crate) fn on_visited(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let channel = &mut self.channels[self.exchanges[slot].channel as usize];
        if channel.try_end_lone_visit(out.now()) {
            self.visit_done(out, w, slot);
        } else {
            // An alarm that was moved is no event.
            out.forget_event();
        }
    }

    /// Ends the first of the visits that share a channel processor, which has done it.
    #[inline(never)]
    pub(crate) fn on_processor(&mut self, out: &mut impl Outside, w: &Wiring, channel_index: u32) {
        let finished = self.channels[channel_index as usize].end_first_visit(out, channel_index);
        if let Some(slot) = finished {
            self.visit_done(out, w, slot);
        }
    }

    /// Follows up the visit of the exchange to its channel processor, which is over.
    #[inline(always)]
    fn visit_done(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        if self.exchanges[slot].express == Express::Sending {
            self.send_command(out, w, slot);
        } else {
            self.any_visit_done(out, w, slot);
        }
    }

    #[inline(never)]
    fn any_visit_done(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.visit_over(out, w, slot);
        self.go_on(out, w, slot);
    }

    /// Goes on with the exchange, of which a visit is over.
    #[inline(always)]
    pub(super) fn go_on(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &self.exchanges[slot];
        if exchange.has_work(w) {
            self.advance(out, w, slot);
        } else if exchange.reported {
            self.settle(out, w, slot);
        }
    }

    #[inline]
    fn visit_over(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        match std::mem::take(&mut self.exchanges[slot].visit) {
            Visit::Idle => {}
            Visit::Receive => self.receive(out, w, slot),
            Visit::Send => self.send_group(out, w, slot),
            Visit::Unit => self.unit_visited(out, w, slot),
        }
    }

    /// Notes that the control unit's half of the exchange `slot` is over.
    pub(crate) fn on_closed(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.exchanges[slot].peer_over = true;
        self.settle(out, w, slot);
    }

    /// Ends every exchange over `part`, which is lost, as the state machines have it.
    #[cold]
    pub(super) fn lose_exchanges(&mut self, out: &mut impl Outside, w: &Wiring, part: Part) {
        for slot in self.exchanges.slots() {
            let exchange = &mut self.exchanges[slot];
            let route = exchange.envelope.path;
            if exchange.released || !w.leads_over(&w.paths[route as usize], part) {
                continue;
            }
            let losses = self.subchannels.lost_paths.losses(route);
            if let Some(outcome) = exchange.lose_fibre(w, out.now(), losses) {
                self.attempt_over(out, w, slot, &outcome);
            }
            self.settle(out, w, slot);
        }
    }

    /// Gives back the open exchange when the channel's half is over, and the slot when both are.
    pub(super) fn settle(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if exchange.channel == NONE || !exchange.reported || exchange.is_busy() {
            return;
        }
        if !exchange.released && !exchange.may_transmit(w) {
            exchange.released = true;
            let (channel, opened, protocol) = (exchange.channel, exchange.opened, exchange.protocol);
            self.channels[channel as usize].close_exchange(out.now(), opened, protocol);
            if self.channels[channel as usize].has_held_path() {
                self.release_path(out, w, slot);
            }
            if self.channels[channel as usize].has_deferred() {
                self.drive_deferred(out, w, channel);
            }
        }
        self.exchanges.try_close(slot);
    }
}
