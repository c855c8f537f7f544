//! The control unit's end of a transport-mode exchange (Fibre Channel reference 6.6).
//!
//! ```text
//! Idle ─ read ─────────────────────────────────► Closed (data and response are sent)
//!  └─ write ─► Collecting ─ last burst ────────► Closed (response is sent)
//!                └─ burst ─► (transfer ready for the next is sent)
//! any state: ABTS ─► Closed (BA_ACC is sent)
//! ```

use halftrack_base::Time;
use halftrack_wire::choices::{
    CONTROL_UNIT_TIMEOUT_US, MAX_TRANSFER_BYTES, RESPONSE_ADDRESS_EXCEPTION, RESPONSE_PROTOCOL_ERROR,
    TWO_OPERATIONS_REASON,
};
use halftrack_wire::transport_response::status_flag;
use halftrack_wire::{Body, Iu, IuData, TransportPart, TransportResponse};

use crate::bursts;
use crate::deadline::Deadline;
use crate::device::{Device, DeviceOperation, OperationEnding};
use crate::end::Identity;
use crate::end_delegates::delegates_of_an_end;
use crate::outbox::Outbox;
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::program::stated_counts;
use crate::step::{Delay, Step};

/// RX_ID of an exchange to which the responder gave none (Fibre Channel reference 1.4).
const NO_EXCHANGE_ID: u16 = 0xFFFF;

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    Idle,
    /// Data of a write are coming.
    Collecting(Write),
    /// Over; the last IUs may still have to be sent.
    Closed,
}

/// A write whose data are coming.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Write {
    tccb: Vec<u8>,
    transport_count: u32,
    data_bytes: u32,
    /// Bytes of the transfer that have come.
    received: u32,
    /// Where the burst that is expected ends.
    burst_end: u32,
    /// What has come of the transfer, its closing check word left out.
    data: IuData,
}

/// The control unit's end of a transport-mode exchange.
#[derive(Debug)]
pub struct ControlUnitTransport<D> {
    device: D,
    login: Login,
    identity: Identity,
    busy: Option<BusyKind>,
    /// An operation is active for the device on the same logical path.
    is_active: bool,
    /// There is no such device.
    no_device: bool,
    state: State,
    outbox: Outbox,
    deadline: Deadline,
    received: u16,
    delay: Delay,
    outcome: Option<ControlUnitOutcome>,
}

impl<D: Device> ControlUnitTransport<D> {
    /// Returns a control unit that waits for a command for `device`; `delay` is what its data is waited for.
    pub fn new(
        device: D,
        delay: Delay,
        login: &Login,
        identity: Identity,
        now: Time,
    ) -> ControlUnitTransport<D> {
        ControlUnitTransport {
            device,
            login: *login,
            identity,
            busy: None,
            is_active: false,
            no_device: false,
            state: State::Idle,
            outbox: Outbox::new(identity, login.frame_payload_bytes),
            deadline: Deadline::new(CONTROL_UNIT_TIMEOUT_US, now),
            received: 0,
            delay,
            outcome: None,
        }
    }

    /// Returns the octets that the data of one IU from the channel may have now, check word included.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        match &self.state {
            State::Collecting(write) => write.burst_end.saturating_sub(write.received),
            State::Idle | State::Closed => 0,
        }
    }

    /// Returns what the transfer tells about data of `bytes` octets from `relative_offset` on; where the tracks end in them
    /// is the device's to know.
    #[must_use]
    pub fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        let end = relative_offset.saturating_add(bytes);
        let ends_transfer = matches!(&self.state, State::Collecting(write) if end == write.transport_count);
        TransportPart::Data { relative_offset, inserted_bytes: 0, ends_transfer }
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

    /// Answers that an operation is active for the device on the same logical path; to be called before the first IU is
    /// handled.
    pub fn answer_active(&mut self) {
        self.is_active = true;
    }

    /// The device is withdrawn, because a newer start of the subchannel came over another path: nothing more is
    /// executed, and the exchange is aborted toward the channel, as far as the path still goes.
    pub fn supersede(&mut self) {
        if self.state != State::Closed {
            self.outbox.clear();
            self.device.reset();
            self.outbox.push(Body::Abort, IuData::None, Delay::None, self.received);
            self.close(ControlUnitOutcome::Abandoned(Cause::Superseded));
        }
    }

    /// The start came late: the exchange closes without a word.
    pub fn discard(&mut self) {
        self.outbox.clear();
        self.close(ControlUnitOutcome::Refused);
    }

    /// An IU came in such a state that it cannot be read.
    pub fn handle_damaged(&mut self, cause: Cause) {
        match self.state {
            State::Idle | State::Collecting(_) => self.refuse(cause),
            State::Closed => {}
        }
    }

    /// Takes an IU from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.received = self.received.saturating_add(1);
        if iu.body == Body::Abort {
            self.take_abort();
            return;
        }
        match (std::mem::replace(&mut self.state, State::Closed), iu.body) {
            (State::Idle, Body::TransportCommand { read, write }) => {
                self.deadline.restart(now);
                self.take_command(iu.data, read, write);
            }
            (State::Collecting(write), Body::TransportData { relative_offset, .. }) => {
                self.deadline.restart(now);
                self.take_data(write, relative_offset, iu);
            }
            (State::Idle | State::Collecting(_), _) => self.refuse(Cause::Protocol),
            (State::Closed, _) => {}
        }
    }

    delegates_of_an_end!();

    /// Returns how the exchange closed, once; given when the last IU has been sent, for nothing answers a response.
    pub fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        if self.outbox.is_empty() { self.outcome.take() } else { None }
    }

    /// A time-out is due.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.deadline.is_due(now) {
            self.outbox.clear();
            self.abandon(Cause::Timeout);
        }
    }

    /// The link is gone: nothing more will arrive and nothing can be sent.
    pub fn handle_link_down(&mut self) {
        let unsent = !self.outbox.is_empty();
        self.outbox.clear();
        if unsent && self.outcome.is_some() {
            self.outcome = Some(ControlUnitOutcome::Abandoned(Cause::LinkDown));
        }
        self.abandon(Cause::LinkDown);
    }

    fn take_command(&mut self, tccb: IuData, read: bool, write: bool) {
        if self.no_device {
            let response = TransportResponse {
                response_code: RESPONSE_ADDRESS_EXCEPTION,
                ..TransportResponse::ending(0, 0)
            };
            self.respond(response, IuData::None, Delay::None, ControlUnitOutcome::Refused);
            return;
        }
        if let Some(kind) = self.busy {
            let response = TransportResponse::ending(kind.device_status(), 0);
            self.respond(response, IuData::None, Delay::None, ControlUnitOutcome::Refused);
            return;
        }
        if self.is_active {
            let response = TransportResponse::ending(0, 0).with_program_check(TWO_OPERATIONS_REASON);
            self.respond(response, IuData::None, Delay::None, ControlUnitOutcome::Refused);
            return;
        }
        let tccb = match tccb {
            IuData::Bytes(tccb) => tccb,
            IuData::None | IuData::Count(_) => Vec::new(),
        };
        let counts = stated_counts(&tccb);
        if counts.is_some_and(|(transport_count, _)| transport_count > MAX_TRANSFER_BYTES) {
            self.refuse(Cause::Length);
            return;
        }
        match counts {
            Some((transport_count, data_bytes)) if write && data_bytes > 0 => {
                let first = bursts::first(transport_count, data_bytes, &self.login);
                let mut write = Write {
                    tccb,
                    transport_count,
                    data_bytes,
                    received: 0,
                    burst_end: first,
                    data: IuData::None,
                };
                if first == 0 {
                    self.ask(&mut write);
                }
                self.state = State::Collecting(write);
            }
            // A TCCB that is not well formed asks for no data: the device refuses it.
            _ => self.execute(&DeviceOperation { tccb: &tccb, read, write, data: &IuData::None }),
        }
    }

    fn take_data(&mut self, mut write: Write, relative_offset: u32, iu: Iu) {
        let end = write.received.saturating_add(iu.payload_bytes());
        if relative_offset != write.received || end > write.burst_end {
            self.refuse(Cause::Protocol);
            return;
        }
        write.received = end;
        if write.data.is_empty() {
            write.data = iu.data;
        } else {
            write.data.append(&iu.data);
        }
        if end == write.transport_count {
            let data = match write.data {
                IuData::Bytes(octets) => IuData::Bytes(octets),
                IuData::None | IuData::Count(_) => IuData::Count(write.data_bytes),
            };
            let operation = DeviceOperation { tccb: &write.tccb, read: false, write: true, data: &data };
            self.execute(&operation);
            return;
        }
        if end == write.burst_end {
            self.ask(&mut write);
        }
        self.state = State::Collecting(write);
    }

    /// Sends a transfer-ready for the next burst.
    fn ask(&mut self, write: &mut Write) {
        let burst_bytes = bursts::next(write.transport_count, write.data_bytes, write.received, &self.login);
        let body = Body::TransferReady { relative_offset: write.received, burst_bytes };
        write.burst_end = write.received + burst_bytes;
        self.outbox.push(body, IuData::None, Delay::None, self.received);
    }

    fn execute(&mut self, operation: &DeviceOperation<'_>) {
        let mut ending = self.device.execute_operation(operation);
        let data = std::mem::take(&mut ending.data);
        if !data.is_empty() {
            self.push_read_data(data);
        }
        let delay = if operation.write { std::mem::take(&mut self.delay) } else { Delay::None };
        let sense = ending.sense.map_or(IuData::None, |sense| IuData::Bytes(sense.to_vec()));
        self.respond(response(&ending), sense, delay, ControlUnitOutcome::Completed);
    }

    /// All data of a read go in one IU, in whole words and with the closing check word.
    fn push_read_data(&mut self, data: IuData) {
        let length = data.len().next_multiple_of(4);
        let padding = length - data.len();
        let padded = match data {
            IuData::Bytes(mut bytes) => {
                bytes.resize(length as usize, 0);
                IuData::Bytes(bytes)
            }
            IuData::None | IuData::Count(_) => IuData::Count(length),
        };
        let body = Body::TransportData { relative_offset: 0, inserted_bytes: padding, ends_transfer: true };
        let delay = std::mem::take(&mut self.delay);
        self.outbox.push(body, padded, delay, self.received);
    }

    fn respond(
        &mut self,
        response: TransportResponse,
        sense: IuData,
        delay: Delay,
        outcome: ControlUnitOutcome,
    ) {
        self.outbox.push(Body::TransportResponse(response), sense, delay, self.received);
        self.close(outcome);
    }

    /// The channel broke the rules, or data were lost: the response says so and ends the exchange.
    fn refuse(&mut self, cause: Cause) {
        self.outbox.clear();
        self.device.reset();
        let response =
            TransportResponse { response_code: RESPONSE_PROTOCOL_ERROR, ..TransportResponse::ending(0, 0) };
        self.respond(response, IuData::None, Delay::None, ControlUnitOutcome::Abandoned(cause));
    }

    /// ABTS is accepted in every state, so that the channel's end can close too.
    fn take_abort(&mut self) {
        let unsent = !self.outbox.is_empty();
        self.outbox.clear();
        let ox_id = self.identity.token as u16;
        let accept = Body::AbortAccept { ox_id, rx_id: NO_EXCHANGE_ID };
        self.outbox.push(accept, IuData::None, Delay::None, self.received);
        if unsent && self.outcome.is_some() {
            self.outcome = Some(ControlUnitOutcome::Abandoned(Cause::Cancelled));
        }
        self.abandon(Cause::Cancelled);
    }

    fn abandon(&mut self, cause: Cause) {
        if self.state != State::Closed {
            self.device.reset();
            self.close(ControlUnitOutcome::Abandoned(cause));
        }
    }

    fn close(&mut self, outcome: ControlUnitOutcome) {
        self.state = State::Closed;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }
}

fn response(ending: &OperationEnding) -> TransportResponse {
    let mut response = TransportResponse::ending(ending.device_status, ending.residual);
    if let Some(offset) = ending.dcw_offset {
        response.dcw_offset = offset;
        response.status_flags |= status_flag::DCW_OFFSET_VALID;
    }
    if let Some(reason) = ending.program_check {
        response = response.with_program_check(reason);
    }
    response
}
