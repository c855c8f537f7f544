//! The control unit's end of an exchange of either protocol.

use halftrack_engine::SimTime;
use halftrack_program::Protocol;
use halftrack_wire::{Iu, ParseError};

use crate::control_unit_command::ControlUnitCommand;
use crate::control_unit_transport::ControlUnitTransport;
use crate::device::{Device, PlanDevice};
use crate::end::{End, Identity};
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::{Plan, PlanId, PlanKey};
use crate::plans::Plans;
use crate::step::{Delay, Side, Step};
use crate::twin_device::TwinDevice;

/// A live control unit, by default over the twin's device.
#[derive(Debug)]
pub enum ControlUnitEnd<D = TwinDevice> {
    /// In command mode.
    Command(ControlUnitCommand<D>),
    /// In transport mode.
    Transport(ControlUnitTransport<D>),
}

impl<D: Device> ControlUnitEnd<D> {
    /// A control unit that waits for the first IU of an exchange with these choices for `device`.
    pub fn new(device: D, key: &PlanKey, identity: Identity, now: SimTime) -> ControlUnitEnd<D> {
        let delay = if key.hit { Delay::Cache } else { Delay::Staging };
        let login = &key.login;
        match key.protocol {
            Protocol::Command => {
                ControlUnitEnd::Command(ControlUnitCommand::new(device, delay, login, identity, now))
            }
            Protocol::Transport => {
                ControlUnitEnd::Transport(ControlUnitTransport::new(device, delay, login, identity, now))
            }
        }
    }

    /// Answers busy instead of executing; to be called before the first IU is handled.
    pub fn answer_busy(&mut self, kind: BusyKind) {
        match self {
            ControlUnitEnd::Command(machine) => machine.answer_busy(kind),
            ControlUnitEnd::Transport(machine) => machine.answer_busy(kind),
        }
    }

    /// An IU came from which no fields can be read.
    pub fn handle_damaged(&mut self, now: SimTime, error: &ParseError) {
        let cause = Cause::of_parse_error(error);
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_damaged(now, cause),
            ControlUnitEnd::Transport(machine) => machine.handle_damaged(cause),
        }
    }
}

impl<D: PlanDevice> End for ControlUnitEnd<D> {
    type Outcome = ControlUnitOutcome;

    const SIDE: Side = Side::ControlUnit;

    fn begin(plans: &Plans, plan: PlanId, identity: Identity, now: SimTime) -> Self {
        let key = &plans[plan].key;
        ControlUnitEnd::new(D::for_shape(&key.shape), key, identity, now)
    }

    fn handle_iu(&mut self, now: SimTime, iu: &Iu) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_iu(now, iu),
            ControlUnitEnd::Transport(machine) => machine.handle_iu(now, iu),
        }
    }

    fn peek_transmit(&self) -> Option<Step> {
        match self {
            ControlUnitEnd::Command(machine) => machine.peek_transmit(),
            ControlUnitEnd::Transport(machine) => machine.peek_transmit(),
        }
    }

    fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_transmit(),
            ControlUnitEnd::Transport(machine) => machine.poll_transmit(),
        }
    }

    fn received_step(&self, iu: &Iu) -> Step {
        match self {
            ControlUnitEnd::Command(machine) => machine.received_step(iu),
            ControlUnitEnd::Transport(machine) => machine.received_step(iu),
        }
    }

    fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_outcome(),
            ControlUnitEnd::Transport(machine) => machine.poll_outcome(),
        }
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_timeout(),
            ControlUnitEnd::Transport(machine) => machine.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_timeout(now),
            ControlUnitEnd::Transport(machine) => machine.handle_timeout(now),
        }
    }

    fn handle_link_down(&mut self, _now: SimTime) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_link_down(),
            ControlUnitEnd::Transport(machine) => machine.handle_link_down(),
        }
    }

    fn planned_outcome(_plan: &Plan) -> ControlUnitOutcome {
        ControlUnitOutcome::Completed
    }
}
