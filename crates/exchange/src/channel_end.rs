//! The channel's end of an exchange of either protocol, of FCP, and of a program over a circuit.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_wire::{Iu, TransportPart};

use crate::channel_command::ChannelCommand;
use crate::channel_transport::ChannelTransport;
use crate::circuit::ChannelCircuit;
use crate::end::{End, FramedEnd, Identity, no_transfer};
use crate::end_delegates::with_machine;
use crate::fcp::ChannelFcp;
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
    /// Over a circuit.
    Circuit(ChannelCircuit),
    /// By a SCSI command.
    Fcp(Box<ChannelFcp>),
}

impl ChannelEnd {
    /// Returns a channel that begins `program` now.
    #[must_use]
    pub fn new(program: &Program, login: &Login, identity: Identity, now: Time) -> ChannelEnd {
        match program {
            Program::Command(chain) if login.carrier.is_circuit() => {
                ChannelEnd::Circuit(ChannelCircuit::new(Arc::clone(chain), login, identity, now))
            }
            Program::Command(chain) => {
                ChannelEnd::Command(ChannelCommand::new(Arc::clone(chain), login, identity, now))
            }
            Program::Transport(request) => {
                ChannelEnd::Transport(ChannelTransport::new(Arc::clone(request), login, identity, now))
            }
            Program::Scsi(request) => {
                ChannelEnd::Fcp(Box::new(ChannelFcp::new(request, login, identity, now)))
            }
        }
    }

    /// Withdraws the program: a cancel in command mode, ABTS in transport mode and FCP.
    pub fn cancel(&mut self, now: Time) {
        match self {
            ChannelEnd::Command(machine) => machine.cancel(now),
            ChannelEnd::Transport(machine) => machine.cancel(now),
            ChannelEnd::Circuit(machine) => machine.cancel(),
            ChannelEnd::Fcp(machine) => machine.cancel(now),
        }
    }

    /// Shortens the wait for the next IU to this: something of the exchange may be lost.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        match self {
            ChannelEnd::Command(machine) => machine.hasten(now, span_us),
            ChannelEnd::Transport(machine) => machine.hasten(now, span_us),
            ChannelEnd::Fcp(machine) => machine.hasten(now, span_us),
            // A circuit stands or falls as a whole.
            ChannelEnd::Circuit(_) => {}
        }
    }

    /// Returns the IU-pacing window that the control unit has granted, in command mode.
    #[must_use]
    pub fn window(&self) -> Option<u8> {
        match self {
            ChannelEnd::Command(machine) => Some(machine.window()),
            ChannelEnd::Transport(_) | ChannelEnd::Circuit(_) | ChannelEnd::Fcp(_) => None,
        }
    }

    /// Returns a buffer that is free, of data that were copied; an empty one without room when there is none.
    #[must_use]
    pub(crate) fn take_spare(&mut self) -> Vec<u8> {
        match self {
            ChannelEnd::Command(machine) => machine.take_spare(),
            ChannelEnd::Transport(_) | ChannelEnd::Circuit(_) | ChannelEnd::Fcp(_) => Vec::new(),
        }
    }

    /// Returns whether the control unit is known to have ended the exchange too, once it is closed.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        match self {
            ChannelEnd::Command(machine) => machine.is_settled(),
            ChannelEnd::Transport(machine) => machine.is_settled(),
            ChannelEnd::Circuit(_) => true,
            ChannelEnd::Fcp(machine) => machine.is_settled(),
        }
    }

    /// Returns the octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        with_machine!(self, machine => machine.take_read_data())
    }
}

impl FramedEnd for ChannelEnd {
    fn receive(&mut self, now: Time, iu: Iu) {
        with_machine!(self, machine => machine.handle_iu(now, iu));
    }

    fn poll_iu(&mut self) -> Option<Iu> {
        with_machine!(self, machine => machine.poll_iu())
    }

    fn has_transmit(&self) -> bool {
        with_machine!(self, machine => machine.has_transmit())
    }

    fn is_closed(&self) -> bool {
        with_machine!(self, machine => machine.is_closed())
    }

    fn handle_progress(&mut self, now: Time) {
        with_machine!(self, machine => machine.handle_progress(now));
    }

    fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_damaged(now, cause),
            ChannelEnd::Transport(machine) => machine.handle_damaged(now, cause),
            ChannelEnd::Circuit(machine) => machine.handle_damaged(cause),
            ChannelEnd::Fcp(machine) => machine.handle_damaged(now, cause),
        }
    }

    fn data_room(&self) -> u32 {
        match self {
            ChannelEnd::Command(_) | ChannelEnd::Circuit(_) => 0,
            ChannelEnd::Transport(machine) => machine.data_room(),
            ChannelEnd::Fcp(machine) => machine.data_room(),
        }
    }

    fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        match self {
            ChannelEnd::Command(_) | ChannelEnd::Circuit(_) | ChannelEnd::Fcp(_) => {
                no_transfer(relative_offset)
            }
            ChannelEnd::Transport(machine) => machine.data_part(relative_offset, bytes),
        }
    }

    fn is_due(&self, now: Time) -> bool {
        with_machine!(self, machine => machine.poll_timeout()).is_some_and(|at| at <= now)
    }

    fn time_out(&mut self, now: Time) {
        with_machine!(self, machine => machine.handle_timeout(now));
    }

    fn link_down(&mut self) {
        with_machine!(self, machine => machine.handle_link_down());
    }
}

impl End for ChannelEnd {
    type Outcome = ChannelOutcome;

    const SIDE: Side = Side::Channel;

    fn begin(plans: &Plans, plan: PlanId, identity: Identity, now: Time) -> Self {
        let plan = &plans[plan];
        ChannelEnd::new(&plan.program, &plan.key.login, identity, now)
    }

    fn handle_iu(&mut self, now: Time, iu: &Iu) {
        self.receive(now, iu.clone());
    }

    fn peek_transmit(&self) -> Option<Step> {
        with_machine!(self, machine => machine.peek_transmit())
    }

    fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
        with_machine!(self, machine => machine.poll_transmit())
    }

    fn received_step(&self, iu: &Iu) -> Step {
        with_machine!(self, machine => machine.received_step(iu))
    }

    fn poll_outcome(&mut self) -> Option<ChannelOutcome> {
        with_machine!(self, machine => machine.poll_outcome())
    }

    fn poll_timeout(&self) -> Option<Time> {
        with_machine!(self, machine => machine.poll_timeout())
    }

    fn handle_timeout(&mut self, now: Time) {
        self.time_out(now);
    }

    fn handle_link_down(&mut self, _now: Time) {
        self.link_down();
    }

    fn planned_outcome(plan: &Plan) -> ChannelOutcome {
        plan.channel_outcome
    }
}
