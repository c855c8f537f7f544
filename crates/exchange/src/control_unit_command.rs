//! The control unit's end of a command-mode exchange (Fibre Channel reference 6.4).
//!
//! ```text
//! Idle ─ first command ─► Executing ─ ending, busy or retry status ─► Presented ─ status accepted ─► Closed
//!                          ▲   ▲          │ stack status ▼   ▲ request status         │ after retry
//!                          │   └──────────┼──────────  Stacked                        │
//!                          └──────────────┼──────────────────────────────────────────┘
//! any state: cancel or reset ─► Closed;  IU lost or out of place ─► Purging ─ response ─► Closed
//!            ABTS ─► Aborted ─ purge path ─► Closed (the response reports the ABTS)
//! ```
//!
//! Between Executing and Presented the ending is withheld while what the chain wrote or read is not safe.
//!
//! Commands execute in order, each as soon as its output is there. The execution itself takes no time: what the
//! hardware takes is a [`Delay`] on the step that waits for it.

mod arrived;
mod recovery;
mod status;
mod waiting;

use halftrack_base::Time;
use halftrack_program::{CcwFlags, Chaining, CommandEnding, DeviceStatus};
use halftrack_wire::choices::{ADDRESS_EXCEPTION_CODE, FIRST_CCW_NUMBER, FIRST_IU_COUNT, MAX_IU_DATA_BYTES};
use halftrack_wire::{
    Body, ChainFlags, CommandDib, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, Iu, IuData,
    StatusDib, StatusFlags,
};

use self::arrived::Arrived;
use self::status::{AfterStatus, Presentation, Withheld};
use self::waiting::WaitingCommand;
use crate::control_unit_core::{ControlUnitCore, Refusal};
use crate::device::{Begun, Device, DeviceCommand, DeviceEnding};
use crate::end::Identity;
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::step::Delay;

/// Fields of the control IU that reports an address exception.
const ADDRESS_EXCEPTION: Dib = Dib::Control(ControlDib::device_exception(ADDRESS_EXCEPTION_CODE));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    Idle,
    /// The chain is in progress.
    Executing,
    /// A command of the chain waits for something outside of it.
    Waiting,
    /// The chain has ended, and its status waits for a barrier of the device.
    Withheld,
    /// Status has been presented; accepted, `then` happens.
    Presented { then: AfterStatus },
    /// The channel could not take the status and will request it.
    Stacked { then: AfterStatus },
    /// A purge of the path was sent because of `cause`.
    Purging { cause: Cause },
    /// ABTS was accepted; the channel purges the path.
    Aborted,
}

/// The control unit's end of a command-mode exchange.
#[derive(Debug)]
pub struct ControlUnitCommand<D> {
    pub(crate) core: ControlUnitCore<D>,
    granted_pacing: u8,
    state: State,
    /// The command in progress, which waits for its output or for the rest of its data chain.
    current: Option<Arrived>,
    waiting: Option<Box<WaitingCommand>>,
    /// Number of the next CCW.
    next_ccw: u16,
    next_count: u8,
    /// User data has been written.
    has_written: bool,
    presented: Option<Presentation>,
    withheld: Option<Box<Withheld>>,
}

impl<D: Device> ControlUnitCommand<D> {
    /// Returns a control unit that waits for the first command for `device`; `delay` is what its data is waited for.
    pub fn new(
        device: D,
        delay: Delay,
        login: &Login,
        identity: Identity,
        now: Time,
    ) -> ControlUnitCommand<D> {
        ControlUnitCommand {
            core: ControlUnitCore::new(device, delay, login, identity, now),
            granted_pacing: login.granted_pacing,
            state: State::Idle,
            current: None,
            waiting: None,
            next_ccw: FIRST_CCW_NUMBER,
            next_count: FIRST_IU_COUNT,
            has_written: false,
            presented: None,
            withheld: None,
        }
    }

    /// Takes an IU from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.core.count_received();
        if iu.body == Body::Abort {
            self.take_abort(now);
            return;
        }
        let Body::CommandMode(fields) = iu.body else {
            self.handle_damaged(now, Cause::Protocol);
            return;
        };
        let fields = &fields;
        let kind = fields.dib.kind();
        if kind.is_recovery() {
            self.take_recovery(now, fields, kind);
            return;
        }
        if self.core.is_closed() {
            return;
        }
        match self.state {
            State::Idle | State::Executing => {
                if self.accept_count(now, fields) {
                    self.take(now, iu.data, fields);
                }
            }
            State::Waiting => {
                if self.accept_count(now, fields) {
                    self.core.deadline.stop();
                    self.keep_behind(iu.data, fields);
                }
            }
            State::Withheld => self.take_while_withheld(now, fields, kind),
            State::Presented { then } => self.take_answer(now, fields, kind, then),
            State::Stacked { then } => self.take_while_stacked(now, fields, kind, then),
            State::Purging { .. } | State::Aborted => {}
        }
    }

    /// Accepts an IU that is the next of its direction; otherwise one was lost and the path is purged.
    fn accept_count(&mut self, now: Time, fields: &CommandMode) -> bool {
        if fields.iu_count != self.next_count {
            self.purge(now, Cause::IuCount);
            return false;
        }
        self.next_count = self.next_count.wrapping_add(1);
        self.core.deadline.restart(now);
        true
    }

    fn take(&mut self, now: Time, data: IuData, fields: &CommandMode) {
        match fields.dib {
            Dib::Command(dib) => self.take_command(now, fields, dib, None),
            Dib::CommandData(dib) => self.take_command(now, fields, dib, Some(data)),
            Dib::Data => self.take_data(now, fields, data),
            Dib::Control(control)
                if control.function == ControlFunction::RequestStatus && self.state == State::Idle =>
            {
                // Nothing is owed: device end is never kept back here.
                let then = AfterStatus::Close(ControlUnitOutcome::Completed);
                self.present(fields.ccw, StatusDib::default(), IuData::None, then);
            }
            Dib::Status(_) | Dib::Control(_) => self.purge(now, Cause::Protocol),
        }
    }

    fn take_command(&mut self, now: Time, fields: &CommandMode, dib: CommandDib, output: Option<IuData>) {
        let is_next = match &self.current {
            Some(command) => command.chains_data() && command.is_complete,
            None => true,
        };
        if !is_next || fields.ccw != self.next_ccw {
            self.purge(now, Cause::Protocol);
            return;
        }
        self.next_ccw = self.next_ccw.wrapping_add(1);
        if let Some(refusal) = self.core.refusal() {
            self.answer_refusal(fields.ccw, dib.count, refusal);
            return;
        }
        self.state = State::Executing;
        if dib.flags.has(ChainFlags::CRR) {
            let response = Dib::Control(ControlDib::command_response(self.granted_pacing));
            self.push(fields.ccw, response, DataFlags::default(), IuData::None, Delay::None);
        }
        let is_complete = output.is_none() || fields.flags.has(DataFlags::END);
        let command = match self.current.take() {
            None => Arrived::new(fields.ccw, dib, output),
            Some(mut command) => {
                if !command.try_chain(dib, output.as_ref()) {
                    return self.purge(now, Cause::Length);
                }
                self.core.keep_spare(output.unwrap_or_default());
                command
            }
        };
        self.go_on(now, command, is_complete);
    }

    /// Answers the first command with what stands for the device's answer.
    fn answer_refusal(&mut self, ccw: u16, count: u16, refusal: Refusal) {
        let kind = match refusal {
            Refusal::AddressException => {
                self.push(ccw, ADDRESS_EXCEPTION, DataFlags::default(), IuData::None, Delay::None);
                self.core.close(ControlUnitOutcome::Refused);
                return;
            }
            Refusal::Busy(kind) => kind,
            Refusal::Active => BusyKind::Device,
        };
        let status = StatusDib {
            flags: StatusFlags::RESIDUAL_VALID,
            device_status: kind.device_status(),
            information: count,
            ..StatusDib::default()
        };
        self.present(ccw, status, IuData::None, AfterStatus::Close(ControlUnitOutcome::Refused));
    }

    fn take_data(&mut self, now: Time, fields: &CommandMode, data: IuData) {
        match self.current.take() {
            Some(mut command) if !command.is_complete && command.last_ccw() == fields.ccw => {
                command.output.append(&data);
                self.core.keep_spare(data);
                self.go_on(now, command, fields.flags.has(DataFlags::END));
            }
            _ => self.purge(now, Cause::Protocol),
        }
    }

    /// Executes the command when its output and its data chain are complete; the channel must not send more than the count.
    fn go_on(&mut self, now: Time, mut command: Arrived, is_complete: bool) {
        command.is_complete = is_complete;
        if command.output.len() > command.count() {
            self.purge(now, Cause::Length);
        } else if is_complete && !command.chains_data() {
            self.execute(command);
        } else {
            self.current = Some(command);
        }
    }

    fn execute(&mut self, mut command: Arrived) {
        let (code, count) = (command.command, command.count());
        match self.core.device.begin(code, count, &mut command.output) {
            Begun::AtOnce => {}
            Begun::Ended(ending) => return self.end_command(command, ending),
            Begun::Waits => return self.wait(command),
        }
        let is_control = command.is_control();
        let parameters = if is_control { command.output.octets() } else { Default::default() };
        let ending = self.core.device.execute(&DeviceCommand {
            command: code,
            count,
            parameters: &parameters,
            data: if is_control { &IuData::None } else { &command.output },
        });
        self.end_command(command, ending);
    }

    /// Continues behind a command: with the next one, or with status.
    fn end_command(&mut self, command: Arrived, mut ending: DeviceEnding) {
        let is_control = command.is_control();
        let mut used = ending.moved_bytes.min(command.count());
        if command.has_output {
            self.has_written |= !is_control;
        } else if !is_control {
            used = used.min(ending.data.len());
            let data = std::mem::take(&mut ending.data);
            self.push_data(&command, data.first(used));
        }
        let last = command.last_used(used);
        if ending.retry {
            self.present_retry(last.ccw);
            return;
        }
        let chained = ChainFlags::CD.with(ChainFlags::CC).with(ChainFlags::SLI);
        let command_ending = CommandEnding {
            flags: CcwFlags(last.flags.0 & chained.0),
            status: DeviceStatus(ending.device_status),
            count: last.count,
            moved_bytes: used,
            device_bytes: ending.device_bytes,
            // A control command without output is immediate; its count is not compared.
            length_ignored: is_control && !command.has_output,
        };
        match command_ending.chaining() {
            Chaining::GoOn => {}
            // Passing over a CCW is the channel's part: it has to see the status.
            Chaining::Skip | Chaining::End { .. } => {
                let residual = command_ending.residual_bytes() as u16;
                let ending = self.core.device.end_chain(command_ending.chain_end()).unwrap_or(ending);
                let withheld =
                    Withheld { ccw: last.ccw, ending, residual, is_long: command_ending.is_long() };
                self.present_or_withhold(withheld);
            }
        }
    }

    fn push_data(&mut self, command: &Arrived, data: IuData) {
        if command.is_single() {
            let is_full = data.len() == command.count();
            self.push_share(command.last_ccw(), data, is_full);
            return;
        }
        for (ccw, share, is_full) in command.shares(&data) {
            self.push_share(ccw, share, is_full);
        }
    }

    /// Puts out the data of one CCW.
    fn push_share(&mut self, ccw: u16, data: IuData, is_full: bool) {
        let early = if is_full { DataFlags::default() } else { DataFlags::EARLY_END };
        let mut from = 0;
        while data.len() - from > MAX_IU_DATA_BYTES {
            let part = data.slice(from, MAX_IU_DATA_BYTES);
            from += part.len();
            let delay = self.core.take_delay();
            self.push(ccw, Dib::Data, DataFlags::NO_CRC, part, delay);
        }
        let rest = if from == 0 { data } else { data.slice(from, MAX_IU_DATA_BYTES) };
        if !rest.is_empty() {
            let delay = self.core.take_delay();
            self.push(ccw, Dib::Data, DataFlags::END.with(early), rest, delay);
        }
    }

    fn push(&mut self, ccw: u16, dib: Dib, flags: DataFlags, data: IuData, delay: Delay) {
        // Its count is set when it is sent.
        let body = Body::CommandMode(CommandMode { flags, ccw, iu_count: FIRST_IU_COUNT, dib });
        self.core.push(body, data, delay);
    }
}
