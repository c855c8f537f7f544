//! End of a connection: half close, close and abort.

use super::{Connection, is_ended};
use crate::message::CloseFlags;

/// State of a connection, by the names that tools of Linux show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Both ends send.
    Active,
    /// This end sends no more.
    PeerCloseWait1,
    /// Neither end sends, and none has closed.
    PeerCloseWait2,
    /// The peer sends no more.
    AppCloseWait1,
    /// The peer has closed.
    AppFinCloseWait,
    /// This end has closed, and the peer sends no more.
    PeerFinCloseWait,
    /// The peer aborted, and this end has not confirmed that yet.
    ProcessAbort,
    /// This end aborted.
    PeerAbortWait,
    /// Both ends have closed: the elements are free.
    Closed,
}

impl State {
    /// Returns the name that tools of Linux show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::PeerCloseWait1 => "PEERCLOSEWAIT1",
            Self::PeerCloseWait2 => "PEERCLOSEWAIT2",
            Self::AppCloseWait1 => "APPCLOSEWAIT1",
            Self::AppFinCloseWait => "APPFINCLOSEWAIT",
            Self::PeerFinCloseWait => "PEERFINCLOSEWAIT",
            Self::ProcessAbort => "PROCESSABORT",
            Self::PeerAbortWait => "PEERABORTWAIT",
            Self::Closed => "CLOSED",
        }
    }
}

impl Connection {
    /// Sends no more, once all octets taken are announced (half close).
    pub fn shut_down(&mut self) {
        self.wanted = self.wanted.with(CloseFlags::SENDING_DONE);
    }

    /// Closes, once all octets taken are announced. Aborts where octets of the peer were not read.
    pub fn close(&mut self) {
        if self.readable_bytes() > 0 {
            self.abort();
        } else {
            self.wanted = self.wanted.with(CloseFlags::SENDING_DONE | CloseFlags::CLOSED);
        }
    }

    /// Ends the connection abnormally. Octets that are not announced are dropped.
    pub fn abort(&mut self) {
        self.wanted = self.wanted.with(CloseFlags::ABNORMAL);
        self.outbound.drop_unannounced();
    }

    /// Returns whether this end sends no more.
    pub const fn is_shut_down(&self) -> bool {
        self.wanted.contains(CloseFlags::SENDING_DONE)
    }

    /// Returns whether the peer has closed.
    pub const fn is_peer_closed(&self) -> bool {
        self.peer.contains(CloseFlags::CLOSED)
    }

    /// Returns whether the connection ended abnormally.
    pub const fn is_reset(&self) -> bool {
        self.wanted.contains(CloseFlags::ABNORMAL) || self.peer.contains(CloseFlags::ABNORMAL)
    }

    /// Returns whether the peer sends no more, and all that it sent was read.
    pub const fn is_end(&self) -> bool {
        is_ended(self.peer) && self.readable_bytes() == 0
    }

    /// Returns the flags for the next message: an end waits for the octets before it.
    pub(super) const fn close_flags(&self) -> CloseFlags {
        let is_held = !self.outbound.is_announced() && !self.wanted.contains(CloseFlags::ABNORMAL);
        if is_held { self.sent } else { self.wanted }
    }

    /// Returns the state.
    pub const fn state(&self) -> State {
        let (wanted, peer) = (self.wanted, self.peer);
        let is_finished = self.sent.contains(CloseFlags::CLOSED) || self.sent.contains(CloseFlags::ABNORMAL);
        let is_peer_finished = peer.contains(CloseFlags::CLOSED) || peer.contains(CloseFlags::ABNORMAL);
        if is_finished && is_peer_finished {
            return State::Closed;
        }
        if peer.contains(CloseFlags::ABNORMAL) {
            return State::ProcessAbort;
        }
        if wanted.contains(CloseFlags::ABNORMAL) {
            return State::PeerAbortWait;
        }
        if is_peer_finished {
            return State::AppFinCloseWait;
        }
        match (wanted.contains(CloseFlags::SENDING_DONE), is_ended(peer)) {
            (false, false) => State::Active,
            (false, true) => State::AppCloseWait1,
            (true, false) => State::PeerCloseWait1,
            (true, true) if wanted.contains(CloseFlags::CLOSED) => State::PeerFinCloseWait,
            (true, true) => State::PeerCloseWait2,
        }
    }
}
