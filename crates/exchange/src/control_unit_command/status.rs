//! Status of a command-mode exchange: presented, accepted or stacked by the channel, and requested again.

use halftrack_base::Time;
use halftrack_control_unit::DeviceCondition;
use halftrack_wire::choices::{CONTROL_UNIT_TIMEOUT_US, RETRY_NOW_STATUS, SENSE_HAS_CRC};
use halftrack_wire::timers::STATUS_TIMEOUT_US;
use halftrack_wire::{CommandMode, DataFlags, Dib, IuData, IuKind, StatusDib, StatusFlags};

use super::{ControlUnitCommand, State};
use crate::device::{Device, DeviceEnding};
use crate::outcome::{Cause, ControlUnitOutcome};
use crate::step::Delay;

/// Continuation when the channel has accepted a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterStatus {
    /// The exchange is over.
    Close(ControlUnitOutcome),
    /// The channel drives the chain again from the CCW with this number.
    Retry(u16),
}

/// A status as it was presented.
#[derive(Debug)]
pub struct Presentation {
    ccw: u16,
    status: StatusDib,
    sense: IuData,
}

/// An ending whose status is presented when the device has made safe what the chain wrote or read.
#[derive(Debug)]
pub struct Withheld {
    pub(super) ccw: u16,
    pub(super) ending: DeviceEnding,
    pub(super) residual: u16,
    pub(super) is_long: bool,
}

impl<D: Device> ControlUnitCommand<D> {
    /// Presents the status of an ending, or withholds it while the device waits for a barrier.
    pub(super) fn present_or_withhold(&mut self, withheld: Withheld) {
        if self.core.device.wait().is_none() {
            self.present_ending(&withheld);
            return;
        }
        self.withheld = Some(Box::new(withheld));
        self.state = State::Withheld;
        // The time of the device, which only the channel's missing-interrupt handler bounds.
        self.core.deadline.stop();
    }

    /// Returns whether an ending is withheld, or a command waits.
    pub(crate) fn is_withholding(&self) -> bool {
        matches!(self.state, State::Withheld | State::Waiting) && !self.core.is_closed()
    }

    /// Returns whether a command waits for something outside of its chain.
    pub(crate) fn is_waiting(&self) -> bool {
        self.state == State::Waiting
    }

    /// Presents the ending that was withheld, or the one that a barrier that failed has put in its place.
    pub(crate) fn end_wait(&mut self, now: Time, failed: Option<DeviceEnding>) {
        let Some(mut withheld) = self.withheld.take() else { return };
        if let Some(failed) = failed {
            withheld.ending = failed;
        }
        self.core.deadline.restart(now);
        self.present_ending(&withheld);
    }

    /// Discards commands that the channel sent before it could have the status.
    pub(super) fn take_while_withheld(&mut self, now: Time, fields: &CommandMode, kind: IuKind) {
        self.next_count = fields.iu_count.wrapping_add(1);
        if !matches!(kind, IuKind::Command | IuKind::CommandData | IuKind::Data) {
            self.purge(now, Cause::Protocol);
        }
    }

    fn present_ending(&mut self, withheld: &Withheld) {
        let &Withheld { ccw, ref ending, residual, is_long } = withheld;
        let long = if is_long { StatusFlags::LONG_RECORD } else { StatusFlags::default() };
        let condition = ending.sense.as_ref().and_then(DeviceCondition::of_sense);
        let reset = match condition {
            Some(DeviceCondition::ResettingEvent) => StatusFlags::RESETTING_EVENT,
            _ => StatusFlags::default(),
        };
        let status = StatusDib {
            flags: StatusFlags::RESIDUAL_VALID.with(long).with(reset),
            device_status: ending.device_status,
            information: residual,
            ..StatusDib::default()
        };
        let sense = ending.sense.map_or(IuData::None, |sense| IuData::Bytes(sense.to_vec()));
        self.present(ccw, status, sense, AfterStatus::Close(ControlUnitOutcome::Completed));
    }

    pub(super) fn present_retry(&mut self, ccw: u16) {
        let status =
            StatusDib { flags: StatusFlags::RETRY, device_status: RETRY_NOW_STATUS, ..StatusDib::default() };
        self.present(ccw, status, IuData::None, AfterStatus::Retry(ccw));
    }

    /// Presents status; commands that come before it is accepted are discarded.
    pub(super) fn present(&mut self, ccw: u16, status: StatusDib, sense: IuData, then: AfterStatus) {
        let delay = if self.has_written { self.core.take_delay() } else { Delay::None };
        let flags = if sense.is_empty() || SENSE_HAS_CRC { DataFlags::default() } else { DataFlags::NO_CRC };
        self.push(ccw, Dib::Status(status), flags, sense.clone(), delay);
        self.presented = Some(Presentation { ccw, status, sense });
        self.state = State::Presented { then };
        self.core.deadline.set_span(STATUS_TIMEOUT_US);
    }

    /// Takes the channel's answer to a status, which alone matters now. An IU of the chain that was lost would have been
    /// discarded, so the count is not compared.
    pub(super) fn take_answer(&mut self, now: Time, fields: &CommandMode, kind: IuKind, then: AfterStatus) {
        self.next_count = fields.iu_count.wrapping_add(1);
        self.core.deadline.restart(now);
        match kind {
            IuKind::StatusAccepted => match then {
                AfterStatus::Close(outcome) => self.core.close(outcome),
                AfterStatus::Retry(ccw) => {
                    self.next_ccw = ccw;
                    self.answered(State::Executing);
                }
            },
            IuKind::StackStatus => self.answered(State::Stacked { then }),
            IuKind::Command | IuKind::CommandData | IuKind::Data => {}
            _ => self.purge(now, Cause::Protocol),
        }
    }

    /// Waits for the channel, which has answered a status.
    fn answered(&mut self, state: State) {
        self.state = state;
        self.core.deadline.set_span(CONTROL_UNIT_TIMEOUT_US);
    }

    pub(super) fn take_while_stacked(
        &mut self,
        now: Time,
        fields: &CommandMode,
        kind: IuKind,
        then: AfterStatus,
    ) {
        self.next_count = fields.iu_count.wrapping_add(1);
        self.core.deadline.restart(now);
        match (kind, self.presented.take()) {
            (IuKind::RequestStatus, Some(presented)) => {
                self.present(presented.ccw, presented.status, presented.sense, then);
            }
            (IuKind::Command | IuKind::CommandData | IuKind::Data, presented) => self.presented = presented,
            _ => self.purge(now, Cause::Protocol),
        }
    }
}
