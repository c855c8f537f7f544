//! The control unit's end of an exchange: what it holds, what it waits for, and how it ends.

use halftrack_base::{Span, Time};
use halftrack_exchange::{
    BusyKind, ControlUnitEnd, ControlUnitHalf, Delay, FramedEnd, Half, Side, TwinDevice,
};
use halftrack_program::{Operation, Protocol};

use super::context::Context;
use super::control_units::ControlUnits;
use super::port::Port;
use crate::events::cargo::Cargo;
use crate::events::event::StorageEvent;
use crate::events::message::{Envelope, Note, Parcel, Pump, Transit};
use crate::fabric::group::Group;
use crate::wiring::Wiring;
use crate::wiring::departures::Next;
use crate::wiring::load::trails;
use crate::wiring::lost_steps::LostSteps;
use crate::wiring::options::ExchangeMode;
use crate::wiring::path_wire::PathWire;

/// The control unit's end of one exchange, in one line of the cache: it comes back after a device time, and hundreds
/// are open. What it sends is in a [`Group`] beside it.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct StorageExchange {
    pub(super) half: ControlUnitHalf,
    /// Borne by all that it sends.
    pub(super) envelope: Envelope,
    /// Its first command was taken up: its device time begins.
    pub(super) taken_up: Time,
    /// Time when all that has passed between cache and port is over.
    pub(super) cached: Time,
    /// Time spent staging, and until a circuit was there again.
    pub disconnected: Span,
    /// From the decision to send until the last chunk of what may be sent has left; one event is pending.
    pub(super) sending: bool,
    pub(super) open: bool,
    /// It is one of those that its port can hold.
    pub(super) held: bool,
    /// Its track is not in cache and has not been staged.
    pub(super) misses: bool,
    /// Its circuit has been let go until the data are there.
    pub away: bool,
    /// It has tried in vain to have its circuit again.
    reconnecting: bool,
    /// Frames of it that were lost on the way.
    pub(super) losses: Losses,
    /// It is open, follows a plan of one chunk each way, and nothing but the answer is missing.
    pub(super) is_express: bool,
}

const _: () = assert!(size_of::<StorageExchange>() == 64);

/// The frames that an exchange has lost, in one octet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Losses(u8);

impl Losses {
    /// An information unit of which more is to come has lost a frame.
    const DAMAGED: u8 = 1;
    /// The timer of the exchange runs.
    const WATCHED: u8 = 2;

    /// Returns true when it has lost any frame.
    pub(super) fn is_watched(self) -> bool {
        self.0 & Self::WATCHED != 0
    }

    /// Adds what is `lost` of a chunk with which so many `steps` end. Returns all that is lost of it.
    pub(super) fn add(&mut self, lost: LostSteps, steps: u16) -> LostSteps {
        let mut is_damaged = self.0 & Self::DAMAGED != 0;
        let lost = lost.follow(steps, &mut is_damaged);
        self.0 = self.0 & !Self::DAMAGED | u8::from(is_damaged);
        lost
    }
}

impl StorageExchange {
    /// Returns its path, among all paths.
    pub(super) fn path(&self) -> u32 {
        self.envelope.path
    }

    /// Moves `bytes`, at the port from `from` on, between cache and port: when they are over. The data of one
    /// exchange pass one after the other; exchanges do not hinder each other.
    #[inline]
    pub(super) fn pass_cache(&mut self, port: &Port, from: Time, bytes: u32) -> Time {
        self.cached = self.cached.max(from) + port.cache_time(bytes);
        self.cached
    }

    /// Hands received IUs to the half where a live end is involved or some are `lost`.
    #[cold]
    pub(super) fn receive_live(
        &mut self,
        w: &Wiring,
        (steps, lost): (u16, LostSteps),
        cargo: Cargo,
        now: Time,
    ) {
        let identity = self.envelope.identity(w);
        let mut ius = cargo.live.map(|live| live.ius.into_iter());
        for step in 0..steps {
            let iu = ius.as_mut().and_then(Iterator::next);
            if lost.has(step) {
                self.half.handle_loss(&w.plans, identity, now);
                self.wait_from(now);
            } else {
                self.half.handle(&w.plans, identity, now, iu.as_ref());
            }
        }
    }

    /// Leaves its plan at `now`, because something that it had sent was lost.
    #[cold]
    pub(super) fn note_loss(&mut self, w: &Wiring, now: Time) {
        self.half.leave_plan(&w.plans, self.envelope.identity(w), now);
        self.wait_from(now);
    }

    /// Begins to wait at `now` for what the channel sends next.
    fn wait_from(&mut self, now: Time) {
        self.losses.0 |= Losses::WATCHED;
        if let Some(machine) = self.half.machine_mut() {
            machine.handle_progress(now);
        }
    }

    /// Returns the begin of the control unit's departures of its plan.
    #[inline]
    pub(super) fn departures(&self, w: &Wiring, path: &PathWire) -> u32 {
        w.departures.of(self.envelope.plan, Side::ControlUnit, path.frame_by_frame)
    }

    /// Begins it with its first parcel.
    #[inline(always)]
    pub(super) fn begin(&mut self, w: &Wiring, envelope: Envelope, now: Time) {
        debug_assert!(!self.open && !self.sending, "the host uses a slot again only when it is over");
        match w.options.exchange {
            ExchangeMode::Planned => self.half.reopen(envelope.plan),
            ExchangeMode::Live => {
                self.half = Half::open_live(&w.plans, envelope.plan, envelope.identity(w), now);
            }
        }
        self.envelope = envelope;
        (self.cached, self.disconnected) = (Time::ZERO, Span::ZERO);
        (self.open, self.misses, self.away) = (true, false, false);
        self.losses = Losses::default();
    }

    /// Runs it live against `device`, which has octets.
    #[cold]
    pub(super) fn begin_with(&mut self, w: &Wiring, device: TwinDevice, now: Time) {
        let plan = self.envelope.plan;
        let machine = ControlUnitEnd::new(device, &w.plans[plan].key, self.envelope.identity(w), now);
        self.half = Half::of_machine(machine, plan);
    }

    /// Takes up what opened it at `port`, which works on it from `from` on, by its protocol.
    #[inline(always)]
    pub(super) fn take_up(&mut self, protocol: Protocol, port: &Port, from: Time) {
        let worked = port.worked_off_at() + port.dispatch;
        match protocol {
            Protocol::Transport => self.taken_up = worked,
            // The command response goes out first; the work on the program delays its data.
            Protocol::Command => (self.cached, self.taken_up) = (worked, from + port.dispatch),
        }
    }

    /// Adds the time until the clusters of its box have `worked` on it. Returns when it goes on that is `ready` at its port,
    /// by its protocol.
    #[cold]
    pub(super) fn work_on(&mut self, protocol: Protocol, ready: Time, worked: Time) -> Time {
        match protocol {
            Protocol::Transport => ready.max(worked),
            Protocol::Command => {
                // The command response is the port's; the clusters have the data.
                self.cached = self.cached.max(worked);
                ready
            }
        }
    }

    /// Looks its `track` up in the cache of its control unit behind `path`.
    #[cold]
    pub(super) fn look_up(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        control_units: &mut ControlUnits,
        track: u32,
    ) {
        let write = w.plans[self.envelope.plan].key.shape.operation != Operation::Read;
        self.misses = !control_units.look_up(path, self.envelope.device, track, write) && !write;
    }

    /// Answers it busy, which the control unit or its port cannot take.
    #[cold]
    pub(super) fn refuse(&mut self, w: &Wiring, now: Time) {
        self.half.leave_plan(&w.plans, self.envelope.identity(w), now);
        if let Some(machine) = self.half.machine_mut() {
            machine.answer_busy(BusyKind::ControlUnit);
        }
    }

    /// Returns when the next IU may be sent at `port`, `at` the earliest, or staged; `None` when there is none.
    #[inline(always)]
    fn next_event(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        port: &Port,
        mut at: Time,
    ) -> Option<(Time, StorageEvent)> {
        let departures = self.departures(w, path);
        let Next { delay, data_bytes } =
            w.departures.next(&self.half, &w.plans, departures, path.frame_by_frame)?;
        self.sending = true;
        let exchange = self.envelope.exchange;
        if delay == Delay::Staging || (self.misses && delay == Delay::Cache && data_bytes > 0) {
            // In command mode the program has been worked on before anything is staged for it.
            return Some((at.max(self.cached), StorageEvent::Stage { exchange }));
        }
        if data_bytes > 0 {
            // The cache reads ahead: what follows the first data has been on its way since those came.
            let from = if self.cached == Time::ZERO { at } else { self.cached };
            at = at.max(from + port.cache_time(data_bytes));
        }
        if delay == Delay::Cache {
            // What has been written is in cache before it is made safe.
            at = if data_bytes > 0 { at + port.hit } else { at.max(self.cached) + port.secure };
        }
        Some((at, StorageEvent::Send { exchange }))
    }

    /// Has the next IU sent at `port`, at `ready` the earliest, or staged; false when there is none.
    #[inline(always)]
    pub(super) fn try_schedule_next(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        path: &PathWire,
        port: &mut Port,
        ready: Time,
    ) -> bool {
        let next = self.next_event(w, path, port, ready);
        if let Some((at, event)) = next {
            context.push(at, port.sequencer.next(), event);
        }
        next.is_some()
    }

    /// Cuts the next chunk of its `group`, about to leave `port` at `now`; the group has one.
    #[inline(always)]
    pub(super) fn next_transit(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        (now, port): (Time, &mut Port),
        group: &mut Group,
    ) -> Transit {
        let (cargo, closes) = self.cut(w, path, (now, port), group);
        let pump = self.pump(w, path, port, group);
        let parcel = Parcel { pump, ..self.parcel(group, closes) };
        Transit { parcel, cargo }
    }

    /// Cuts the next chunk off as [`Self::next_transit`] does. Returns true with one that closes the exchange.
    #[inline(always)]
    pub(super) fn cut(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        (now, port): (Time, &mut Port),
        group: &mut Group,
    ) -> (Cargo, bool) {
        let cargo = group.next_chunk(w, path.frame_by_frame);
        let closes = group.closes && cargo.chunk(w).last;
        if closes {
            self.close(now, port);
        }
        (cargo, closes)
    }

    /// Returns the wait for what it has to send behind the last chunk cut off its `group`.
    #[inline(always)]
    pub(super) fn pump(&mut self, w: &Wiring, path: &PathWire, port: &Port, group: &Group) -> Pump {
        let has_more = group.has_more();
        self.sending = has_more || w.departures.may_send(&self.half, &w.plans, self.departures(w, path));
        match has_more && path.is_undisturbed && !path.is_lossy {
            // Before the cache has supplied it the port and the fibre are for others.
            true => Pump::from(self.cached + port.cache_time(group.next_fetched_bytes(w))),
            false => Pump::at_once(self.sending),
        }
    }

    /// Makes the parcel of a chunk of its `group`, which `closes` it or not; nothing is to follow it.
    #[inline(always)]
    pub(super) fn parcel(&self, group: &Group, closes: bool) -> Parcel {
        let note = Note::reported(group.reported.0, group.reported.1);
        Parcel { envelope: self.envelope, closes, inbound: true, note, ..Parcel::default() }
    }

    /// Returns true when more leaves with the frame before, frame by frame. That is the rest of a burst of its `group`, or
    /// an IU that `trails`, which is gathered.
    #[inline(never)]
    pub(super) fn try_go_on(&mut self, w: &Wiring, path: &PathWire, group: &mut Group) -> bool {
        if group.has_more() {
            return group.next_fetched_bytes(w) == 0;
        }
        if !self.open || !self.half.peek_transmit(&w.plans).is_some_and(|step| trails(&step)) {
            return false;
        }
        let first = self.departures(w, path);
        let gathered = group.gather(&mut self.half, w, first, true);
        group.closes = self.half.outcome(&w.plans).is_some();
        gathered
    }

    /// Closes an express exchange that is answered, as [`Self::close`] does any.
    #[inline(always)]
    pub(super) fn close_express(&mut self, now: Time, port: &mut Port) {
        debug_assert!(self.held && !self.reconnecting, "it was taken in, and has no circuit");
        (self.open, self.is_express, self.held, self.sending) = (false, false, false, false);
        port.give_exchange(now);
    }

    /// Notes that it has requested its circuit at `port` again, in vain or not, or is over.
    #[inline]
    pub(super) fn set_reconnecting(&mut self, reconnecting: bool, port: &mut Port) {
        let before = std::mem::replace(&mut self.reconnecting, reconnecting);
        if before != reconnecting {
            port.change_reconnecting(if reconnecting { 1 } else { -1 });
        }
    }

    /// Gives back its place at `port`: the half is over.
    #[inline]
    pub(super) fn close(&mut self, now: Time, port: &mut Port) {
        (self.open, self.is_express) = (false, false);
        self.half.close();
        if std::mem::take(&mut self.held) {
            port.give_exchange(now);
        }
        self.set_reconnecting(false, port);
    }
}
