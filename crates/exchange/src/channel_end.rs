//! The channel's end of an exchange of either protocol.

use std::sync::Arc;

use halftrack_engine::SimTime;
use halftrack_wire::{Iu, ParseError};

use crate::channel_command::ChannelCommand;
use crate::channel_transport::ChannelTransport;
use crate::end::{End, Identity};
use crate::outcome::{Cause, ChannelOutcome};
use crate::plan::{Login, Plan, PlanId};
use crate::plans::Plans;
use crate::program::Program;
use crate::step::{Side, Step};

/// A live channel.
#[derive(Debug)]
pub enum ChannelEnd {
    /// In command mode.
    Command(ChannelCommand),
    /// In transport mode.
    Transport(ChannelTransport),
}

impl ChannelEnd {
    /// A channel that begins `program` now.
    #[must_use]
    pub fn new(program: &Program, login: &Login, identity: Identity, now: SimTime) -> ChannelEnd {
        match program {
            Program::Command(chain) => {
                ChannelEnd::Command(ChannelCommand::new(Arc::clone(chain), login, identity, now))
            }
            Program::Transport(request) => {
                ChannelEnd::Transport(ChannelTransport::new(Arc::clone(request), login, identity, now))
            }
        }
    }

    /// Withdraws the program: a cancel in command mode, ABTS in transport mode.
    pub fn cancel(&mut self, now: SimTime) {
        match self {
            ChannelEnd::Command(machine) => machine.cancel(now),
            ChannelEnd::Transport(machine) => machine.cancel(now),
        }
    }

    /// The octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        match self {
            ChannelEnd::Command(machine) => machine.take_read_data(),
            ChannelEnd::Transport(machine) => machine.take_read_data(),
        }
    }

    /// An IU came from which no fields can be read.
    pub fn handle_damaged(&mut self, now: SimTime, error: &ParseError) {
        let cause = Cause::of_parse_error(error);
        match self {
            ChannelEnd::Command(machine) => machine.handle_damaged(now, cause),
            ChannelEnd::Transport(machine) => machine.handle_damaged(now, cause),
        }
    }
}

impl End for ChannelEnd {
    type Outcome = ChannelOutcome;

    const SIDE: Side = Side::Channel;

    fn begin(plans: &Plans, plan: PlanId, identity: Identity, now: SimTime) -> Self {
        let plan = &plans[plan];
        ChannelEnd::new(&plan.program, &plan.key.login, identity, now)
    }

    fn handle_iu(&mut self, now: SimTime, iu: &Iu) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_iu(now, iu),
            ChannelEnd::Transport(machine) => machine.handle_iu(now, iu),
        }
    }

    fn peek_transmit(&self) -> Option<Step> {
        match self {
            ChannelEnd::Command(machine) => machine.peek_transmit(),
            ChannelEnd::Transport(machine) => machine.peek_transmit(),
        }
    }

    fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_transmit(),
            ChannelEnd::Transport(machine) => machine.poll_transmit(),
        }
    }

    fn received_step(&self, iu: &Iu) -> Step {
        match self {
            ChannelEnd::Command(machine) => machine.received_step(iu),
            ChannelEnd::Transport(machine) => machine.received_step(iu),
        }
    }

    fn poll_outcome(&mut self) -> Option<ChannelOutcome> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_outcome(),
            ChannelEnd::Transport(machine) => machine.poll_outcome(),
        }
    }

    fn poll_timeout(&self) -> Option<SimTime> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_timeout(),
            ChannelEnd::Transport(machine) => machine.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: SimTime) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_timeout(now),
            ChannelEnd::Transport(machine) => machine.handle_timeout(now),
        }
    }

    fn handle_link_down(&mut self, _now: SimTime) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_link_down(),
            ChannelEnd::Transport(machine) => machine.handle_link_down(),
        }
    }

    fn planned_outcome(plan: &Plan) -> ChannelOutcome {
        plan.channel_outcome
    }
}
