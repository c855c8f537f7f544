//! The recording of a plan: both machines run against each other, and their steps are written down.
//!
//! The recorder is as patient as can be: it delivers an IU only when neither end can send, and then one. An end
//! is a deterministic machine that acts only on what it receives, in order, and sends what it may at once. So
//! when it sends step `k` having received `n` IUs, it could not send `k` after `n - 1`: it was polled and had
//! nothing to send. Hence `n` is the least number, whatever the delays, and [`Step::after_received`] is the whole
//! graph beside the order within a direction.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::Iu;

use crate::channel_end::ChannelEnd;
use crate::control_unit_end::ControlUnitEnd;
use crate::device::PlanDevice;
use crate::end::{End, Identity};
use crate::outcome::{ChannelOutcome, ControlUnitOutcome};
use crate::plan::{Plan, PlanKey};
use crate::plans::PlanError;
use crate::program::Program;
use crate::step::Step;
use crate::twin_device::TwinDevice;

/// Addresses in the recorded IUs; they are replaced when an IU of a plan is needed.
pub(crate) const RECORDED_IDENTITY: Identity =
    Identity { channel_image: 1, control_unit_image: 0, device: 0, token: 1 };

/// Most IUs in both directions of a recorded exchange; a plan counts each direction in 16 bits.
const MOST_IUS: usize = u16::MAX as usize;

/// One direction while it is recorded.
#[derive(Default)]
struct Direction {
    steps: Vec<Step>,
    ius: Vec<Iu>,
    in_flight: VecDeque<usize>,
    delivered: u16,
}

impl Direction {
    /// Lets `end` send all it may; it has received `received` IUs.
    fn collect(&mut self, end: &mut impl End, received: u16) {
        while let Some((iu, step)) = end.poll_transmit() {
            self.in_flight.push_back(self.steps.len());
            self.steps.push(Step { after_received: received, ..step });
            self.ius.push(iu);
        }
    }

    /// Delivers one IU to `end`, if one is in flight.
    fn deliver(&mut self, end: &mut impl End) -> bool {
        let Some(index) = self.in_flight.pop_front() else { return false };
        self.delivered += 1;
        end.handle_iu(Time::ZERO, &self.ius[index]);
        true
    }
}

/// Runs both machines for `key` and returns the plan that comes of it.
pub(crate) fn record(key: PlanKey) -> Result<Plan, PlanError> {
    let program = Program::of_shape(&key.shape, key.protocol, key.login.carrier)?;
    let mut channel = ChannelEnd::new(&program, &key.login, RECORDED_IDENTITY, Time::ZERO);
    let device = TwinDevice::for_shape(&key.shape);
    let mut control_unit = ControlUnitEnd::new(device, &key, RECORDED_IDENTITY, Time::ZERO);
    let (mut outbound, mut inbound) = (Direction::default(), Direction::default());
    loop {
        outbound.collect(&mut channel, inbound.delivered);
        inbound.collect(&mut control_unit, outbound.delivered);
        if outbound.steps.len() + inbound.steps.len() > MOST_IUS {
            return Err(PlanError::Endless(MOST_IUS));
        }
        if !outbound.deliver(&mut control_unit) && !inbound.deliver(&mut channel) {
            break;
        }
    }
    let channel_outcome = match (channel.poll_outcome(), control_unit.poll_outcome()) {
        (Some(outcome), Some(ControlUnitOutcome::Completed)) if is_normal(&outcome) => outcome,
        (Some(outcome), Some(_)) => return Err(PlanError::Outcome(outcome)),
        (_, None) | (None, _) => return Err(PlanError::Endless(outbound.steps.len() + inbound.steps.len())),
    };
    // A step cannot count more frames than this, so it stands for at least as many.
    if outbound.steps.iter().chain(&inbound.steps).any(|step| step.frames == u16::MAX) {
        return Err(PlanError::TooLarge);
    }
    Ok(Plan {
        key,
        outbound: outbound.steps,
        inbound: inbound.steps,
        outbound_ius: outbound.ius,
        inbound_ius: inbound.ius,
        channel_outcome,
        program,
    })
}

/// Returns true for channel end and device end with all data moved.
fn is_normal(outcome: &ChannelOutcome) -> bool {
    let normal = halftrack_program::DeviceStatus::NORMAL_END.0;
    matches!(
        outcome,
        ChannelOutcome::Ended { device_status, residual: 0, incorrect_length: false, .. }
            if *device_status == normal
    )
}
