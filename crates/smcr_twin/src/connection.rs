//! Connection in a run: the transfer that it carries, counted in octets behind each step.

use halftrack_base::Time;

/// Connection.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    /// Index of its conversation.
    pub conversation: u32,
    /// Index of its route; `None` once it is lost.
    pub route: Option<u32>,
    /// Moves so far.
    pub moves: u16,
    /// It has lost its functions, and does not go on yet.
    pub is_moving: bool,
    /// When its exchange began; `None` before the first.
    pub begun: Option<Time>,
    /// Transfer at hand.
    pub transfer: Transfer,
}

/// Transfer of a connection. Chunks stay in order, so that the next one follows from a count of octets behind each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Transfer {
    /// Side that sends: 0 is the client.
    pub from: usize,
    /// All octets.
    pub bytes: u32,
    /// Octets at a time.
    pub chunk_bytes: u32,
    /// Octets that the sender's processor has begun, and done.
    pub begun: u32,
    pub sent: u32,
    /// Octets whose chunk has come to the other port, and is in memory.
    pub arrived: u32,
    pub received: u32,
    /// Octets that the receiver's processor has begun, and done.
    pub reading: u32,
    pub read: u32,
    /// Octets that the sender may send again.
    pub opened: u32,
}

impl Transfer {
    pub(crate) fn new(from: usize, bytes: u32, chunk_bytes: u32) -> Self {
        Self { from, bytes, chunk_bytes, ..Self::default() }
    }

    /// Returns the octets of the chunk behind `done`.
    pub(crate) fn chunk_after(&self, done: u32) -> u32 {
        (self.bytes - done).min(self.chunk_bytes)
    }

    /// Returns the chunk that the sender may begin with, if its processor is free and the window has room.
    pub(crate) fn next_to_send(&self, window_bytes: u32) -> Option<u32> {
        let is_busy = self.begun > self.sent;
        let open = self.begun - self.opened;
        let next = self.chunk_after(self.begun);
        let has_room = open == 0 || open + next <= window_bytes;
        (!is_busy && next > 0 && has_room).then_some(next)
    }

    /// Returns the chunk that the receiver may begin with, if its processor is free and one is there.
    pub(crate) fn next_to_read(&self) -> Option<u32> {
        let is_free = self.reading == self.read;
        (is_free && self.received > self.read).then(|| self.chunk_after(self.read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_bounds_what_is_open_and_the_last_chunk_is_short() {
        let mut transfer = Transfer::new(0, 10, 4);
        assert_eq!(transfer.next_to_send(8), Some(4));
        transfer.begun = 4;
        assert_eq!(transfer.next_to_send(8), None, "its processor is busy");
        transfer.sent = 4;
        assert_eq!((transfer.next_to_send(8), transfer.next_to_send(7)), (Some(4), None));
        (transfer.begun, transfer.sent, transfer.opened) = (8, 8, 4);
        assert_eq!(transfer.next_to_send(8), Some(2));
    }

    #[test]
    fn a_window_smaller_than_a_chunk_lets_one_go() {
        assert_eq!(Transfer::new(0, 10, 4).next_to_send(1), Some(4));
    }
}
