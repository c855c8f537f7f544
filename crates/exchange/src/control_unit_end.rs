//! The control unit's end of an exchange of either protocol, and of a program over a circuit.

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::{Iu, TransportPart};

use crate::circuit::ControlUnitCircuit;
use crate::control_unit_command::ControlUnitCommand;
use crate::control_unit_transport::ControlUnitTransport;
use crate::device::{Device, PlanDevice};
use crate::end::{End, Identity};
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::{Login, Plan, PlanId, PlanKey};
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
    /// Over a circuit.
    Circuit(ControlUnitCircuit<D>),
}

impl<D: Device> ControlUnitEnd<D> {
    /// Returns a control unit that waits for the first IU of an exchange with these choices for `device`.
    pub fn new(device: D, key: &PlanKey, identity: Identity, now: Time) -> ControlUnitEnd<D> {
        let delay = if key.hit { Delay::Cache } else { Delay::Staging };
        Self::open(device, key.protocol, delay, &key.login, identity, now)
    }

    /// Returns a control unit that waits for the first IU of an exchange of `protocol` for `device`; `delay` is what its data
    /// are waited for.
    pub fn open(
        device: D,
        protocol: Protocol,
        delay: Delay,
        login: &Login,
        identity: Identity,
        now: Time,
    ) -> ControlUnitEnd<D> {
        match protocol {
            Protocol::Command if login.carrier.is_circuit() => {
                ControlUnitEnd::Circuit(ControlUnitCircuit::new(device, delay, login, identity, now))
            }
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
            ControlUnitEnd::Circuit(machine) => machine.answer_busy(kind),
        }
    }

    /// Answers that an older start of the subchannel is open on the same logical path: busy in command mode, a program
    /// check in transport mode; to be called before the first IU is handled.
    pub fn answer_active(&mut self) {
        match self {
            ControlUnitEnd::Command(machine) => machine.answer_busy(BusyKind::Device),
            ControlUnitEnd::Transport(machine) => machine.answer_active(),
            ControlUnitEnd::Circuit(machine) => machine.answer_busy(BusyKind::Device),
        }
    }

    /// The device is withdrawn, because a newer start of the subchannel came over another path.
    pub fn supersede(&mut self, now: Time) {
        match self {
            ControlUnitEnd::Command(machine) => machine.supersede(now),
            ControlUnitEnd::Transport(machine) => machine.supersede(),
            ControlUnitEnd::Circuit(machine) => machine.handle_link_down(),
        }
    }

    /// The start came late: the exchange closes without a word.
    pub fn discard(&mut self) {
        match self {
            ControlUnitEnd::Command(machine) => machine.discard(),
            ControlUnitEnd::Transport(machine) => machine.discard(),
            ControlUnitEnd::Circuit(machine) => machine.handle_link_down(),
        }
    }

    /// Takes an IU from the peer: [`End::handle_iu`] where its data need not be kept.
    pub fn receive(&mut self, now: Time, iu: Iu) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_iu(now, iu),
            ControlUnitEnd::Transport(machine) => machine.handle_iu(now, iu),
            ControlUnitEnd::Circuit(machine) => machine.handle_iu(now, iu),
        }
    }

    /// Returns the next IU to send: [`End::poll_transmit`] where nobody asks for its shape.
    pub fn poll_iu(&mut self) -> Option<Iu> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_iu(),
            ControlUnitEnd::Transport(machine) => machine.poll_iu(),
            ControlUnitEnd::Circuit(machine) => machine.poll_iu(),
        }
    }

    /// Returns true when an IU can be sent now.
    #[must_use]
    pub fn has_transmit(&self) -> bool {
        match self {
            ControlUnitEnd::Command(machine) => machine.has_transmit(),
            ControlUnitEnd::Transport(machine) => machine.has_transmit(),
            ControlUnitEnd::Circuit(machine) => machine.has_transmit(),
        }
    }

    /// Returns true when the exchange is over at this end; an answer may still have to be sent.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match self {
            ControlUnitEnd::Command(machine) => machine.is_closed(),
            ControlUnitEnd::Transport(machine) => machine.is_closed(),
            ControlUnitEnd::Circuit(machine) => machine.is_closed(),
        }
    }

    /// Frames of the exchange move, so the peer is there though no IU of it is complete.
    pub fn handle_progress(&mut self, now: Time) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_progress(now),
            ControlUnitEnd::Transport(machine) => machine.handle_progress(now),
            ControlUnitEnd::Circuit(machine) => machine.handle_progress(now),
        }
    }

    /// Returns the octets that the transport-mode data of one IU from the peer may have now, check word included.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        match self {
            ControlUnitEnd::Command(_) | ControlUnitEnd::Circuit(_) => 0,
            ControlUnitEnd::Transport(machine) => machine.data_room(),
        }
    }

    /// Returns what the exchange tells about transport-mode data of `bytes` octets from `relative_offset` on.
    #[must_use]
    pub fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        match self {
            ControlUnitEnd::Command(_) | ControlUnitEnd::Circuit(_) => {
                TransportPart::Data { relative_offset, inserted_bytes: 0, ends_transfer: false }
            }
            ControlUnitEnd::Transport(machine) => machine.data_part(relative_offset, bytes),
        }
    }

    /// Answers that there is no such device; to be called before the first IU is handled.
    pub fn answer_address_exception(&mut self) {
        match self {
            ControlUnitEnd::Command(machine) => machine.answer_address_exception(),
            ControlUnitEnd::Transport(machine) => machine.answer_address_exception(),
            ControlUnitEnd::Circuit(machine) => machine.answer_address_exception(),
        }
    }

    /// Returns the device behind this end.
    pub fn device_mut(&mut self) -> &mut D {
        match self {
            ControlUnitEnd::Command(machine) => machine.device_mut(),
            ControlUnitEnd::Transport(machine) => machine.device_mut(),
            ControlUnitEnd::Circuit(machine) => machine.device_mut(),
        }
    }

    /// Returns how the exchange closed, once.
    pub fn take_outcome(&mut self) -> Option<ControlUnitOutcome> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_outcome(),
            ControlUnitEnd::Transport(machine) => machine.poll_outcome(),
            ControlUnitEnd::Circuit(machine) => machine.poll_outcome(),
        }
    }

    /// Returns true when [`ControlUnitEnd::time_out`] is due.
    #[must_use]
    pub fn due(&self, now: Time) -> bool {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_timeout().is_some_and(|at| at <= now),
            ControlUnitEnd::Transport(machine) => machine.poll_timeout().is_some_and(|at| at <= now),
            ControlUnitEnd::Circuit(machine) => machine.poll_timeout().is_some_and(|at| at <= now),
        }
    }

    /// The peer was not heard of in time.
    pub fn time_out(&mut self, now: Time) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_timeout(now),
            ControlUnitEnd::Transport(machine) => machine.handle_timeout(now),
            ControlUnitEnd::Circuit(machine) => machine.handle_timeout(now),
        }
    }

    /// The link is gone: nothing more will arrive and nothing can be sent.
    pub fn link_down(&mut self) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_link_down(),
            ControlUnitEnd::Transport(machine) => machine.handle_link_down(),
            ControlUnitEnd::Circuit(machine) => machine.handle_link_down(),
        }
    }

    /// An IU came of which nothing can be read, or not in whole; [`Cause::of_parse_error`] says what to report.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_damaged(now, cause),
            ControlUnitEnd::Transport(machine) => machine.handle_damaged(cause),
            ControlUnitEnd::Circuit(machine) => machine.handle_damaged(cause),
        }
    }
}

impl<D: PlanDevice> End for ControlUnitEnd<D> {
    type Outcome = ControlUnitOutcome;

    const SIDE: Side = Side::ControlUnit;

    fn begin(plans: &Plans, plan: PlanId, identity: Identity, now: Time) -> Self {
        let key = &plans[plan].key;
        ControlUnitEnd::new(D::for_shape(&key.shape), key, identity, now)
    }

    fn handle_iu(&mut self, now: Time, iu: &Iu) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_iu(now, iu.clone()),
            ControlUnitEnd::Transport(machine) => machine.handle_iu(now, iu.clone()),
            ControlUnitEnd::Circuit(machine) => machine.handle_iu(now, iu.clone()),
        }
    }

    fn peek_transmit(&self) -> Option<Step> {
        match self {
            ControlUnitEnd::Command(machine) => machine.peek_transmit(),
            ControlUnitEnd::Transport(machine) => machine.peek_transmit(),
            ControlUnitEnd::Circuit(machine) => machine.peek_transmit(),
        }
    }

    fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_transmit(),
            ControlUnitEnd::Transport(machine) => machine.poll_transmit(),
            ControlUnitEnd::Circuit(machine) => machine.poll_transmit(),
        }
    }

    fn received_step(&self, iu: &Iu) -> Step {
        match self {
            ControlUnitEnd::Command(machine) => machine.received_step(iu),
            ControlUnitEnd::Transport(machine) => machine.received_step(iu),
            ControlUnitEnd::Circuit(machine) => machine.received_step(iu),
        }
    }

    fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_outcome(),
            ControlUnitEnd::Transport(machine) => machine.poll_outcome(),
            ControlUnitEnd::Circuit(machine) => machine.poll_outcome(),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self {
            ControlUnitEnd::Command(machine) => machine.poll_timeout(),
            ControlUnitEnd::Transport(machine) => machine.poll_timeout(),
            ControlUnitEnd::Circuit(machine) => machine.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_timeout(now),
            ControlUnitEnd::Transport(machine) => machine.handle_timeout(now),
            ControlUnitEnd::Circuit(machine) => machine.handle_timeout(now),
        }
    }

    fn handle_link_down(&mut self, _now: Time) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_link_down(),
            ControlUnitEnd::Transport(machine) => machine.handle_link_down(),
            ControlUnitEnd::Circuit(machine) => machine.handle_link_down(),
        }
    }

    fn planned_outcome(_plan: &Plan) -> ControlUnitOutcome {
        ControlUnitOutcome::Completed
    }
}
