//! Connection in a run: the transfer that it carries, counted in octets behind each step.

use halftrack_base::Time;

use crate::network_event::{NetworkEvent, Step};

/// Connection.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    /// Index of its conversation.
    pub conversation: u32,
    /// Index of its path.
    pub path: u32,
    /// Index of its route on the path; `None` before it is made, and once it is lost.
    pub route: Option<u32>,
    /// Moves and losses so far.
    pub moves: u16,
    /// Moves and losses before it was made.
    pub moves_before: u16,
    /// It has lost its functions, and does not go on yet.
    pub is_moving: bool,
    /// When its exchange began; `None` before the first.
    pub begun: Option<Time>,
    /// Transfer at hand.
    pub transfer: Transfer,
}

impl Connection {
    /// Makes a connection of a conversation, whose client has not connected yet.
    pub(crate) fn new(conversation: u32) -> Self {
        Self {
            conversation,
            path: 0,
            route: None,
            moves: 0,
            moves_before: 0,
            is_moving: false,
            begun: None,
            transfer: Transfer::default(),
        }
    }

    /// Returns true when an event is of the connection as it is. Processors end their work whatever moves; nothing else outlives a
    /// move, and nothing at all a loss.
    pub(crate) fn takes(&self, event: &NetworkEvent) -> bool {
        if event.step == Step::Connects {
            return event.moves == self.moves;
        }
        let is_of_processor = matches!(event.step, Step::Begins | Step::Sent | Step::Read);
        let since_made = |moves: u16| moves.wrapping_sub(self.moves_before);
        let is_own = since_made(event.moves) <= since_made(self.moves);
        self.route.is_some() && (event.moves == self.moves || (is_of_processor && is_own))
    }
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

    /// Returns the octets that were sent and have not been read.
    pub(crate) fn unread_bytes(&self) -> u64 {
        u64::from(self.sent - self.read)
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
    fn what_was_on_the_way_before_a_loss_is_none_of_the_connection_after_it() {
        let event = |moves, step| NetworkEvent { connection: 0, moves, step };
        let mut one = Connection { route: Some(0), moves: 1, ..Connection::new(0) };
        let taken =
            |one: &Connection, moves| [Step::Read, Step::Arrives].map(|step| one.takes(&event(moves, step)));
        assert_eq!([0, 1].map(|moves| taken(&one, moves)), [[true, false], [true, true]], "moved once");
        (one.route, one.moves) = (None, u16::MAX);
        assert!(one.takes(&event(u16::MAX, Step::Connects)) && !one.takes(&event(1, Step::Connects)));
        (one.route, one.moves_before, one.moves) = (Some(0), u16::MAX, 0);
        let each = [u16::MAX - 1, u16::MAX, 0].map(|moves| taken(&one, moves));
        assert_eq!(each, [[false, false], [true, false], [true, true]], "made again, and moved");
    }

    #[test]
    fn a_window_smaller_than_a_chunk_lets_one_go() {
        assert_eq!(Transfer::new(0, 10, 4).next_to_send(1), Some(4));
    }
}
