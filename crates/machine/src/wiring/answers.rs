//! Exchanges of one chunk each way, as short reads in transport mode are: what there is to know of them, by their plan.
//!
//! ```text
//!   asks: all that the channel sends ──► port ──► cache ──► port ──► answers: all that the control unit sends
//! ```
//!
//! A row is found by following the plan once, chunk by chunk, and says nothing that the plan does not. Between two events
//! the exchange is what it would be without; whoever has to leave the plan finds it as any other.

use halftrack_exchange::{ChannelHalf, ChannelOutcome, ControlUnitHalf, Delay, Plan, PlanId, Plans, Side};
use halftrack_program::Protocol;
use halftrack_subsystem::Ending;

use crate::wiring::departures::Departures;
use crate::wiring::load::{Chunk, OnFibre};

/// The part of a control unit in an exchange of one chunk each way that ends normally.
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
    /// Delay of the answer.
    pub delay: Delay,
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
    /// Finds the answers of all `plans`.
    pub(crate) fn new(plans: &Plans, departures: &Departures) -> Self {
        let answer = |(id, plan)| answer_of(plans, departures, id, plan).unwrap_or(Answer::NONE);
        Self(plans.iter().map(answer).collect())
    }

    /// The answer of `plan`, if it is one chunk each way.
    #[inline]
    pub(crate) fn of(&self, plan: PlanId) -> Option<&Answer> {
        Some(self.known(plan)).filter(|answer| answer.asks != Answer::NONE.asks)
    }

    /// True when every hit of `plans` has one: what leaves a port then is one chunk that costs its processor something, a
    /// miss likewise, and all leave in order.
    pub(crate) fn are_all(&self, plans: &Plans) -> bool {
        plans.iter().all(|(id, plan)| !plan.key.hit || self.of(id).is_some())
    }

    /// The answer of a `plan` that has one.
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
