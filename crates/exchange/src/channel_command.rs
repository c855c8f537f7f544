//! The channel's end of a command-mode exchange (Fibre Channel reference 6.4).
//!
//! ```text
//!        ┌──────── command response, data, retry status with device end
//!        ▼   │
//!       Open ┴─ retry status without device end ─► RetryPending ─ device end ─► Open
//!        ├─ ending or busy status ─► Closed (status accepted is sent)
//!        ├─ cancel(), first time-out ─► Cancelling ─ acknowledge ─► Closed
//!        └─ IU lost, damaged or out of place, ABTS ─► Purging ─ purge-path response ─► Closed
//! ```
//!
//! A chain that may wait has no time-out once the control unit has responded.
//!
//! Cancelling and Purging close at the next time-out. Command IUs go back to back as far as IU pacing lets
//! them; each status is accepted at once, so this channel never stacks one.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_wire::choices::{
    CHANNEL_TIMEOUT_US, FIRST_CCW_NUMBER, FIRST_IU_COUNT, MAX_IU_DATA_BYTES, PACING_INDEX,
};
use halftrack_wire::fc_header::NO_EXCHANGE;
use halftrack_wire::{
    Body, ChainFlags, CommandDib, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, Iu, IuData,
    StatusDib, StatusFlags,
};

use crate::deadline::Deadline;
use crate::end::Identity;
use crate::end_delegates::channel_machine_methods;
use crate::outbox::Outbox;
use crate::outcome::{BusyKind, Cause, ChannelOutcome};
use crate::pacing::Pacing;
use crate::plan::Login;
use crate::program::{ChainCommand, CommandChain};
use crate::purge;
use crate::step::{Delay, Step};

/// Device status bit: device end.
const DEVICE_END: u8 = 0x04;
/// Most octets for which room is made at once. Our choice.
const READ_ROOM_MAX_BYTES: usize = 2 << 20;
/// Device status bit: unit check.
const UNIT_CHECK: u8 = 0x02;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Commands are sent and executed.
    Open,
    /// The control unit will present device end when CCW `index` can be driven again.
    RetryPending { index: usize },
    /// A cancel was sent; acknowledged, the exchange ends with `outcome`.
    Cancelling { outcome: ChannelOutcome },
    /// A purge of the path was sent because of `cause`.
    Purging { cause: Cause },
    /// Over; an answer may still have to be sent.
    Closed,
}

/// The channel's end of a command-mode exchange.
#[derive(Debug)]
pub struct ChannelCommand {
    chain: Arc<CommandChain>,
    state: State,
    /// CCW of the next IU, and how much of its output has been put out.
    next: (usize, u32),
    /// CCW with which this drive of the chain began, and the IU number of each CCW since.
    drive: (usize, Vec<u32>),
    pacing: Pacing,
    window: u8,
    outbox: Outbox,
    deadline: Deadline,
    /// IUs from the control unit.
    received: u16,
    next_count: u8,
    /// CCW whose data came last, and how many bytes of it.
    arrived: (u16, u32),
    /// Octets read, where they are known, and how many of them came before the data of `arrived`.
    read_data: (Vec<u8>, usize),
    /// Buffer of data that were copied.
    spare: Vec<u8>,
    /// The control unit has ended the exchange too, as far as is known.
    is_settled: bool,
    outcome: Option<ChannelOutcome>,
}

impl ChannelCommand {
    /// Returns a channel that begins `chain` now. A reset ends as cancelled when it was acknowledged.
    #[must_use]
    pub fn new(chain: Arc<CommandChain>, login: &Login, identity: Identity, now: Time) -> ChannelCommand {
        let mut channel = ChannelCommand {
            pacing: Pacing::new(login.initial_pacing, chain.longest_ius(), 0),
            chain,
            state: State::Open,
            next: (0, 0),
            drive: (0, Vec::new()),
            window: login.initial_pacing,
            outbox: Outbox::new(identity, login.frames()),
            deadline: Deadline::new(CHANNEL_TIMEOUT_US, now),
            received: 0,
            next_count: FIRST_IU_COUNT,
            arrived: (0, 0),
            read_data: (Vec::new(), 0),
            spare: Vec::new(),
            is_settled: true,
            outcome: None,
        };
        if channel.chain.is_reset() {
            channel.push(FIRST_CCW_NUMBER, Dib::Control(ControlDib::plain(ControlFunction::SelectiveReset)));
            channel.state = State::Cancelling { outcome: ChannelOutcome::Cancelled };
        } else {
            channel.fill();
        }
        channel
    }

    /// Withdraws the program.
    pub fn cancel(&mut self, now: Time) {
        match self.state {
            State::Open | State::RetryPending { .. } => self.withdraw(now, ChannelOutcome::Cancelled),
            State::Cancelling { .. } | State::Purging { .. } | State::Closed => {}
        }
    }

    /// Begins the recovery from an IU that cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self.state {
            State::Open | State::RetryPending { .. } => self.purge(now, cause),
            State::Cancelling { .. } | State::Purging { .. } | State::Closed => {}
        }
    }

    /// Takes an IU from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.received = self.received.saturating_add(1);
        if iu.body == Body::Abort {
            self.take_abort(now);
            return;
        }
        let Body::CommandMode(fields) = iu.body else {
            self.handle_damaged(now, Cause::Protocol);
            return;
        };
        let fields = &fields;
        match self.state {
            State::Open | State::RetryPending { .. } => self.take(now, iu, fields),
            State::Cancelling { outcome } => match control_function(fields) {
                Some(ControlFunction::DeviceAck) => self.close(outcome),
                Some(ControlFunction::PurgePath) => self.answer_purge(fields),
                _ => {}
            },
            State::Purging { cause } => match control_function(fields) {
                Some(ControlFunction::PurgePathResponse) => {
                    self.close(ChannelOutcome::InterfaceControlCheck(cause));
                }
                Some(ControlFunction::PurgePath) => self.answer_purge(fields),
                _ => {}
            },
            State::Closed => {
                if control_function(fields) == Some(ControlFunction::PurgePath) {
                    self.answer_purge(fields);
                }
            }
        }
    }

    channel_machine_methods!();

    /// Returns how the exchange closed, once.
    pub fn poll_outcome(&mut self) -> Option<ChannelOutcome> {
        self.outcome.take()
    }

    /// Returns whether the control unit is known to have ended the exchange too, once it is closed.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Returns the IU-pacing window that the control unit has granted by now, or the initial one.
    #[must_use]
    pub fn window(&self) -> u8 {
        self.window
    }

    /// Returns the octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.read_data.0)
    }

    /// Returns a buffer that is free; an empty one without room when there is none.
    #[must_use]
    pub(crate) fn take_spare(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spare)
    }

    /// Does what a time-out that is due demands.
    pub fn handle_timeout(&mut self, now: Time) {
        if !self.deadline.is_due(now) {
            return;
        }
        let timed_out = ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
        match self.state {
            State::Open | State::RetryPending { .. } => self.withdraw(now, timed_out),
            State::Cancelling { .. } => self.give_up(timed_out),
            State::Purging { cause } => self.give_up(ChannelOutcome::InterfaceControlCheck(cause)),
            State::Closed => {}
        }
    }

    /// Shortens the wait for the next IU to this: something of the exchange may be lost.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        if matches!(self.state, State::Open | State::RetryPending { .. }) {
            self.deadline.set_span(span_us);
            self.deadline.restart(now);
        }
    }

    /// Ends the exchange, because the link is gone: nothing more will arrive and nothing can be sent.
    pub fn handle_link_down(&mut self) {
        self.outbox.clear();
        if self.state != State::Closed {
            self.is_settled = !self.outbox.has_sent();
            self.close(ChannelOutcome::InterfaceControlCheck(Cause::LinkDown));
        }
    }

    /// Puts out what the window permits.
    fn fill(&mut self) {
        while let Some(received) = self.pacing.permits() {
            let (index, offset) = self.next;
            let Some(command) = self.chain.commands().get(index) else { return };
            let data = command.output.slice(offset, MAX_IU_DATA_BYTES);
            let end = offset + data.len();
            let is_last = end >= command.output.len();
            let requests_response = offset == 0 && self.requests_response(index, command);
            let dib = if offset == 0 { command_dib(command, requests_response) } else { Dib::Data };
            let flags = match (data.is_empty(), is_last) {
                (true, _) => DataFlags::default(),
                (false, true) => DataFlags::END,
                (false, false) => DataFlags::NO_CRC,
            };
            self.next = if is_last { (index + 1, 0) } else { (index, end) };
            if offset == 0 {
                self.drive.1.push(self.pacing.next());
            }
            self.pacing.advance(requests_response);
            self.outbox.push_command_mode((ccw_number(index), dib, flags), data, Delay::None, received);
        }
    }

    /// Returns true when the command IU of a CCW carries the command-response request (CRR). It does so on the first
    /// CCW that moves user data, and where the window would close for good without it.
    fn requests_response(&self, index: usize, command: &ChainCommand) -> bool {
        index == self.chain.response_index() || self.pacing.needs_response(command.ius())
    }

    fn take(&mut self, now: Time, iu: Iu, fields: &CommandMode) {
        if !fields.dib.kind().is_recovery() {
            if fields.iu_count != self.next_count {
                self.purge(now, Cause::IuCount);
                return;
            }
            self.next_count = self.next_count.wrapping_add(1);
        }
        if self.chain.may_wait() {
            self.deadline.stop();
        } else {
            self.deadline.restart(now);
        }
        match fields.dib {
            Dib::Data => self.take_data(now, iu, fields),
            Dib::Status(status) => self.take_status(&iu, fields, &status),
            Dib::Control(control) => self.take_control(now, fields, &control),
            Dib::Command(_) | Dib::CommandData(_) => self.purge(now, Cause::Protocol),
        }
    }

    fn take_data(&mut self, now: Time, iu: Iu, fields: &CommandMode) {
        let reads = self.sent_command(fields.ccw).filter(|command| command.output.is_empty());
        let (Some(command), State::Open) = (reads, self.state) else {
            self.purge(now, Cause::Protocol);
            return;
        };
        let count = u32::from(command.count);
        let before = if self.arrived.0 == fields.ccw { self.arrived.1 } else { 0 };
        if before == 0 {
            self.read_data.1 = self.read_data.0.len();
        }
        self.arrived = (fields.ccw, before + iu.data.len());
        match iu.data {
            IuData::Bytes(octets) if self.read_data.0.is_empty() => self.read_data.0 = octets,
            IuData::Bytes(octets) => {
                self.append_read(&octets);
                self.spare = octets;
            }
            IuData::Shared(octets) => self.append_read(&octets),
            IuData::None | IuData::Count(_) => {}
        }
        if self.arrived.1 > count {
            self.purge(now, Cause::Length);
        }
    }

    /// Appends data that were read. Room is made for the whole chain when the first ones are not all.
    fn append_read(&mut self, octets: &[u8]) {
        let read = &mut self.read_data.0;
        if read.capacity() - read.len() < octets.len() {
            let reads = self.chain.commands().iter().filter(|command| command.output.is_empty());
            let most: usize = reads.map(|command| usize::from(command.count)).sum();
            read.reserve(octets.len().max(most.saturating_sub(read.len()).min(READ_ROOM_MAX_BYTES)));
        }
        read.extend_from_slice(octets);
    }

    fn take_status(&mut self, iu: &Iu, fields: &CommandMode, status: &StatusDib) {
        let command = self.sent_command(fields.ccw);
        // Data chaining overrides the suppression: areas are left that the command did not reach.
        let is_suppressed = |flags: ChainFlags| flags.has(ChainFlags::SLI) && !flags.has(ChainFlags::CD);
        let suppressed = command.is_some_and(|command| is_suppressed(command.flags));
        let residual = u32::from(status.residual().unwrap_or(0));
        let index = usize::from(fields.ccw.saturating_sub(FIRST_CCW_NUMBER));
        self.outbox.clear();
        let accepted = Dib::Control(ControlDib::plain(ControlFunction::StatusAccepted));
        self.push(fields.ccw, accepted);
        let device_end = status.device_status & DEVICE_END != 0;
        let unit_check = status.device_status & UNIT_CHECK != 0;
        match self.state {
            State::Open if status.flags.has(StatusFlags::RETRY) && device_end => self.drive_from(index),
            State::Open if status.flags.has(StatusFlags::RETRY) => self.state = State::RetryPending { index },
            State::RetryPending { index } if device_end && !unit_check => self.drive_from(index),
            _ => match BusyKind::of_status(status.device_status) {
                Some(busy) if self.received == 1 => self.close(ChannelOutcome::Busy(busy)),
                _ => self.close(ChannelOutcome::Ended {
                    device_status: status.device_status,
                    residual,
                    sense: iu.data.sense(),
                    incorrect_length: !suppressed
                        && (residual > 0 || status.flags.has(StatusFlags::LONG_RECORD)),
                    last_command: fields.ccw,
                }),
            },
        }
    }

    fn take_control(&mut self, now: Time, fields: &CommandMode, control: &ControlDib) {
        match control.function {
            ControlFunction::CommandResponse => {
                let index = usize::from(fields.ccw).wrapping_sub(usize::from(ccw_number(self.drive.0)));
                let (Some(&number), State::Open) = (self.drive.1.get(index), self.state) else {
                    self.purge(now, Cause::Protocol);
                    return;
                };
                let pacing = control.parameter[PACING_INDEX];
                self.window = self.window.max(pacing);
                self.pacing.acknowledge(number, pacing, self.received);
                self.fill();
            }
            ControlFunction::PurgePath => self.answer_purge(fields),
            ControlFunction::DeviceException => {
                self.outbox.clear();
                self.close(ChannelOutcome::InterfaceControlCheck(Cause::AddressException));
            }
            ControlFunction::ControlEnd
            | ControlFunction::StackStatus
            | ControlFunction::Cancel
            | ControlFunction::SystemReset
            | ControlFunction::SelectiveReset
            | ControlFunction::RequestStatus
            | ControlFunction::StatusAccepted
            | ControlFunction::DeviceAck
            | ControlFunction::PurgePathResponse => self.purge(now, Cause::Protocol),
        }
    }

    /// Drives the chain again from CCW `index`: command retry. The IUs sent beyond it count no more.
    fn drive_from(&mut self, index: usize) {
        self.state = State::Open;
        self.next = (index, 0);
        self.drive = (index, Vec::new());
        if self.arrived.0 == ccw_number(index) {
            // What came of the CCW that is driven again comes again.
            self.read_data.0.truncate(self.read_data.1);
        }
        self.arrived = (0, 0);
        self.pacing = Pacing::new(self.window, self.chain.longest_ius(), self.received);
        self.fill();
    }

    /// Returns the CCW with this number, if it has been sent.
    fn sent_command(&self, ccw: u16) -> Option<&ChainCommand> {
        let index = usize::from(ccw.checked_sub(FIRST_CCW_NUMBER)?);
        self.chain.commands().get(index).filter(|_| (index, 0) < self.next)
    }

    fn push(&mut self, ccw: u16, dib: Dib) {
        self.outbox.push_command_mode(
            (ccw, dib, DataFlags::default()),
            IuData::None,
            Delay::None,
            self.received,
        );
    }

    fn withdraw(&mut self, now: Time, outcome: ChannelOutcome) {
        self.outbox.clear();
        if !self.outbox.has_sent() {
            self.close(outcome);
            return;
        }
        self.push(ccw_number(self.drive.0), Dib::Control(ControlDib::plain(ControlFunction::Cancel)));
        self.state = State::Cancelling { outcome };
        self.deadline.set_span(CHANNEL_TIMEOUT_US);
        self.deadline.restart(now);
    }

    /// Accepts ABTS, in every state; an exchange that is in progress ends by a purge of the path that reports it.
    fn take_abort(&mut self, now: Time) {
        let is_in_progress = !matches!(self.state, State::Purging { .. } | State::Closed);
        if is_in_progress {
            self.outbox.clear();
        }
        let accept = Body::AbortAccept { ox_id: NO_EXCHANGE, rx_id: NO_EXCHANGE };
        self.outbox.push(accept, IuData::None, Delay::None, self.received);
        if is_in_progress {
            self.send_purge(now, Cause::Aborted);
        }
    }

    fn purge(&mut self, now: Time, cause: Cause) {
        self.outbox.clear();
        self.send_purge(now, cause);
    }

    fn send_purge(&mut self, now: Time, cause: Cause) {
        self.push(ccw_number(self.drive.0), Dib::Control(ControlDib::purge_path(cause.purge_code())));
        self.state = State::Purging { cause };
        self.deadline.set_span(CHANNEL_TIMEOUT_US);
        self.deadline.restart(now);
    }

    /// Answers the control unit's purge of the path, in whatever state.
    fn answer_purge(&mut self, fields: &CommandMode) {
        self.outbox.clear();
        let (body, data) = purge::response(fields, purge::code(fields));
        self.outbox.push(body, data, Delay::None, self.received);
        if self.state != State::Closed {
            let cause = Cause::Purged(purge::code(fields));
            self.close(ChannelOutcome::InterfaceControlCheck(cause));
        }
    }

    fn give_up(&mut self, outcome: ChannelOutcome) {
        self.outbox.clear();
        self.is_settled = false;
        self.close(outcome);
    }

    fn close(&mut self, outcome: ChannelOutcome) {
        self.state = State::Closed;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }
}

fn ccw_number(index: usize) -> u16 {
    FIRST_CCW_NUMBER.wrapping_add(index as u16)
}

fn command_dib(command: &ChainCommand, asks: bool) -> Dib {
    let flags = if asks { command.flags.with(ChainFlags::CRR) } else { command.flags };
    let dib = CommandDib { command: command.command, flags, count: command.count, ..CommandDib::default() };
    if command.output.is_empty() { Dib::Command(dib) } else { Dib::CommandData(dib) }
}

/// Returns the function of a control IU.
fn control_function(fields: &CommandMode) -> Option<ControlFunction> {
    match fields.dib {
        Dib::Control(control) => Some(control.function),
        Dib::Data | Dib::Command(_) | Dib::CommandData(_) | Dib::Status(_) => None,
    }
}
