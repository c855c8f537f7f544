//! Units of channel-to-channel devices on their way from one channel over the fibre to another.
//!
//! ```text
//!  ready ─► processor ─► bus ─► fibre ─► directors ─► bus ─► processor ─► handled
//!           └── channel of the sender ──┘             └─ of the receiver ┘
//! ```
//!
//! They pass the parts that frames of disks pass: processors are shared with their exchanges, buses and links have one line for
//! both. As an exchange does, a lane has one visit at a time at the processor of either channel, and one unit between the
//! sender's bus and fibre; behind that as many as pacing allows are under way. Those of ESCON devices cross [`circuits`].

mod circuits;

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_program::Protocol;

use self::circuits::UnitCircuits;
use super::bus::Burst;
use super::exchange::Visit;
use super::{Channels, Outside};
use crate::events::cargo::Cargo;
use crate::events::event::HostEvent;
use crate::events::message::{Envelope, Parcel, Transit};
use crate::events::slab::Slab;
use crate::events::unit::Unit;
use crate::fabric::bus::Direction;
use crate::laws::traffic::Traffic;
use crate::wiring::Wiring;
use crate::wiring::lanes::{DeviceWire, LaneWire, NO_PATH};

/// A lane in a run.
#[derive(Debug, Default)]
struct Lane {
    /// Units that have not begun.
    ready: VecDeque<Unit>,
    /// The unit that the sender's processor works on.
    visiting: Option<u32>,
    /// Units that the sender's processor has done, and the one that is between bus and fibre.
    prepared: VecDeque<u32>,
    leaving: Option<u32>,
    /// Units that have come over the receiver's bus, and the one that its processor works on.
    stored: VecDeque<u32>,
    receiving: Option<u32>,
    /// Units that have begun and are not answered.
    unanswered: u32,
    /// Slots of its visits: at the sender's processor and at the receiver's.
    visits: [u32; 2],
    /// No data of a circuit enter the fibre before: the receiver's buffer may be full.
    paced_until: Time,
}

/// All lanes and the units under way on them.
#[derive(Debug)]
pub(super) struct UnitLanes {
    lanes: Vec<Lane>,
    units: Slab<Unit>,
    /// Cargo of units that have arrived, for those to come: a unit takes no memory of its own.
    spare: Vec<Cargo>,
    traffic: Traffic,
    circuits: UnitCircuits,
}

impl UnitLanes {
    /// Makes the lanes before any unit, if there are some; `reserve` gives a slot for the visits of a lane's end.
    pub(super) fn new(w: &Wiring, mut reserve: impl FnMut(u32, u32) -> u32) -> Option<Box<Self>> {
        let lane = |wire: &LaneWire| {
            let visits = [0, 1].map(|end| reserve(wire.channels[end], wire.lpars[end]));
            Lane { visits, ..Lane::default() }
        };
        let lanes: Vec<Lane> = w.lanes.lanes.iter().map(lane).collect();
        let (units, spare) = (Slab::with_capacity(64), Vec::new());
        let (traffic, circuits) = (Traffic::default(), UnitCircuits::new(w));
        (!lanes.is_empty()).then(|| Box::new(Self { lanes, units, spare, traffic, circuits }))
    }

    /// Returns what has entered fibres and come out of them.
    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }
}

impl Channels {
    /// Sends `units` over their lane, in order.
    pub(crate) fn send_units(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        lane: u32,
        units: impl IntoIterator<Item = Unit>,
    ) {
        let Some(all) = &mut self.units else { return };
        let ready = &mut all.lanes[lane as usize].ready;
        let before = ready.len();
        ready.extend(units);
        if w.lanes.lanes[lane as usize].circuit.is_some() {
            let (first, count) = (ready.get(before).copied(), ready.len() - before);
            self.need_circuit(out, w, lane, (first, count));
        }
        self.prepare_unit(out, w, lane);
    }

    /// Withdraws the units of a lane that have not begun.
    pub(crate) fn withdraw_units(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        let Some(all) = &mut self.units else { return };
        let ready = &mut all.lanes[lane as usize].ready;
        let count = ready.len();
        ready.clear();
        if w.lanes.lanes[lane as usize].circuit.is_some() {
            let (device, _) = DeviceWire::of_lane(lane);
            all.circuits.count_done(device, count);
            self.release_idle_circuit(out, w, device);
        }
    }

    /// Has the sender's processor work on the next unit of a lane, if it may begin.
    fn prepare_unit(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        let wire = &w.lanes.lanes[lane as usize];
        let Some(all) = &mut self.units else { return };
        let own = &mut all.lanes[lane as usize];
        let is_open = wire.circuit.is_none() || all.circuits.is_connected(lane);
        if own.visiting.is_some() || own.unanswered >= wire.window || !is_open {
            return;
        }
        let Some(unit) = own.ready.pop_front() else { return };
        let slot = all.units.put(unit);
        self.begin_unit(out, w, slot);
    }

    /// Has the sender's processor work on a unit.
    fn begin_unit(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let Some(all) = &mut self.units else { return };
        let unit = all.units[slot];
        let wire = &w.lanes.lanes[unit.lane as usize];
        let own = &mut all.lanes[unit.lane as usize];
        own.unanswered += 1;
        own.visiting = Some(slot);
        let visit = own.visits[0];
        self.visit_for(out, visit, wire.channels[0], (wire.lpars[0], &unit));
    }

    /// Has the processor of `channel` work on a unit, as a visit in the slot `visit`.
    fn visit_for(&mut self, out: &mut impl Outside, visit: u32, channel: u32, (lpar, unit): (u32, &Unit)) {
        let state = &mut self.channels[channel as usize];
        let work = unit.work();
        let cost = state.tariff(Protocol::Command).price(work);
        if let Some(held) = &mut state.held_bus {
            held.count(lpar as usize, work.sequences, work.frames, work.moved_bytes);
        }
        self.exchanges[visit].visit = Visit::Unit;
        state.work(out, channel, (visit, lpar), cost);
    }

    /// Follows up the visit of a lane in the slot `visit`, which is over.
    #[cold]
    pub(super) fn unit_visited(&mut self, out: &mut impl Outside, w: &Wiring, visit: u32) {
        let lane = self.exchanges[visit].departures;
        let Some(all) = &mut self.units else { return };
        let own = &mut all.lanes[lane as usize];
        if visit == own.visits[0] {
            own.prepared.extend(own.visiting.take());
            self.fetch_unit(out, w, lane);
            self.prepare_unit(out, w, lane);
            return;
        }
        let wire = &w.lanes.lanes[lane as usize];
        if let Some(unit) = own.receiving.take() {
            let order = self.channels[wire.channels[1] as usize].sequencer.next();
            out.push(out.now(), order, HostEvent::UnitHandled { unit });
        }
        self.receive_unit(out, w, lane);
    }

    /// Brings the next prepared unit of a lane over the sender's bus, or has it wait for the bus.
    fn fetch_unit(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        let wire = &w.lanes.lanes[lane as usize];
        let Some(all) = &mut self.units else { return };
        let own = &mut all.lanes[lane as usize];
        if own.leaving.is_some() {
            return;
        }
        let Some(unit) = own.prepared.pop_front() else { return };
        own.leaving = Some(unit);
        let bytes = all.units[unit].bytes;
        let event = HostEvent::UnitFetched { unit };
        self.move_unit(out, wire.channels[0], wire.lpars[0], Direction::Write, (bytes, out.now()), event);
    }

    /// Moves the data of a unit, there from `from` on, over the bus of a channel; `event` follows.
    fn move_unit(
        &mut self,
        out: &mut impl Outside,
        channel: u32,
        lpar: u32,
        direction: Direction,
        (bytes, from): (u32, Time),
        event: HostEvent,
    ) {
        let state = &mut self.channels[channel as usize];
        let part = &mut state.parts[lpar as usize];
        match direction {
            Direction::Read => part.read_bytes += u64::from(bytes),
            Direction::Write => part.write_bytes += u64::from(bytes),
        }
        if bytes > 0 && !state.bus.is_free(direction, out.now()) {
            state.wait_for_bus(out, channel, direction, (bytes, Burst { event, credit: None }));
            return;
        }
        let moved = match bytes {
            0 => out.now(),
            bytes => state.bus.move_burst(direction, from, bytes, (&mut self.shares, state.share)),
        };
        out.push(moved.max(out.now()), state.sequencer.next(), event);
    }

    /// Puts a unit on the fibre, whose data have come over the sender's bus.
    #[cold]
    pub(crate) fn on_unit_fetched(&mut self, out: &mut impl Outside, w: &Wiring, unit: u32) {
        let Some(all) = &mut self.units else { return };
        let Unit { lane, requests, bytes, .. } = all.units[unit];
        let wire = &w.lanes.lanes[lane as usize];
        let paced_until = all.lanes[lane as usize].paced_until;
        if out.now() < paced_until {
            let order = self.channels[wire.channels[0] as usize].sequencer.next();
            return out.push(paced_until, order, HostEvent::UnitFetched { unit });
        }
        let chunk =
            if wire.circuit.is_some() { all.units[unit].circuit_chunk() } else { all.units[unit].chunk() };
        all.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        // In place of an exchange stands the lane, and in place of the losses of the path the unit.
        let envelope = Envelope { exchange: lane, path: NO_PATH, epoch: unit, ..Envelope::default() };
        let parcel = Parcel { envelope, hop: wire.route.first, opens: requests, ..Parcel::default() };
        let cargo = Cargo::of_chunk(chunk, all.spare.pop());
        let entered = self.outbound.send_unit(out, w, wire.route.first, Transit { parcel, cargo });
        if let (Some(circuit), Some(all)) = (wire.circuit, &mut self.units) {
            all.lanes[lane as usize].paced_until = entered + circuit.pace(bytes);
        }
        let order = self.channels[wire.channels[0] as usize].sequencer.next();
        out.push(entered, order, HostEvent::UnitEntered { lane });
    }

    /// Goes on with a lane whose unit has entered the fibre.
    #[cold]
    pub(crate) fn on_unit_entered(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        if let Some(all) = &mut self.units {
            all.lanes[lane as usize].leaving = None;
            self.fetch_unit(out, w, lane);
        }
    }

    /// Brings a unit that has arrived in the slot `transit` over the receiver's bus, or has it wait for the bus.
    #[cold]
    pub(crate) fn on_unit_arrived(&mut self, out: &mut impl Outside, w: &Wiring, transit: u32) {
        let Transit { parcel, cargo } = Transit::take(out.transits(), transit);
        let chunk = *cargo.chunk(w);
        let Some(all) = &mut self.units else { return };
        all.spare.push(cargo);
        all.traffic.frames_received(chunk.frames, chunk.data_bytes);
        let unit = parcel.envelope.epoch;
        let wire = &w.lanes.lanes[all.units[unit].lane as usize];
        let from = out.now().saturating_sub(parcel.tail_lag);
        let event = HostEvent::UnitStored { unit };
        self.move_unit(
            out,
            wire.channels[1],
            wire.lpars[1],
            Direction::Read,
            (chunk.data_bytes, from),
            event,
        );
    }

    /// Goes on with a unit whose data have gone over the receiver's bus.
    #[cold]
    pub(crate) fn on_unit_stored(&mut self, out: &mut impl Outside, w: &Wiring, unit: u32) {
        let Some(all) = &mut self.units else { return };
        let lane = all.units[unit].lane;
        all.lanes[lane as usize].stored.push_back(unit);
        self.receive_unit(out, w, lane);
    }

    /// Has the receiver's processor work on the next unit of a lane, if it may begin.
    fn receive_unit(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        let wire = &w.lanes.lanes[lane as usize];
        let Some(all) = &mut self.units else { return };
        let own = &mut all.lanes[lane as usize];
        if own.receiving.is_some() {
            return;
        }
        let Some(unit) = own.stored.pop_front() else { return };
        own.receiving = Some(unit);
        let (visit, unit) = (own.visits[1], all.units[unit]);
        self.visit_for(out, visit, wire.channels[1], (wire.lpars[1], &unit));
    }

    /// Takes a unit that the receiver's processor has done; `None` where it is nothing to the adapter. Its sender is answered
    /// when the light has gone back.
    pub(crate) fn take_unit(&mut self, out: &mut impl Outside, w: &Wiring, unit: u32) -> Option<Unit> {
        let taken = self.units.as_deref_mut()?.units[unit];
        if taken.requests && !self.try_accept_circuit(out, w, taken.lane) {
            return None;
        }
        let all = self.units.as_deref_mut()?;
        all.units.give(unit);
        let wire = &w.lanes.lanes[taken.lane as usize];
        let order = self.channels[wire.channels[1] as usize].sequencer.next();
        out.push(out.now() + wire.answer, order, HostEvent::UnitAnswered { lane: taken.lane });
        if taken.requests {
            return None;
        }
        if wire.circuit.is_some() {
            all.circuits.count_done(DeviceWire::of_lane(taken.lane).0, 1);
        }
        Some(taken)
    }

    /// Goes on with a lane of which a unit is answered.
    #[cold]
    pub(crate) fn on_unit_answered(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        if let Some(all) = &mut self.units {
            all.lanes[lane as usize].unanswered -= 1;
            if all.circuits.is_accepted(lane) {
                self.connect_circuit(out, w, lane);
            }
            self.prepare_unit(out, w, lane);
        }
    }

    /// Returns frames and bytes of units that have entered fibres and come out of them; `None` without lanes.
    pub(crate) fn unit_traffic(&self) -> Option<&Traffic> {
        self.units.as_deref().map(UnitLanes::traffic)
    }

    /// Opens the slots of the visits of all lanes.
    pub(super) fn lanes(w: &Wiring, exchanges: &mut super::Exchanges) -> Option<Box<UnitLanes>> {
        let mut reserved = 0;
        UnitLanes::new(w, |channel, lpar| {
            // Two slots a lane: one at either end.
            let lane = reserved / 2;
            reserved += 1;
            exchanges.reserve(channel, lpar, lane)
        })
    }
}
