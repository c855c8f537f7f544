//! One connection: octets of both directions, their cursors, and its end (RFC 7609, section 4).
//!
//! The octets themselves are the caller's: methods return where they lie in the elements, and nothing is allocated for
//! them. Octets to be sent lie in a ring of the size of the peer's element, at the offsets that they will have there. So
//! they can be written again after a link failed, which changes nothing where they arrived before.

mod ending;
mod image;
mod in_flight;
mod inbound;
mod outbound;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::buffer::{CursorError, ElementSize, ElementSpan, Position};
use crate::message::{AlertToken, Cdc, CloseFlags, ProducerFlags};
pub use ending::State;
pub use image::{IMAGE_WORDS, Image};
use inbound::Inbound;
use outbound::Outbound;

/// Elements and names of a connection, as the rendezvous settled them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// Name of the connection in messages that come.
    pub token: AlertToken,
    /// Name of the connection in messages to the peer.
    pub peer_token: AlertToken,
    /// Size of the own element.
    pub size: ElementSize,
    /// Size of the peer's element.
    pub peer_size: ElementSize,
}

/// Writes into the peer's element, and the message behind them on the same link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmission {
    /// Octets of the ring that are written to the offsets that they have. Either may be empty.
    pub writes: [ElementSpan; 2],
    /// Message.
    pub cdc: Cdc,
}

/// Changes that a message brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arrival {
    /// More octets can be read.
    pub has_data: bool,
    /// More octets can be sent.
    pub has_room: bool,
    /// An urgent octet came.
    pub has_urgent: bool,
    /// The peer sends no more.
    pub is_end: bool,
    /// The connection ended abnormally.
    pub is_reset: bool,
}

/// Why a message ends the connection abnormally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ConnectionError {
    /// Cursor outside the element, or beyond the window.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// Message for another connection.
    #[error("alert token {:08X} is of another connection", .0.0)]
    Token(AlertToken),
    /// A message that was completed on a link that failed did not arrive.
    #[error("message {sent} was completed on the link that failed, and {received} is the last that arrived")]
    Lost {
        /// Number of the message completed.
        sent: u16,
        /// Number of the last message that arrived.
        received: u16,
    },
}

/// Why octets are not taken or not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StreamError {
    /// The connection ended abnormally.
    #[error("the connection was reset")]
    Reset,
    /// This end sends no more.
    #[error("the connection is shut down for sending")]
    ShutDown,
    /// The peer has closed, and takes no more.
    #[error("the peer has closed the connection")]
    PeerClosed,
}

/// One end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    settings: Settings,
    outbound: Outbound,
    inbound: Inbound,
    /// Flags that this end wants the peer to have.
    wanted: CloseFlags,
    /// Flags of the last message.
    sent: CloseFlags,
    /// Flags of the peer.
    peer: CloseFlags,
    /// A message is due whatever it has.
    is_due: bool,
}

impl Connection {
    /// Makes a connection without octets.
    pub fn new(settings: Settings) -> Self {
        let (none, outbound) = (CloseFlags::default(), Outbound::new(settings.peer_size));
        let inbound = Inbound::new(settings.size);
        Self { settings, outbound, inbound, wanted: none, sent: none, peer: none, is_due: false }
    }

    /// Returns the elements and names.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the octets that [`send`](Self::send) would take.
    pub const fn room_bytes(&self) -> u32 {
        self.outbound.room_bytes()
    }

    /// Takes up to `wanted_bytes` octets, which the caller copies into these spans of the ring before it polls.
    ///
    /// The last octet is urgent where `is_urgent` and all are taken.
    ///
    /// # Errors
    /// The connection is shut down or was reset; the peer has closed.
    pub fn send(&mut self, wanted_bytes: u32, is_urgent: bool) -> Result<[ElementSpan; 2], StreamError> {
        if self.is_reset() {
            return Err(StreamError::Reset);
        }
        if self.wanted.contains(CloseFlags::SENDING_DONE) {
            return Err(StreamError::ShutDown);
        }
        if self.is_peer_closed() {
            return Err(StreamError::PeerClosed);
        }
        Ok(self.outbound.prepare(wanted_bytes, is_urgent))
    }

    /// Returns the octets that [`send_into_window`](Self::send_into_window) would take.
    pub const fn window_bytes(&self) -> u32 {
        self.outbound.window_bytes()
    }

    /// Takes up to `wanted_bytes` octets, which the caller copies into these spans of the peer's element at once.
    ///
    /// For memory that cannot be lost on the way: no ring is needed, and the writes of the next poll are done.
    ///
    /// # Errors
    /// The connection is shut down or was reset; the peer has closed.
    pub fn send_into_window(&mut self, wanted_bytes: u32) -> Result<[ElementSpan; 2], StreamError> {
        let taken = wanted_bytes.min(self.window_bytes());
        self.send(taken, false)
    }

    /// Returns the octets announced to the peer, and those of the peer that were read.
    pub const fn stream_bytes(&self) -> (u64, u64) {
        (self.outbound.announced_bytes(), self.inbound.consumed_bytes())
    }

    /// Returns a number that is another one after octets of the peer came, or its end.
    pub const fn arrivals(&self) -> u64 {
        self.inbound.produced_bytes() << 8 | self.peer.0 as u64
    }

    /// Returns the octets that can be read.
    pub const fn readable_bytes(&self) -> u32 {
        self.inbound.readable_bytes()
    }

    /// Returns where up to `wanted_bytes` octets lie that can be read. None, without an error, stands for the end
    /// where [`is_end`](Self::is_end).
    ///
    /// # Errors
    /// The connection was reset.
    pub fn readable(&self, wanted_bytes: u32) -> Result<[ElementSpan; 2], StreamError> {
        if self.is_reset() { Err(StreamError::Reset) } else { Ok(self.inbound.readable(wanted_bytes)) }
    }

    /// Frees the space of so many octets that were read.
    pub fn consume(&mut self, bytes: u32) {
        self.inbound.consume(bytes);
    }

    /// Returns the place of the last urgent octet in the stream, while it is not consumed.
    pub const fn urgent(&self) -> Option<Position> {
        self.inbound.urgent()
    }

    /// Applies a message of the peer. One that is older than another that came has no effect.
    ///
    /// # Errors
    /// The message is none of this connection, or ends it abnormally; the abort is sent by the next poll.
    pub fn receive(&mut self, cdc: &Cdc) -> Result<Arrival, ConnectionError> {
        if cdc.token != self.settings.token {
            return Err(ConnectionError::Token(cdc.token));
        }
        let applied = self.apply(cdc);
        if applied.is_err() {
            self.abort();
        }
        applied
    }

    fn apply(&mut self, cdc: &Cdc) -> Result<Arrival, ConnectionError> {
        if cdc.producer_flags.contains(ProducerFlags::FAILOVER_VALIDATION) {
            return self.inbound.validate(cdc.sequence).map(|()| Arrival::default());
        }
        if !self.inbound.accept_sequence(cdc.sequence) {
            return Ok(Arrival::default());
        }
        let has_room = self.outbound.consumed_to(cdc.consumer)?;
        let (has_data, has_urgent) = self.inbound.produced_to(cdc.producer, cdc.producer_flags)?;
        let (before, was_reset) = (self.peer, self.is_reset());
        self.peer = before.with(cdc.close_flags);
        let is_end = !is_ended(before) && is_ended(self.peer);
        let is_reset = !was_reset && self.peer.contains(CloseFlags::ABNORMAL);
        let is_unread = has_data && self.wanted.contains(CloseFlags::CLOSED);
        if is_reset || is_unread {
            self.abort();
        }
        Ok(Arrival { has_data, has_room, has_urgent, is_end, is_reset })
    }

    /// Takes the next writes with their message, if any are due.
    pub fn poll(&mut self) -> Option<Transmission> {
        if self.outbound.take_validation() {
            return Some(self.validation());
        }
        let close_flags = self.close_flags();
        let is_due = self.is_due || close_flags != self.sent || self.inbound.is_update_due();
        let (writes, producer_flags) = self.outbound.announce(is_due)?;
        // The announcement may have been the last that the end waited for.
        let close_flags = self.close_flags();
        self.is_due = false;
        self.sent = close_flags;
        let cdc = Cdc {
            sequence: self.outbound.sequence(),
            token: self.settings.peer_token,
            producer: self.outbound.producer(),
            consumer: self.inbound.report(),
            producer_flags,
            close_flags,
        };
        Some(Transmission { writes, cdc })
    }

    fn validation(&self) -> Transmission {
        let cdc = Cdc {
            sequence: self.outbound.completed_sequence(),
            token: self.settings.peer_token,
            producer: self.outbound.producer(),
            consumer: self.inbound.reported(),
            producer_flags: ProducerFlags::FAILOVER_VALIDATION,
            close_flags: self.sent,
        };
        Transmission { writes: Default::default(), cdc }
    }

    /// Marks the message of this number, and those before it, as completed: the peer's adapter has them and the octets.
    pub fn completed(&mut self, sequence: u16) {
        self.outbound.completed(sequence);
    }

    /// Returns whether both ends have closed and every message has a completion: no message will ever follow.
    pub const fn is_settled(&self) -> bool {
        matches!(self.state(), State::Closed) && self.outbound.has_no_message_in_flight()
    }

    /// Goes on over another link: octets without a completion are written again, behind a validation.
    ///
    /// A peer that has closed reads no more, and its element may be another connection's: only the message is repeated.
    pub fn fail_over(&mut self) {
        if self.state() == State::Closed {
            self.outbound.drop_unfinished();
        }
        self.outbound.fail_over();
        self.is_due = true;
    }
}

const fn is_ended(flags: CloseFlags) -> bool {
    flags.0 & (CloseFlags::SENDING_DONE.0 | CloseFlags::CLOSED.0) != 0
}
