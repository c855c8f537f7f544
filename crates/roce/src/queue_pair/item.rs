//! Work in the send queue, cut into packets.

use super::{Message, Work, WorkId};
use crate::packet::{Operation, Reth};

/// Work with its packets, which are counted from the first of the queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) id: WorkId,
    work: Work,
    first: u64,
    end: u64,
}

/// Payload of a packet of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// Octets at an address of the caller.
    Local {
        address: u64,
        bytes: u32,
    },
    Message(Message),
}

impl Item {
    /// Makes work whose first packet is `first`.
    pub(super) fn new(id: WorkId, work: Work, first: u64, mtu_bytes: u32) -> Self {
        let packets = work.length_bytes().div_ceil(mtu_bytes).max(1);
        Self { id, work, first, end: first + u64::from(packets) }
    }

    /// Returns the packet behind the last.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// Returns operation and payload of one of its packets.
    pub(super) fn packet(&self, packet: u64, mtu_bytes: u32) -> (Operation, Payload) {
        let (from, to, immediate) = match self.work {
            Work::Send { message, immediate } => {
                return (Operation::SendOnly(immediate), Payload::Message(message));
            }
            Work::Write { from, to, immediate } => (from, to, immediate),
        };
        let (is_first, is_last) = (packet == self.first, packet + 1 == self.end);
        let reth = Reth { address: to.address, rkey: to.rkey, length_bytes: from.length_bytes };
        let operation = match (is_first, is_last) {
            (true, true) => Operation::WriteOnly(reth, immediate),
            (true, false) => Operation::WriteFirst(reth),
            (false, false) => Operation::WriteMiddle,
            (false, true) => Operation::WriteLast(immediate),
        };
        // No more than the length of the work, which has 32 bits.
        let offset = (packet - self.first) as u32 * mtu_bytes;
        let bytes = (from.length_bytes - offset).min(mtu_bytes);
        (operation, Payload::Local { address: from.address.wrapping_add(offset.into()), bytes })
    }
}
