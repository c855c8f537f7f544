//! The channel's end of one exchange: what it has sent and received, and how far the channel has worked on it.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_exchange::{ChannelHalf, ChannelOutcome, FramedEnd, Half, Side};
use halftrack_program::Protocol;
use halftrack_wire::{Iu, IuKind};

use super::subchannels::NONE;
use crate::events::cargo::Cargo;
use crate::events::message::{Envelope, Parcel};
use crate::fabric::group::Group;
use crate::wiring::Wiring;
use crate::wiring::load::Chunk;
use crate::wiring::lost_steps::LostSteps;
use crate::wiring::options::ExchangeMode;
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
    /// Works on a unit of a lane, which is no exchange.
    Unit,
}

/// An information unit that is yet to be handled.
#[derive(Debug, Default)]
pub(super) enum Received {
    /// The next of the plan.
    #[default]
    Planned,
    /// One of a live end.
    Live(Iu),
    /// It was lost on the way.
    Lost,
}

/// The place of an exchange in the [express lane](crate::express) at the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Express {
    /// It is not in it.
    #[default]
    Off,
    /// The visit for its command is under way.
    Sending,
    /// Its command has been sent, and nothing but the answer is missing.
    Waiting,
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
    /// Index of the channel's first departure of the plan; of a lane its number.
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
    /// The outcome has been handed to the subchannel.
    pub reported: bool,
    /// The control unit's half is over, or was never begun.
    pub peer_over: bool,
    /// The open exchange has been given back.
    pub released: bool,
    /// The fibre was lost under it: what still comes is not for it.
    pub lost: bool,
    /// An information unit of which more is to come has lost a frame.
    pub is_damaged: bool,
    /// Its data have passed the stage that only writes pass.
    pub is_staged: bool,
    /// It has lost frames: its timer runs.
    pub is_watched: bool,
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
    /// The received IUs where a live end is involved or some are lost; else empty.
    pub received_ius: VecDeque<Received>,
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
            is_damaged: false,
            is_staged: false,
            is_watched: false,
            express: Express::Off,
        }
    }
}

impl Exchange {
    /// Makes the slot of the visits of `lane` at one of its channels. It is no exchange and never has work. What is fetched for
    /// one that answers soon is there: the first I/O.
    pub(super) fn of_lane(channel: u32, lpar: u32, lane: u32) -> Self {
        Self { channel, lpar, io: 0, departures: lane, sending: true, ..Self::default() }
    }

    /// Makes the slot ready for the next exchange; fields that an exchange leaves empty at its end are not touched.
    fn reset(&mut self) {
        debug_assert!(!self.is_busy() && self.received_ius.is_empty() && !self.group.has_more());
        self.group.opens = true;
        (self.first_sent, self.command_response) = (Time::ZERO, Time::ZERO);
        (self.connect, self.disconnect) = (Span::ZERO, Span::ZERO);
        (self.unhandled, self.visit_steps, self.received_cost) = (0, 0, Span::ZERO);
        (self.reported, self.peer_over, self.released, self.lost) = (false, false, false, false);
        (self.is_damaged, self.is_watched, self.is_staged) = (false, false, false);
        self.express = Express::Off;
    }

    /// Begins an exchange in this slot, number `slot`, for `opening` over `path`; its half and its lane are still to be set.
    #[inline(always)]
    pub(super) fn begin(&mut self, slot: u32, path: &PathWire, opening: &Opening, now: Time) {
        self.reset();
        (self.io, self.lpar, self.opened) = (opening.io, opening.lpar, now);
        (self.channel, self.protocol) = (path.channel, opening.protocol);
        self.envelope = Envelope { exchange: slot, ..opening.envelope };
    }

    /// Opens its half in the common lane.
    #[inline(always)]
    pub(super) fn open_half(&mut self, w: &Wiring, path: &PathWire, now: Time) {
        let plan = self.envelope.plan;
        self.departures = w.departures.of(plan, Side::Channel, path.frame_by_frame);
        match w.options.exchange {
            ExchangeMode::Planned => self.half.reopen(plan),
            ExchangeMode::Live => {
                self.half = Half::open_live(&w.plans, plan, self.envelope.identity(w), now);
            }
        }
    }

    /// Enters the express lane with the visit for its one chunk of so many `steps`.
    #[inline(always)]
    pub(super) fn enter_express(&mut self, steps: u16) {
        self.half.reopen(self.envelope.plan);
        self.half.sent_planned(steps);
        (self.visit, self.sending, self.express) = (Visit::Send, true, Express::Sending);
    }

    /// Notes in the express lane that its command goes onto the fibre at `now`.
    #[inline(always)]
    pub(super) fn wait_for_answer(&mut self, now: Time) {
        (self.visit, self.sending, self.express) = (Visit::Idle, false, Express::Waiting);
        (self.first_sent, self.group.opens) = (now, false);
    }

    /// Leaves the express lane while the data of its answer, `steps` IUs, wait for the bus or are on it.
    #[cold]
    pub(super) fn leave_answered(&mut self, w: &Wiring, steps: u16) {
        self.leave_express(w);
        self.peer_over = true;
        self.unhandled = steps;
        self.on_bus = 1;
    }

    /// Ends in the express lane, where both halves are over with the answer.
    #[inline(always)]
    pub(super) fn end_express(&mut self) {
        (self.channel, self.released, self.express) = (NONE, true, Express::Off);
    }

    /// Goes on in the common lane, if it has been in the express lane.
    pub(super) fn leave_express(&mut self, w: &Wiring) {
        if self.express != Express::Off {
            self.express = Express::Off;
            self.departures = w.departures.of(self.envelope.plan, Side::Channel, false);
        }
    }

    /// Notes the arrival of a `parcel` for its slot. The end of the other half may overtake what was sent before the fibre
    /// was lost. The slot may be of another exchange by then, to which the parcel means nothing.
    pub(super) fn note_arrival(&mut self, w: &Wiring, parcel: &Parcel) {
        let Parcel { envelope, closes, .. } = parcel;
        let is_its_own =
            envelope.path == self.envelope.path && (self.lost || envelope.epoch == self.envelope.epoch);
        if is_its_own {
            self.leave_express(w);
            self.peer_over |= closes;
        }
    }

    /// Takes in a `chunk` that has arrived and is the load of `parcel`, whose IUs `cargo` has if an end is live.
    #[inline(always)]
    pub(super) fn take_chunk(&mut self, parcel: &Parcel, chunk: &Chunk, cargo: Cargo) {
        if chunk.steps > 0 {
            (self.connect, self.disconnect) = parcel.note.times();
        }
        if parcel.lost.any() {
            self.take_damaged(parcel.lost, chunk.steps, cargo);
        } else if let Some(live) = cargo.live.filter(|live| !live.ius.is_empty()) {
            // IUs of the plan that came before and are not yet worked on keep their places.
            self.received_ius.resize_with(usize::from(self.unhandled), Received::default);
            self.received_ius.extend(live.ius.into_iter().map(Received::Live));
        }
        self.unhandled += chunk.steps;
    }

    /// Takes in so many `steps` that have arrived, of which some are `lost`; those of live ends are in `cargo`.
    #[cold]
    fn take_damaged(&mut self, lost: LostSteps, steps: u16, cargo: Cargo) {
        self.received_ius.resize_with(usize::from(self.unhandled), Received::default);
        let mut ius = cargo.live.map(|live| live.ius.into_iter());
        for step in 0..steps {
            let iu = ius.as_mut().and_then(Iterator::next);
            let received = iu.map_or(Received::Planned, Received::Live);
            self.received_ius.push_back(if lost.has(step) { Received::Lost } else { received });
        }
    }

    /// Hands the next received IU to the half where a live end is involved or some are lost. Returns whether it is a command
    /// response.
    #[cold]
    pub(super) fn receive_live(&mut self, w: &Wiring, now: Time) -> bool {
        let identity = self.envelope.identity(w);
        let iu = match self.received_ius.pop_front().unwrap_or_default() {
            Received::Planned => None,
            Received::Live(iu) => Some(iu),
            Received::Lost => {
                self.half.handle_loss(&w.plans, identity, now);
                self.wait_from(now);
                return false;
            }
        };
        let kind = self.half.arriving_step(&w.plans, iu.as_ref()).kind;
        self.half.handle(&w.plans, identity, now, iu.as_ref());
        kind == IuKind::CommandResponse
    }

    /// Leaves its plan at `now`, because something that it had sent was lost.
    #[cold]
    pub(super) fn note_loss(&mut self, w: &Wiring, now: Time) {
        self.half.leave_plan(&w.plans, self.envelope.identity(w), now);
        self.wait_from(now);
    }

    /// Begins to wait at `now` for what the control unit sends next.
    fn wait_from(&mut self, now: Time) {
        self.is_watched = true;
        if let Some(machine) = self.half.machine_mut() {
            machine.handle_progress(now);
        }
    }

    /// Drops all that is under way on a fibre that is lost at `now`, for the `losses`-th time. Returns the outcome that this
    /// is for the channel, if it has come to none before.
    #[cold]
    pub(super) fn lose_fibre(&mut self, w: &Wiring, now: Time, losses: u32) -> Option<ChannelOutcome> {
        let identity = self.envelope.identity(w);
        self.half.handle_link_down(&w.plans, identity, now);
        self.lost = true;
        self.leave_express(w);
        self.envelope.epoch = losses;
        let never_sent = self.first_sent == Time::ZERO;
        self.peer_over |= never_sent;
        self.group.abandon();
        (self.received_steps, self.received_cost) = (0, Span::ZERO);
        self.received_ius.clear();
        (self.visit_steps, self.unhandled) = (0, 0);
        let outcome = if self.reported { None } else { self.half.outcome(&w.plans) };
        self.reported |= outcome.is_some();
        outcome
    }

    /// Gathers what may be sent now. Returns false when that is nothing.
    #[inline]
    pub(super) fn gather(&mut self, w: &Wiring) -> bool {
        let frame_by_frame = w.paths[self.envelope.path as usize].frame_by_frame;
        self.group.gather(&mut self.half, w, self.departures, frame_by_frame)
    }

    /// Returns true when its half may send more than has been gathered.
    #[inline]
    pub(super) fn may_transmit(&self, w: &Wiring) -> bool {
        w.departures.may_send(&self.half, &w.plans, self.departures)
    }

    /// Returns true when a visit to the channel processor may begin.
    #[inline]
    pub(super) fn has_work(&self, w: &Wiring) -> bool {
        self.received_steps > 0 || (!self.sending && self.may_transmit(w))
    }

    /// Returns true when data with which no information unit ends change nothing: it follows its plan, and has done all else that it
    /// could.
    #[inline(always)]
    pub(super) fn only_gathers_data(&self) -> bool {
        self.received_steps == 0 && !self.reported && !self.half.is_live()
    }

    /// Returns true when its slot is no exchange's: both halves are over.
    #[inline(always)]
    pub(super) fn is_closed(&self) -> bool {
        self.channel == NONE
    }

    /// Returns true while it holds an open exchange of its channel.
    pub(super) fn is_open(&self) -> bool {
        self.channel != NONE && !self.released
    }

    /// Returns true while it is open and waits for the control unit alone.
    #[inline(always)]
    pub(super) fn only_waits(&self) -> bool {
        !self.reported && !self.is_busy() && self.unhandled == 0 && self.received_ius.is_empty()
    }

    /// Returns true while something of it is still under way at the channel.
    pub(super) fn is_busy(&self) -> bool {
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
