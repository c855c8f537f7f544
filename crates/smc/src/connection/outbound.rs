//! Octets for the peer.

use super::ConnectionError;
use super::in_flight::InFlight;
use crate::buffer::{CursorError, ElementSize, ElementSpan, Position, spans};
use crate::message::{Cursor, ProducerFlags};

/// Octets on their way into the peer's element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outbound {
    pub(super) size_bytes: u32,
    /// Octets that the application gave.
    pub(super) prepared: Position,
    /// Octets of the last message.
    pub(super) announced: Position,
    /// Octets of any message so far: more than `announced` after a failover.
    pub(super) announced_max: Position,
    /// Octets of the last message completed: the ring has those behind it.
    pub(super) finished: Position,
    /// Octets that the peer consumed.
    pub(super) consumed: Position,
    /// Place behind the urgent octet.
    pub(super) urgent_end: Option<Position>,
    pub(super) sequence: u16,
    pub(super) completed_sequence: u16,
    pub(super) in_flight: InFlight,
    pub(super) is_validation_due: bool,
    pub(super) is_blocked_reported: bool,
}

impl Outbound {
    pub(super) fn new(size: ElementSize) -> Self {
        let start = Position(0);
        Self {
            size_bytes: size.bytes(),
            prepared: start,
            announced: start,
            announced_max: start,
            finished: start,
            consumed: start,
            urgent_end: None,
            sequence: 0,
            completed_sequence: 0,
            in_flight: InFlight::default(),
            is_validation_due: false,
            is_blocked_reported: false,
        }
    }

    pub(super) const fn room_bytes(&self) -> u32 {
        self.size_bytes - self.prepared.since(self.finished) as u32
    }

    pub(super) fn prepare(&mut self, wanted_bytes: u32, is_urgent: bool) -> [ElementSpan; 2] {
        let taken = wanted_bytes.min(self.room_bytes());
        let spans = spans(self.prepared, taken, self.size_bytes);
        self.prepared = self.prepared.plus(taken.into());
        if is_urgent && taken == wanted_bytes && taken > 0 {
            self.urgent_end = Some(self.prepared);
        }
        spans
    }

    /// Returns the octets that the peer's element has room for.
    pub(super) const fn window_bytes(&self) -> u32 {
        self.size_bytes - self.prepared.since(self.consumed) as u32
    }

    /// Moves the peer's consumer; returns whether the window grew.
    pub(super) fn consumed_to(&mut self, cursor: Cursor) -> Result<bool, ConnectionError> {
        let Some(consumed) = self.consumed.advanced_to(cursor, self.size_bytes)? else { return Ok(false) };
        if consumed > self.announced_max {
            return Err(CursorError(cursor).into());
        }
        let has_grown = consumed > self.consumed;
        self.consumed = consumed;
        Ok(has_grown)
    }

    /// Announces octets; returns where they lie, and the flags. `None` where nothing is due.
    pub(super) fn announce(&mut self, is_due: bool) -> Option<([ElementSpan; 2], ProducerFlags)> {
        if self.in_flight.is_full() {
            return None;
        }
        let window_end = self.consumed.plus(self.size_bytes.into());
        let mut to = self.prepared.min(window_end);
        if let Some(urgent_end) = self.urgent_end.filter(|&end| end > self.announced) {
            to = to.min(urgent_end);
        }
        let is_blocked = to == window_end && self.prepared > to;
        let from = self.announced;
        if to <= from && !is_due && (!is_blocked || self.is_blocked_reported) {
            return None;
        }
        let length = to.since(from) as u32;
        self.announced = from.max(to);
        self.announced_max = self.announced_max.max(self.announced);
        self.is_blocked_reported = is_blocked;
        self.sequence = self.sequence.wrapping_add(1);
        self.in_flight.push(self.sequence, self.announced);
        let mut flags = ProducerFlags::default();
        if is_blocked {
            flags = flags.with(ProducerFlags::WRITER_BLOCKED);
        }
        match self.urgent_end {
            Some(end) if end > self.announced => flags = flags.with(ProducerFlags::URGENT_PENDING),
            Some(end) if end == self.announced => flags = flags.with(ProducerFlags::URGENT_PRESENT),
            _ => {}
        }
        Some((spans(from, length, self.size_bytes), flags))
    }

    pub(super) const fn announced_bytes(&self) -> u64 {
        self.announced.0
    }

    pub(super) const fn producer(&self) -> Cursor {
        self.announced.cursor(self.size_bytes)
    }

    pub(super) const fn sequence(&self) -> u16 {
        self.sequence
    }

    pub(super) const fn completed_sequence(&self) -> u16 {
        self.completed_sequence
    }

    pub(super) const fn is_announced(&self) -> bool {
        self.announced.0 >= self.prepared.0
    }

    pub(super) fn completed(&mut self, sequence: u16) {
        if !self.in_flight.has(sequence) {
            return;
        }
        while let Some((one, announced)) = self.in_flight.pop() {
            self.completed_sequence = one;
            self.finished = announced;
            if one == sequence {
                break;
            }
        }
    }

    pub(super) fn fail_over(&mut self) {
        self.in_flight = InFlight::default();
        self.announced = self.finished;
        self.is_blocked_reported = false;
        self.is_validation_due = true;
    }

    pub(super) const fn take_validation(&mut self) -> bool {
        let is_due = self.is_validation_due;
        self.is_validation_due = false;
        is_due
    }

    pub(super) const fn has_no_message_in_flight(&self) -> bool {
        self.in_flight.is_empty()
    }

    pub(super) const fn drop_unfinished(&mut self) {
        self.prepared = self.finished;
    }

    pub(super) fn drop_unannounced(&mut self) {
        self.prepared = self.announced;
    }
}
