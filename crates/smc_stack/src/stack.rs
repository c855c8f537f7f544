//! One end of a link group with its connections.

use core::net::IpAddr;
use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_roce::packet::{Packet, PacketBuffer};
use halftrack_roce::queue_pair::WorkId;
use halftrack_smc::link_group::{
    BufferId, End, GroupState, LinkGroup, LinkId, PORTS_MAX, PortNumber, QueuePairEnd,
};
use halftrack_smc::message::llc::DeleteReason;
use halftrack_smc::message::{AlertToken, Bits24};

use crate::buffer::{Buffer, PeerMemory};
use crate::link::{Link, NO_MESSAGE};
use crate::settings::Settings;
use crate::socket::Socket;

/// Octets that a packet leaves with, for UDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// Own port.
    pub port: PortNumber,
    /// Address of the peer.
    pub destination: IpAddr,
    /// Octets of the packet in the buffer.
    pub bytes: usize,
}

/// First contact for which the client's Confirm is to come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstContact {
    pub(crate) queue_pair: QueuePairEnd,
    pub(crate) connection: AlertToken,
}

/// One end of one link group with its connections.
#[derive(Debug)]
pub struct Stack {
    pub(crate) settings: Settings,
    pub(crate) group: Option<LinkGroup>,
    pub(crate) first: Option<FirstContact>,
    pub(crate) links: Vec<Link>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) sockets: BTreeMap<AlertToken, Socket>,
    /// Queue pairs that were given to the group, and wait.
    pub(crate) spares: [bool; PORTS_MAX],
    /// Numbers that were used, of any kind.
    numbers: u32,
    /// Link whose turn it is to send.
    turn: usize,
    /// Connections may have something to post.
    pub(crate) is_due: bool,
    /// Connections that went on over another link.
    pub(crate) failovers: u32,
}

impl Stack {
    /// Makes an end without links.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            group: None,
            first: None,
            links: Vec::new(),
            buffers: Vec::new(),
            sockets: BTreeMap::new(),
            spares: [false; PORTS_MAX],
            numbers: 0,
            turn: 0,
            is_due: false,
            failovers: 0,
        }
    }

    /// Returns the state of the group.
    pub fn state(&self) -> GroupState {
        self.group.as_ref().map_or(GroupState::None, LinkGroup::state)
    }

    /// Returns why the group ended, where it did. Then all its connections are reset, and the end is of no more use.
    pub fn end(&self) -> Option<End> {
        self.group.as_ref().and_then(LinkGroup::end)
    }

    /// Returns the group.
    pub const fn group(&self) -> Option<&LinkGroup> {
        self.group.as_ref()
    }

    /// Returns how often a connection went on over another link.
    pub const fn failovers(&self) -> u32 {
        self.failovers
    }

    /// Returns how many links are active.
    pub fn active_links(&self) -> usize {
        self.group.as_ref().map_or(0, |group| group.links().filter(|link| link.is_active()).count())
    }

    /// Ends the group with all its connections.
    pub fn end_group(&mut self, now: Time, reason: DeleteReason) {
        if let Some(group) = &mut self.group {
            group.close(reason);
        }
        self.act(now);
    }

    /// Returns whether the group is not there, or has ended and its last messages are acknowledged.
    pub fn is_silent(&self) -> bool {
        self.state() == GroupState::None && self.links.is_empty()
    }

    /// Returns whether no connection has an element.
    pub fn is_idle(&self) -> bool {
        self.buffers.iter().all(|buffer| buffer.elements.is_idle())
    }

    /// Makes a number that was not used before.
    pub(crate) fn next_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    /// Makes a queue pair that waits, at a port.
    pub(crate) fn next_queue_pair(&mut self, port: PortNumber) -> Option<QueuePairEnd> {
        let mtu = self.settings.ports[port.index()]?.mtu;
        let number = Bits24::new((self.settings.seed << 16).wrapping_add(self.next_number()));
        let psn = Bits24::new(self.settings.seed.wrapping_mul(0x9E37_79B9).wrapping_add(number.get() << 12));
        Some(QueuePairEnd { number, psn, mtu })
    }

    /// Takes a datagram that came to a port. One that is no packet of a link has no effect.
    pub fn handle_datagram(
        &mut self,
        now: Time,
        port: PortNumber,
        (peer, source_port): (IpAddr, u16),
        octets: &[u8],
    ) {
        let Some(own) = &self.settings.ports[port.index()] else { return };
        let Some(path) = own.path_from(peer, source_port) else { return };
        let Ok(packet) = Packet::decode(&path, octets) else { return };
        let is_end = |link: &&mut Link| {
            let is_own = link.pair.settings().number == packet.heading.destination;
            is_own && link.port == port && link.peer == peer
        };
        let Some(link) = self.links.iter_mut().find(is_end) else { return };
        let id = link.id;
        let buffers = if self.group.as_ref().is_some_and(|group| group.end().is_none()) {
            &mut self.buffers[..]
        } else {
            &mut []
        };
        link.pair.receive(now, &packet, &mut PeerMemory { buffers, port });
        self.take_messages(now, id);
        self.after(now, id);
    }

    /// Does what is due at `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        let mut at = 0;
        // A link that fails goes, and the one behind it has its turn with the next call.
        while let Some(link) = self.links.get_mut(at) {
            let id = link.id;
            link.pair.handle_timeout(now);
            self.after(now, id);
            at += 1;
        }
        if let Some(group) = &mut self.group {
            group.handle_timeout(now);
        }
        self.act(now);
    }

    /// Returns the instant at which [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        let pairs = self.links.iter().filter_map(|link| link.pair.poll_timeout()).min();
        [pairs, self.group.as_ref().and_then(LinkGroup::deadline)].into_iter().flatten().min()
    }

    /// Writes the next packet that is due.
    pub fn poll_transmit(&mut self, now: Time, into: &mut PacketBuffer) -> Option<Datagram> {
        if std::mem::take(&mut self.is_due) {
            self.post_all();
        }
        let sockets = &self.sockets;
        let source = |address: u64, into: &mut [u8]| {
            if let Some(socket) = sockets.get(&AlertToken((address >> 32) as u32)) {
                socket.load(address as u32 as usize, into);
            }
        };
        for _ in 0..self.links.len() {
            self.turn = (self.turn + 1) % self.links.len();
            let link = &mut self.links[self.turn];
            if let Some(bytes) = link.pair.poll_transmit(now, &source, into) {
                return Some(Datagram { port: link.port, destination: link.peer, bytes });
            }
        }
        None
    }

    pub(crate) fn link_mut(&mut self, id: LinkId) -> Option<&mut Link> {
        self.links.iter_mut().find(|link| link.id == id)
    }

    /// Takes completions of a link, and its failure.
    fn after(&mut self, now: Time, id: LinkId) {
        self.take_completions(id);
        let Some(link) = self.link_mut(id) else { return };
        if link.pair.failure().is_some() {
            if let Some(group) = &mut self.group {
                group.handle_link_lost(now, id);
            }
            self.act(now);
        }
        self.is_due = true;
    }

    /// Marks messages as completed that the peer's adapter has.
    pub(crate) fn take_completions(&mut self, id: LinkId) {
        let Some(link) = self.links.iter_mut().find(|link| link.id == id) else { return };
        while let Some(completion) = link.pair.poll_completion() {
            let WorkId(number) = completion.id;
            let token = AlertToken((number >> 16) as u32);
            let is_done = completion.outcome == halftrack_roce::queue_pair::Outcome::Done;
            if is_done
                && completion.id != NO_MESSAGE
                && let Some(socket) = self.sockets.get_mut(&token)
                && let Some(connection) = &mut socket.connection
            {
                connection.completed(number as u16);
            }
        }
    }

    pub(crate) fn buffer(&self, id: BufferId) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.id == id)
    }

    pub(crate) fn buffer_mut(&mut self, id: BufferId) -> Option<&mut Buffer> {
        self.buffers.iter_mut().find(|buffer| buffer.id == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use halftrack_smc::buffer::ElementSize;
    use halftrack_smc::link_group::Role;
    use halftrack_smc::message::{Mac, Mtu, PeerId};

    use super::*;
    use crate::settings::PortSettings;

    #[test]
    fn queue_pairs_have_numbers_of_their_own() {
        let address = core::net::Ipv4Addr::LOCALHOST.into();
        let port = PortSettings { mac: Mac::default(), address, source_port: 1, mtu: Mtu(3) };
        let (size, peer) = (ElementSize::default(), PeerId::default());
        let ports = [Some(port), None];
        let settings = Settings { role: Role::Server, peer, ports, size, elements: 1, seed: 7 };
        let mut stack = Stack::new(settings);
        let numbers: BTreeSet<Bits24> = (0..1_000)
            .filter_map(|_| stack.next_queue_pair(PortNumber::First))
            .map(|queue_pair| queue_pair.number)
            .collect();
        assert_eq!(numbers.len(), 1_000);
    }
}
