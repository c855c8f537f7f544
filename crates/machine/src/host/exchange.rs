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

use halftrack_engine::{SimDuration, SimTime};
use halftrack_exchange::{ChannelHalf, Half, Identity, PlanId, Work};
use halftrack_program::Protocol;
use halftrack_wire::{Iu, IuKind};

use super::HostState;
use super::io::NONE;
use crate::event::HostEvent;
use crate::frames::Group;
use crate::message::{Parcel, Transit};
use crate::pricing::price;
use crate::wiring::Wiring;

/// What the channel processor does for an exchange now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Visit {
    /// Nothing.
    #[default]
    Idle,
    /// Works on received IUs.
    Receive,
    /// Prepares IUs to send.
    Send,
}

/// What became of a visit to the channel processor when it was to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// It costs nothing and is over.
    Done,
    /// The channel processor works on it, or on an earlier one.
    Working,
}

/// The channel's end of one attempt of one I/O.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub half: ChannelHalf,
    pub io: u32,
    pub path: u32,
    pub channel: u32,
    /// Partition of the I/O.
    lpar: u32,
    pub plan: PlanId,
    pub protocol: Protocol,
    pub opened: SimTime,
    /// The first IU went onto the fibre.
    pub first_sent: SimTime,
    pub command_response: SimTime,
    /// Times reported by the control unit.
    pub connect: SimDuration,
    pub disconnect: SimDuration,
    device: u8,
    channel_image: u8,
    visit: Visit,
    /// IUs received and not yet worked on, and their work.
    received_steps: u16,
    received_work: Work,
    /// The received IUs where a live end is involved; else empty.
    received_ius: VecDeque<Option<Iu>>,
    /// IUs received and not yet handled: on the bus, waiting or being worked on.
    unhandled: u16,
    /// IUs that the visit in progress works on.
    visit_steps: u16,
    group: Group,
    /// From the gathering of a group until its last chunk has left.
    sending: bool,
    /// Received chunks that are on the bus.
    on_bus: u16,
    /// The outcome has been given to the subchannel.
    reported: bool,
    /// The control unit's half is over, or was never begun.
    peer_over: bool,
    /// The open exchange has been given back.
    released: bool,
    /// The fibre was lost under it: what still comes is not for it.
    lost: bool,
}

impl Default for Exchange {
    fn default() -> Self {
        Self {
            half: Half::default(),
            io: NONE,
            path: NONE,
            channel: NONE,
            lpar: 0,
            plan: PlanId::default(),
            protocol: Protocol::Command,
            opened: SimTime::ZERO,
            first_sent: SimTime::ZERO,
            command_response: SimTime::ZERO,
            connect: SimDuration::ZERO,
            disconnect: SimDuration::ZERO,
            device: 0,
            channel_image: 0,
            visit: Visit::Idle,
            received_steps: 0,
            received_work: Work::default(),
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
        }
    }
}

impl Exchange {
    /// Makes it ready for the next exchange; what an exchange leaves empty at its end is not touched.
    fn reset(&mut self) {
        debug_assert!(!self.is_busy() && self.received_ius.is_empty() && !self.group.has_more());
        self.group.opens = true;
        (self.first_sent, self.command_response) = (SimTime::ZERO, SimTime::ZERO);
        (self.connect, self.disconnect) = (SimDuration::ZERO, SimDuration::ZERO);
        (self.unhandled, self.visit_steps, self.received_work) = (0, 0, Work::default());
        (self.reported, self.peer_over, self.released, self.lost) = (false, false, false, false);
    }

    fn identity(&self, w: &Wiring, slot: u32) -> Identity {
        w.identity(self.path, self.channel_image, self.device, slot)
    }

    /// Hands the next received IU to the half where a live end is involved: whether it is a command response.
    #[cold]
    fn receive_live(&mut self, w: &Wiring, slot: u32, now: SimTime) -> bool {
        let iu = self.received_ius.pop_front().flatten();
        let kind = self.half.arriving_step(&w.plans, iu.as_ref()).kind;
        let identity = self.identity(w, slot);
        self.half.handle(&w.plans, identity, now, iu.as_ref());
        kind == IuKind::CommandResponse
    }

    /// Gathers what may be sent now; false when that is nothing.
    #[inline]
    fn gather(&mut self, w: &Wiring) -> bool {
        let frame_by_frame = w.paths[self.path as usize].frame_by_frame;
        self.group.gather(&mut self.half, &w.plans, frame_by_frame)
    }

    /// True while it holds an open exchange of its channel.
    pub(super) fn is_open(&self) -> bool {
        self.channel != NONE && !self.released
    }

    /// True while something of it is still under way at the channel.
    fn is_busy(&self) -> bool {
        self.visit != Visit::Idle || self.sending || self.received_steps > 0 || self.on_bus > 0
    }
}

impl HostState {
    /// Opens an exchange for `io` over its path; the channel has one free.
    pub(super) fn open(&mut self, w: &Wiring, io: u32, protocol: Protocol, plan: PlanId) {
        let slot = self.exchanges.take();
        let this = &self.ios[io];
        let path = this.path;
        let ucb = &self.ucbs[this.ucb as usize];
        let device = w.configuration.devices[ucb.device as usize].unit_address;
        let lpar = this.lpar;
        let channel_image = w.configuration.lpars[lpar as usize].mif;
        let exchange = &mut self.exchanges[slot];
        exchange.reset();
        (exchange.io, exchange.path, exchange.plan) = (io, path, plan);
        (exchange.channel, exchange.protocol) = (w.paths[path as usize].channel, protocol);
        (exchange.lpar, exchange.device, exchange.channel_image) = (lpar, device, channel_image);
        exchange.opened = self.now;
        exchange.half = match w.options.exchange {
            crate::ExchangeMode::Planned => Half::open(plan),
            crate::ExchangeMode::Live => {
                Half::open_live(&w.plans, plan, exchange.identity(w, slot), self.now)
            }
        };
        self.advance(w, slot);
    }

    /// Lets the exchange do what it can do now.
    #[inline]
    fn advance(&mut self, w: &Wiring, slot: u32) {
        self.work_on(w, slot, false);
    }

    /// Goes from visit to visit of the exchange as long as they cost nothing, after the end of the one in progress
    /// if that `is_over`. The one copy of all that a visit does.
    #[inline(never)]
    fn work_on(&mut self, w: &Wiring, slot: u32, mut is_over: bool) {
        loop {
            if is_over {
                self.visit_over(w, slot);
            }
            match self.begin_visit(w, slot) {
                Some(Begun::Working) => return,
                Some(Begun::Done) => is_over = true,
                None => break,
            }
        }
        self.settle(w, slot);
    }

    /// Begins what the exchange can do now; `None` when that is nothing.
    #[inline(always)]
    fn begin_visit(&mut self, w: &Wiring, slot: u32) -> Option<Begun> {
        let exchange = &mut self.exchanges[slot];
        if exchange.visit != Visit::Idle {
            return Some(Begun::Working);
        }
        let (visit, work) = if exchange.received_steps > 0 {
            exchange.visit_steps = std::mem::take(&mut exchange.received_steps);
            (Visit::Receive, std::mem::take(&mut exchange.received_work))
        } else if !exchange.sending && exchange.gather(w) {
            exchange.sending = true;
            (Visit::Send, exchange.group.work)
        } else {
            return None;
        };
        exchange.visit = visit;
        let channel = &mut self.channels[exchange.channel as usize];
        let cost = price(channel.prices(exchange.protocol), work);
        if cost.is_zero() {
            return Some(Begun::Done);
        }
        let lpar = exchange.lpar as usize;
        channel.parts[lpar].processor_ps += cost.as_ps();
        if let Some(wake) = channel.processor.arrive(self.now, slot, cost) {
            let event =
                HostEvent::Processor { channel: exchange.channel as u16, generation: wake.generation };
            self.pending.push(wake.at, channel.sequencer.next(), event);
        }
        Some(Begun::Working)
    }

    /// A wake of a channel processor.
    pub(super) fn on_processor(&mut self, w: &Wiring, channel_index: u16, generation: u32) {
        use halftrack_engine::WakeOutcome;
        let channel = &mut self.channels[usize::from(channel_index)];
        let (finished, next) = match channel.processor.handle_wake(self.now, generation) {
            WakeOutcome::Stale => return,
            WakeOutcome::Later(wake) => (None, Some(wake)),
            WakeOutcome::Finished { job, next } => (Some(job), next),
        };
        if let Some(wake) = next {
            let event = HostEvent::Processor { channel: channel_index, generation: wake.generation };
            self.pending.push(wake.at, channel.sequencer.next(), event);
        }
        if let Some(slot) = finished {
            self.work_on(w, slot, true);
        }
    }

    #[inline(always)]
    fn visit_over(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        match std::mem::take(&mut exchange.visit) {
            Visit::Idle => {}
            Visit::Receive => {
                for _ in 0..std::mem::take(&mut exchange.visit_steps) {
                    self.receive_step(w, slot);
                }
            }
            Visit::Send => self.send_chunk(w, slot),
        }
    }

    /// Hands the next received IU to the half.
    fn receive_step(&mut self, w: &Wiring, slot: u32) {
        let now = self.now;
        let exchange = &mut self.exchanges[slot];
        exchange.unhandled -= 1;
        let command_response = if exchange.received_ius.is_empty() && !exchange.half.is_live() {
            // On the plan: the address of the exchange is not needed.
            let kind = exchange.half.take_planned(&w.plans);
            kind == IuKind::CommandResponse
        } else {
            exchange.receive_live(w, slot, now)
        };
        if command_response && exchange.command_response == SimTime::ZERO {
            exchange.command_response = now;
            self.paced[exchange.path as usize] = true;
        }
        if exchange.reported {
            return;
        }
        if let Some(outcome) = exchange.half.outcome(&w.plans) {
            exchange.reported = true;
            if exchange.command_response == SimTime::ZERO {
                // A chain that ended before its first command response: the ending status is the response.
                exchange.command_response = now;
            }
            self.attempt_over(w, slot, &outcome);
        }
    }

    /// Brings the next chunk of the group to the fibre, written data over the bus first.
    pub(super) fn send_chunk(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if !exchange.group.has_more() {
            // The link was lost and the group with it.
            exchange.sending = false;
            return;
        }
        let data_bytes = exchange.group.next_data_bytes(w.paths[exchange.path as usize].chunk_frames);
        if data_bytes == 0 {
            self.put_chunk_on_fibre(w, slot);
            return;
        }
        let lpar = exchange.lpar as usize;
        let channel = &mut self.channels[exchange.channel as usize];
        channel.parts[lpar].write_bytes += u64::from(data_bytes);
        let fetched = channel.transfer(self.now, data_bytes);
        self.pending.push(fetched, channel.sequencer.next(), HostEvent::Fetched { exchange: slot });
    }

    /// The data of the next chunk has come over the bus.
    pub(super) fn on_fetched(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if !exchange.group.has_more() {
            exchange.sending = false;
            self.advance(w, slot);
            return;
        }
        self.put_chunk_on_fibre(w, slot);
        // The exchange may have been refused meanwhile, and this may have been the last it had to send.
        self.settle(w, slot);
    }

    /// Puts the next chunk on the fibre; there is one.
    fn put_chunk_on_fibre(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let chunk = exchange.group.next_chunk(w.paths[exchange.path as usize].chunk_frames);
        let more = exchange.group.has_more() || exchange.half.may_transmit(&w.plans);
        let work = if chunk.last { exchange.group.peer_work } else { Work::default() };
        let ius = if chunk.last { exchange.group.ius.take() } else { None };
        let steps = if chunk.last { exchange.group.steps } else { 0 };
        let opens = std::mem::take(&mut exchange.group.opens);
        if exchange.first_sent == SimTime::ZERO {
            exchange.first_sent = self.now;
        }
        exchange.sending = more;
        self.law.frames_sent(chunk.frames, chunk.data_bytes);
        let parcel = Parcel {
            exchange: slot,
            path: exchange.path,
            plan: exchange.plan,
            hop: 0,
            device: exchange.device,
            channel_image: exchange.channel_image,
            opens,
            closes: false,
            pump: more,
            inbound: false,
            frames: chunk.frames,
            steps,
            work,
            wire_bytes: chunk.wire_bytes,
            data_bytes: chunk.data_bytes,
            epoch: self.channels[exchange.channel as usize].epoch,
            tail_lag: SimDuration::ZERO,
            connect: SimDuration::ZERO,
            disconnect: SimDuration::ZERO,
        };
        self.transmit(w, Transit { parcel, ius });
    }

    /// A chunk has entered the fibre and the exchange has more to send.
    pub(super) fn on_pump(&mut self, w: &Wiring, slot: u32) {
        if self.exchanges[slot].group.has_more() {
            self.send_chunk(w, slot);
        } else {
            self.exchanges[slot].sending = false;
        }
        self.advance(w, slot);
    }

    /// Frames have arrived at the channel.
    pub(super) fn on_inbound(&mut self, w: &Wiring, transit_slot: u32) {
        let Transit { parcel, ius } = Transit::take(&mut self.transits, transit_slot);
        let slot = parcel.exchange;
        let path = &w.paths[parcel.path as usize];
        self.law.frames_received(parcel.frames, parcel.data_bytes);
        if path.frame_by_frame {
            self.return_credit(w, &parcel);
        }
        let exchange = &mut self.exchanges[slot];
        exchange.peer_over |= parcel.closes;
        let channel = &mut self.channels[path.channel as usize];
        if parcel.epoch != channel.epoch || exchange.lost {
            self.settle(w, slot);
            return;
        }
        let lpar = exchange.lpar as usize;
        channel.parts[lpar].read_bytes += u64::from(parcel.data_bytes);
        exchange.received_work = exchange.received_work.plus(parcel.work);
        if parcel.steps > 0 {
            exchange.connect = parcel.connect;
            exchange.disconnect = parcel.disconnect;
        }
        if let Some(ius) = ius {
            // IUs of the plan that came before and are not yet worked on keep their places.
            exchange.received_ius.resize_with(usize::from(exchange.unhandled), || None);
            exchange.received_ius.extend(ius.into_iter().map(Some));
        }
        exchange.unhandled += parcel.steps;
        let stored = channel.store(self.now, parcel.tail_lag, parcel.data_bytes);
        if stored <= self.now && exchange.on_bus == 0 {
            exchange.received_steps += parcel.steps;
            self.advance(w, slot);
            return;
        }
        exchange.on_bus += 1;
        // An IU without data of its own still comes after the data before it.
        let at = stored.max(channel.bus.free_at()).max(self.now);
        let event = HostEvent::Stored { exchange: slot, steps: parcel.steps };
        self.pending.push(at, channel.sequencer.next(), event);
    }

    /// Received data has gone over the bus.
    pub(super) fn on_stored(&mut self, w: &Wiring, slot: u32, steps: u16) {
        let exchange = &mut self.exchanges[slot];
        exchange.on_bus -= 1;
        if exchange.lost {
            self.settle(w, slot);
            return;
        }
        exchange.received_steps += steps;
        self.advance(w, slot);
    }

    /// The control unit's half is over.
    pub(super) fn on_closed(&mut self, w: &Wiring, slot: u32) {
        self.exchanges[slot].peer_over = true;
        self.settle(w, slot);
    }

    /// The fibre of `channel` is lost: every exchange on it ends as the machines say.
    #[cold]
    pub(super) fn lose_exchanges(&mut self, w: &Wiring, channel: u32) {
        for slot in 0..self.exchanges.high_water() as u32 {
            let exchange = &mut self.exchanges[slot];
            if exchange.channel != channel || exchange.released {
                continue;
            }
            let identity = exchange.identity(w, slot);
            exchange.half.handle_link_down(&w.plans, identity, self.now);
            exchange.lost = true;
            let never_sent = exchange.first_sent == SimTime::ZERO;
            exchange.peer_over |= never_sent;
            exchange.group.abandon();
            (exchange.received_steps, exchange.received_work) = (0, Work::default());
            exchange.received_ius.clear();
            (exchange.visit_steps, exchange.unhandled) = (0, 0);
            let outcome = if exchange.reported { None } else { exchange.half.outcome(&w.plans) };
            if let Some(outcome) = outcome {
                exchange.reported = true;
                self.attempt_over(w, slot, &outcome);
            }
            self.settle(w, slot);
        }
    }

    /// Gives back the open exchange when the channel's half is over, and the slot when both are.
    pub(super) fn settle(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if exchange.channel == NONE || !exchange.reported || exchange.is_busy() {
            return;
        }
        if !exchange.released && !exchange.half.may_transmit(&w.plans) {
            exchange.released = true;
            let (channel, opened, protocol) = (exchange.channel, exchange.opened, exchange.protocol);
            self.channels[channel as usize].close_exchange(self.now, opened, protocol);
            self.drive_deferred(w, channel);
        }
        let exchange = &mut self.exchanges[slot];
        if exchange.released && exchange.peer_over {
            exchange.channel = NONE;
            exchange.half.close();
            self.exchanges.give(slot);
        }
    }
}
