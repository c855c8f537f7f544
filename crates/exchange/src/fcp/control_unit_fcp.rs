//! The control unit's end of an exchange of FCP: the target's machine over a device of the exchange.
//!
//! The target keeps no timer of its own here, and what it has to send waits where that of the other protocols waits.

use halftrack_base::Time;
use halftrack_wire::fc_header::NO_EXCHANGE;
use halftrack_wire::fcp::{FcpIu, FcpResponse, ScsiStatus};
use halftrack_wire::{Iu, IuData};

use super::agreement::FcpAgreement;
use super::device_task::{DeviceTask, TaskCommand};
use super::message::FcpMessage;
use super::target::FcpTarget;
use crate::control_unit_core::{ControlUnitCore, Refusal};
use crate::deadline::Deadline;
use crate::device::{Device, ScsiOperationEnding};
use crate::end::Identity;
use crate::outcome::{Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::step::Delay;

/// The control unit's end of an exchange of FCP.
#[derive(Debug)]
pub struct ControlUnitFcp<D> {
    pub(crate) core: ControlUnitCore<D>,
    identity: Identity,
    target: FcpTarget,
    command: TaskCommand,
}

impl<D: Device> ControlUnitFcp<D> {
    /// Returns a control unit that waits for a command for `device`; `delay` is what its data is waited for.
    pub fn new(device: D, delay: Delay, login: &Login, identity: Identity, now: Time) -> ControlUnitFcp<D> {
        let agreement = FcpAgreement::of_plan(login);
        let mut core = ControlUnitCore::new(device, delay, login, identity, now);
        core.deadline = Deadline::of(agreement.timers.command, now);
        let ids = (identity.token as u16, NO_EXCHANGE);
        ControlUnitFcp {
            core,
            identity,
            target: FcpTarget::new(u32::from(identity.channel_image), ids, agreement, now),
            command: TaskCommand::default(),
        }
    }

    /// Returns the octets that the data of one IU from the channel may have now.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        if self.core.is_closed() { 0 } else { self.target.data_room() }
    }

    /// Withdraws the device: the task ends without a response.
    pub fn supersede(&mut self) {
        if !self.core.is_closed() {
            self.core.outbox.clear();
            self.core.abandon(Cause::Superseded);
        }
    }

    /// Takes an IU from the peer. One that is none of FCP, or out of place, is dropped.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.core.count_received();
        let is_counted = matches!(iu.data, IuData::Count(_));
        let Some(iu) = iu.into_fcp() else { return };
        if iu == FcpIu::Abort {
            self.core.cut_off(Cause::Cancelled);
        } else if self.core.is_closed() {
            return;
        } else {
            self.core.deadline.restart(now);
        }
        self.command.is_counted |= is_counted;
        let refusal = if matches!(iu, FcpIu::Command(_)) { self.core.refusal().map(refusing) } else { None };
        let mut task = DeviceTask { device: &mut self.core.device, refusal, command: &mut self.command };
        self.target.handle(&mut task, now, FcpMessage::Iu(iu));
        self.collect();
    }

    /// Refuses a command that cannot be read. Other IUs count as lost, and the initiator's time runs out.
    pub fn handle_damaged(&mut self, now: Time) {
        if !self.core.is_closed() {
            self.target.handle_damaged_command(now);
            self.collect();
        }
    }

    /// Ends the exchange when its time is over.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.core.is_due(now) {
            self.core.outbox.clear();
            self.core.abandon(Cause::Timeout);
        }
    }

    /// Takes from the target what can be sent, and how the exchange ended.
    fn collect(&mut self) {
        // Others than IUs are about recovery that is not agreed.
        while let Some(FcpMessage::Iu(iu)) = self.target.poll_transmit() {
            let delay = if self.follows_device(&iu) { self.core.take_delay() } else { Delay::None };
            let iu = Iu::of_fcp(self.identity.into(), iu).with_known_data(self.command.is_counted);
            self.core.push(iu.body, iu.data, delay);
        }
        match self.target.poll_outcome() {
            Some(_) if self.core.is_closed() => {}
            Some(ControlUnitOutcome::Abandoned(cause)) => self.core.abandon(cause),
            Some(_) if self.core.refusal().is_some() => self.core.close(ControlUnitOutcome::Refused),
            Some(outcome) => self.core.close(outcome),
            None => {}
        }
    }

    /// Returns whether the device is waited for before this can be sent: the data of a read, the response of a write.
    fn follows_device(&self, iu: &FcpIu) -> bool {
        match iu {
            FcpIu::Data { .. } => true,
            FcpIu::Response(FcpResponse { code: None, .. }) => {
                self.command.is_write() && self.core.refusal().is_none()
            }
            _ => false,
        }
    }
}

/// Returns the end of a command that is refused.
fn refusing(refusal: Refusal) -> ScsiOperationEnding {
    match refusal {
        Refusal::AddressException => ScsiOperationEnding::no_unit(),
        Refusal::Busy(_) | Refusal::Active => {
            ScsiOperationEnding { status: ScsiStatus::BUSY, data: IuData::None, sense: Vec::new() }
        }
    }
}
