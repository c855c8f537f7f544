//! The end of a command-mode exchange out of order: cancel, reset, purge, damage, time-out.

use halftrack_base::Time;
use halftrack_wire::choices::{CONTROL_UNIT_TIMEOUT_US, FIRST_CCW_NUMBER};
use halftrack_wire::fc_header::NO_EXCHANGE;
use halftrack_wire::{Body, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, IuData, IuKind};

use super::status::AfterStatus;
use super::{ControlUnitCommand, State};
use crate::device::Device;
use crate::outcome::Cause;
use crate::purge;
use crate::step::Delay;

impl<D: Device> ControlUnitCommand<D> {
    /// Purges the path on which an IU came that cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        let is_recovering = matches!(self.state, State::Purging { .. } | State::Aborted);
        if !self.core.is_closed() && !is_recovering {
            self.purge(now, cause);
        }
    }

    /// Ends the exchange when its time is over.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.core.is_due(now) {
            let cause = match self.state {
                State::Purging { cause } => cause,
                State::Aborted => Cause::Aborted,
                _ => Cause::Timeout,
            };
            self.abandon(cause);
            self.core.outbox.clear();
        }
    }

    /// Withdraws the device, because a newer start of the subchannel came over another path. No more commands are
    /// executed, and the path is purged, as far as it still goes. A chain whose ending status is out is over.
    pub fn supersede(&mut self, now: Time) {
        match self.state {
            _ if self.core.is_closed() => {}
            State::Idle | State::Executing | State::Waiting | State::Withheld | State::Stacked { .. } => {
                self.purge(now, Cause::Superseded);
            }
            State::Presented { then: AfterStatus::Retry(_) } => self.purge(now, Cause::Superseded),
            State::Presented { then: AfterStatus::Close(outcome) } => self.core.close(outcome),
            State::Purging { .. } | State::Aborted => {}
        }
    }

    /// Obeys cancel, reset and purge, in every state. They are answered even when all is over, so that the channel's end
    /// can close too.
    pub(super) fn take_recovery(&mut self, now: Time, fields: &CommandMode, kind: IuKind) {
        match kind {
            IuKind::Cancel => self.obey(fields, Cause::Cancelled),
            IuKind::SelectiveReset | IuKind::SystemReset => self.obey(fields, Cause::Reset),
            IuKind::PurgePath => {
                let is_aborted = self.state == State::Aborted;
                if !is_aborted {
                    self.core.outbox.clear();
                }
                let cause = if is_aborted { Cause::Aborted } else { Cause::Purged(purge::code(fields)) };
                let (body, data) = purge::response(fields, cause.purge_code());
                self.core.push(body, data, Delay::None);
                self.abandon(cause);
            }
            IuKind::PurgePathResponse => {
                if let State::Purging { cause } = self.state {
                    self.abandon(cause);
                }
            }
            _ => self.handle_damaged(now, Cause::Protocol),
        }
    }

    /// Accepts ABTS, in every state: nothing more is executed, and the channel purges the path. The response to that
    /// reports the ABTS (recovery reference, section 3).
    pub(super) fn take_abort(&mut self, now: Time) {
        self.core.outbox.clear();
        let accept = Body::AbortAccept { ox_id: NO_EXCHANGE, rx_id: NO_EXCHANGE };
        self.core.push(accept, IuData::None, Delay::None);
        if !self.core.is_closed() {
            self.core.device.reset();
            (self.current, self.waiting, self.withheld) = (None, None, None);
            self.state = State::Aborted;
            self.core.deadline.set_span(CONTROL_UNIT_TIMEOUT_US);
            self.core.deadline.restart(now);
        }
    }

    /// Returns true when ABTS has ended the program: the device is needed no more.
    pub(crate) fn is_aborted(&self) -> bool {
        self.state == State::Aborted
    }

    fn obey(&mut self, fields: &CommandMode, cause: Cause) {
        self.core.outbox.clear();
        let acknowledge = Dib::Control(ControlDib::plain(ControlFunction::DeviceAck));
        self.push(fields.ccw, acknowledge, DataFlags::default(), IuData::None, Delay::None);
        self.abandon(cause);
    }

    pub(super) fn purge(&mut self, now: Time, cause: Cause) {
        self.core.outbox.clear();
        (self.current, self.waiting, self.withheld) = (None, None, None);
        let dib = Dib::Control(ControlDib::purge_path(cause.purge_code()));
        let ccw = self.next_ccw.wrapping_sub(1).max(FIRST_CCW_NUMBER);
        self.push(ccw, dib, DataFlags::default(), IuData::None, Delay::None);
        self.state = State::Purging { cause };
        self.core.deadline.set_span(CONTROL_UNIT_TIMEOUT_US);
        self.core.deadline.restart(now);
    }

    fn abandon(&mut self, cause: Cause) {
        (self.current, self.waiting, self.withheld) = (None, None, None);
        self.core.abandon(cause);
    }
}
