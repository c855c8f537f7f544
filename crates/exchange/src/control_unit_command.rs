//! The control unit's end of a command-mode exchange (Fibre Channel reference 6.4).
//!
//! ```text
//! Idle ─ first command ─► Executing ─ ending, busy or retry status ─► Presented ─ status accepted ─► Closed
//!                          ▲   ▲          │ stack status ▼   ▲ request status         │ after retry
//!                          │   └──────────┼──────────  Stacked                        │
//!                          └──────────────┼──────────────────────────────────────────┘
//! any state: cancel or reset ─► Closed;  IU lost or out of place ─► Purging ─ response ─► Closed
//! ```
//!
//! Commands execute in order, each as soon as its output is there. The execution itself takes no time: what the
//! hardware takes is a [`Delay`] on the step that waits for it.

mod recovery;
mod status;

use halftrack_base::Time;
use halftrack_program::{CcwFlags, Chaining, CommandEnding, DeviceStatus};
use halftrack_wire::choices::{
    ADDRESS_EXCEPTION_CODE, CONTROL_UNIT_TIMEOUT_US, FIRST_CCW_NUMBER, FIRST_IU_COUNT, MAX_IU_DATA_BYTES,
};
use halftrack_wire::iu::is_control_command;
use halftrack_wire::{
    Body, ChainFlags, CommandDib, CommandMode, ControlDib, DataFlags, Dib, Iu, IuData, StatusDib, StatusFlags,
};

use self::status::{Presentation, Then};
use crate::deadline::Deadline;
use crate::device::{Device, DeviceCommand};
use crate::end::Identity;
use crate::end_delegates::delegates_of_an_end;
use crate::outbox::Outbox;
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::step::{Delay, Step};

/// The control IU that says so.
const ADDRESS_EXCEPTION: Dib = Dib::Control(ControlDib::device_exception(ADDRESS_EXCEPTION_CODE));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    Idle,
    /// The chain is in progress.
    Executing,
    /// Status has been presented; accepted, `then` happens.
    Presented { then: Then },
    /// The channel could not take the status and will ask for it.
    Stacked { then: Then },
    /// A purge of the path was sent because of `cause`.
    Purging { cause: Cause },
    /// Over; an answer may still have to be sent.
    Closed,
}

/// A command that has come, with what of its output has.
#[derive(Debug)]
struct Arrived {
    ccw: u16,
    dib: CommandDib,
    /// It brings output: parameters or user data.
    has_output: bool,
    output: IuData,
}

/// The control unit's end of a command-mode exchange.
#[derive(Debug)]
pub struct ControlUnitCommand<D> {
    device: D,
    granted_pacing: u8,
    busy: Option<BusyKind>,
    /// There is no such device.
    no_device: bool,
    state: State,
    /// The command in progress. Execution takes no time, so at most one waits: for its output.
    current: Option<Arrived>,
    /// Number of the next CCW.
    next_ccw: u16,
    outbox: Outbox,
    deadline: Deadline,
    received: u16,
    next_count: u8,
    /// The wait for cache or staging, until it is on a step.
    delay: Delay,
    /// User data has been written.
    has_written: bool,
    presented: Option<Presentation>,
    outcome: Option<ControlUnitOutcome>,
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
            device,
            granted_pacing: login.granted_pacing,
            busy: None,
            no_device: false,
            state: State::Idle,
            current: None,
            next_ccw: FIRST_CCW_NUMBER,
            outbox: Outbox::new(identity, login.frame_payload_bytes),
            deadline: Deadline::new(CONTROL_UNIT_TIMEOUT_US, now),
            received: 0,
            next_count: FIRST_IU_COUNT,
            delay,
            has_written: false,
            presented: None,
            outcome: None,
        }
    }

    /// Returns the device behind this end, to be changed.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }

    /// Returns the device behind this end.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Answers that there is no such device; to be called before the first IU is handled.
    pub fn answer_address_exception(&mut self) {
        self.no_device = true;
    }

    /// Answers busy instead of executing; to be called before the first IU is handled.
    pub fn answer_busy(&mut self, kind: BusyKind) {
        self.busy = Some(kind);
    }

    /// Takes an IU from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.received = self.received.saturating_add(1);
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
        match self.state {
            State::Idle | State::Executing => {
                if self.is_counted(now, fields) {
                    self.take(now, iu.data, fields);
                }
            }
            State::Presented { then } => self.take_answer(now, fields, kind, then),
            State::Stacked { then } => self.take_while_stacked(now, fields, kind, then),
            State::Purging { .. } | State::Closed => {}
        }
    }

    delegates_of_an_end!();

    /// Returns how the exchange closed, once; given when the last answer has been sent.
    pub fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        if self.outbox.is_empty() { self.outcome.take() } else { None }
    }

    /// Returns whether the IU is the next of its direction; if not, one was lost and the path is purged.
    fn is_counted(&mut self, now: Time, fields: &CommandMode) -> bool {
        if fields.iu_count != self.next_count {
            self.purge(now, Cause::IuCount);
            return false;
        }
        self.next_count = self.next_count.wrapping_add(1);
        self.deadline.restart(now);
        true
    }

    fn take(&mut self, now: Time, data: IuData, fields: &CommandMode) {
        match fields.dib {
            Dib::Command(dib) => self.take_command(now, fields, dib, None),
            Dib::CommandData(dib) => self.take_command(now, fields, dib, Some(data)),
            Dib::Data => self.take_data(now, fields, &data),
            Dib::Status(_) | Dib::Control(_) => self.purge(now, Cause::Protocol),
        }
    }

    fn take_command(&mut self, now: Time, fields: &CommandMode, dib: CommandDib, output: Option<IuData>) {
        let in_place = fields.ccw == self.next_ccw && self.current.is_none();
        if !in_place || dib.flags.has(ChainFlags::CD) {
            self.purge(now, Cause::Protocol);
            return;
        }
        self.next_ccw = self.next_ccw.wrapping_add(1);
        if self.no_device {
            self.push(fields.ccw, ADDRESS_EXCEPTION, DataFlags::default(), IuData::None, Delay::None);
            self.close(ControlUnitOutcome::Refused);
            return;
        }
        if let Some(kind) = self.busy {
            let status = StatusDib {
                flags: StatusFlags::RESIDUAL_VALID,
                device_status: kind.device_status(),
                information: dib.count,
                ..StatusDib::default()
            };
            self.present(fields.ccw, status, IuData::None, Then::Close(ControlUnitOutcome::Refused));
            return;
        }
        self.state = State::Executing;
        if dib.flags.has(ChainFlags::CRR) {
            let response = Dib::Control(ControlDib::command_response(self.granted_pacing));
            self.push(fields.ccw, response, DataFlags::default(), IuData::None, Delay::None);
        }
        let has_output = output.is_some();
        let output = output.unwrap_or_default();
        let is_complete = !has_output || fields.flags.has(DataFlags::END);
        self.go_on(now, Arrived { ccw: fields.ccw, dib, has_output, output }, is_complete);
    }

    fn take_data(&mut self, now: Time, fields: &CommandMode, data: &IuData) {
        match self.current.take() {
            Some(mut command) if command.ccw == fields.ccw => {
                command.output.append(data);
                self.go_on(now, command, fields.flags.has(DataFlags::END));
            }
            _ => self.purge(now, Cause::Protocol),
        }
    }

    /// Executes the command when its output is complete; the channel must not send more than the CCW's count.
    fn go_on(&mut self, now: Time, command: Arrived, is_complete: bool) {
        if command.output.len() > u32::from(command.dib.count) {
            self.purge(now, Cause::Length);
        } else if is_complete {
            self.execute(&command);
        } else {
            self.current = Some(command);
        }
    }

    fn execute(&mut self, command: &Arrived) {
        let count = u32::from(command.dib.count);
        let is_control = is_control_command(command.dib.command);
        let parameters = if is_control { command.output.octets() } else { Default::default() };
        let mut ending = self.device.execute(&DeviceCommand {
            command: command.dib.command,
            count,
            parameters: &parameters,
            data: if is_control { &IuData::None } else { &command.output },
        });
        let mut used = ending.moved_bytes.min(count);
        if command.has_output {
            self.has_written |= !is_control;
        } else if !is_control {
            used = used.min(ending.data.len());
            let data = std::mem::take(&mut ending.data);
            self.push_data(command, data.first(used));
        }
        if ending.retry {
            self.present_retry(command.ccw);
            return;
        }
        let chained = ChainFlags::CD.with(ChainFlags::CC).with(ChainFlags::SLI);
        let command_ending = CommandEnding {
            flags: CcwFlags(command.dib.flags.0 & chained.0),
            status: DeviceStatus(ending.device_status),
            count,
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
                let ending = self.device.end_chain(command_ending.chain_end()).unwrap_or(ending);
                self.present_ending(command.ccw, &ending, residual, command_ending.is_long());
            }
        }
    }

    fn push_data(&mut self, command: &Arrived, data: IuData) {
        let early = if data.len() < u32::from(command.dib.count) {
            DataFlags::EARLY_END
        } else {
            DataFlags::default()
        };
        let mut from = 0;
        while data.len() - from > MAX_IU_DATA_BYTES {
            let part = data.slice(from, MAX_IU_DATA_BYTES);
            from += part.len();
            let delay = std::mem::take(&mut self.delay);
            self.push(command.ccw, Dib::Data, DataFlags::NO_CRC, part, delay);
        }
        let rest = if from == 0 { data } else { data.slice(from, MAX_IU_DATA_BYTES) };
        if !rest.is_empty() {
            let delay = std::mem::take(&mut self.delay);
            self.push(command.ccw, Dib::Data, DataFlags::END.with(early), rest, delay);
        }
    }

    fn push(&mut self, ccw: u16, dib: Dib, flags: DataFlags, data: IuData, delay: Delay) {
        self.outbox.push_command_mode((ccw, dib, flags), data, delay, self.received);
    }

    fn close(&mut self, outcome: ControlUnitOutcome) {
        self.state = State::Closed;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }
}
