//! The control unit's end of a transport-mode exchange (Fibre Channel reference 6.6).
//!
//! ```text
//! Idle ─ read ─────────────────────────────────► Closed (data and response are sent)
//!  └─ write ─► Collecting ─ last burst ────────► Closed (response is sent)
//!                └─ burst ─► (transfer ready for the next is sent)
//! before the response: Withheld, while what the program wrote or read is not safe
//! any state: ABTS ─► Closed (BA_ACC is sent)
//!            abort() ─► Aborting ─ BA_ACC ─► Closed
//! ```

use halftrack_base::Time;
use halftrack_wire::choices::{
    MAX_TRANSFER_BYTES, RESPONSE_ADDRESS_EXCEPTION, RESPONSE_PROTOCOL_ERROR, TWO_OPERATIONS_REASON,
};
use halftrack_wire::transport_response::status_flag;
use halftrack_wire::{Body, Iu, IuData, TransportPart, TransportResponse};

use crate::bursts;
use crate::control_unit_core::{ControlUnitCore, Refusal};
use crate::device::{Device, DeviceEnding, DeviceOperation, OperationEnding};
use crate::end::Identity;
use crate::outcome::{Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::program::stated_counts;
use crate::step::Delay;

/// RX_ID of an exchange to which the responder gave none (Fibre Channel reference 1.4).
const NO_EXCHANGE_ID: u16 = 0xFFFF;

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    Idle,
    /// Data of a write are coming.
    Collecting(Write),
    /// The operation has ended, and its response waits for a barrier of the device.
    Withheld(Box<Withheld>),
    /// ABTS was sent because of this cause.
    Aborting(Cause),
}

/// A response that is sent when the device has made safe what the operation wrote or read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Withheld {
    ending: OperationEnding,
    delay: Delay,
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
    /// Data of the transfer that have come, its closing check word left out.
    data: IuData,
}

/// The control unit's end of a transport-mode exchange.
#[derive(Debug)]
pub struct ControlUnitTransport<D> {
    pub(crate) core: ControlUnitCore<D>,
    login: Login,
    identity: Identity,
    state: State,
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
            core: ControlUnitCore::new(device, delay, login, identity, now),
            login: *login,
            identity,
            state: State::Idle,
        }
    }

    /// Returns the octets that the data of one IU from the channel may have now, check word included.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        match &self.state {
            State::Collecting(write) if !self.core.is_closed() => {
                write.burst_end.saturating_sub(write.received)
            }
            State::Idle | State::Collecting(_) | State::Withheld(_) | State::Aborting(_) => 0,
        }
    }

    /// Returns the part of the transfer that data of `bytes` octets from `relative_offset` on are. The device alone has
    /// the ends of tracks in them.
    #[must_use]
    pub fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart {
        let end = relative_offset.saturating_add(bytes);
        let ends_transfer = matches!(&self.state, State::Collecting(write) if end == write.transport_count);
        TransportPart::Data { relative_offset, inserted_bytes: 0, ends_transfer }
    }

    /// Withdraws the device, because a newer start of the subchannel came over another path. Nothing more is executed,
    /// and the exchange is aborted toward the channel, as far as the path still goes.
    pub fn supersede(&mut self) {
        if !self.core.is_closed() {
            self.core.outbox.clear();
            self.core.push(Body::Abort, IuData::None, Delay::None);
            self.core.abandon(Cause::Superseded);
        }
    }

    /// Aborts an exchange of which not even the protocol can be read: its first IU is damaged.
    pub fn abort(&mut self, cause: Cause) {
        self.core.push(Body::Abort, IuData::None, Delay::None);
        self.state = State::Aborting(cause);
    }

    /// Ends the exchange of which an IU came that cannot be read.
    pub fn handle_damaged(&mut self, cause: Cause) {
        if !self.core.is_closed() && !matches!(self.state, State::Aborting(_) | State::Withheld(_)) {
            self.refuse(cause);
        }
    }

    /// Takes an IU from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.core.count_received();
        if iu.body == Body::Abort {
            self.take_abort();
            return;
        }
        if self.core.is_closed() {
            return;
        }
        match (std::mem::replace(&mut self.state, State::Idle), iu.body) {
            (State::Idle, Body::TransportCommand { read, write }) => {
                self.core.deadline.restart(now);
                self.take_command(iu.data, read, write);
            }
            (State::Collecting(write), Body::TransportData { relative_offset, .. }) => {
                self.core.deadline.restart(now);
                self.take_data(write, relative_offset, iu);
            }
            (State::Aborting(cause), Body::AbortAccept { .. }) => self.core.abandon(cause),
            (state @ (State::Aborting(_) | State::Withheld(_)), _) => self.state = state,
            (State::Idle | State::Collecting(_), _) => self.refuse(Cause::Protocol),
        }
    }

    /// Ends the exchange when its time is over.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.core.is_due(now) {
            self.core.outbox.clear();
            self.core.abandon(if let State::Aborting(cause) = self.state { cause } else { Cause::Timeout });
        }
    }

    fn take_command(&mut self, tccb: IuData, read: bool, write: bool) {
        if let Some(refusal) = self.core.refusal() {
            self.respond(refusing(refusal), IuData::None, Delay::None, ControlUnitOutcome::Refused);
            return;
        }
        let tccb = match tccb {
            IuData::None | IuData::Count(_) => Vec::new(),
            octets => octets.into_octets(),
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
                    self.request_burst(&mut write);
                }
                self.state = State::Collecting(write);
            }
            // A TCCB that is not well formed moves no data: the device refuses it.
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
                octets @ (IuData::Bytes(_) | IuData::Shared(_)) => octets,
                IuData::None | IuData::Count(_) => IuData::Count(write.data_bytes),
            };
            let operation = DeviceOperation { tccb: &write.tccb, read: false, write: true, data: &data };
            self.execute(&operation);
            return;
        }
        if end == write.burst_end {
            self.request_burst(&mut write);
        }
        self.state = State::Collecting(write);
    }

    /// Sends a transfer-ready for the next burst.
    fn request_burst(&mut self, write: &mut Write) {
        let burst_bytes = bursts::next(write.transport_count, write.data_bytes, write.received, &self.login);
        let body = Body::TransferReady { relative_offset: write.received, burst_bytes };
        write.burst_end = write.received + burst_bytes;
        self.core.push(body, IuData::None, Delay::None);
    }

    fn execute(&mut self, operation: &DeviceOperation<'_>) {
        let mut ending = self.core.device.execute_operation(operation);
        let data = std::mem::take(&mut ending.data);
        if !data.is_empty() {
            self.push_read_data(data);
        }
        let delay = if operation.write { self.core.take_delay() } else { Delay::None };
        if self.core.device.wait().is_some() {
            self.state = State::Withheld(Box::new(Withheld { ending, delay }));
            // The time of the device, which only the channel's missing-interrupt handler bounds.
            self.core.deadline.stop();
        } else {
            self.respond_with(&ending, delay);
        }
    }

    /// Returns whether a response is withheld.
    pub(crate) fn is_withholding(&self) -> bool {
        matches!(self.state, State::Withheld(_)) && !self.core.is_closed()
    }

    /// Sends the response that was withheld, with the status of `failed` when the barrier failed.
    pub(crate) fn end_wait(&mut self, failed: Option<DeviceEnding>) {
        if let State::Withheld(mut withheld) = std::mem::replace(&mut self.state, State::Idle) {
            if let Some(failed) = failed {
                (withheld.ending.device_status, withheld.ending.sense) = (failed.device_status, failed.sense);
            }
            self.respond_with(&withheld.ending, withheld.delay);
        }
    }

    fn respond_with(&mut self, ending: &OperationEnding, delay: Delay) {
        let sense = ending.sense.map_or(IuData::None, |sense| IuData::Bytes(sense.to_vec()));
        self.respond(response(ending), sense, delay, ControlUnitOutcome::Completed);
    }

    /// Puts out the data of a read: all in one IU, in whole words and with the closing check word.
    fn push_read_data(&mut self, data: IuData) {
        let length = data.len().next_multiple_of(4);
        let padding = length - data.len();
        let padded = match data {
            IuData::None | IuData::Count(_) => IuData::Count(length),
            octets => {
                let mut bytes = octets.into_octets();
                bytes.resize(length as usize, 0);
                IuData::Bytes(bytes)
            }
        };
        let body = Body::TransportData { relative_offset: 0, inserted_bytes: padding, ends_transfer: true };
        let delay = self.core.take_delay();
        self.core.push(body, padded, delay);
    }

    fn respond(
        &mut self,
        response: TransportResponse,
        sense: IuData,
        delay: Delay,
        outcome: ControlUnitOutcome,
    ) {
        self.core.push(Body::TransportResponse(response), sense, delay);
        self.core.close(outcome);
    }

    /// Ends the exchange with a response that has the reason: the channel broke the rules, or data were lost.
    fn refuse(&mut self, cause: Cause) {
        self.core.outbox.clear();
        self.core.device.reset();
        let response =
            TransportResponse { response_code: RESPONSE_PROTOCOL_ERROR, ..TransportResponse::ending(0, 0) };
        self.respond(response, IuData::None, Delay::None, ControlUnitOutcome::Abandoned(cause));
    }

    /// Accepts ABTS, in every state, so that the channel's end can close too.
    fn take_abort(&mut self) {
        self.core.cut_off(Cause::Cancelled);
        let ox_id = self.identity.token as u16;
        self.core.push(Body::AbortAccept { ox_id, rx_id: NO_EXCHANGE_ID }, IuData::None, Delay::None);
    }
}

/// Returns the response that refuses a program.
fn refusing(refusal: Refusal) -> TransportResponse {
    match refusal {
        Refusal::AddressException => {
            TransportResponse { response_code: RESPONSE_ADDRESS_EXCEPTION, ..TransportResponse::ending(0, 0) }
        }
        Refusal::Busy(kind) => TransportResponse::ending(kind.device_status(), 0),
        Refusal::Active => TransportResponse::ending(0, 0).with_program_check(TWO_OPERATIONS_REASON),
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
