//! The target's end of an FCP exchange (FCP reference sections 1.2, 1.4 to 1.6).
//!
//! ```text
//! Idle ─ read, no data, function ───────────► Ended (data and response are sent)
//!  ├─ older commands are before it ─► Waiting ─► as from Idle
//!  └─ write ─► Collecting ─ last burst ─────► Ended (response is sent)
//!                └─ burst ─► (transfer ready for the next is sent)
//! Ended ─ FCP_CONF, or RR_TOV; at once where nothing may have to be sent again ─► Over
//! any state: ABTS ─► Over (BA_ACC is sent)
//! ```

use halftrack_base::Time;
use halftrack_wire::TransferReady;
use halftrack_wire::fcp::{FcpCommand, FcpIu, FcpResponse, FcpTask, ResponseCode};

use super::agreement::FcpAgreement;
use super::device::{ScsiDevice, ScsiEnding, ScsiProgress, TaskTag};
use super::message::FcpMessage;
use super::message_queue::MessageQueue;
use crate::bursts;
use crate::deadline::Deadline;
use crate::outcome::{Cause, ControlUnitOutcome};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing has come.
    Idle,
    /// The command waits for older ones at its device.
    Waiting(FcpCommand),
    /// Data of a write are coming.
    Collecting(Write),
    /// The response is sent or under way; what may have to be sent again is kept.
    Ended(Kept),
    /// The exchange is over.
    Over,
}

/// A write whose data are coming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Write {
    command: FcpCommand,
    /// Octets that move.
    transfer_bytes: u32,
    /// End of the burst that is expected.
    burst_end: u32,
    data: Vec<u8>,
}

impl Write {
    /// Returns the octets of whole bursts that have come.
    pub(super) const fn received_bytes(&self) -> u32 {
        self.data.len() as u32
    }
}

/// State of an exchange that is kept for its initiator to request it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) command: Option<FcpCommand>,
    /// Octets of data sent, or received.
    pub(super) moved_bytes: u32,
    pub(super) response: FcpResponse,
}

/// The target's end of an FCP exchange.
#[derive(Debug, Clone)]
pub struct FcpTarget {
    /// Address of the initiator's port.
    pub(super) initiator: u32,
    /// Ids of the exchange: of the originator, of the responder.
    pub(super) ids: (u16, u16),
    pub(super) agreement: FcpAgreement,
    pub(super) outbox: MessageQueue,
    pub(super) deadline: Deadline,
    pub(super) state: State,
    /// Buffer of data that are used no more.
    spare: Vec<u8>,
    outcome: Option<ControlUnitOutcome>,
}

impl FcpTarget {
    /// Returns a target that waits for the command of the exchange with these ids.
    #[must_use]
    pub fn new(initiator: u32, ids: (u16, u16), agreement: FcpAgreement, now: Time) -> Self {
        Self {
            initiator,
            ids,
            agreement,
            outbox: MessageQueue::default(),
            deadline: Deadline::of(agreement.timers.command, now),
            state: State::Idle,
            spare: Vec::new(),
            outcome: None,
        }
    }

    /// Returns the next message to send, if one can be sent now.
    pub fn poll_transmit(&mut self) -> Option<FcpMessage> {
        self.outbox.pop()
    }

    /// Returns true when a message can be sent now.
    #[must_use]
    pub fn has_transmit(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns how the exchange closed, once, when all that it had to send is sent.
    pub fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        if self.outbox.is_empty() { self.outcome.take() } else { None }
    }

    /// Returns the time at which [`FcpTarget::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.deadline.at()
    }

    /// Returns true when the exchange is over; an answer may still have to be sent.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// Returns true when the exchange has ended and is kept for its initiator, who may request something again.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    /// Returns the octets that the data of one sequence may have.
    #[must_use]
    pub const fn data_room(&self) -> u32 {
        match &self.state {
            State::Collecting(write) => write.transfer_bytes,
            State::Idle | State::Waiting(_) | State::Ended(_) | State::Over => 0,
        }
    }

    /// Takes the buffer of data that are used no more.
    pub fn take_spare(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spare)
    }

    /// Extends the deadline: frames of the exchange move, though no IU of it is complete.
    pub fn handle_progress(&mut self, now: Time) {
        self.deadline.extend(now);
    }

    /// Takes a message from the initiator.
    pub fn handle(&mut self, device: &mut impl ScsiDevice, now: Time, message: FcpMessage) {
        self.deadline.extend(now);
        match message {
            FcpMessage::Iu(FcpIu::Command(command)) if self.state == State::Idle => {
                self.take_command(device, now, command);
            }
            FcpMessage::Iu(FcpIu::Data { relative_offset, data }) => {
                self.take_data(device, now, relative_offset, data);
            }
            FcpMessage::Iu(FcpIu::Confirmation) if self.is_kept() => self.forget(),
            FcpMessage::Iu(FcpIu::Abort) => self.take_abort(device, now),
            FcpMessage::StateRequest => self.answer_state_request(),
            FcpMessage::Retransmission { category, relative_offset } => {
                self.answer_retransmission(device, category, relative_offset);
            }
            // The rest goes the other way.
            FcpMessage::Iu(_) | FcpMessage::State(_) | FcpMessage::RetransmissionAnswer(_) => {}
        }
    }

    /// Takes the progress of a command that waited for others, or was ended by one.
    pub fn resume(&mut self, now: Time, progress: ScsiProgress) {
        match (&self.state, &progress) {
            (State::Waiting(command), _) => {
                let command = *command;
                self.go_on(now, command, progress);
            }
            (State::Collecting(write), ScsiProgress::Aborted | ScsiProgress::Ended(_)) => {
                let command = write.command;
                self.outbox.clear();
                self.go_on(now, command, progress);
            }
            _ => {}
        }
    }

    /// Refuses a command whose octets cannot be read.
    pub fn handle_damaged_command(&mut self, now: Time) {
        if self.state == State::Idle {
            self.fail(now, ResponseCode::CommandFields, Cause::Protocol);
        }
    }

    /// Ends a command for which there is no room, with this status.
    pub fn refuse(&mut self, now: Time, ending: ScsiEnding) {
        if self.state == State::Idle {
            self.end(now, None, ending, 0);
            self.outcome = Some(ControlUnitOutcome::Refused);
        }
    }

    /// Ends the exchange, because the link or the login is gone.
    pub fn handle_link_down(&mut self, device: &mut impl ScsiDevice, now: Time) {
        self.cut_off(device, now, Cause::LinkDown);
    }

    /// Ends what waits too long for its initiator.
    pub fn handle_timeout(&mut self, device: &mut impl ScsiDevice, now: Time) {
        if !self.deadline.is_due(now) {
            return;
        }
        match self.state {
            State::Idle | State::Waiting(_) | State::Collecting(_) => {
                self.drop_command(device, now);
                self.outbox.clear();
                self.abandon(Cause::Timeout);
            }
            State::Ended(_) => self.forget(),
            State::Over => self.deadline.stop(),
        }
    }

    const fn tag(&self) -> TaskTag {
        (self.initiator, self.ids.0)
    }

    fn take_command(&mut self, device: &mut impl ScsiDevice, now: Time, command: FcpCommand) {
        match command.task {
            FcpTask::Command { .. } => {
                let progress = device.begin(now, self.tag(), &command);
                self.go_on(now, command, progress);
            }
            FcpTask::Management(function) => {
                let code = device.manage(now, self.initiator, command.logical_unit, function);
                self.respond(now, None, Vec::new(), FcpResponse::of_code(code), 0);
            }
        }
    }

    fn go_on(&mut self, now: Time, command: FcpCommand, progress: ScsiProgress) {
        match progress {
            ScsiProgress::Waits => self.state = State::Waiting(command),
            ScsiProgress::Aborted => self.abandon(Cause::Reset),
            ScsiProgress::DataOut(transfer_bytes) => {
                let mut write = Write { command, transfer_bytes, burst_end: 0, data: Vec::new() };
                self.request_burst(&mut write);
                self.state = State::Collecting(write);
            }
            ScsiProgress::Ended(ending) => {
                let received_bytes = match &self.state {
                    State::Collecting(write) => write.received_bytes(),
                    _ => 0,
                };
                self.end(now, Some(command), ending, received_bytes);
            }
        }
    }

    /// Takes a burst: it has to be the one that was requested, in whole. What is beyond is never stored. Nothing is requested
    /// of data that come late, or again.
    fn take_data(&mut self, device: &mut impl ScsiDevice, now: Time, relative_offset: u32, data: Vec<u8>) {
        let State::Collecting(write) = &mut self.state else { return };
        let (from, end) = (u64::from(relative_offset), u64::from(relative_offset) + data.len() as u64);
        let received_bytes = u64::from(write.received_bytes());
        if self.agreement.is_retried && end <= received_bytes {
            return;
        }
        let is_expected = from == received_bytes;
        if !is_expected || end != u64::from(write.burst_end) {
            let (code, cause) = if is_expected {
                (ResponseCode::DataLength, Cause::Length)
            } else {
                (ResponseCode::DataOffset, Cause::Protocol)
            };
            device.abort(now, self.tag());
            return self.fail(now, code, cause);
        }
        if write.data.is_empty() {
            write.data = data;
        } else {
            write.data.extend_from_slice(&data);
        }
        let State::Collecting(mut write) = std::mem::replace(&mut self.state, State::Idle) else { return };
        if write.burst_end < write.transfer_bytes {
            self.request_burst(&mut write);
            self.state = State::Collecting(write);
            return;
        }
        let progress = device.finish(now, self.tag(), &write.data);
        let received_bytes = write.received_bytes();
        self.spare = write.data;
        match progress {
            ScsiProgress::Ended(ending) => self.end(now, Some(write.command), ending, received_bytes),
            progress => self.go_on(now, write.command, progress),
        }
    }

    fn request_burst(&mut self, write: &mut Write) {
        let (all, relative_offset) = (write.transfer_bytes, write.received_bytes());
        let burst_bytes = bursts::next_within(all, all, relative_offset, self.agreement.burst_bytes);
        write.burst_end = relative_offset + burst_bytes;
        self.send(FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes }));
    }

    /// Returns whether the burst that is expected begins at this offset.
    pub(super) const fn begins_burst(&self, relative_offset: u32) -> bool {
        matches!(&self.state, State::Collecting(write) if write.received_bytes() == relative_offset)
    }

    /// Requests the burst again that is expected.
    pub(super) fn request_burst_again(&mut self) {
        let State::Collecting(write) = &self.state else { return };
        let relative_offset = write.received_bytes();
        let burst_bytes = write.burst_end - relative_offset;
        self.send(FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes }));
    }

    fn end(&mut self, now: Time, command: Option<FcpCommand>, ending: ScsiEnding, received_bytes: u32) {
        let ScsiEnding { status, sense, data, residual, retry_delay, wants_confirmation } = ending;
        let requests_confirmation = wants_confirmation && self.agreement.is_confirmed;
        let response =
            FcpResponse { retry_delay, requests_confirmation, residual, status, code: None, sense };
        self.respond(now, command, data, response, received_bytes);
    }

    /// Ends the exchange with a response that has the reason: the initiator broke the rules.
    fn fail(&mut self, now: Time, code: ResponseCode, cause: Cause) {
        self.outbox.clear();
        self.respond(now, None, Vec::new(), FcpResponse::of_code(code), 0);
        self.outcome = Some(ControlUnitOutcome::Abandoned(cause));
    }

    fn respond(
        &mut self,
        now: Time,
        command: Option<FcpCommand>,
        data: Vec<u8>,
        response: FcpResponse,
        received_bytes: u32,
    ) {
        let moved_bytes = received_bytes.max(data.len() as u32);
        let is_kept = self.agreement.is_retried || response.requests_confirmation;
        self.outcome = Some(ControlUnitOutcome::Completed);
        self.send_data(data, 0);
        if is_kept {
            self.send(FcpIu::Response(response.clone()));
            self.state = State::Ended(Kept { command, moved_bytes, response });
            self.deadline = Deadline::of(self.agreement.timers.retention, now);
        } else {
            self.send(FcpIu::Response(response));
            self.forget();
        }
    }

    /// Sends the data of a read from an offset on, in bursts. A single burst goes out of the buffer itself.
    pub(super) fn send_data(&mut self, data: Vec<u8>, from: u32) {
        let all = data.len() as u32;
        let mut relative_offset = from;
        while relative_offset < all {
            let bytes = bursts::next_within(all, all, relative_offset, self.agreement.burst_bytes);
            if bytes == all {
                return self.send(FcpIu::Data { relative_offset, data });
            }
            let end = relative_offset + bytes;
            let data = data[relative_offset as usize..end as usize].to_vec();
            self.send(FcpIu::Data { relative_offset, data });
            relative_offset = end;
        }
        // The buffer of a write may be there already, and nothing has come to be sent.
        if data.capacity() > self.spare.capacity() {
            self.spare = data;
        }
    }

    pub(super) fn send(&mut self, iu: FcpIu) {
        self.outbox.push(FcpMessage::Iu(iu));
    }

    /// Ends the exchange, whatever of it is on the way. A response that is not sent did not complete it.
    pub(super) fn cut_off(&mut self, device: &mut impl ScsiDevice, now: Time, cause: Cause) {
        self.drop_command(device, now);
        let is_response = |message: &FcpMessage| matches!(message, FcpMessage::Iu(FcpIu::Response(_)));
        let is_unsent = self.outbox.any(is_response);
        let is_open = matches!(self.state, State::Idle | State::Waiting(_) | State::Collecting(_));
        self.outbox.clear();
        if self.outcome.is_some() && is_unsent || is_open {
            self.abandon(cause);
        } else {
            self.forget();
        }
    }

    /// Drops the command at the device, if it is not over there.
    fn drop_command(&self, device: &mut impl ScsiDevice, now: Time) {
        if matches!(self.state, State::Waiting(_) | State::Collecting(_)) {
            device.abort(now, self.tag());
        }
    }

    fn abandon(&mut self, cause: Cause) {
        self.outcome = Some(ControlUnitOutcome::Abandoned(cause));
        self.forget();
    }

    fn forget(&mut self) {
        self.state = State::Over;
        self.deadline.stop();
    }
}
