//! The target's end of an FCP exchange (FCP reference sections 1.2, 1.4 to 1.6).
//!
//! ```text
//! Idle ─ read, no data, function ───────────► Ended (data and response are sent)
//!  └─ write ─► Collecting ─ last burst ─────► Ended (response is sent)
//!                └─ burst ─► (transfer ready for the next is sent)
//! Ended ─ FCP_CONF, or RR_TOV; at once where nothing may have to be sent again ─► Over
//! any state: ABTS ─► Over (BA_ACC is sent)
//! ```

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::TransferReady;
use halftrack_wire::fcp::{
    Cdb, DataDirection, FcpCommand, FcpIu, FcpResponse, FcpTask, Residual, ResponseCode, TaskManagement,
};

use super::agreement::FcpAgreement;
use super::device::{Nexus, ScsiDevice, ScsiEnding};
use super::message::FcpMessage;
use crate::bursts;
use crate::deadline::Deadline;
use crate::outcome::{Cause, ControlUnitOutcome};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing has come.
    Idle,
    /// Data of a write are coming.
    Collecting(Write),
    /// The response is sent or under way; it and the data before it are kept.
    Ended(Kept),
    /// The exchange is over.
    Over,
}

/// A write whose data are coming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Write {
    nexus: Nexus,
    cdb: Cdb,
    direction: DataDirection,
    /// Octets that the command takes, and those that the initiator stated.
    called_bytes: u32,
    stated_bytes: u32,
    /// End of the burst that is expected.
    burst_end: u32,
    data: Vec<u8>,
}

impl Write {
    /// Returns the octets that move.
    fn transfer_bytes(&self) -> u32 {
        match self.direction {
            DataDirection::Out => self.called_bytes.min(self.stated_bytes),
            DataDirection::In | DataDirection::None => 0,
        }
    }

    pub(super) fn received_bytes(&self) -> u32 {
        self.data.len() as u32
    }
}

/// Parts of an exchange that may have to be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    /// Data of a read.
    pub(super) data: Vec<u8>,
    /// Octets of a write that were received.
    pub(super) received_bytes: u32,
    pub(super) response: FcpResponse,
}

/// The target's end of an FCP exchange.
#[derive(Debug, Clone)]
pub struct FcpTarget {
    /// Address of the initiator's port.
    initiator: u32,
    /// Ids of the exchange: of the originator, of the responder.
    pub(super) ids: (u16, u16),
    pub(super) agreement: FcpAgreement,
    pub(super) outbox: VecDeque<FcpMessage>,
    pub(super) deadline: Deadline,
    pub(super) state: State,
    /// Task management function that was performed.
    pub(super) managed: Option<(Nexus, TaskManagement)>,
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
            outbox: VecDeque::new(),
            deadline: Deadline::of(agreement.timers.command, now),
            state: State::Idle,
            managed: None,
            outcome: None,
        }
    }

    /// Returns the next message to send, if one can be sent now.
    pub fn poll_transmit(&mut self) -> Option<FcpMessage> {
        self.outbox.pop_front()
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

    /// Returns the octets that the data of one sequence may have.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        match &self.state {
            State::Collecting(write) => write.transfer_bytes(),
            State::Idle | State::Ended(_) | State::Over => 0,
        }
    }

    /// Takes a message from the initiator.
    pub fn handle(&mut self, device: &mut impl ScsiDevice, now: Time, message: FcpMessage) {
        self.deadline.extend(now);
        match message {
            FcpMessage::Iu(FcpIu::Command(command)) if self.state == State::Idle => {
                self.take_command(device, now, command);
            }
            FcpMessage::Iu(FcpIu::Data { relative_offset, data }) => {
                self.take_data(device, now, relative_offset, &data);
            }
            FcpMessage::Iu(FcpIu::Confirmation) if matches!(self.state, State::Ended(_)) => self.forget(),
            FcpMessage::Iu(FcpIu::Abort) => self.take_abort(),
            FcpMessage::StateRequest => self.answer_state_request(),
            FcpMessage::Retransmission { category, relative_offset } => {
                self.answer_retransmission(category, relative_offset);
            }
            // The rest goes the other way.
            FcpMessage::Iu(_) | FcpMessage::State(_) | FcpMessage::RetransmissionAnswer(_) => {}
        }
    }

    /// Refuses a command whose octets cannot be read.
    pub fn handle_damaged_command(&mut self, now: Time) {
        if self.state == State::Idle {
            self.fail(now, ResponseCode::CommandFields, Cause::Protocol);
        }
    }

    /// Ends a task without a response, because a task management function aborts it or its login is over. False for one
    /// that has ended already.
    pub fn abort_task(&mut self, cause: Cause) -> bool {
        let is_open = matches!(self.state, State::Idle | State::Collecting(_));
        if is_open {
            self.outbox.clear();
            self.abandon(cause);
        }
        is_open
    }

    /// Ends the exchange, because the link or the login is gone.
    pub fn handle_link_down(&mut self) {
        self.cut_off(Cause::LinkDown);
    }

    /// Ends what waits too long for its initiator.
    pub fn handle_timeout(&mut self, now: Time) {
        if !self.deadline.is_due(now) {
            return;
        }
        match self.state {
            State::Idle | State::Collecting(_) => {
                self.outbox.clear();
                self.abandon(Cause::Timeout);
            }
            State::Ended(_) => self.forget(),
            State::Over => self.deadline.stop(),
        }
    }

    fn take_command(&mut self, device: &mut impl ScsiDevice, now: Time, command: FcpCommand) {
        let nexus = Nexus { initiator: self.initiator, unit: command.logical_unit };
        let (direction, stated_bytes) = command.transfer();
        let cdb = match command.task {
            FcpTask::Command { cdb, .. } => cdb,
            FcpTask::Management(function) => {
                let code = device.manage(nexus, function);
                self.managed = (code == ResponseCode::Complete).then_some((nexus, function));
                let response = FcpResponse::of_code(code);
                return self.respond(now, Vec::new(), response, 0, ControlUnitOutcome::Completed);
            }
        };
        match device.data_out_bytes(nexus, &cdb) {
            Err(ending) => {
                let called_bytes = ending.data.len() as u32;
                self.end(now, ending, direction, Residual::of(called_bytes.into(), stated_bytes), 0);
            }
            Ok(called_bytes) => {
                let data = Vec::new();
                let mut write =
                    Write { nexus, cdb, direction, called_bytes, stated_bytes, burst_end: 0, data };
                if write.transfer_bytes() > 0 {
                    self.request_burst(&mut write);
                    self.state = State::Collecting(write);
                } else {
                    self.execute(device, now, &write);
                }
            }
        }
    }

    /// Takes a burst: it has to be the one that was requested, in whole. What is beyond is never stored. Nothing is requested
    /// of data that come late, or again.
    fn take_data(&mut self, device: &mut impl ScsiDevice, now: Time, relative_offset: u32, data: &[u8]) {
        let State::Collecting(write) = &mut self.state else { return };
        let (from, end) = (u64::from(relative_offset), u64::from(relative_offset) + data.len() as u64);
        let received_bytes = u64::from(write.received_bytes());
        if self.agreement.is_retried && end <= received_bytes {
            return;
        }
        if from != received_bytes {
            return self.fail(now, ResponseCode::DataOffset, Cause::Protocol);
        }
        if end != u64::from(write.burst_end) {
            return self.fail(now, ResponseCode::DataLength, Cause::Length);
        }
        write.data.extend_from_slice(data);
        let State::Collecting(mut write) = std::mem::replace(&mut self.state, State::Idle) else { return };
        if write.burst_end < write.transfer_bytes() {
            self.request_burst(&mut write);
            self.state = State::Collecting(write);
        } else {
            self.execute(device, now, &write);
        }
    }

    fn request_burst(&mut self, write: &mut Write) {
        let (all, relative_offset) = (write.transfer_bytes(), write.received_bytes());
        let burst_bytes = bursts::next_within(all, all, relative_offset, self.agreement.burst_bytes);
        write.burst_end = relative_offset + burst_bytes;
        self.send(FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes }));
    }

    /// Requests the burst again that is expected, when it begins where the initiator wants it.
    pub(super) fn request_burst_again(&mut self, relative_offset: u32) -> bool {
        let State::Collecting(write) = &self.state else { return false };
        let received_bytes = write.received_bytes();
        let burst_bytes = write.burst_end - received_bytes;
        if relative_offset == received_bytes {
            self.send(FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes }));
        }
        relative_offset == received_bytes
    }

    fn execute(&mut self, device: &mut impl ScsiDevice, now: Time, write: &Write) {
        let ending = device.execute(write.nexus, &write.cdb, &write.data);
        let called_bytes = match write.direction {
            DataDirection::Out => write.called_bytes,
            DataDirection::In => ending.data.len() as u32,
            DataDirection::None => write.called_bytes.max(ending.data.len() as u32),
        };
        let residual = Residual::of(called_bytes.into(), write.stated_bytes);
        self.end(now, ending, write.direction, residual, write.received_bytes());
    }

    fn end(
        &mut self,
        now: Time,
        ending: ScsiEnding,
        direction: DataDirection,
        residual: Residual,
        received_bytes: u32,
    ) {
        let ScsiEnding { status, sense, mut data, retry_delay, wants_confirmation } = ending;
        if direction != DataDirection::In {
            data.clear();
        } else if let Residual::Over(left) = residual {
            data.truncate(data.len() - left as usize);
        }
        let requests_confirmation = wants_confirmation && self.agreement.is_confirmed;
        let response =
            FcpResponse { retry_delay, requests_confirmation, residual, status, code: None, sense };
        self.respond(now, data, response, received_bytes, ControlUnitOutcome::Completed);
    }

    /// Ends the exchange with a response that has the reason: the initiator broke the rules.
    fn fail(&mut self, now: Time, code: ResponseCode, cause: Cause) {
        self.outbox.clear();
        let outcome = ControlUnitOutcome::Abandoned(cause);
        self.respond(now, Vec::new(), FcpResponse::of_code(code), 0, outcome);
    }

    fn respond(
        &mut self,
        now: Time,
        data: Vec<u8>,
        response: FcpResponse,
        received_bytes: u32,
        outcome: ControlUnitOutcome,
    ) {
        self.send_data(&data, 0);
        self.send(FcpIu::Response(response.clone()));
        self.outcome = Some(outcome);
        if self.agreement.is_retried || response.requests_confirmation {
            self.state = State::Ended(Kept { data, received_bytes, response });
            self.deadline = Deadline::of(self.agreement.timers.retention, now);
        } else {
            self.forget();
        }
    }

    /// Sends the data of a read from an offset on, in bursts.
    pub(super) fn send_data(&mut self, data: &[u8], from: u32) {
        let all = data.len() as u32;
        let mut relative_offset = from;
        while relative_offset < all {
            let bytes = bursts::next_within(all, all, relative_offset, self.agreement.burst_bytes);
            let end = relative_offset + bytes;
            let data = data[relative_offset as usize..end as usize].to_vec();
            self.send(FcpIu::Data { relative_offset, data });
            relative_offset = end;
        }
    }

    pub(super) fn send(&mut self, iu: FcpIu) {
        self.outbox.push_back(FcpMessage::Iu(iu));
    }

    /// Ends the exchange, whatever of it is on the way. A response that is not sent did not complete it.
    pub(super) fn cut_off(&mut self, cause: Cause) {
        let is_response = |message: &FcpMessage| matches!(message, FcpMessage::Iu(FcpIu::Response(_)));
        let is_unsent = self.outbox.iter().any(is_response);
        self.outbox.clear();
        if self.outcome.is_some() && is_unsent || matches!(self.state, State::Idle | State::Collecting(_)) {
            self.abandon(cause);
        } else {
            self.forget();
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
