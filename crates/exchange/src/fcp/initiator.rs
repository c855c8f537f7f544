//! The initiator's end of an FCP exchange (FCP reference sections 1.1, 1.4 to 1.6).
//!
//! ```text
//! Open ─ response, and all the data that it counts ─► Closed (FCP_CONF is sent when it is requested)
//!  ├─ transfer ready ─► (a burst is sent)
//!  ├─ no activity ─► REC, SRR: initiator_recovery
//!  └─ cancel(), protocol error, time ─► Aborting ─ BA_ACC or BA_RJT ─► Closed
//! ```

use halftrack_base::{Decision, Time};
use halftrack_wire::TransferReady;
use halftrack_wire::fcp::{DataDirection, FcpIu, FcpResponse, Residual, ResponseCode, ScsiStatus};

use super::agreement::FcpAgreement;
use super::initiator_recovery::Recovery;
use super::message::FcpMessage;
use super::message_queue::MessageQueue;
use super::outcome::FcpOutcome;
use super::request::FcpRequest;
use crate::deadline::Deadline;
use crate::outcome::Cause;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// The command is sent or under way.
    Open,
    /// ABTS was sent so often; the outcome when it is answered.
    Aborting { outcome: FcpOutcome, sent: u8 },
    /// The exchange is over.
    Closed,
}

/// The initiator's end of an FCP exchange.
#[derive(Debug, Clone)]
pub struct FcpInitiator {
    pub(super) request: FcpRequest,
    pub(super) agreement: FcpAgreement,
    pub(super) outbox: MessageQueue,
    pub(super) deadline: Deadline,
    pub(super) state: State,
    pub(super) recovery: Recovery,
    /// Requests to send something again since data moved last.
    pub(super) retransmissions: u8,
    /// Octets that came without a gap, or that were sent.
    pub(super) moved: u32,
    read_data: Vec<u8>,
    /// A response that came before data that it counts.
    pub(super) early_response: Option<FcpResponse>,
    has_sent: bool,
    is_settled: bool,
    was_aborted: bool,
    outcome: Option<FcpOutcome>,
}

impl FcpInitiator {
    /// Returns an initiator that begins `request` now.
    #[must_use]
    pub fn new(request: FcpRequest, agreement: FcpAgreement, now: Time) -> Self {
        let command = FcpMessage::Iu(FcpIu::Command(request.command()));
        let mut initiator = Self {
            deadline: Deadline::of(agreement.timers.command, now),
            request,
            agreement,
            outbox: MessageQueue::of(command),
            state: State::Open,
            recovery: Recovery::None,
            retransmissions: 0,
            moved: 0,
            read_data: Vec::new(),
            early_response: None,
            has_sent: false,
            is_settled: true,
            was_aborted: false,
            outcome: None,
        };
        initiator.expect_activity(now);
        initiator
    }

    /// Returns the next message to send, if one can be sent now.
    pub fn poll_transmit(&mut self) -> Option<FcpMessage> {
        let message = self.outbox.pop()?;
        self.has_sent = true;
        Some(message)
    }

    /// Returns how the exchange closed, once.
    pub fn poll_outcome(&mut self) -> Option<FcpOutcome> {
        self.outcome.take()
    }

    /// Returns the time at which [`FcpInitiator::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.deadline.at()
    }

    /// Returns true when the exchange is over; a confirmation may still have to be sent.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Returns true when a message can be sent now.
    #[must_use]
    pub fn has_transmit(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns whether ABTS was sent, so that the id of the exchange is to rest.
    #[must_use]
    pub const fn was_aborted(&self) -> bool {
        self.was_aborted
    }

    /// Returns the octets that the data of one sequence may have.
    #[must_use]
    pub const fn data_room(&self) -> u32 {
        match self.request.command().transfer() {
            (DataDirection::In, room_bytes) => room_bytes,
            (DataDirection::Out | DataDirection::None, _) => 0,
        }
    }

    /// Returns whether the target is known to have ended the exchange too, once it is closed. Otherwise ABTS was not
    /// answered, and the port is to log out of the target.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Returns the octets read; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.read_data)
    }

    /// Returns the buffer of what was written, when the exchange needs it no more.
    #[must_use]
    pub fn take_written(&mut self) -> Vec<u8> {
        self.request.take_data_out()
    }

    /// Takes the buffer back of data that were sent, or given up: they may have to be sent again.
    pub fn give_back(&mut self, data: Vec<u8>) {
        self.request.give_back(data);
    }

    /// Extends the deadline: frames of the exchange move, though no IU of it is complete.
    pub fn handle_progress(&mut self, now: Time) {
        self.deadline.extend(now);
    }

    /// Takes a message from the target.
    pub fn handle(&mut self, now: Time, message: FcpMessage) {
        match (&self.state, message) {
            (State::Closed, _) => {}
            (State::Aborting { .. }, FcpMessage::Iu(iu)) => self.take_while_aborting(iu),
            (State::Open, FcpMessage::Iu(iu)) => self.take_iu(now, iu),
            (State::Open, FcpMessage::State(answer)) => self.take_state(now, answer),
            (State::Open, FcpMessage::RetransmissionAnswer(answer)) => {
                self.take_retransmission_answer(now, answer);
            }
            // The rest goes the other way, or comes too late.
            _ => {}
        }
    }

    /// Aborts the exchange of which an IU came that cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        if self.state == State::Open {
            self.abort(now, cause);
        }
    }

    /// Withdraws the command: ABORT TASK. What was not sent is not sent.
    pub fn cancel(&mut self, now: Time) {
        if self.state == State::Open {
            self.abort(now, Cause::Cancelled);
        }
    }

    /// Ends the exchange, because the link or the login is gone.
    pub fn handle_link_down(&mut self) {
        if self.state != State::Closed {
            self.is_settled = !self.has_sent;
            self.close(FcpOutcome::Aborted(Cause::LinkDown));
        }
        self.outbox.clear();
    }

    fn take_iu(&mut self, now: Time, iu: FcpIu) {
        // What was requested of the target meanwhile is out of date.
        self.recovery = Recovery::None;
        self.expect_activity(now);
        match iu {
            FcpIu::TransferReady(ready) => self.take_transfer_ready(now, ready),
            FcpIu::Data { relative_offset, data } => self.take_data(now, relative_offset, data),
            FcpIu::Response(response) => self.take_response(response),
            FcpIu::Command(_)
            | FcpIu::Confirmation
            | FcpIu::Abort
            | FcpIu::AbortAccept { .. }
            | FcpIu::AbortReject(_) => self.abort(now, Cause::Protocol),
        }
    }

    fn take_while_aborting(&mut self, iu: FcpIu) {
        let State::Aborting { outcome, .. } = &mut self.state else { return };
        match iu {
            FcpIu::AbortAccept { .. } | FcpIu::AbortReject(_) => {
                let outcome = outcome.clone();
                self.close(outcome);
            }
            // It crossed ABTS and counts, unless the target broke the rules before.
            FcpIu::Response(response)
                if matches!(outcome, FcpOutcome::Aborted(Cause::Cancelled | Cause::Timeout)) =>
            {
                if let Some(ended) = self.ending(&response)
                    && let State::Aborting { outcome, .. } = &mut self.state
                {
                    *outcome = ended;
                }
            }
            _ => {}
        }
    }

    /// Sends the burst that the target is ready for. Where lost units are sent again, it may be one from before.
    fn take_transfer_ready(&mut self, now: Time, ready: TransferReady) {
        let TransferReady { relative_offset, burst_bytes } = ready;
        let is_next =
            relative_offset == self.moved || self.agreement.is_retried && relative_offset < self.moved;
        let is_next = is_next && burst_bytes > 0;
        match is_next.then(|| self.request.take_burst(relative_offset, burst_bytes)).flatten() {
            Some(data) => {
                self.move_to(relative_offset + burst_bytes);
                self.outbox.push(FcpMessage::Iu(FcpIu::Data { relative_offset, data }));
            }
            _ => self.abort(now, Cause::Protocol),
        }
    }

    /// Takes data of a read. Those behind a gap are dropped: the timer runs out, and they come again.
    fn take_data(&mut self, now: Time, relative_offset: u32, data: Vec<u8>) {
        let (direction, room_bytes) = self.request.command().transfer();
        let end = u64::from(relative_offset) + data.len() as u64;
        if direction != DataDirection::In {
            return self.abort(now, Cause::Protocol);
        }
        if end > u64::from(room_bytes) {
            return self.abort(now, Cause::Length);
        }
        let Some(known) = self.moved.checked_sub(relative_offset) else { return };
        if self.read_data.is_empty() && known == 0 {
            self.read_data = data;
            self.move_to(end as u32);
        } else if let Some(new) = data.get(known as usize..) {
            self.read_data.extend_from_slice(new);
            self.move_to(end as u32);
        }
        if let Some(response) = self.early_response.take() {
            self.take_response(response);
        }
    }

    fn move_to(&mut self, end: u32) {
        if end > self.moved {
            (self.moved, self.retransmissions) = (end, 0);
        }
    }

    /// Ends the exchange with a response, unless data that it counts are missing.
    fn take_response(&mut self, response: FcpResponse) {
        let Some(outcome) = self.ending(&response) else {
            self.early_response = Some(response);
            return;
        };
        self.outbox.clear();
        if response.requests_confirmation {
            self.outbox.push(FcpMessage::Iu(FcpIu::Confirmation));
        }
        self.close(outcome);
    }

    /// Returns how a response ends the exchange; none while data are missing that it counts.
    fn ending(&mut self, response: &FcpResponse) -> Option<FcpOutcome> {
        if self.request.is_management() {
            return Some(FcpOutcome::Managed(response.code.unwrap_or(ResponseCode::Complete)));
        }
        if let Some(code) = response.code.filter(|code| *code != ResponseCode::Complete) {
            return Some(FcpOutcome::Failed(code));
        }
        let (direction, stated_bytes) = self.request.command().transfer();
        let counted_bytes = match response.residual {
            Residual::Under(left) => stated_bytes.saturating_sub(left),
            Residual::None | Residual::Over(_) => stated_bytes,
        };
        let is_good = matches!(response.status, ScsiStatus::GOOD | ScsiStatus::CONDITION_MET);
        if is_good && self.moved < counted_bytes {
            return match direction {
                DataDirection::In => None,
                // It cannot have what was never requested.
                DataDirection::Out | DataDirection::None => Some(FcpOutcome::Aborted(Cause::Length)),
            };
        }
        self.read_data.truncate(counted_bytes as usize);
        Some(FcpOutcome::Ended {
            status: response.status,
            residual: response.residual,
            sense: response.sense.clone(),
            retry_delay: response.retry_delay,
        })
    }

    /// Begins the time in which something of the target is to come.
    pub(super) fn expect_activity(&mut self, now: Time) {
        let timers = &self.agreement.timers;
        let span = if self.request.is_management() {
            timers.management
        } else if self.agreement.is_retried {
            timers.recovery
        } else {
            timers.command
        };
        self.deadline = Deadline::of(span, now);
    }

    pub(super) fn abort(&mut self, now: Time, cause: Cause) {
        let outcome = FcpOutcome::Aborted(cause);
        self.outbox.clear();
        if !self.has_sent {
            return self.close(outcome);
        }
        Decision::CommandAborted.count();
        self.send_abort(now, outcome, 1);
    }

    pub(super) fn send_abort(&mut self, now: Time, outcome: FcpOutcome, sent: u8) {
        self.was_aborted = true;
        self.outbox.push(FcpMessage::Iu(FcpIu::Abort));
        self.state = State::Aborting { outcome, sent };
        self.deadline = Deadline::of(self.agreement.timers.abort, now);
    }

    /// Closes an exchange whose ABTS was not answered.
    pub(super) fn give_up(&mut self, outcome: FcpOutcome) {
        Decision::AbortUnanswered.count();
        self.is_settled = false;
        self.outbox.clear();
        self.close(outcome);
    }

    pub(super) fn close(&mut self, outcome: FcpOutcome) {
        self.state = State::Closed;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }
}
