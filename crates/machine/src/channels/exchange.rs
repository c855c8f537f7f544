//! The channel's end of an exchange in time: processor visits, bus, fibre.
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

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_exchange::{ChannelHalf, Half, Side};
use halftrack_program::Protocol;
use halftrack_wire::Iu;

use super::subchannels::NONE;
use super::{Channels, Outside};
use crate::events::message::{Envelope, Parcel};
use crate::fabric::group::Group;
use crate::run::options::ExchangeMode;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// The work of the channel processor for an exchange now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Visit {
    /// Nothing.
    #[default]
    Idle,
    /// Works on received IUs.
    Receive,
    /// Prepares IUs to send.
    Send,
}

/// The place of an exchange in the [express lane](crate::express) at the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Express {
    /// It is not in it.
    #[default]
    Off,
    /// The visit is under way after which it asks.
    Asking,
    /// It has asked, and nothing but the answer is missing.
    Waiting,
}

/// The begin of a visit to the channel processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// It costs nothing and is over.
    Done,
    /// The channel processor works on it, or on an earlier one.
    Working,
}

/// The channel's end of one attempt of one I/O, in the order of use: three lines of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Exchange {
    pub half: ChannelHalf,
    /// The envelope of all that it sends.
    pub envelope: Envelope,
    pub io: u32,
    pub channel: u32,
    /// Partition of the I/O.
    pub lpar: u32,
    /// Index of the channel's first departure of the plan.
    pub departures: u32,
    /// IUs received and not yet worked on, and those not yet handled: on the bus, waiting or being worked on.
    pub received_steps: u16,
    pub unhandled: u16,
    /// IUs that the visit in progress works on.
    pub visit_steps: u16,
    /// Received chunks that are on the bus.
    pub on_bus: u16,
    pub visit: Visit,
    pub protocol: Protocol,
    /// From the gathering of a group until its last chunk has left.
    pub sending: bool,
    /// The outcome has been given to the subchannel.
    pub reported: bool,
    /// The control unit's half is over, or was never begun.
    pub peer_over: bool,
    /// The open exchange has been given back.
    pub released: bool,
    /// The fibre was lost under it: what still comes is not for it.
    pub lost: bool,
    pub express: Express,
    /// The cost of the work for the received IUs.
    pub received_cost: Span,
    pub opened: Time,
    /// The first IU went onto the fibre.
    pub first_sent: Time,
    pub command_response: Time,
    pub group: Group,
    /// Times reported by the control unit.
    pub connect: Span,
    pub disconnect: Span,
    /// The received IUs where a live end is involved; else empty.
    pub received_ius: VecDeque<Option<Iu>>,
}

const _: () = assert!(size_of::<Exchange>() == 192);

impl Default for Exchange {
    fn default() -> Self {
        Self {
            half: Half::default(),
            io: NONE,
            envelope: Envelope::default(),
            channel: NONE,
            lpar: 0,
            departures: 0,
            protocol: Protocol::Command,
            opened: Time::ZERO,
            first_sent: Time::ZERO,
            command_response: Time::ZERO,
            connect: Span::ZERO,
            disconnect: Span::ZERO,
            visit: Visit::Idle,
            received_steps: 0,
            received_cost: Span::ZERO,
            received_ius: VecDeque::new(),
            unhandled: 0,
            visit_steps: 0,
            group: Group::default(),
            sending: false,
            on_bus: 0,
            reported: false,
            peer_over: false,
            released: true,
            lost: false,
            express: Express::Off,
        }
    }
}

impl Exchange {
    /// Makes it ready for the next exchange; what an exchange leaves empty at its end is not touched.
    pub(super) fn reset(&mut self) {
        debug_assert!(!self.is_busy() && self.received_ius.is_empty() && !self.group.has_more());
        self.group.opens = true;
        (self.first_sent, self.command_response) = (Time::ZERO, Time::ZERO);
        (self.connect, self.disconnect) = (Span::ZERO, Span::ZERO);
        (self.unhandled, self.visit_steps, self.received_cost) = (0, 0, Span::ZERO);
        (self.reported, self.peer_over, self.released, self.lost) = (false, false, false, false);
        self.express = Express::Off;
    }

    /// It goes on in the common lane, if it has been in the express lane.
    pub(super) fn leave_express(&mut self, w: &Wiring) {
        if self.express != Express::Off {
            self.express = Express::Off;
            self.departures = w.departures.of(self.envelope.plan, Side::Channel, false);
        }
    }

    /// A `parcel` for its slot has arrived. That the other half is over may come before what it sent until the fibre was
    /// lost, and the slot may be another exchange's by then, which this does not concern.
    pub(super) fn note_arrival(&mut self, w: &Wiring, parcel: &Parcel) {
        let Parcel { envelope, closes, .. } = parcel;
        let is_its_own =
            envelope.path == self.envelope.path && (self.lost || envelope.epoch == self.envelope.epoch);
        if is_its_own {
            self.leave_express(w);
            self.peer_over |= closes;
        }
    }

    /// Gathers what may be sent now; false when that is nothing.
    #[inline]
    fn gather(&mut self, w: &Wiring) -> bool {
        let frame_by_frame = w.paths[self.envelope.path as usize].frame_by_frame;
        self.group.gather(&mut self.half, w, self.departures, frame_by_frame)
    }

    /// True when its half may send more than has been gathered.
    #[inline]
    pub(super) fn may_transmit(&self, w: &Wiring) -> bool {
        w.departures.may_send(&self.half, &w.plans, self.departures)
    }

    /// True when a visit to the channel processor may begin.
    #[inline]
    fn has_work(&self, w: &Wiring) -> bool {
        self.received_steps > 0 || (!self.sending && self.may_transmit(w))
    }

    /// True while it holds an open exchange of its channel.
    pub(super) fn is_open(&self) -> bool {
        self.channel != NONE && !self.released
    }

    /// True while it is open and waits for the control unit alone.
    #[inline(always)]
    pub(super) fn only_waits(&self) -> bool {
        !self.reported && !self.is_busy() && self.unhandled == 0 && self.received_ius.is_empty()
    }

    /// True while something of it is still under way at the channel.
    fn is_busy(&self) -> bool {
        self.visit != Visit::Idle || self.sending || self.received_steps > 0 || self.on_bus > 0
    }
}

/// The start that an exchange is opened for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    /// The I/O.
    pub io: u32,
    /// Its partition.
    pub lpar: u32,
    /// Its protocol.
    pub protocol: Protocol,
    /// The envelope of every chunk of it, without the exchange as yet.
    pub envelope: Envelope,
}

impl Channels {
    /// Opens an exchange over `path`; the channel has one free.
    #[inline(always)]
    pub(super) fn open(&mut self, out: &mut impl Outside, w: &Wiring, path: &PathWire, mut opening: Opening) {
        let path = if w.alternatives.are_several() {
            opening.envelope.path = self.take_turn(w, opening.envelope.path);
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
    fn open_any(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: &PathWire,
        Opening { io, lpar, protocol, envelope }: Opening,
    ) {
        let slot = self.exchanges.take();
        let exchange = &mut self.exchanges[slot];
        exchange.reset();
        (exchange.io, exchange.lpar, exchange.opened) = (io, lpar, out.now());
        (exchange.channel, exchange.protocol) = (path.channel, protocol);
        exchange.departures = w.departures.of(envelope.plan, Side::Channel, path.frame_by_frame);
        exchange.envelope = Envelope { exchange: slot, ..envelope };
        let plan = envelope.plan;
        match w.options.exchange {
            ExchangeMode::Planned => exchange.half.reopen(plan),
            ExchangeMode::Live => {
                exchange.half = Half::open_live(&w.plans, plan, w.identity(&exchange.envelope), out.now());
            }
        }
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

    /// The way of `path` that the next exchange takes.
    #[cold]
    fn take_turn(&mut self, w: &Wiring, path: u32) -> u32 {
        let turn = &mut self.turns[path as usize];
        let way = w.alternatives.at_turn(path, *turn);
        *turn = turn.wrapping_add(1);
        way
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

    /// Begins what the exchange can do now; `None` when that is nothing.
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

    /// The channel processor works on the visit of exchange `slot` that has just begun, for `cost` on average.
    #[inline(always)]
    pub(super) fn work_for(&mut self, out: &mut impl Outside, slot: u32, cost: Span) {
        let Exchange { channel, lpar, .. } = self.exchanges[slot];
        self.channels[channel as usize].work(out, channel, (slot, lpar), cost);
    }

    /// The channel processor has done the visit of `slot`, which was alone when it began; if it has not been so since, the
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

    /// A channel processor has done the first of the visits that share it.
    #[inline(never)]
    pub(crate) fn on_processor(&mut self, out: &mut impl Outside, w: &Wiring, channel_index: u32) {
        let finished = self.channels[channel_index as usize].end_first_visit(out, channel_index);
        if let Some(slot) = finished {
            self.visit_done(out, w, slot);
        }
    }

    /// The exchange's visit to its channel processor is over.
    #[inline(always)]
    fn visit_done(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        if self.exchanges[slot].express == Express::Asking {
            self.ask(out, w, slot);
        } else {
            self.any_visit_done(out, w, slot);
        }
    }

    #[inline(never)]
    fn any_visit_done(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.visit_over(out, w, slot);
        self.go_on(out, w, slot);
    }

    /// A visit of the exchange is over.
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
            Visit::Send => self.send_chunk(out, w, slot),
        }
    }

    /// The control unit's half is over.
    pub(crate) fn on_closed(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.exchanges[slot].peer_over = true;
        self.settle(out, w, slot);
    }

    /// The fibre of `channel` is lost: every exchange on it ends as the state machines have it.
    #[cold]
    pub(super) fn lose_exchanges(&mut self, out: &mut impl Outside, w: &Wiring, channel: u32) {
        for slot in 0..self.exchanges.high_water() as u32 {
            let exchange = &mut self.exchanges[slot];
            if exchange.channel != channel || exchange.released {
                continue;
            }
            let identity = w.identity(&exchange.envelope);
            exchange.half.handle_link_down(&w.plans, identity, out.now());
            exchange.lost = true;
            exchange.leave_express(w);
            exchange.envelope.epoch = self.channels[channel as usize].losses();
            let never_sent = exchange.first_sent == Time::ZERO;
            exchange.peer_over |= never_sent;
            exchange.group.abandon();
            (exchange.received_steps, exchange.received_cost) = (0, Span::ZERO);
            exchange.received_ius.clear();
            (exchange.visit_steps, exchange.unhandled) = (0, 0);
            let outcome = if exchange.reported { None } else { exchange.half.outcome(&w.plans) };
            if let Some(outcome) = outcome {
                exchange.reported = true;
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
        let exchange = &mut self.exchanges[slot];
        if exchange.released && exchange.peer_over {
            exchange.channel = NONE;
            exchange.half.close();
            self.exchanges.give(slot);
        }
    }
}
