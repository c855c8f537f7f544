//! Exchanges of one chunk each way, as short reads in transport mode are: what there is to know of them, by their plan.
//!
//! ```text
//!   asks: all that the channel sends ──► port ──► cache ──► port ──► answers: all that the control unit sends
//! ```
//!
//! A row is found by following the plan once, chunk by chunk, and says nothing that the plan does not. Between two events
//! the exchange is what it would be without; whoever has to leave the plan finds it as any other.

use halftrack_engine::{SimDuration, SimTime};
use halftrack_exchange::{ChannelHalf, ChannelOutcome, ControlUnitHalf, Delay, Plan, PlanId, Plans, Side};
use halftrack_program::Protocol;
use halftrack_subsystem::Ending;

use super::StorageState;
use crate::events::event::StorageEvent;
use crate::events::message::{Answered, Asked, Body, Envelope, Transit};
use crate::fabric::bus::Direction;
use crate::fabric::link::Arrival;
use crate::fabric::load::{Chunk, OnFibre};
use crate::fabric::route::Between;
use crate::wiring::Wiring;
use crate::wiring::departures::Departures;
use crate::wiring::path_wire::PathWire;

/// What a control unit does in an exchange of one chunk each way that ends normally.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Answer {
    /// The chunk that asks.
    pub asks: u32,
    /// Steps of the channel, all of which come with it.
    pub steps: u16,
    /// Frames of the chunk that asks, and its bytes on the fibre, framing included.
    pub frames: u16,
    pub asked_wire_bytes: u32,
    /// The group that comes with it, which sender and receiver are paid for.
    pub asked_group: u32,
    /// What the answer waits for.
    delay: Delay,
    /// The chunk that answers, and its number.
    pub chunk: Chunk,
    pub answers: u32,
}

impl Answer {
    /// Nobody asks with chunk 0.
    const NONE: Self = Self {
        asks: 0,
        steps: 0,
        frames: 0,
        asked_wire_bytes: 0,
        asked_group: 0,
        delay: Delay::None,
        chunk: Chunk::NONE,
        answers: 0,
    };

    /// The frames of the chunk that asks.
    #[inline(always)]
    pub(crate) fn asked(&self) -> OnFibre {
        OnFibre { bytes: self.asked_wire_bytes, frames: self.frames }
    }
}

/// The answers of all plans, where they have one.
#[derive(Debug)]
pub(crate) struct Answers(Vec<Answer>);

impl Answers {
    /// Those of all `plans`.
    pub(crate) fn new(plans: &Plans, departures: &Departures) -> Self {
        let answer = |(id, plan)| answer_of(plans, departures, id, plan).unwrap_or(Answer::NONE);
        Self(plans.iter().map(answer).collect())
    }

    /// That of `plan`, if it is one chunk each way.
    #[inline]
    pub(crate) fn of(&self, plan: PlanId) -> Option<&Answer> {
        Some(self.known(plan)).filter(|answer| answer.asks != Answer::NONE.asks)
    }

    /// True when every hit of `plans` has one: what leaves a port then is one chunk that costs its processor something, a
    /// miss likewise, and all leave in order.
    pub(crate) fn are_all(&self, plans: &Plans) -> bool {
        plans.iter().all(|(id, plan)| !plan.key.hit || self.of(id).is_some())
    }

    /// That of a `plan` that has one.
    #[inline(always)]
    pub(crate) fn known(&self, plan: PlanId) -> &Answer {
        &self.0[usize::from(plan.0)]
    }
}

/// Follows `plan` at both ends.
fn answer_of(plans: &Plans, departures: &Departures, id: PlanId, plan: &Plan) -> Option<Answer> {
    if plan.key.protocol != Protocol::Transport {
        return None;
    }
    let (mut channel, mut control_unit) = (ChannelHalf::open(id), ControlUnitHalf::open(id));
    let (of_channel, of_control_unit) =
        (departures.of(id, Side::Channel, false), departures.of(id, Side::ControlUnit, false));
    if departures.may_send(&control_unit, plans, of_control_unit) {
        return None;
    }
    let (_, asks) = departures.gather(&mut channel, of_channel)?;
    let asked = *departures.chunk(asks);
    if !asked.last || asked.data_bytes > 0 || usize::from(asked.steps) != plan.outbound.len() {
        return None;
    }
    let received = control_unit.receive_planned(asked.steps);
    debug_assert!(received, "an end that has just been opened is on its plan");
    let delay = departures.next(&control_unit, plans, of_control_unit, false)?.delay;
    let (_, answers) = departures.gather(&mut control_unit, of_control_unit)?;
    let chunk = *departures.chunk(answers);
    if !chunk.last || usize::from(chunk.steps) != plan.inbound.len() || delay == Delay::Staging {
        return None;
    }
    let ChannelOutcome::Ended { device_status, .. } = plan.channel_outcome else { return None };
    if !(Ending::Status { device_status }).is_normal() {
        return None;
    }
    let Chunk { steps, frames, wire_bytes: asked_wire_bytes, group: asked_group, .. } = asked;
    Some(Answer { asks, steps, frames, asked_wire_bytes, asked_group, delay, chunk, answers })
}

impl StorageState {
    /// All that a plain exchange asks has arrived.
    #[inline(always)]
    pub(super) fn on_asked(&mut self, w: &Wiring, asked: Asked) {
        let tail_lag = SimDuration::from_ps(u64::from(asked.tail_lag_ps));
        if !self.takes_up(w, asked.envelope, tail_lag) {
            let transit = asked.transit(w, &self.answers);
            self.on_any_arrived(w, transit);
        }
    }

    /// Takes the `transit`, which has arrived, if it is all that a plain exchange asks and nothing is in the way of an
    /// answer. Else nothing happens, and it is for others to look closer.
    #[inline(always)]
    pub(super) fn is_asked(&mut self, w: &Wiring, Transit { parcel, cargo }: &Transit) -> bool {
        w.paths[parcel.envelope.path as usize].is_plain
            && self.answers.of(parcel.envelope.plan).is_some_and(|answer| cargo.planned() == answer.asks)
            && self.takes_up(w, parcel.envelope, parcel.tail_lag)
    }

    /// Takes up what a plain exchange asks, whose head has come `tail_lag` before, if nothing is in the way of an answer.
    /// Else nothing happens.
    #[inline(always)]
    fn takes_up(&mut self, w: &Wiring, envelope: Envelope, tail_lag: SimDuration) -> bool {
        let answer = self.answers.known(envelope.plan);
        let path = &w.paths[envelope.path as usize];
        let (port, image) = (&mut self.ports[path.port as usize], &self.images[path.lcu as usize]);
        let is_lost = self.context.is_lost(path, envelope);
        if is_lost || image.is_busy() || !port.take_free_exchange(self.context.now()) {
            return false;
        }
        self.context.traffic.frames_received(answer.frames, 0);
        // It is decoded while what comes with it still arrives.
        let from = self.context.now().saturating_sub(tail_lag);
        let worked = port.work(from, w.costs.receive(port.costs, answer.asked_group));
        let taken_up = worked + port.dispatch;
        let mut ready = self.context.now().max(taken_up);
        if port.box_works {
            ready = ready.max(self.boxes[image.control_unit as usize].work_on(ready));
        }
        // As `next_event` says of the first data of an exchange.
        let data_bytes = answer.chunk.data_bytes;
        if data_bytes > 0 {
            ready += port.cache_time(data_bytes);
        }
        if answer.delay == Delay::Cache {
            ready += if data_bytes > 0 { port.hit } else { port.secure };
        }
        let (order, steps, exchange) = (port.sequencer.next(), answer.steps, envelope.exchange);
        self.context.push(ready, order, StorageEvent::Send { exchange });
        self.reach(exchange);
        let exchange = &mut self.exchanges[exchange as usize];
        exchange.begin(w, envelope, self.context.now());
        let received = exchange.half.receive_planned(steps);
        debug_assert!(received, "it has just been opened on its plan");
        (exchange.held, exchange.sending, exchange.taken_up) = (true, true, taken_up);
        exchange.is_plain = true;
        true
    }

    /// Sends the answer of the plain exchange `slot`, which ends it; its port's bus is free.
    #[inline(always)]
    pub(super) fn answer(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        let envelope: Envelope = exchange.envelope;
        let answer = self.answers.known(envelope.plan);
        debug_assert!(exchange.open && !exchange.away && exchange.half.planned() == Some((0, answer.steps)));
        let path = &w.paths[envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let Chunk { data_bytes, group, frames, .. } = answer.chunk;
        let on_fibre = answer.chunk.on_fibre();
        let worked = port.work_unless_free(self.context.now(), w.costs.send(port.costs, group), false);
        let done =
            port.move_burst(&mut self.shares, Direction::Read, self.context.now(), data_bytes).max(worked);
        let connect = done.saturating_since(exchange.taken_up);
        exchange.close_plain(self.context.now(), port);
        self.context.traffic.frames_sent(frames, data_bytes);
        let route = path.short_inbound;
        match route.between {
            Between::Nothing | Between::Fused => {
                let Arrival { at, order, tail_lag_ps } =
                    self.context.links.launch_to_end(route, on_fibre, done);
                let answered = Answered { exchange: slot, tail_lag_ps, connect };
                self.context.send_to_host(at, order, Body::Answered(answered));
            }
            Between::Shared => {
                let Arrival { at, order, tail_lag_ps } =
                    self.context.links.launch_to_director(route, on_fibre, done);
                let answered = Answered { exchange: slot, tail_lag_ps, connect };
                self.context.events.pending.push_answered_on(at, order, answered);
            }
            Between::Other => self.answer_over_hops(w, path, envelope, connect, done),
        }
    }

    /// What a plain exchange asks can go on from a director to the port.
    #[inline(never)]
    pub(super) fn on_asked_on(&mut self, w: &Wiring, Asked { envelope, tail_lag_ps }: Asked) {
        let route = w.paths[envelope.path as usize].short_outbound;
        let on_fibre = self.answers.known(envelope.plan).asked();
        let Arrival { at, order, tail_lag_ps } =
            self.context.links.launch_from_director(route, on_fibre, self.context.now(), tail_lag_ps);
        self.context.events.pending.push_asked(at, order, Asked { envelope, tail_lag_ps });
    }

    /// The answer of a plain exchange can go on from a director to the channel.
    #[inline(never)]
    pub(super) fn on_answered_on(&mut self, w: &Wiring, answered: Answered) {
        // The host uses the slot again only when it has the answer.
        let envelope = self.exchanges[answered.exchange as usize].envelope;
        let route = w.paths[envelope.path as usize].short_inbound;
        let on_fibre = self.answers.known(envelope.plan).chunk.on_fibre();
        let Arrival { at, order, tail_lag_ps } = self.context.links.launch_from_director(
            route,
            on_fibre,
            self.context.now(),
            answered.tail_lag_ps,
        );
        self.context.send_to_host(at, order, Body::Answered(Answered { tail_lag_ps, ..answered }));
    }

    /// Puts an answer on the first of several links.
    #[inline(never)]
    fn answer_over_hops(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        envelope: Envelope,
        connect: SimDuration,
        done: SimTime,
    ) {
        let answered = Answered { exchange: envelope.exchange, tail_lag_ps: 0, connect };
        let transit = answered.transit(w, &self.answers, envelope);
        let on_fibre = self.answers.known(envelope.plan).chunk.on_fibre();
        let launched = self.context.links.launch(w, path.inbound.first, on_fibre, done, SimDuration::ZERO);
        self.context.let_go(w, &launched, transit);
    }
}

#[cfg(test)]
mod tests {
    use halftrack_exchange::{Carrier, Login, PlanKey};
    use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};

    use super::*;

    const READ: PlanKey = PlanKey {
        shape: ProgramShape {
            operation: Operation::Read,
            record_bytes: 4096,
            records: 1,
            grouping: Grouping::Records,
            positioning: Positioning::DefineExtentLocateRecord,
        },
        protocol: Protocol::Transport,
        hit: true,
        login: Login {
            frame_payload_bytes: 2048,
            initial_pacing: 16,
            granted_pacing: 64,
            first_transfer_bytes: 65_536,
            transfer_ready_bytes: 131_072,
            carrier: Carrier::Ficon,
            window_bytes: 0,
        },
    };

    fn answer(key: PlanKey) -> Option<(u16, u32, u16)> {
        let mut plans = Plans::default();
        let id = plans.record(key).expect("it can be exchanged");
        let answers = Answers::new(&plans, &Departures::new(&plans));
        answers.of(id).map(|answer| (answer.steps, answer.chunk.data_bytes, answer.chunk.frames))
    }

    #[test]
    fn a_short_read_in_transport_mode_is_a_command_and_its_data_with_the_status() {
        // Two frames of 2,048 octets with the check word, one for what is left, and one for the status.
        assert_eq!(answer(READ), Some((1, 4096, 4)));
    }

    #[test]
    fn what_takes_more_than_a_chunk_each_way_has_no_answer() {
        let shape = READ.shape;
        let long = ProgramShape { records: 16, ..shape };
        let write = ProgramShape { operation: Operation::UpdateWrite, ..shape };
        assert_eq!(answer(PlanKey { shape: long, ..READ }), None, "bursts of four frames");
        assert_eq!(answer(PlanKey { shape: write, ..READ }), None, "data come with the command");
        assert_eq!(answer(PlanKey { protocol: Protocol::Command, ..READ }), None, "a response comes first");
        assert_eq!(answer(PlanKey { hit: false, ..READ }), None, "it is staged");
    }
}
