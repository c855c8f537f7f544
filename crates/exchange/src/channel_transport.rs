//! The channel's end of a transport-mode exchange (Fibre Channel reference 6.6).
//!
//! ```text
//! Open ─ transport response ─► Closed
//!  └─ cancel(), time-out, IU lost, damaged or out of place ─► Aborting ─ BA_ACC or time-out ─► Closed
//! ```
//!
//! The transport command carries the whole program. What of a write may come without transfer-ready follows it
//! at once; each transfer-ready is answered with one burst.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_program::CHECK_WORD_BYTES;
use halftrack_wire::choices::{
    BURST_ALIGNMENT_BYTES, CHANNEL_TIMEOUT_US, RESPONSE_ACCEPTED, RESPONSE_ADDRESS_EXCEPTION,
    TWO_OPERATIONS_REASON,
};
use halftrack_wire::{Body, Iu, IuData, TransportPart, TransportResponse};

use crate::bursts;
use crate::deadline::Deadline;
use crate::end::Identity;
use crate::end_delegates::channel_machine_methods;
use crate::outbox::Outbox;
use crate::outcome::{BusyKind, Cause, ChannelOutcome};
use crate::plan::Login;
use crate::program::TransportRequest;
use crate::step::{Delay, Step};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The program is carried out.
    Open,
    /// ABTS was sent; accepted, the exchange ends with `outcome`.
    Aborting { outcome: ChannelOutcome },
    /// Over.
    Closed,
}

/// The channel's end of a transport-mode exchange.
#[derive(Debug)]
pub struct ChannelTransport {
    request: Arc<TransportRequest>,
    state: State,
    outbox: Outbox,
    deadline: Deadline,
    /// IUs from the control unit.
    received: u16,
    /// Bytes of the transfer sent or received, check words included.
    transferred: u32,
    /// Bytes of user data received, and their octets where they are known.
    data_received: u32,
    read_data: Vec<u8>,
    /// The control unit has ended the exchange too, as far as is known.
    is_settled: bool,
    outcome: Option<ChannelOutcome>,
}

impl ChannelTransport {
    /// Returns a channel that begins `request` now.
    #[must_use]
    pub fn new(
        request: Arc<TransportRequest>,
        login: &Login,
        identity: Identity,
        now: Time,
    ) -> ChannelTransport {
        let mut channel = ChannelTransport {
            state: State::Open,
            outbox: Outbox::new(identity, login.frames()),
            deadline: Deadline::new(CHANNEL_TIMEOUT_US, now),
            received: 0,
            transferred: 0,
            data_received: 0,
            read_data: Vec::new(),
            is_settled: true,
            outcome: None,
            request,
        };
        let moves = channel.request.data_bytes() > 0;
        let body = Body::TransportCommand {
            read: moves && !channel.request.write,
            write: moves && channel.request.write,
        };
        let tccb = IuData::Bytes(channel.request.tccb.clone());
        channel.outbox.push(body, tccb, Delay::None, 0);
        let burst = first_burst(&channel.request, login);
        if burst > 0 {
            channel.push_burst(burst);
        }
        channel
    }

    /// Withdraws the program.
    pub fn cancel(&mut self, now: Time) {
        match self.state {
            State::Open => self.abort(now, ChannelOutcome::Cancelled),
            State::Aborting { .. } | State::Closed => {}
        }
    }

    /// Begins the recovery from an IU that cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        match self.state {
            State::Open => self.abort(now, ChannelOutcome::InterfaceControlCheck(cause)),
            State::Aborting { .. } | State::Closed => {}
        }
    }

    /// Takes an IU from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.received = self.received.saturating_add(1);
        match self.state {
            State::Open => self.take(now, iu),
            State::Aborting { outcome } => {
                if let Body::AbortAccept { .. } = iu.body {
                    self.close(outcome);
                }
            }
            State::Closed => {}
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

    /// Returns the octets that the data of one IU from the control unit may have now, check word included.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        let is_read = self.state == State::Open && !self.request.write;
        if is_read { self.request.transport_count().saturating_sub(self.transferred) } else { 0 }
    }

    /// Returns the part of the transfer that data of `bytes` octets from `relative_offset` on are. The data of a read are in one
    /// IU, so they close with the check word though there may be fewer than the program requests.
    #[must_use]
    pub fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        let data = bytes.saturating_sub(CHECK_WORD_BYTES);
        let wanted = self.request.data_bytes().saturating_sub(self.data_received);
        let inserted_bytes = data.saturating_sub(wanted);
        TransportPart::Data { relative_offset, inserted_bytes, ends_transfer: true }
    }

    /// Returns the octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.read_data)
    }

    /// Does what a time-out that is due demands.
    pub fn handle_timeout(&mut self, now: Time) {
        if !self.deadline.is_due(now) {
            return;
        }
        let timed_out = ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
        match self.state {
            State::Open => self.abort(now, timed_out),
            State::Aborting { outcome: ChannelOutcome::InterfaceControlCheck(cause) } => {
                self.outbox.clear();
                self.is_settled = false;
                self.close(ChannelOutcome::InterfaceControlCheck(cause));
            }
            State::Aborting { .. } => {
                self.outbox.clear();
                self.is_settled = false;
                self.close(timed_out);
            }
            State::Closed => {}
        }
    }

    /// Shortens the wait for the next IU to this: something of the exchange may be lost.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        if self.state == State::Open {
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

    fn take(&mut self, now: Time, iu: Iu) {
        self.deadline.restart(now);
        match iu.body {
            Body::TransferReady { relative_offset, burst_bytes } => {
                self.take_transfer_ready(now, relative_offset, burst_bytes);
            }
            Body::TransportData { relative_offset, .. } => self.take_data(now, relative_offset, iu),
            Body::TransportResponse(response) => self.take_response(&iu, &response),
            Body::Device(_)
            | Body::Fcp(_)
            | Body::CommandMode(_)
            | Body::TransportCommand { .. }
            | Body::Abort
            | Body::AbortAccept { .. } => self.handle_damaged(now, Cause::Protocol),
        }
    }

    fn take_transfer_ready(&mut self, now: Time, relative_offset: u32, burst_bytes: u32) {
        let left = self.request.transport_count().saturating_sub(self.transferred);
        let aligned = burst_bytes.is_multiple_of(BURST_ALIGNMENT_BYTES);
        let fits = relative_offset == self.transferred && burst_bytes > 0 && burst_bytes <= left && aligned;
        if self.request.write && fits {
            self.push_burst(burst_bytes);
        } else {
            self.handle_damaged(now, Cause::Protocol);
        }
    }

    fn take_data(&mut self, now: Time, relative_offset: u32, iu: Iu) {
        if self.request.write || relative_offset != self.transferred {
            self.handle_damaged(now, Cause::Protocol);
            return;
        }
        self.transferred = self.transferred.saturating_add(iu.payload_bytes());
        let user_bytes = iu.data_bytes();
        self.data_received = self.data_received.saturating_add(user_bytes);
        if let IuData::Bytes(mut octets) = iu.data {
            octets.truncate(user_bytes as usize);
            if self.read_data.is_empty() {
                self.read_data = octets;
            } else {
                self.read_data.extend_from_slice(&octets);
            }
        }
        if self.transferred > self.request.transport_count() {
            self.handle_damaged(now, Cause::Length);
        }
    }

    /// Ends the exchange with a response. What is wrong with it, or missing before it, needs no ABTS.
    fn take_response(&mut self, iu: &Iu, response: &TransportResponse) {
        self.outbox.clear();
        let expected = self.request.data_bytes().saturating_sub(response.residual);
        let is_short = !self.request.write && self.data_received < expected;
        // What is beyond is the padding of a transfer that ended early.
        self.read_data.truncate(expected as usize);
        let outcome = if response.response_code == RESPONSE_ADDRESS_EXCEPTION {
            ChannelOutcome::InterfaceControlCheck(Cause::AddressException)
        } else if response.program_check() == Some(TWO_OPERATIONS_REASON) {
            // Nothing was done: what is active there is an older start whose end this side has not seen.
            ChannelOutcome::Busy(BusyKind::Device)
        } else if response.response_code != RESPONSE_ACCEPTED {
            ChannelOutcome::InterfaceControlCheck(Cause::Protocol)
        } else if let (Some(busy), 1) = (BusyKind::of_status(response.device_status), self.received) {
            ChannelOutcome::Busy(busy)
        } else if is_short {
            ChannelOutcome::InterfaceControlCheck(Cause::Length)
        } else {
            ChannelOutcome::Ended {
                device_status: response.device_status,
                residual: response.residual,
                sense: iu.data.sense(),
                incorrect_length: false,
                last_command: 0,
            }
        };
        self.close(outcome);
    }

    /// Puts out `burst_bytes` of the transfer, from where it has come to.
    fn push_burst(&mut self, burst_bytes: u32) {
        let from = self.transferred;
        let to = from + burst_bytes;
        let ends_transfer = to == self.request.transport_count();
        let length = if ends_transfer { burst_bytes - CHECK_WORD_BYTES } else { burst_bytes };
        let inserted_bytes = length - self.request.user_bytes(from, to);
        let body = Body::TransportData { relative_offset: from, inserted_bytes, ends_transfer };
        self.outbox.push(body, self.request.burst(from, length), Delay::None, self.received);
        self.transferred = to;
    }

    fn abort(&mut self, now: Time, outcome: ChannelOutcome) {
        self.outbox.clear();
        if !self.outbox.has_sent() {
            self.close(outcome);
            return;
        }
        self.outbox.push(Body::Abort, IuData::None, Delay::None, self.received);
        self.state = State::Aborting { outcome };
        self.deadline.set_span(CHANNEL_TIMEOUT_US);
        self.deadline.restart(now);
    }

    fn close(&mut self, outcome: ChannelOutcome) {
        self.state = State::Closed;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }
}

/// Returns the bytes of a write that follow the command at once.
fn first_burst(request: &TransportRequest, login: &Login) -> u32 {
    if request.write { bursts::first(request.transport_count(), request.data_bytes(), login) } else { 0 }
}
