//! Exchanges of a target's port that have ended, whose initiators may request their state, or something of them again.
//!
//! Their number is bounded, and the oldest makes room: its initiator finds no exchange, aborts, and sends its command again.

use std::collections::VecDeque;

use halftrack_base::Time;

use super::super::target::FcpTarget;
use super::peer::FcpPeer;

/// Most exchanges kept. Our choice: as many as a few hosts have under way.
const KEPT_MAX: usize = 256;

/// An exchange that has ended.
#[derive(Debug)]
pub(super) struct KeptExchange {
    pub peer: FcpPeer,
    pub ids: (u16, u16),
    pub end: FcpTarget,
}

impl KeptExchange {
    fn is(&self, peer: u32, ox_id: u16) -> bool {
        (self.peer.address, self.ids.0) == (peer, ox_id)
    }
}

/// Exchanges that have ended, the oldest first.
#[derive(Debug)]
pub(super) struct KeptExchanges(VecDeque<KeptExchange>);

impl KeptExchanges {
    /// Returns none, with room for all.
    pub fn new() -> Self {
        Self(VecDeque::with_capacity(KEPT_MAX))
    }

    /// Adds an exchange.
    pub fn add(&mut self, kept: KeptExchange) {
        if self.0.len() == KEPT_MAX {
            self.0.pop_front();
        }
        self.0.push_back(kept);
    }

    /// Returns an exchange, the newest of its id.
    pub fn get(&self, peer: u32, ox_id: u16) -> Option<&KeptExchange> {
        self.0.iter().rev().find(|kept| kept.is(peer, ox_id))
    }

    /// Takes an exchange out.
    pub fn take(&mut self, peer: u32, ox_id: u16) -> Option<KeptExchange> {
        let at = self.0.iter().rposition(|kept| kept.is(peer, ox_id))?;
        self.0.remove(at)
    }

    /// Drops the exchanges with a port.
    pub fn forget(&mut self, peer: u32) {
        self.0.retain(|kept| kept.peer.address != peer);
    }

    /// Drops all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Drops those whose time is over.
    pub fn expire(&mut self, now: Time) {
        self.0.retain(|kept| kept.end.poll_timeout().is_some_and(|at| at > now));
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
