//! The channel's end of an exchange of either protocol, and of a program over a circuit.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_wire::{Iu, TransportPart};

use crate::channel_command::ChannelCommand;
use crate::channel_transport::ChannelTransport;
use crate::circuit::ChannelCircuit;
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
    /// Over a circuit.
    Circuit(ChannelCircuit),
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
        }
    }

    /// Withdraws the program: a cancel in command mode, ABTS in transport mode.
    pub fn cancel(&mut self, now: Time) {
        match self {
            ChannelEnd::Command(machine) => machine.cancel(now),
            ChannelEnd::Transport(machine) => machine.cancel(now),
            ChannelEnd::Circuit(machine) => machine.cancel(),
        }
    }

    /// Takes an IU from the peer: [`End::handle_iu`] where its data need not be kept.
    pub fn receive(&mut self, now: Time, iu: Iu) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_iu(now, iu),
            ChannelEnd::Transport(machine) => machine.handle_iu(now, iu),
            ChannelEnd::Circuit(machine) => machine.handle_iu(now, iu),
        }
    }

    /// Returns the next IU to send: [`End::poll_transmit`] where nobody asks for its shape.
    pub fn poll_iu(&mut self) -> Option<Iu> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_iu(),
            ChannelEnd::Transport(machine) => machine.poll_iu(),
            ChannelEnd::Circuit(machine) => machine.poll_iu(),
        }
    }

    /// Returns true when an IU can be sent now.
    #[must_use]
    pub fn has_transmit(&self) -> bool {
        match self {
            ChannelEnd::Command(machine) => machine.has_transmit(),
            ChannelEnd::Transport(machine) => machine.has_transmit(),
            ChannelEnd::Circuit(machine) => machine.has_transmit(),
        }
    }

    /// Returns true when the exchange is over at this end; an answer may still have to be sent.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match self {
            ChannelEnd::Command(machine) => machine.is_closed(),
            ChannelEnd::Transport(machine) => machine.is_closed(),
            ChannelEnd::Circuit(machine) => machine.is_closed(),
        }
    }

    /// Frames of the exchange move, so the peer is there though no IU of it is complete.
    pub fn handle_progress(&mut self, now: Time) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_progress(now),
            ChannelEnd::Transport(machine) => machine.handle_progress(now),
            ChannelEnd::Circuit(machine) => machine.handle_progress(now),
        }
    }

    /// Something of the exchange may be lost: the next IU is waited for as long as this and no longer.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        match self {
            ChannelEnd::Command(machine) => machine.hasten(now, span_us),
            ChannelEnd::Transport(machine) => machine.hasten(now, span_us),
            // A circuit stands or falls as a whole.
            ChannelEnd::Circuit(_) => {}
        }
    }

    /// Returns the octets that the transport-mode data of one IU from the peer may have now, check word included.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        match self {
            ChannelEnd::Command(_) | ChannelEnd::Circuit(_) => 0,
            ChannelEnd::Transport(machine) => machine.data_room(),
        }
    }

    /// Returns what the exchange tells about transport-mode data of `bytes` octets from `relative_offset` on.
    #[must_use]
    pub fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        match self {
            ChannelEnd::Command(_) | ChannelEnd::Circuit(_) => {
                TransportPart::Data { relative_offset, inserted_bytes: 0, ends_transfer: false }
            }
            ChannelEnd::Transport(machine) => machine.data_part(relative_offset, bytes),
        }
    }

    /// Returns the IU-pacing window that the control unit has granted, in command mode.
    #[must_use]
    pub fn window(&self) -> Option<u8> {
        match self {
            ChannelEnd::Command(machine) => Some(machine.window()),
            ChannelEnd::Transport(_) | ChannelEnd::Circuit(_) => None,
        }
    }

    /// Returns whether the control unit is known to have ended the exchange too, once it is closed.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        match self {
            ChannelEnd::Command(machine) => machine.is_settled(),
            ChannelEnd::Transport(machine) => machine.is_settled(),
            ChannelEnd::Circuit(_) => true,
        }
    }

    /// Returns the octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        match self {
            ChannelEnd::Command(machine) => machine.take_read_data(),
            ChannelEnd::Transport(machine) => machine.take_read_data(),
            ChannelEnd::Circuit(machine) => machine.take_read_data(),
        }
    }

    /// An IU came of which nothing can be read, or not in whole; [`Cause::of_parse_error`] says what to report.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_damaged(now, cause),
            ChannelEnd::Transport(machine) => machine.handle_damaged(now, cause),
            ChannelEnd::Circuit(machine) => machine.handle_damaged(cause),
        }
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
        match self {
            ChannelEnd::Command(machine) => machine.handle_iu(now, iu.clone()),
            ChannelEnd::Transport(machine) => machine.handle_iu(now, iu.clone()),
            ChannelEnd::Circuit(machine) => machine.handle_iu(now, iu.clone()),
        }
    }

    fn peek_transmit(&self) -> Option<Step> {
        match self {
            ChannelEnd::Command(machine) => machine.peek_transmit(),
            ChannelEnd::Transport(machine) => machine.peek_transmit(),
            ChannelEnd::Circuit(machine) => machine.peek_transmit(),
        }
    }

    fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_transmit(),
            ChannelEnd::Transport(machine) => machine.poll_transmit(),
            ChannelEnd::Circuit(machine) => machine.poll_transmit(),
        }
    }

    fn received_step(&self, iu: &Iu) -> Step {
        match self {
            ChannelEnd::Command(machine) => machine.received_step(iu),
            ChannelEnd::Transport(machine) => machine.received_step(iu),
            ChannelEnd::Circuit(machine) => machine.received_step(iu),
        }
    }

    fn poll_outcome(&mut self) -> Option<ChannelOutcome> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_outcome(),
            ChannelEnd::Transport(machine) => machine.poll_outcome(),
            ChannelEnd::Circuit(machine) => machine.poll_outcome(),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self {
            ChannelEnd::Command(machine) => machine.poll_timeout(),
            ChannelEnd::Transport(machine) => machine.poll_timeout(),
            ChannelEnd::Circuit(machine) => machine.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_timeout(now),
            ChannelEnd::Transport(machine) => machine.handle_timeout(now),
            ChannelEnd::Circuit(machine) => machine.handle_timeout(now),
        }
    }

    fn handle_link_down(&mut self, _now: Time) {
        match self {
            ChannelEnd::Command(machine) => machine.handle_link_down(),
            ChannelEnd::Transport(machine) => machine.handle_link_down(),
            ChannelEnd::Circuit(machine) => machine.handle_link_down(),
        }
    }

    fn planned_outcome(plan: &Plan) -> ChannelOutcome {
        plan.channel_outcome
    }
}
