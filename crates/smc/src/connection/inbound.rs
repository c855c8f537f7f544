//! Octets of the peer.

use super::ConnectionError;
use crate::buffer::{ElementSize, ElementSpan, Position, is_update_due, spans};
use crate::message::{Cursor, ProducerFlags};

/// Octets that the peer wrote into the own element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inbound {
    pub(super) size_bytes: u32,
    pub(super) produced: Position,
    pub(super) consumed: Position,
    /// Place up to which the peer has space back.
    pub(super) reported: Position,
    /// Last urgent octet.
    pub(super) urgent: Option<Position>,
    /// Number of the last message.
    pub(super) sequence: u16,
    /// Flags of the peer.
    pub(super) writer: ProducerFlags,
}

impl Inbound {
    pub(super) const fn new(size: ElementSize) -> Self {
        let start = Position(0);
        let writer = ProducerFlags(0);
        Self {
            size_bytes: size.bytes(),
            produced: start,
            consumed: start,
            reported: start,
            urgent: None,
            sequence: 0,
            writer,
        }
    }

    pub(super) const fn readable_bytes(&self) -> u32 {
        self.produced.since(self.consumed) as u32
    }

    pub(super) const fn consumed_bytes(&self) -> u64 {
        self.consumed.0
    }

    pub(super) const fn produced_bytes(&self) -> u64 {
        self.produced.0
    }

    pub(super) fn readable(&self, wanted_bytes: u32) -> [ElementSpan; 2] {
        spans(self.consumed, wanted_bytes.min(self.readable_bytes()), self.size_bytes)
    }

    pub(super) fn consume(&mut self, bytes: u32) {
        self.consumed = self.consumed.plus(bytes.min(self.readable_bytes()).into());
    }

    pub(super) const fn urgent(&self) -> Option<Position> {
        match self.urgent {
            Some(urgent) if urgent.0 >= self.consumed.0 => Some(urgent),
            _ => None,
        }
    }

    /// Makes sure that the message completed last on a link that failed came.
    pub(super) const fn validate(&self, sent: u16) -> Result<(), ConnectionError> {
        let received = self.sequence;
        if is_later(sent, received) { Err(ConnectionError::Lost { sent, received }) } else { Ok(()) }
    }

    /// Stores the number of a message; returns false for one that is older than the last.
    pub(super) const fn accept_sequence(&mut self, sequence: u16) -> bool {
        let is_new = is_later(sequence, self.sequence);
        if is_new {
            self.sequence = sequence;
        }
        is_new
    }

    /// Moves the producer; returns whether octets came, and whether an urgent one.
    pub(super) fn produced_to(
        &mut self,
        cursor: Cursor,
        flags: ProducerFlags,
    ) -> Result<(bool, bool), ConnectionError> {
        let before = self.produced;
        // After a failover the peer announces again from an older place.
        if let Some(produced) = before.advanced_to(cursor, self.size_bytes)? {
            if produced.since(self.consumed) > u64::from(self.size_bytes) {
                return Err(crate::buffer::CursorError(cursor).into());
            }
            self.produced = produced;
            self.writer = flags;
        }
        let last = Position(self.produced.0.saturating_sub(1));
        let is_urgent = flags.contains(ProducerFlags::URGENT_PRESENT)
            && self.produced.0 > 0
            && self.produced.cursor(self.size_bytes) == cursor
            && self.urgent != Some(last);
        if is_urgent {
            self.urgent = Some(last);
        }
        Ok((self.produced > before, is_urgent))
    }

    pub(super) const fn is_update_due(&self) -> bool {
        is_update_due(self.consumed.since(self.reported), self.size_bytes, self.writer)
    }

    /// Returns the consumer cursor, and marks it as reported.
    pub(super) const fn report(&mut self) -> Cursor {
        self.reported = self.consumed;
        self.reported()
    }

    pub(super) const fn reported(&self) -> Cursor {
        self.reported.cursor(self.size_bytes)
    }
}

/// Returns whether a number is later than another, by less than half of all.
const fn is_later(number: u16, than: u16) -> bool {
    number.wrapping_sub(than) as i16 > 0
}
