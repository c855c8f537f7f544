//! Plans of one chunk each way, as short reads in transport mode are: the facts by which their exchanges take the express
//! lane.
//!
//! ```text
//!   command: all that the channel sends ──► port ──► cache ──► port ──► answer: all that the control unit sends
//! ```
//!
//! A row is found by following the plan once, chunk by chunk, and has nothing that the plan has not. Between two events an
//! exchange in the lane is as it would be without it, so that one that leaves goes on as any other.

use halftrack_exchange::{ChannelHalf, ChannelOutcome, ControlUnitHalf, Delay, Plan, PlanId, Plans, Side};
use halftrack_program::Protocol;
use halftrack_subsystem::Ending;

use crate::wiring::departures::Departures;
use crate::wiring::load::{Chunk, OnFibre};

/// The row of a plan of one chunk each way that ends normally.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct ExpressPlan {
    /// The chunk of the command.
    pub command: u32,
    /// Steps of the channel, all of which come with it.
    pub steps: u16,
    /// Frames of the command, and its bytes on the fibre, framing included.
    pub command_frames: u16,
    pub command_wire_bytes: u32,
    /// The group that comes with it, by whose price sender and receiver work.
    pub command_group: u32,
    /// Delay of the answer.
    pub delay: Delay,
    /// The chunk that answers, and its number.
    pub answer_chunk: Chunk,
    pub answer: u32,
}

impl ExpressPlan {
    /// The row of a plan that does not take the lane: no command is chunk 0.
    const NONE: Self = Self {
        command: 0,
        steps: 0,
        command_frames: 0,
        command_wire_bytes: 0,
        command_group: 0,
        delay: Delay::None,
        answer_chunk: Chunk::NONE,
        answer: 0,
    };

    /// Returns the frames of the command.
    #[inline(always)]
    pub(crate) fn command_on_fibre(&self) -> OnFibre {
        OnFibre { bytes: self.command_wire_bytes, frames: self.command_frames }
    }
}

/// The rows of all plans, where they have one.
#[derive(Debug, Default)]
pub(crate) struct ExpressPlans(Vec<ExpressPlan>);

impl ExpressPlans {
    /// Finds the rows of all `plans`.
    pub(crate) fn new(plans: &Plans, departures: &Departures) -> Self {
        let express = |(id, plan)| express_plan(plans, departures, id, plan).unwrap_or(ExpressPlan::NONE);
        Self(plans.iter().map(express).collect())
    }

    /// Returns the row of `plan`, if that is one chunk each way.
    #[inline]
    pub(crate) fn of(&self, plan: PlanId) -> Option<&ExpressPlan> {
        Some(self.known(plan)).filter(|plan| plan.command != ExpressPlan::NONE.command)
    }

    /// Returns true when every hit of `plans` takes the lane. A port then sends chunks only that cost its processor
    /// something, misses likewise, and all leave in order.
    pub(crate) fn cover_hits(&self, plans: &Plans) -> bool {
        plans.iter().all(|(id, plan)| !plan.key.hit || self.of(id).is_some())
    }

    /// Returns the row of a `plan` that has one.
    #[inline(always)]
    pub(crate) fn known(&self, plan: PlanId) -> &ExpressPlan {
        &self.0[usize::from(plan.0)]
    }
}

/// Follows `plan` at both ends. Returns its row, if it is one chunk each way.
fn express_plan(plans: &Plans, departures: &Departures, id: PlanId, plan: &Plan) -> Option<ExpressPlan> {
    if plan.key.protocol != Protocol::Transport {
        return None;
    }
    let (mut channel, mut control_unit) = (ChannelHalf::open(id), ControlUnitHalf::open(id));
    let (of_channel, of_control_unit) =
        (departures.of(id, Side::Channel, false), departures.of(id, Side::ControlUnit, false));
    if departures.may_send(&control_unit, plans, of_control_unit) {
        return None;
    }
    let (_, command) = departures.gather(&mut channel, of_channel)?;
    let sent = *departures.chunk(command);
    if !sent.last || sent.data_bytes > 0 || usize::from(sent.steps) != plan.outbound.len() {
        return None;
    }
    let received = control_unit.receive_planned(sent.steps);
    debug_assert!(received, "an end that has just been opened is on its plan");
    let delay = departures.next(&control_unit, plans, of_control_unit, false)?.delay;
    let (_, answer) = departures.gather(&mut control_unit, of_control_unit)?;
    let chunk = *departures.chunk(answer);
    if !chunk.last || usize::from(chunk.steps) != plan.inbound.len() || delay == Delay::Staging {
        return None;
    }
    let ChannelOutcome::Ended { device_status, .. } = plan.channel_outcome else { return None };
    if !(Ending::Status { device_status }).is_normal() {
        return None;
    }
    let Chunk { steps, frames: command_frames, wire_bytes: command_wire_bytes, group: command_group, .. } =
        sent;
    Some(ExpressPlan {
        command,
        steps,
        command_frames,
        command_wire_bytes,
        command_group,
        delay,
        answer_chunk: chunk,
        answer,
    })
}

#[cfg(test)]
mod tests {
    use halftrack_exchange::{Carrier, Login, PlanKey};
    use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};
    use halftrack_wire::FrameProtection;

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
            protection: FrameProtection::NONE,
        },
    };

    fn answer(key: PlanKey) -> Option<(u16, u32, u16)> {
        let mut plans = Plans::default();
        let id = plans.record(key).expect("it can be exchanged");
        let express = ExpressPlans::new(&plans, &Departures::new(&plans));
        express.of(id).map(|plan| (plan.steps, plan.answer_chunk.data_bytes, plan.answer_chunk.frames))
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
