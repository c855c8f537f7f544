//! The end of a command-mode exchange out of order: cancel, reset, purge, damage, time-out, dead link.

use halftrack_base::Time;
use halftrack_wire::choices::{CONTROL_UNIT_TIMEOUT_US, FIRST_CCW_NUMBER};
use halftrack_wire::{CommandMode, ControlDib, ControlFunction, DataFlags, Dib, IuData, IuKind};

use super::status::Then;
use super::{ControlUnitCommand, State};
use crate::device::Device;
use crate::outcome::{Cause, ControlUnitOutcome};
use crate::purge;
use crate::step::Delay;

impl<D: Device> ControlUnitCommand<D> {
    /// An IU came in such a state that it cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self.state {
            State::Idle | State::Executing | State::Presented { .. } | State::Stacked { .. } => {
                self.purge(now, cause);
            }
            State::Purging { .. } | State::Closed => {}
        }
    }

    /// A time-out is due.
    pub fn handle_timeout(&mut self, now: Time) {
        if !self.deadline.is_due(now) {
            return;
        }
        match self.state {
            State::Idle | State::Executing | State::Presented { .. } | State::Stacked { .. } => {
                self.abandon(Cause::Timeout);
            }
            State::Purging { cause } => self.abandon(cause),
            State::Closed => return,
        }
        self.outbox.clear();
    }

    /// The link is gone: nothing more will arrive and nothing can be sent.
    pub fn handle_link_down(&mut self) {
        self.outbox.clear();
        if self.state != State::Closed {
            self.abandon(Cause::LinkDown);
        }
    }

    /// The device is withdrawn, because a newer start of the subchannel came over another path: no more commands are
    /// executed, and the channel is told as far as the path still goes. A chain whose ending status is out is over.
    pub fn supersede(&mut self, now: Time) {
        match self.state {
            State::Idle | State::Executing | State::Stacked { .. } => self.purge(now, Cause::Superseded),
            State::Presented { then: Then::Retry(_) } => self.purge(now, Cause::Superseded),
            State::Presented { then: Then::Close(outcome) } => self.close(outcome),
            State::Purging { .. } | State::Closed => {}
        }
    }

    /// The start came late: the exchange closes without a word.
    pub fn discard(&mut self) {
        self.outbox.clear();
        self.close(ControlUnitOutcome::Refused);
    }

    /// Cancel, reset and purge are obeyed in every state; their answers are given even when all is over, so
    /// that the channel's end can close too.
    pub(super) fn take_recovery(&mut self, now: Time, fields: &CommandMode, kind: IuKind) {
        match kind {
            IuKind::Cancel => self.obey(fields, Cause::Cancelled),
            IuKind::SelectiveReset | IuKind::SystemReset => self.obey(fields, Cause::Reset),
            IuKind::PurgePath => {
                self.outbox.clear();
                let (body, data) = purge::response(fields);
                self.outbox.push(body, data, Delay::None, self.received);
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
        self.outbox.clear();
        let acknowledge = Dib::Control(ControlDib::plain(ControlFunction::DeviceAck));
        self.push(fields.ccw, acknowledge, DataFlags::default(), IuData::None, Delay::None);
        self.abandon(cause);
    }

    pub(super) fn purge(&mut self, now: Time, cause: Cause) {
        self.outbox.clear();
        self.current = None;
        let dib = Dib::Control(ControlDib::purge_path(cause.purge_code()));
        let ccw = self.next_ccw.wrapping_sub(1).max(FIRST_CCW_NUMBER);
        self.push(ccw, dib, DataFlags::default(), IuData::None, Delay::None);
        self.state = State::Purging { cause };
        self.deadline.set_span(CONTROL_UNIT_TIMEOUT_US);
        self.deadline.restart(now);
    }

    fn abandon(&mut self, cause: Cause) {
        if self.state != State::Closed {
            self.device.reset();
            self.current = None;
            self.close(ControlUnitOutcome::Abandoned(cause));
        }
    }
}
