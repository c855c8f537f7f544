//! Messages of a connection without a completion.

use crate::buffer::Position;

/// Most of them (our choice).
pub(super) const IN_FLIGHT_MAX: usize = 16;

/// Numbers of messages and the places up to which they announce octets, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InFlight {
    items: [(u16, Position); IN_FLIGHT_MAX],
    first: usize,
    length: usize,
}

impl InFlight {
    pub(super) const fn is_full(&self) -> bool {
        self.length == IN_FLIGHT_MAX
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn has(&self, number: u16) -> bool {
        (0..self.length).any(|at| self.items[(self.first + at) % IN_FLIGHT_MAX].0 == number)
    }

    /// Adds the last one.
    ///
    /// # Panics
    /// There are as many as there may be.
    pub(super) const fn push(&mut self, number: u16, announced: Position) {
        assert!(!self.is_full(), "a message waits for room");
        self.items[(self.first + self.length) % IN_FLIGHT_MAX] = (number, announced);
        self.length += 1;
    }

    /// Takes the first one.
    pub(super) const fn pop(&mut self) -> Option<(u16, Position)> {
        if self.is_empty() {
            return None;
        }
        let first = self.items[self.first];
        (self.first, self.length) = ((self.first + 1) % IN_FLIGHT_MAX, self.length - 1);
        Some(first)
    }
}
