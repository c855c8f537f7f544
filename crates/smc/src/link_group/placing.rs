//! Connections on links, balanced, and moved from a link that is lost.

use super::buffers::PeerBufferId;
use super::link::{Link, LinkId};
use super::{Action, LinkGroup};
use crate::message::{AlertToken, Bits24, Gid, Mac, RemoteToken, Rkey};

/// Most connections of a group.
pub const CONNECTIONS_MAX: usize = 255;

/// Place of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    link: LinkId,
    peer_buffer: Option<PeerBufferId>,
}

impl LinkGroup {
    /// Chooses the link of the next connection, at the server: the active one with the fewest connections.
    pub fn next_link(&self) -> Option<LinkId> {
        self.links.active().map(|link| link.id).min_by_key(|&id| self.connections_on(id))
    }

    /// Counts the connections on a link.
    pub fn connections_on(&self, link: LinkId) -> usize {
        self.connections.values().filter(|placement| placement.link == link).count()
    }

    /// Finds the link whose peer has this end: that of a server's Accept.
    pub fn link_of_peer(&self, mac: Mac, gid: Gid, queue_pair: Bits24) -> Option<&Link> {
        self.links.by_peer(mac, gid, queue_pair)
    }

    /// Puts a connection on a link; false where the link is gone, the name is taken, or the group has no room.
    #[must_use]
    pub fn place(&mut self, connection: AlertToken, link: LinkId) -> bool {
        let is_possible = self.end.is_none()
            && self.links.get(link).is_some()
            && self.connections.len() < CONNECTIONS_MAX
            && !self.connections.contains_key(&connection);
        if is_possible {
            self.connections.insert(connection, Placement { link, peer_buffer: None });
        }
        is_possible
    }

    /// Notes the buffer into which a connection writes: until it ends, the peer may not delete it.
    pub fn set_peer_buffer(&mut self, connection: AlertToken, buffer: PeerBufferId) {
        if let Some(placement) = self.connections.get_mut(&connection) {
            placement.peer_buffer = Some(buffer);
        }
    }

    /// Returns the link of a connection.
    pub fn link_of(&self, connection: AlertToken) -> Option<LinkId> {
        self.connections.get(&connection).map(|placement| placement.link)
    }

    /// Takes a connection that has ended out of the group.
    pub fn remove(&mut self, connection: AlertToken) {
        self.connections.remove(&connection);
    }

    /// Finds a buffer of the peer by its key on a link.
    pub fn peer_buffer(&self, link: LinkId, rkey: Rkey) -> Option<PeerBufferId> {
        self.buffers.peer_by_key(link, rkey)
    }

    /// Returns the place of a buffer of the peer on a link.
    pub fn peer_token(&self, buffer: PeerBufferId, link: LinkId) -> Option<RemoteToken> {
        self.buffers.peer_token(buffer, link)
    }

    pub(super) fn is_in_use(&self, buffer: PeerBufferId) -> bool {
        self.connections.values().any(|placement| placement.peer_buffer == Some(buffer))
    }

    /// Moves the connections of a lost link to others, each to the one with the fewest.
    pub(super) fn move_connections(&mut self, from: LinkId) {
        let is_there = |(_, placement): &(&AlertToken, &Placement)| placement.link == from;
        let moved: Vec<AlertToken> =
            self.connections.iter().filter(is_there).map(|(&token, _)| token).collect();
        for connection in moved {
            let Some(to) = self.next_link() else { return };
            if let Some(placement) = self.connections.get_mut(&connection) {
                placement.link = to;
            }
            self.actions.push_back(Action::Move { connection, to });
        }
    }
}
