//! Buffers of both ends, and their keys.

use super::link::{LinkId, PORTS_MAX, PortNumber};
use crate::message::{RemoteToken, Rkey};

/// Most buffers of an end in a group.
pub const BUFFERS_MAX: usize = 255;

/// Number of an own buffer. It is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BufferId(pub u32);

/// Number of a buffer of the peer. It is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PeerBufferId(pub u32);

/// State of an own buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BufferState {
    /// The peer has no keys, or not those of all links.
    Unconfirmed,
    /// The peer has the keys.
    Confirmed,
    /// The peer shall drop the keys.
    Unwanted,
}

/// Own buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Buffer {
    pub(super) id: BufferId,
    /// Place by own port.
    pub(super) tokens: [RemoteToken; PORTS_MAX],
    pub(super) state: BufferState,
    /// The caller knows that it may be used.
    pub(super) is_announced: bool,
}

/// Buffer of the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PeerBuffer {
    pub(super) id: PeerBufferId,
    tokens: Vec<(LinkId, RemoteToken)>,
}

/// Buffers of both ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Buffers {
    pub(super) own: Vec<Buffer>,
    peer: Vec<PeerBuffer>,
    made: u32,
    peer_made: u32,
}

impl Buffer {
    pub(super) const fn token(&self, port: PortNumber) -> RemoteToken {
        self.tokens[port.index()]
    }
}

impl PeerBuffer {
    fn token(&self, link: LinkId) -> Option<RemoteToken> {
        self.tokens.iter().find(|(other, _)| *other == link).map(|&(_, token)| token)
    }
}

impl Buffers {
    pub(super) fn add(&mut self, tokens: [RemoteToken; PORTS_MAX], state: BufferState) -> Option<BufferId> {
        if self.own.len() >= BUFFERS_MAX {
            return None;
        }
        self.made += 1;
        let id = BufferId(self.made);
        let is_announced = state == BufferState::Confirmed;
        self.own.push(Buffer { id, tokens, state, is_announced });
        Some(id)
    }

    pub(super) fn get(&self, id: BufferId) -> Option<&Buffer> {
        self.own.iter().find(|buffer| buffer.id == id)
    }

    pub(super) fn get_mut(&mut self, id: BufferId) -> Option<&mut Buffer> {
        self.own.iter_mut().find(|buffer| buffer.id == id)
    }

    pub(super) fn remove(&mut self, id: BufferId) {
        self.own.retain(|buffer| buffer.id != id);
    }

    pub(super) fn in_state(&self, state: BufferState) -> impl Iterator<Item = &Buffer> {
        self.own.iter().filter(move |buffer| buffer.state == state)
    }

    /// Finds a buffer of the peer by its key on a link.
    pub(super) fn peer_by_key(&self, link: LinkId, rkey: Rkey) -> Option<PeerBufferId> {
        let has_key = |buffer: &&PeerBuffer| buffer.token(link).is_some_and(|token| token.rkey == rkey);
        self.peer.iter().find(has_key).map(|buffer| buffer.id)
    }

    /// Returns the place of a buffer of the peer on a link.
    pub(super) fn peer_token(&self, id: PeerBufferId, link: LinkId) -> Option<RemoteToken> {
        self.peer.iter().find(|buffer| buffer.id == id)?.token(link)
    }

    /// Adds a buffer of the peer with its places on links; `None` where the peer has as many as it may.
    pub(super) fn add_peer(&mut self, tokens: Vec<(LinkId, RemoteToken)>) -> Option<PeerBufferId> {
        if self.peer.len() >= BUFFERS_MAX {
            return None;
        }
        self.peer_made += 1;
        let id = PeerBufferId(self.peer_made);
        self.peer.push(PeerBuffer { id, tokens });
        Some(id)
    }

    /// Adds the place of a buffer of the peer on another link; false where it has another place there already.
    pub(super) fn add_peer_token(&mut self, id: PeerBufferId, link: LinkId, token: RemoteToken) -> bool {
        let Some(buffer) = self.peer.iter_mut().find(|buffer| buffer.id == id) else { return false };
        match buffer.token(link) {
            Some(other) => other == token,
            None => {
                buffer.tokens.push((link, token));
                true
            }
        }
    }

    pub(super) fn remove_peer(&mut self, id: PeerBufferId) {
        self.peer.retain(|buffer| buffer.id != id);
    }

    /// Drops the keys of a link that is gone.
    pub(super) fn remove_link(&mut self, link: LinkId) {
        self.peer.iter_mut().for_each(|buffer| buffer.tokens.retain(|(other, _)| *other != link));
    }
}
