//! Links of a group.

use super::link::{Link, LinkId, LinkState, PortNumber};
use crate::message::{Bits24, Gid, LinkNumber, Mac};

/// State of a group, by the names that tools of Linux show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupState {
    /// No link.
    None,
    /// One link.
    Single,
    /// Two links without a port in common.
    Symmetric,
    /// Two links at one own port.
    AsymmetricLocal,
    /// Two links at one port of the peer.
    AsymmetricPeer,
}

/// Links in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Links {
    all: Vec<Link>,
    /// Links ever made.
    made: u32,
    last_number: u8,
}

impl Links {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Link> {
        self.all.iter()
    }

    pub(super) fn get(&self, id: LinkId) -> Option<&Link> {
        self.all.iter().find(|link| link.id == id)
    }

    pub(super) fn get_mut(&mut self, id: LinkId) -> Option<&mut Link> {
        self.all.iter_mut().find(|link| link.id == id)
    }

    pub(super) fn by_number(&self, number: LinkNumber) -> Option<&Link> {
        self.all.iter().find(|link| link.number == Some(number))
    }

    /// Finds the link whose peer has this end.
    pub(super) fn by_peer(&self, mac: Mac, gid: Gid, queue_pair: Bits24) -> Option<&Link> {
        let is_end = |link: &&Link| {
            let peer = &link.peer;
            (peer.port.mac, peer.port.gid, peer.queue_pair.number) == (mac, gid, queue_pair)
        };
        self.all.iter().find(is_end)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a link; its number at this end is chosen here.
    pub(super) fn add(&mut self, link: Link) -> LinkId {
        self.made += 1;
        let id = LinkId(self.made);
        self.all.push(Link { id, ..link });
        id
    }

    pub(super) fn remove(&mut self, id: LinkId) -> Option<Link> {
        let at = self.all.iter().position(|link| link.id == id)?;
        Some(self.all.remove(at))
    }

    /// Chooses the number of a new link: behind the last one, not 0, and no other link's.
    pub(super) fn next_number(&mut self) -> LinkNumber {
        loop {
            self.last_number = self.last_number.checked_add(1).unwrap_or(1);
            let number = LinkNumber(self.last_number);
            if self.by_number(number).is_none() {
                return number;
            }
        }
    }

    pub(super) fn active(&self) -> impl Iterator<Item = &Link> {
        self.all.iter().filter(|link| link.is_active())
    }

    pub(super) fn activate(&mut self, id: LinkId) {
        if let Some(link) = self.get_mut(id) {
            link.state = LinkState::Active;
        }
    }

    /// Counts links at an own port.
    pub(super) fn at_port(&self, port: PortNumber) -> usize {
        self.all.iter().filter(|link| link.port == port).count()
    }

    pub(super) fn state(&self) -> GroupState {
        let mut active = self.active();
        let (first, second) = match (active.next(), active.next()) {
            (None, _) => return GroupState::None,
            (Some(_), None) => return GroupState::Single,
            (Some(first), Some(second)) => (first, second),
        };
        if self.symmetric_pair().is_some() {
            GroupState::Symmetric
        } else if first.own.port == second.own.port {
            GroupState::AsymmetricLocal
        } else {
            GroupState::AsymmetricPeer
        }
    }

    /// Finds two active links without a port in common.
    fn symmetric_pair(&self) -> Option<[LinkId; 2]> {
        self.active().find_map(|one| {
            let other = self.active().find(|other| other.is_symmetric_to(one))?;
            Some([one.id, other.id])
        })
    }

    /// Finds an active link that is not needed: the newest beside a symmetric pair, or beside `kept` links.
    pub(super) fn surplus(&self, kept: usize) -> Option<LinkId> {
        if self.active().count() <= kept {
            return None;
        }
        let pair = self.symmetric_pair().unwrap_or_default();
        self.active().filter(|link| !pair.contains(&link.id)).last().map(|link| link.id)
    }
}
