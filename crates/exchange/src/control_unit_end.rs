//! The control unit's end of an exchange of either protocol, of FCP, and of a program over a circuit.

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::{Iu, TransportPart};

use crate::circuit::ControlUnitCircuit;
use crate::control_unit_command::ControlUnitCommand;
use crate::control_unit_core::{ControlUnitCore, Refusal};
use crate::control_unit_transport::ControlUnitTransport;
use crate::device::{Device, PlanDevice};
use crate::end::{End, FramedEnd, Identity, no_transfer};
use crate::end_delegates::with_machine;
use crate::fcp::ControlUnitFcp;
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::{Carrier, Login, Plan, PlanId, PlanKey};
use crate::plans::Plans;
use crate::step::{Delay, Side, Step};
use crate::twin_device::TwinDevice;
use crate::wait::Wait;

/// A live control unit, by default over the twin's device.
#[derive(Debug)]
pub enum ControlUnitEnd<D = TwinDevice> {
    /// In command mode.
    Command(ControlUnitCommand<D>),
    /// In transport mode.
    Transport(ControlUnitTransport<D>),
    /// Over a circuit.
    Circuit(ControlUnitCircuit<D>),
    /// By a SCSI command.
    Fcp(Box<ControlUnitFcp<D>>),
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
            Protocol::Transport if login.carrier == Carrier::Fcp => {
                ControlUnitEnd::Fcp(Box::new(ControlUnitFcp::new(device, delay, login, identity, now)))
            }
            Protocol::Transport => {
                ControlUnitEnd::Transport(ControlUnitTransport::new(device, delay, login, identity, now))
            }
        }
    }

    fn core(&self) -> &ControlUnitCore<D> {
        with_machine!(self, machine => &machine.core)
    }

    fn core_mut(&mut self) -> &mut ControlUnitCore<D> {
        with_machine!(self, machine => &mut machine.core)
    }

    /// Returns a buffer that is free, of data that were copied; an empty one without room when there is none.
    pub(crate) fn take_spare(&mut self) -> Vec<u8> {
        self.core_mut().take_spare()
    }

    /// Answers busy instead of executing; to be called before the first IU is handled.
    pub fn answer_busy(&mut self, kind: BusyKind) {
        self.core_mut().refuse(Refusal::Busy(kind));
    }

    /// Answers that an older start of the subchannel is open on the same logical path. It is busy in command mode and FCP, a
    /// program check in transport mode; to be called before the first IU is handled.
    pub fn answer_active(&mut self) {
        self.core_mut().refuse(Refusal::Active);
    }

    /// Answers that there is no such device, or logical unit; to be called before the first IU is handled.
    pub fn answer_address_exception(&mut self) {
        self.core_mut().refuse(Refusal::AddressException);
    }

    /// Withdraws the device, because a newer start of the subchannel came over another path.
    pub fn supersede(&mut self, now: Time) {
        match self {
            ControlUnitEnd::Command(machine) => machine.supersede(now),
            ControlUnitEnd::Transport(machine) => machine.supersede(),
            ControlUnitEnd::Fcp(machine) => machine.supersede(),
            ControlUnitEnd::Circuit(_) => self.link_down(),
        }
    }

    /// Closes the exchange of a start that came late, without an answer.
    pub fn discard(&mut self) {
        match self {
            ControlUnitEnd::Command(_) | ControlUnitEnd::Transport(_) | ControlUnitEnd::Fcp(_) => {
                self.core_mut().discard();
            }
            ControlUnitEnd::Circuit(_) => self.link_down(),
        }
    }

    /// Returns true while the program may still use the device.
    pub(crate) fn needs_device(&self) -> bool {
        !self.is_closed() && !matches!(self, ControlUnitEnd::Command(machine) if machine.is_aborted())
    }

    /// Returns true when the ending of the program is withheld, until what it wrote or read is safe, or a command of it waits.
    pub fn is_withholding(&self) -> bool {
        match self {
            ControlUnitEnd::Command(machine) => machine.is_withholding(),
            ControlUnitEnd::Transport(machine) => machine.is_withholding(),
            ControlUnitEnd::Circuit(_) | ControlUnitEnd::Fcp(_) => false,
        }
    }

    /// Presents the ending that was withheld, or goes on behind the command that waited, when the device's wait is over.
    pub fn poll_wait(&mut self, now: Time) {
        if !self.is_withholding() {
            return;
        }
        if let ControlUnitEnd::Command(machine) = self
            && machine.is_waiting()
        {
            return machine.poll_waiting(now);
        }
        let failed = match self.device_mut().poll_wait() {
            Wait::Pending => return,
            Wait::Safe => None,
            Wait::Failed(ending) => Some(ending),
        };
        match self {
            ControlUnitEnd::Command(machine) => machine.end_wait(now, failed),
            ControlUnitEnd::Transport(machine) => machine.end_wait(failed),
            ControlUnitEnd::Circuit(_) | ControlUnitEnd::Fcp(_) => {}
        }
    }

    /// Returns the device behind this end.
    pub fn device(&self) -> &D {
        &self.core().device
    }

    /// Returns the device behind this end, to be changed.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.core_mut().device
    }

    /// Returns how the exchange closed, once.
    pub fn take_outcome(&mut self) -> Option<ControlUnitOutcome> {
        self.core_mut().poll_outcome()
    }
}

impl<D: Device> FramedEnd for ControlUnitEnd<D> {
    fn receive(&mut self, now: Time, iu: Iu) {
        with_machine!(self, machine => machine.handle_iu(now, iu));
    }

    fn poll_iu(&mut self) -> Option<Iu> {
        self.core_mut().outbox.take()
    }

    fn has_transmit(&self) -> bool {
        !self.core().outbox.is_empty()
    }

    fn is_closed(&self) -> bool {
        self.core().is_closed()
    }

    fn will_transmit(&self) -> bool {
        self.is_withholding()
    }

    fn handle_progress(&mut self, now: Time) {
        self.core_mut().deadline.extend(now);
    }

    fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self {
            ControlUnitEnd::Command(machine) => machine.handle_damaged(now, cause),
            ControlUnitEnd::Transport(machine) => machine.handle_damaged(cause),
            ControlUnitEnd::Circuit(machine) => machine.handle_damaged(cause),
            ControlUnitEnd::Fcp(machine) => machine.handle_damaged(now),
        }
    }

    fn data_room(&self) -> u32 {
        match self {
            ControlUnitEnd::Command(_) | ControlUnitEnd::Circuit(_) => 0,
            ControlUnitEnd::Transport(machine) => machine.data_room(),
            ControlUnitEnd::Fcp(machine) => machine.data_room(),
        }
    }

    fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        match self {
            ControlUnitEnd::Command(_) | ControlUnitEnd::Circuit(_) | ControlUnitEnd::Fcp(_) => {
                no_transfer(relative_offset)
            }
            ControlUnitEnd::Transport(machine) => machine.data_part(relative_offset, bytes),
        }
    }

    fn is_due(&self, now: Time) -> bool {
        self.core().is_due(now)
    }

    fn time_out(&mut self, now: Time) {
        with_machine!(self, machine => machine.handle_timeout(now));
    }

    fn link_down(&mut self) {
        self.core_mut().cut_off(Cause::LinkDown);
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
        self.receive(now, iu.clone());
    }

    fn peek_transmit(&self) -> Option<Step> {
        self.core().outbox.peek()
    }

    fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
        self.core_mut().outbox.poll()
    }

    fn received_step(&self, iu: &Iu) -> Step {
        self.core().outbox.received_step(iu)
    }

    fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        self.take_outcome()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.core().deadline.at()
    }

    fn handle_timeout(&mut self, now: Time) {
        self.time_out(now);
    }

    fn handle_link_down(&mut self, _now: Time) {
        self.link_down();
    }

    fn planned_outcome(_plan: &Plan) -> ControlUnitOutcome {
        ControlUnitOutcome::Completed
    }
}
