//! Responder: the packet that is expected, what it may do, and what is answered.

use std::collections::VecDeque;

use super::{
    AccessError, Counts, Failure, InvalidRequest, Memory, Message, Received, Settings, WRITE_BYTES_MAX,
};
use crate::packet::{Aeth, Immediate, NakCode, Operation, Packet, Psn, Reth, Rkey, Syndrome};

/// Half of all packet sequence numbers: those before are ahead, those behind were sent before.
const PSN_HALF: u32 = 1 << 23;

/// Write of which more packets are to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Incoming {
    reth: Reth,
    written_bytes: u32,
}

/// Why the packet that was expected is not taken.
enum Refusal {
    NotReady,
    Invalid(InvalidRequest),
    Access(Failure),
}

#[derive(Debug, Clone)]
pub(super) struct Responder {
    settings: Settings,
    expected: Psn,
    incoming: Option<Incoming>,
    /// Receives that are posted.
    receives: u16,
    received: VecDeque<Received>,
    /// Refusal of the packet that is expected, not sent yet.
    refusal: Option<Syndrome>,
    /// The packet that is expected was refused: later ones are dropped without another refusal.
    has_refused: bool,
    is_acknowledge_due: bool,
    /// Messages that were taken.
    messages: u32,
}

impl From<InvalidRequest> for Refusal {
    fn from(invalid: InvalidRequest) -> Self {
        Self::Invalid(invalid)
    }
}

impl Responder {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            settings: *settings,
            expected: settings.receive_psn,
            incoming: None,
            receives: 0,
            received: VecDeque::with_capacity(settings.receive_depth.get().into()),
            refusal: None,
            has_refused: false,
            is_acknowledge_due: false,
            messages: 0,
        }
    }

    pub(super) fn post_receives(&mut self, count: u16) -> u16 {
        // Both together never exceed the depth, which has 16 bits.
        let room = self.settings.receive_depth.get() - self.receives - self.received.len() as u16;
        let taken = count.min(room);
        self.receives += taken;
        taken
    }

    pub(super) const fn drop_receives(&mut self) {
        self.receives = 0;
    }

    pub(super) fn poll_received(&mut self) -> Option<Received> {
        self.received.pop_front()
    }

    /// Takes a packet of a request.
    pub(super) fn take(
        &mut self,
        packet: &Packet<'_>,
        memory: &mut impl Memory,
        counts: &mut Counts,
    ) -> Result<(), Failure> {
        let ahead = packet.heading.psn.since(self.expected);
        if ahead >= PSN_HALF {
            counts.duplicates += 1;
            self.is_acknowledge_due = true;
            return Ok(());
        }
        if ahead > 0 {
            counts.out_of_sequence += 1;
            if !self.has_refused {
                self.refuse(Syndrome::Nak(NakCode::SequenceError));
            }
            return Ok(());
        }
        match self.apply(packet, memory) {
            Ok(()) => {
                counts.taken += 1;
                self.expected = self.expected.plus(1);
                self.refusal = None;
                self.has_refused = false;
                self.is_acknowledge_due |= packet.heading.is_acknowledge_requested;
                Ok(())
            }
            Err(Refusal::NotReady) => {
                counts.not_ready += 1;
                self.refuse(Syndrome::ReceiverNotReady(self.settings.rnr_timer));
                Ok(())
            }
            Err(Refusal::Invalid(invalid)) => {
                self.refuse(Syndrome::Nak(NakCode::InvalidRequest));
                Err(Failure::InvalidRequest(invalid))
            }
            Err(Refusal::Access(failure)) => {
                self.refuse(Syndrome::Nak(NakCode::RemoteAccessError));
                Err(failure)
            }
        }
    }

    const fn refuse(&mut self, syndrome: Syndrome) {
        self.refusal = Some(syndrome);
        self.has_refused = true;
    }

    /// Does what the expected packet requests, or nothing.
    fn apply(&mut self, packet: &Packet<'_>, memory: &mut impl Memory) -> Result<(), Refusal> {
        let opcode = packet.operation.opcode();
        match (packet.operation, self.incoming) {
            (Operation::SendOnly(immediate), None) => self.send(packet, immediate),
            (Operation::SendFirst, None) => Err(InvalidRequest::Message(payload_bytes(packet)).into()),
            (Operation::WriteOnly(reth, immediate), None) => {
                let write = Incoming { reth, written_bytes: 0 };
                self.write(packet, write, (true, immediate), memory)
            }
            (Operation::WriteFirst(reth), None) => {
                let write = Incoming { reth, written_bytes: 0 };
                self.write(packet, write, (false, None), memory)
            }
            (Operation::WriteMiddle, Some(write)) => self.write(packet, write, (false, None), memory),
            (Operation::WriteLast(immediate), Some(write)) => {
                self.write(packet, write, (true, immediate), memory)
            }
            _ => Err(InvalidRequest::Sequence(opcode).into()),
        }
    }

    fn send(&mut self, packet: &Packet<'_>, immediate: Option<Immediate>) -> Result<(), Refusal> {
        let long = InvalidRequest::Message(payload_bytes(packet));
        let message = Message::new(packet.payload).ok_or(long)?;
        self.complete(Received::Message { message, immediate })?;
        self.count_message();
        Ok(())
    }

    /// Writes the payload of a packet: the last of its message or one before that.
    fn write(
        &mut self,
        packet: &Packet<'_>,
        write: Incoming,
        (is_last, immediate): (bool, Option<Immediate>),
        memory: &mut impl Memory,
    ) -> Result<(), Refusal> {
        let Incoming { reth, written_bytes } = write;
        let bytes = packet.payload.len() as u32;
        let (left_bytes, mtu_bytes) = (reth.length_bytes - written_bytes, self.settings.mtu.payload_bytes());
        let is_right = if is_last {
            bytes == left_bytes && bytes <= mtu_bytes
        } else {
            bytes == mtu_bytes && bytes < left_bytes
        };
        if !is_right || reth.length_bytes > WRITE_BYTES_MAX {
            let (opcode, bytes) = (packet.operation.opcode(), payload_bytes(packet));
            return Err(InvalidRequest::Payload { opcode, bytes }.into());
        }
        if immediate.is_some() && self.receives == 0 {
            return Err(Refusal::NotReady);
        }
        if written_bytes == 0 && reth.length_bytes > 0 {
            let Reth { address, rkey, length_bytes } = reth;
            let is_addressable = address.checked_add(u64::from(length_bytes) - 1).is_some();
            let checked = if is_addressable {
                memory.check(rkey, address, length_bytes)
            } else {
                Err(AccessError::Bounds)
            };
            checked.map_err(|error| refused(rkey, address, length_bytes, error))?;
        }
        if bytes > 0 {
            let address = reth.address + u64::from(written_bytes);
            let written = memory.write(reth.rkey, address, packet.payload);
            written.map_err(|error| refused(reth.rkey, address, bytes, error))?;
        }
        self.incoming = (!is_last).then_some(Incoming { reth, written_bytes: written_bytes + bytes });
        if let Some(immediate) = immediate {
            self.complete(Received::Written { length_bytes: reth.length_bytes, immediate })?;
        }
        if is_last {
            self.count_message();
        }
        Ok(())
    }

    /// Completes a receive.
    fn complete(&mut self, received: Received) -> Result<(), Refusal> {
        self.receives = self.receives.checked_sub(1).ok_or(Refusal::NotReady)?;
        self.received.push_back(received);
        Ok(())
    }

    const fn count_message(&mut self) {
        self.messages = self.messages.wrapping_add(1);
    }

    /// Takes the answer that is due, and the number of the packet that it is about.
    pub(super) fn poll_response(&mut self) -> Option<(Psn, Aeth)> {
        let (psn, syndrome) = match self.refusal.take() {
            Some(refusal) => (self.expected, refusal),
            None if self.is_acknowledge_due => (self.expected.minus(1), Syndrome::ACK),
            None => return None,
        };
        // A refusal acknowledges everything before the packet.
        self.is_acknowledge_due = false;
        Some((psn, Aeth { syndrome, messages: self.messages & 0x00FF_FFFF }))
    }
}

fn refused(rkey: Rkey, address: u64, length_bytes: u32, error: AccessError) -> Refusal {
    Refusal::Access(Failure::RefusedAccess { rkey, address, length_bytes, error })
}

/// Returns the octets of the payload, which is no longer than the largest MTU.
const fn payload_bytes(packet: &Packet<'_>) -> u16 {
    packet.payload.len() as u16
}
