//! One end of a connection.

use halftrack_smc::connection::{Connection, StreamError};
use halftrack_smc::message::Cdc;

use crate::memory::EndMemory;

/// Answers to whoever waits for an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readiness {
    /// Octets can be read, or the end of the stream, or an error.
    pub is_readable: bool,
    /// Octets can be sent, or an error is reported to who tries.
    pub is_writable: bool,
    /// The peer sends no more.
    pub is_end: bool,
    /// The connection ended abnormally.
    pub is_reset: bool,
    /// This end sends no more.
    pub is_shut_down: bool,
    /// The peer has closed, and takes no more.
    pub is_peer_closed: bool,
    /// Octets that can be read.
    pub readable_bytes: u32,
    /// Octets that the peer has room for.
    pub window_bytes: u32,
    /// Number that is another one after octets of the peer came, or its end.
    pub arrivals: u64,
}

/// One end: the protocol, the own memory and that of the peer.
///
/// Methods that may post a message return whether the peer is to be rung.
#[derive(Debug)]
pub(crate) struct End<'m> {
    connection: Connection,
    own: &'m EndMemory,
    peer: &'m EndMemory,
    /// Number of the last message posted, and of the last one taken.
    posted: u64,
    taken: u64,
}

impl<'m> End<'m> {
    /// Returns the end of a connection, with the numbers of the last message posted and taken.
    pub(crate) const fn of(
        connection: Connection,
        (own, peer): (&'m EndMemory, &'m EndMemory),
        (posted, taken): (u64, u64),
    ) -> Self {
        Self { connection, own, peer, posted, taken }
    }

    /// Returns the connection, and the numbers of the last message posted and taken.
    pub(crate) fn into_parts(self) -> (Connection, (u64, u64)) {
        (self.connection, (self.posted, self.taken))
    }

    /// Sends as many octets as the peer's element has room for; returns how many, and whether the peer is to be rung.
    ///
    /// # Errors
    /// The connection is shut down or was reset.
    pub(crate) fn send(&mut self, octets: &[u8]) -> Result<(usize, bool), StreamError> {
        self.take();
        let wanted = u32::try_from(octets.len()).unwrap_or(u32::MAX);
        let spans = self.connection.send_into_window(wanted)?;
        let mut rest = octets;
        spans.iter().for_each(|span| self.peer.write(*span, &mut rest));
        Ok((octets.len() - rest.len(), self.post()))
    }

    /// Copies octets that have come; returns how many, and whether the peer is to be rung. None stands for the end of the stream
    /// where [`Readiness::is_end`], and else for nothing yet.
    ///
    /// # Errors
    /// The connection was reset.
    pub(crate) fn receive(&mut self, into: &mut [u8]) -> Result<(usize, bool), StreamError> {
        let bytes = self.peek(into)?;
        self.connection.consume(bytes as u32);
        Ok((bytes, self.post()))
    }

    /// Copies octets that have come, and leaves them; returns how many.
    ///
    /// # Errors
    /// The connection was reset.
    pub(crate) fn peek(&mut self, into: &mut [u8]) -> Result<usize, StreamError> {
        self.take();
        let wanted = u32::try_from(into.len()).unwrap_or(u32::MAX);
        let spans = self.connection.readable(wanted)?;
        let mut rest = &mut *into;
        spans.iter().for_each(|span| self.own.read(*span, &mut rest));
        let left = rest.len();
        Ok(into.len() - left)
    }

    /// Sends no more; returns whether the peer is to be rung.
    pub(crate) fn shut_down_sending(&mut self) -> bool {
        self.take();
        self.connection.shut_down();
        self.post()
    }

    /// Closes the connection: abnormally where octets were not read. Returns whether the peer is to be rung.
    pub(crate) fn close(&mut self) -> bool {
        self.take();
        self.connection.close();
        self.post()
    }

    /// Ends the connection abnormally; returns whether the peer is to be rung.
    pub(crate) fn abort(&mut self) -> bool {
        self.connection.abort();
        self.post()
    }

    /// Returns what the end is ready for.
    pub(crate) fn readiness(&mut self) -> Readiness {
        self.take();
        let (is_end, is_reset) = (self.connection.is_end(), self.connection.is_reset());
        let is_peer_closed = self.connection.is_peer_closed();
        let (readable_bytes, is_shut_down) =
            (self.connection.readable_bytes(), self.connection.is_shut_down());
        Readiness {
            is_readable: readable_bytes > 0 || is_end || is_reset,
            is_writable: self.connection.window_bytes() > 0 || is_shut_down || is_peer_closed || is_reset,
            is_end,
            is_reset,
            is_shut_down,
            is_peer_closed,
            readable_bytes,
            window_bytes: self.connection.window_bytes(),
            arrivals: self.connection.arrivals(),
        }
    }

    /// Takes the peer's last message. One that is none of this connection ends it abnormally, for the peer too.
    fn take(&mut self) {
        let Some(message) = self.own.mailbox().take(&mut self.taken) else { return };
        let is_taken = Cdc::decode(&message).is_ok_and(|cdc| self.connection.receive(&cdc).is_ok());
        if !is_taken {
            self.connection.abort();
        }
    }

    /// Posts what is due; returns whether the peer is to be rung.
    fn post(&mut self) -> bool {
        let mut is_posted = false;
        while let Some(transmission) = self.connection.poll() {
            self.peer.mailbox().post(&mut self.posted, &transmission.cdc.encode());
            self.connection.completed(transmission.cdc.sequence);
            is_posted = true;
        }
        is_posted && self.peer.is_to_be_rung()
    }
}

/// Messages for tests.
#[cfg(test)]
impl End<'_> {
    /// Posts a message that the protocol has not made.
    pub(crate) fn post_foreign(&mut self, message: &halftrack_smc::message::LinkMessage) {
        self.peer.mailbox().post(&mut self.posted, message);
    }
}
