//! Connection with its memory.

use halftrack_smc::buffer::{ElementIndex, ElementSpan};
use halftrack_smc::connection::Connection;
use halftrack_smc::link_group::{BufferId, LinkId, PeerBufferId};
use halftrack_smc::message::{Cdc, RemoteToken};

/// Messages kept before the Confirm. As each has what earlier ones had, the last would be enough; none is dropped that a peer in good
/// order can send (our choice).
const EARLY_MAX: usize = 1024;

/// Element of the peer into which a connection writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) buffer: PeerBufferId,
    /// Place of the buffer on the link of the connection.
    pub(crate) token: RemoteToken,
    pub(crate) offset_bytes: u64,
}

/// Connection.
#[derive(Debug)]
pub(crate) struct Socket {
    /// `None` between Accept and Confirm.
    pub(crate) connection: Option<Connection>,
    pub(crate) element: (BufferId, ElementIndex),
    pub(crate) target: Option<Target>,
    /// Octets to be sent, at their offsets in the element of the peer.
    ring: Vec<u8>,
    /// Link of transmissions.
    pub(crate) link: LinkId,
    /// Link of the last message of the peer.
    pub(crate) peer_link: LinkId,
    /// Messages that came before the Confirm, and their links.
    early: Vec<(LinkId, Cdc)>,
    /// The application has closed.
    pub(crate) is_released: bool,
    /// The group has ended.
    pub(crate) is_dead: bool,
    /// The own element is free again.
    pub(crate) has_given_back: bool,
}

impl Socket {
    pub(crate) const fn new(element: (BufferId, ElementIndex), link: LinkId) -> Self {
        Self {
            connection: None,
            element,
            target: None,
            ring: Vec::new(),
            link,
            peer_link: link,
            early: Vec::new(),
            is_released: false,
            is_dead: false,
            has_given_back: false,
        }
    }

    /// Keeps a message that came before the Confirm: the peer may send as soon as it has sent that, and the program may be busy. A
    /// peer that sends more of them than there can be in flight has gone on without completions, and is not heeded.
    pub(crate) fn keep(&mut self, link: LinkId, cdc: &Cdc) {
        if self.early.len() < EARLY_MAX {
            self.early.push((link, *cdc));
        }
    }

    /// Opens the connection; returns the messages that came before.
    pub(crate) fn open(&mut self, connection: Connection, target: Target) -> Vec<(LinkId, Cdc)> {
        self.ring = vec![0; connection.settings().peer_size.bytes() as usize];
        (self.connection, self.target) = (Some(connection), Some(target));
        std::mem::take(&mut self.early)
    }

    pub(crate) fn ring_octets(&mut self, span: ElementSpan) -> &mut [u8] {
        &mut self.ring[span.offset as usize..(span.offset + span.length_bytes) as usize]
    }

    /// Copies octets of the ring.
    pub(crate) fn load(&self, offset: usize, into: &mut [u8]) {
        into.copy_from_slice(&self.ring[offset..offset + into.len()]);
    }
}
