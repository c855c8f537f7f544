//! The control unit's end of a program over a circuit.
//!
//! ```text
//! Waiting ─ command ─► Selected ─ response accepted ─► Transferring ─ all data, status sent ─► Waiting, if it chains
//!                                                                                      └─────► Presented ─ accepted ─► Closed
//! any state: cancel from the channel, time-out, frame out of place ─► Closed (cancel is sent)
//! ```
//!
//! As in command mode of FICON the execution itself takes no time: what the hardware takes is a [`Delay`] on the frame
//! that waits for it. The path is given back during [`Delay::Staging`] by what lies below.

use halftrack_base::Time;
use halftrack_program::{CcwFlags, Chaining, CommandEnding, DeviceStatus};
use halftrack_wire::choices::{FIRST_CCW_NUMBER, RETRY_NOW_STATUS};
use halftrack_wire::iu::is_control_command;
use halftrack_wire::{Body, ChainFlags, DeviceFrame, Iu, IuData};

use super::window::Outgoing;
use crate::control_unit_core::{ControlUnitCore, Refusal};
use crate::device::{Device, DeviceCommand, DeviceEnding};
use crate::end::Identity;
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::step::Delay;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The command with the next number is waited for; it accepts the status before.
    Waiting,
    /// The command response is sent.
    Selected,
    /// Data move.
    Transferring,
    /// The status that ends the program was sent; accepted, it closes so.
    Presented(ControlUnitOutcome),
}

/// The command in progress.
#[derive(Debug, Default)]
struct Current {
    ccw: u16,
    command: u8,
    flags: ChainFlags,
    count: u32,
    /// The channel sends parameters or data.
    has_output: bool,
    output: IuData,
}

/// The control unit's end of a program over a circuit.
#[derive(Debug)]
pub struct ControlUnitCircuit<D> {
    pub(crate) core: ControlUnitCore<D>,
    window_bytes: u32,
    state: State,
    current: Current,
    next_ccw: u16,
    /// Data of the command in progress that are read, and the status that follows them.
    outgoing: Outgoing,
    ending: Option<(DeviceFrame, IuData)>,
    /// User data has been written.
    has_written: bool,
}

impl<D: Device> ControlUnitCircuit<D> {
    /// Creates a control unit that waits for the first command for `device`; `delay` is what its data is waited for.
    pub fn new(device: D, delay: Delay, login: &Login, identity: Identity, now: Time) -> Self {
        ControlUnitCircuit {
            core: ControlUnitCore::new(device, delay, login, identity, now),
            window_bytes: login.window_bytes,
            state: State::Waiting,
            current: Current::default(),
            next_ccw: FIRST_CCW_NUMBER,
            outgoing: Outgoing::default(),
            ending: None,
            has_written: false,
        }
    }

    /// Cancels the program of which a frame came that cannot be read.
    pub fn handle_damaged(&mut self, cause: Cause) {
        if !self.core.is_closed() {
            self.core.outbox.clear();
            self.push(DeviceFrame::Cancel { code: cause.purge_code() }, IuData::None, Delay::None);
            self.core.abandon(cause);
        }
    }

    /// Takes a frame from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.core.count_received();
        if self.core.is_closed() {
            return;
        }
        self.core.deadline.restart(now);
        let here = self.current.ccw;
        match (iu.body, self.state) {
            (Body::Device(DeviceFrame::Command { ccw, command, flags, count, output }), State::Waiting)
                if ccw == self.next_ccw =>
            {
                let count = u32::from(count);
                let output_data = IuData::None;
                let current = Current { ccw, command, flags, count, has_output: output, output: output_data };
                self.take_command(current);
            }
            (Body::Device(DeviceFrame::CommandResponseAccepted { ccw }), State::Selected) if ccw == here => {
                self.state = State::Transferring;
                if !self.current.has_output {
                    self.execute();
                }
            }
            (Body::Device(DeviceFrame::Data { ccw, ends, .. }), State::Transferring) if ccw == here => {
                self.take_data(&iu.data, ends);
            }
            (Body::Device(DeviceFrame::DataRequest { ccw }), State::Transferring | State::Waiting)
                if ccw == here =>
            {
                if self.outgoing.answered() {
                    self.send_data();
                } else {
                    self.handle_damaged(Cause::Protocol);
                }
            }
            // Answers to the last pieces may still come when the status is under way.
            (Body::Device(DeviceFrame::DataRequest { ccw }), State::Presented(_)) if ccw == here => {}
            (Body::Device(DeviceFrame::StatusAccepted), State::Presented(outcome)) => {
                self.core.close(outcome)
            }
            (Body::Device(DeviceFrame::Cancel { code }), _) => {
                self.core.outbox.clear();
                self.core.abandon(Cause::Purged(code));
            }
            _ => self.handle_damaged(Cause::Protocol),
        }
    }

    /// Cancels the program when its time is over.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.core.is_due(now) {
            self.handle_damaged(Cause::Timeout);
        }
    }

    fn take_command(&mut self, current: Current) {
        let ccw = current.ccw;
        if let Some(refusal) = self.core.refusal() {
            self.answer_refusal(ccw, current.count as u16, refusal);
            return;
        }
        self.next_ccw = ccw.wrapping_add(1);
        self.current = current;
        self.state = State::Selected;
        self.push(DeviceFrame::CommandResponse { ccw }, IuData::None, Delay::None);
    }

    /// Answers the first command with what stands for the device's answer.
    fn answer_refusal(&mut self, ccw: u16, residual: u16, refusal: Refusal) {
        let kind = match refusal {
            Refusal::AddressException => {
                let code = Cause::AddressException.purge_code();
                self.push(DeviceFrame::Cancel { code }, IuData::None, Delay::None);
                self.core.close(ControlUnitOutcome::Refused);
                return;
            }
            Refusal::Busy(kind) => kind,
            Refusal::Active => BusyKind::Device,
        };
        let device_status = kind.device_status();
        let status = DeviceFrame::Status {
            ccw,
            device_status,
            residual,
            is_long: false,
            retry: false,
            ends_chain: true,
        };
        self.push(status, IuData::None, Delay::None);
        self.state = State::Presented(ControlUnitOutcome::Refused);
    }

    /// Takes data, of which the channel must not send more than the CCW's count.
    fn take_data(&mut self, data: &IuData, ends: bool) {
        let ccw = self.current.ccw;
        self.current.output.append(data);
        if !self.current.has_output {
            self.handle_damaged(Cause::Protocol);
        } else if self.current.output.len() > self.current.count
            || (ends && self.current.output.len() < self.current.count)
        {
            // Too many, or a piece was lost: the channel has as many as the CCW's count.
            self.handle_damaged(Cause::Length);
        } else if ends {
            self.execute();
        } else {
            self.push(DeviceFrame::DataRequest { ccw }, IuData::None, Delay::None);
        }
    }

    fn execute(&mut self) {
        let Current { ccw, command, flags, count, has_output, .. } = self.current;
        let is_control = is_control_command(command);
        let output = std::mem::take(&mut self.current.output);
        let parameters = if is_control { output.octets() } else { Default::default() };
        let mut ending = self.core.device.execute(&DeviceCommand {
            command,
            count,
            parameters: &parameters,
            data: if is_control { &IuData::None } else { &output },
        });
        let mut used = ending.moved_bytes.min(count);
        let mut data = IuData::None;
        if has_output {
            self.has_written |= !is_control;
        } else if !is_control {
            used = used.min(ending.data.len());
            data = std::mem::take(&mut ending.data).first(used);
        }
        self.outgoing = Outgoing::new(data, self.window_bytes);
        if ending.retry {
            self.ending = Some((self.status(RETRY_NOW_STATUS, 0, false, None), IuData::None));
            self.next_ccw = ccw;
            self.send_data();
            return;
        }
        let chained = ChainFlags::CC.with(ChainFlags::SLI);
        let command_ending = CommandEnding {
            flags: CcwFlags(flags.0 & chained.0),
            status: DeviceStatus(ending.device_status),
            count,
            moved_bytes: used,
            device_bytes: ending.device_bytes,
            // A control command without output is immediate; its count is not compared.
            length_ignored: is_control && !has_output,
        };
        let goes_on = matches!(command_ending.chaining(), Chaining::GoOn);
        let (residual, is_long) = (command_ending.residual_bytes() as u16, command_ending.is_long());
        if !goes_on {
            ending = self.core.device.end_chain(command_ending.chain_end()).unwrap_or(ending);
        }
        self.end_with(&ending, residual, is_long, goes_on);
    }

    /// Sets the end of the command, for when its data have been sent.
    fn end_with(&mut self, ending: &DeviceEnding, residual: u16, is_long: bool, goes_on: bool) {
        let status = self.status(ending.device_status, residual, is_long, Some(!goes_on));
        let sense = ending.sense.map_or(IuData::None, |sense| IuData::Bytes(sense.to_vec()));
        self.ending = Some((status, sense));
        self.send_data();
    }

    /// Returns the status of the command in progress; no `ends_chain` requests the command again.
    fn status(
        &self,
        device_status: u8,
        residual: u16,
        is_long: bool,
        ends_chain: Option<bool>,
    ) -> DeviceFrame {
        let ccw = self.current.ccw;
        let (retry, ends_chain) = (ends_chain.is_none(), ends_chain.unwrap_or(false));
        DeviceFrame::Status { ccw, device_status, residual, is_long, retry, ends_chain }
    }

    /// Sends the data that the channel has room for, and behind the last the status.
    fn send_data(&mut self) {
        let ccw = self.current.ccw;
        while let Some((piece, ends)) = self.outgoing.next() {
            let delay = self.core.take_delay();
            self.push(DeviceFrame::Data { ccw, parameters: false, ends }, piece, delay);
        }
        if !self.outgoing.is_sent() {
            return;
        }
        let Some((frame, sense)) = self.ending.take() else { return };
        let ends_chain = matches!(frame, DeviceFrame::Status { ends_chain: true, .. });
        let waits = ends_chain && self.has_written;
        let delay = if waits { self.core.take_delay() } else { Delay::None };
        self.push(frame, sense, delay);
        self.state =
            if ends_chain { State::Presented(ControlUnitOutcome::Completed) } else { State::Waiting };
    }

    fn push(&mut self, frame: DeviceFrame, data: IuData, delay: Delay) {
        self.core.push(Body::Device(frame), data, delay);
    }
}
