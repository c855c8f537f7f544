//! The end of a command-mode exchange out of order: cancel, reset, purge, damage, time-out.

use halftrack_base::Time;
use halftrack_wire::choices::{CONTROL_UNIT_TIMEOUT_US, FIRST_CCW_NUMBER};
use halftrack_wire::{CommandMode, ControlDib, ControlFunction, DataFlags, Dib, IuData, IuKind};

use super::status::AfterStatus;
use super::{ControlUnitCommand, State};
use crate::device::Device;
use crate::outcome::Cause;
use crate::purge;
use crate::step::Delay;

impl<D: Device> ControlUnitCommand<D> {
    /// Purges the path on which an IU came that cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        if !self.core.is_closed() && !matches!(self.state, State::Purging { .. }) {
            self.purge(now, cause);
        }
    }

    /// Ends the exchange when its time is over.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.core.is_due(now) {
            let cause = if let State::Purging { cause } = self.state { cause } else { Cause::Timeout };
            self.abandon(cause);
            self.core.outbox.clear();
        }
    }

    /// Withdraws the device, because a newer start of the subchannel came over another path. No more commands are
    /// executed, and the path is purged, as far as it still goes. A chain whose ending status is out is over.
    pub fn supersede(&mut self, now: Time) {
        match self.state {
            _ if self.core.is_closed() => {}
            State::Idle | State::Executing | State::Stacked { .. } => self.purge(now, Cause::Superseded),
            State::Presented { then: AfterStatus::Retry(_) } => self.purge(now, Cause::Superseded),
            State::Presented { then: AfterStatus::Close(outcome) } => self.core.close(outcome),
            State::Purging { .. } => {}
        }
    }

    /// Obeys cancel, reset and purge, in every state. They are answered even when all is over, so that the channel's end
    /// can close too.
    pub(super) fn take_recovery(&mut self, now: Time, fields: &CommandMode, kind: IuKind) {
        match kind {
            IuKind::Cancel => self.obey(fields, Cause::Cancelled),
            IuKind::SelectiveReset | IuKind::SystemReset => self.obey(fields, Cause::Reset),
            IuKind::PurgePath => {
                self.core.outbox.clear();
                let (body, data) = purge::response(fields);
                self.core.push(body, data, Delay::None);
                self.abandon(Cause::Purged(purge::code(fields)));
            }
            IuKind::PurgePathResponse => {
                if let State::Purging { cause } = self.state {
                    self.abandon(cause);
                }
            }
            _ => self.handle_damaged(now, Cause::Protocol),
        }
    }

    fn obey(&mut self, fields: &CommandMode, cause: Cause) {
        self.core.outbox.clear();
        let acknowledge = Dib::Control(ControlDib::plain(ControlFunction::DeviceAck));
        self.push(fields.ccw, acknowledge, DataFlags::default(), IuData::None, Delay::None);
        self.abandon(cause);
    }

    pub(super) fn purge(&mut self, now: Time, cause: Cause) {
        self.core.outbox.clear();
        self.current = None;
        let dib = Dib::Control(ControlDib::purge_path(cause.purge_code()));
        let ccw = self.next_ccw.wrapping_sub(1).max(FIRST_CCW_NUMBER);
        self.push(ccw, dib, DataFlags::default(), IuData::None, Delay::None);
        self.state = State::Purging { cause };
        self.core.deadline.set_span(CONTROL_UNIT_TIMEOUT_US);
        self.core.deadline.restart(now);
    }

    fn abandon(&mut self, cause: Cause) {
        self.current = None;
        self.core.abandon(cause);
    }
}
