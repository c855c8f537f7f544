//! Own ends in the messages of the rendezvous.

use halftrack_base::Time;
use halftrack_smc::buffer::{ElementIndex, ElementSize};
use halftrack_smc::connection::{self, Connection};
use halftrack_smc::link_group::{
    self, BufferId, FirstLink, LinkEnd, LinkGroup, LinkId, PORTS_MAX, Port, PortNumber, QueuePairEnd,
};
use halftrack_smc::message::clc::{Diagnosis, Endpoint};
use halftrack_smc::message::{AlertToken, Cdc, RemoteToken, Rkey};

use crate::buffer::Buffer;
use crate::socket::{Socket, Target};
use crate::stack::{FirstContact, Stack};

/// Octets of address space for each buffer.
const BUFFER_SPACING_BYTES: u64 = 1 << 32;

impl Stack {
    /// Makes the own end of an Accept, at a server.
    ///
    /// # Errors
    /// The group has ended ([`Diagnosis::SYNCHRONISATION`]); a first contact is under way ([`Diagnosis::LINK_READY`]); no
    /// element is free ([`Diagnosis::NO_MEMORY`]): then another buffer is on its way to the peer.
    pub fn accept(&mut self, now: Time) -> Result<Endpoint, Diagnosis> {
        if self.end().is_some() {
            return Err(Diagnosis::SYNCHRONISATION);
        }
        let Some(group) = &self.group else { return self.accept_first() };
        let link = group.next_link().ok_or(Diagnosis::LINK_READY)?;
        let element = self.take_element(now)?;
        let token = self.add_socket(element, link)?;
        self.endpoint(token, link)
    }

    fn accept_first(&mut self) -> Result<Endpoint, Diagnosis> {
        if self.first.is_some() {
            return Err(Diagnosis::LINK_READY);
        }
        let (_, queue_pair) = self.first_queue_pair()?;
        let element = self.take_first_element()?;
        let token = self.new_socket(element, LinkId::default());
        self.first = Some(FirstContact { queue_pair, connection: token });
        self.first_endpoint(token, queue_pair)
    }

    /// Takes the Confirm for an Accept, at a server: the connection is open.
    ///
    /// # Errors
    /// The client's end does not fit.
    pub fn confirmed(
        &mut self,
        now: Time,
        connection: AlertToken,
        confirm: &Endpoint,
    ) -> Result<(), Diagnosis> {
        let first = self.first.take_if(|first| first.connection == connection);
        if let Some(first) = first {
            self.make_first_group(now, connection, first.queue_pair, confirm)?;
        }
        self.open(now, connection, confirm)
    }

    /// Takes an Accept and makes the own end of the Confirm, at a client: the connection is open.
    ///
    /// # Errors
    /// The server's end does not fit, or means a group that is not there.
    pub fn confirm(&mut self, now: Time, accept: &Endpoint) -> Result<Endpoint, Diagnosis> {
        if self.end().is_some() || self.group.is_none() != accept.is_first_contact {
            return Err(Diagnosis::SYNCHRONISATION);
        }
        if accept.is_first_contact {
            let (_, queue_pair) = self.first_queue_pair()?;
            let element = self.take_first_element()?;
            let token = self.new_socket(element, LinkId::default());
            self.make_first_group(now, token, queue_pair, accept)?;
            self.open(now, token, accept)?;
            return self.first_endpoint(token, queue_pair);
        }
        let group = self.group.as_ref().ok_or(Diagnosis::SYNCHRONISATION)?;
        let link = group.link_of_peer(accept.mac, accept.gid, accept.queue_pair);
        let link = link.filter(|link| link.is_active()).ok_or(Diagnosis::SYNCHRONISATION)?.id;
        let element = self.take_element(now)?;
        let token = self.add_socket(element, link)?;
        self.open(now, token, accept)?;
        self.endpoint(token, link)
    }

    /// Makes the group of a first contact, or gives its connection up.
    fn make_first_group(
        &mut self,
        now: Time,
        connection: AlertToken,
        queue_pair: QueuePairEnd,
        peer: &Endpoint,
    ) -> Result<(), Diagnosis> {
        let made = self.make_group(now, connection, queue_pair, peer);
        if made.is_err() {
            self.abort(now, connection);
        }
        made
    }

    /// Makes the group of a first contact.
    fn make_group(
        &mut self,
        now: Time,
        connection: AlertToken,
        queue_pair: QueuePairEnd,
        peer: &Endpoint,
    ) -> Result<(), Diagnosis> {
        let port = self.first_port()?;
        let settings = link_group::Settings {
            role: self.settings.role,
            ports: self.settings.ports.map(|port| port.map(|port| port.port())),
        };
        let peer_end = LinkEnd {
            port: Port { mac: peer.mac, gid: peer.gid },
            queue_pair: QueuePairEnd { number: peer.queue_pair, psn: peer.psn, mtu: peer.mtu },
        };
        let buffer = self.buffers.first_mut().ok_or(Diagnosis::NO_MEMORY)?;
        let first =
            FirstLink { port, queue_pair, peer: peer_end, buffer: buffer.tokens, peer_buffer: peer.buffer };
        let group = LinkGroup::new(&settings, &first, now).ok_or(Diagnosis::LINK_READY)?;
        let link = group.links().next().ok_or(Diagnosis::INTERNAL)?.id;
        let group = self.group.insert(group);
        if !group.place(connection, link) {
            return Err(Diagnosis::INTERNAL);
        }
        if let Some(socket) = self.sockets.get_mut(&connection) {
            (socket.link, socket.peer_link) = (link, link);
        }
        self.act(now);
        self.give_spares(now);
        self.act(now);
        Ok(())
    }

    /// Opens a connection whose peer has this end.
    fn open(&mut self, now: Time, token: AlertToken, peer: &Endpoint) -> Result<(), Diagnosis> {
        match self.open_socket_to(token, peer) {
            Ok(early) => early.iter().for_each(|(link, cdc)| self.deliver(now, *link, cdc)),
            Err(diagnosis) => {
                self.abort(now, token);
                return Err(diagnosis);
            }
        }
        Ok(())
    }

    /// Opens a connection; returns the messages that came before.
    fn open_socket_to(
        &mut self,
        token: AlertToken,
        peer: &Endpoint,
    ) -> Result<Vec<(LinkId, Cdc)>, Diagnosis> {
        let group = self.group.as_mut().ok_or(Diagnosis::SYNCHRONISATION)?;
        let socket = self.sockets.get_mut(&token).filter(|socket| socket.connection.is_none());
        let socket = socket.ok_or(Diagnosis::SYNCHRONISATION)?;
        let link = socket.link;
        let buffer = group.peer_buffer(link, peer.buffer.rkey).ok_or(Diagnosis::REMOTE_TOKEN)?;
        let place = group.peer_token(buffer, link).ok_or(Diagnosis::REMOTE_TOKEN)?;
        let peer_size = ElementSize::from_compressed(peer.compressed_size).ok_or(Diagnosis::CONFIGURATION)?;
        let element = ElementIndex::new(peer.element).ok_or(Diagnosis::CONFIGURATION)?;
        group.set_peer_buffer(token, buffer);
        let (size, peer_token) = (self.settings.size, peer.token);
        let connection = Connection::new(connection::Settings { token, peer_token, size, peer_size });
        let offset_bytes = element.offset_bytes(peer_size.bytes());
        Ok(socket.open(connection, Target { buffer, token: place, offset_bytes }))
    }

    fn first_port(&self) -> Result<PortNumber, Diagnosis> {
        let is_there = |port: &PortNumber| self.settings.ports[port.index()].is_some();
        PortNumber::ALL.into_iter().find(is_there).ok_or(Diagnosis::NO_SMC_R_DEVICE)
    }

    fn first_queue_pair(&mut self) -> Result<(PortNumber, QueuePairEnd), Diagnosis> {
        let port = self.first_port()?;
        Ok((port, self.next_queue_pair(port).ok_or(Diagnosis::NO_SMC_R_DEVICE)?))
    }

    /// Makes the places of a new buffer.
    fn next_tokens(&mut self) -> [RemoteToken; PORTS_MAX] {
        let number = self.next_number();
        let rkey = |port: u32| Rkey((self.settings.seed << 16).wrapping_add(number << 1 | port));
        let address = u64::from(number) * BUFFER_SPACING_BYTES;
        [0, 1].map(|port| RemoteToken { rkey: rkey(port), address })
    }

    /// Takes an element of the buffer of the first contact, which messages of the rendezvous confirm.
    fn take_first_element(&mut self) -> Result<(BufferId, ElementIndex), Diagnosis> {
        if self.buffers.is_empty() {
            let tokens = self.next_tokens();
            let mut buffer = Buffer::new(BufferId(1), tokens, self.settings.size, self.settings.elements);
            buffer.is_confirmed = true;
            self.buffers.push(buffer);
        }
        let buffer = self.buffers.first_mut().ok_or(Diagnosis::NO_MEMORY)?;
        Ok((buffer.id, buffer.elements.take().ok_or(Diagnosis::NO_MEMORY)?))
    }

    /// Takes an element; without one that is free another buffer is made, which can be used once the peer has its keys.
    fn take_element(&mut self, now: Time) -> Result<(BufferId, ElementIndex), Diagnosis> {
        let confirmed = self.buffers.iter_mut().filter(|buffer| buffer.is_confirmed);
        let free = confirmed.into_iter().find_map(|buffer| Some((buffer.id, buffer.elements.take()?)));
        if let Some(free) = free {
            return Ok(free);
        }
        if self.buffers.iter().all(|buffer| buffer.is_confirmed) {
            let tokens = self.next_tokens();
            let added = self.group.as_mut().and_then(|group| group.add_buffer(now, tokens));
            if let Some(id) = added {
                self.buffers.push(Buffer::new(id, tokens, self.settings.size, self.settings.elements));
            }
            self.act(now);
        }
        Err(Diagnosis::NO_MEMORY)
    }

    fn new_socket(&mut self, element: (BufferId, ElementIndex), link: LinkId) -> AlertToken {
        let token = AlertToken((self.settings.seed << 16).wrapping_add(self.next_number()));
        self.sockets.insert(token, Socket::new(element, link));
        token
    }

    fn add_socket(
        &mut self,
        element: (BufferId, ElementIndex),
        link: LinkId,
    ) -> Result<AlertToken, Diagnosis> {
        let token = self.new_socket(element, link);
        if self.group.as_mut().is_some_and(|group| group.place(token, link)) {
            return Ok(token);
        }
        if let Some(socket) = self.sockets.get_mut(&token) {
            socket.is_released = true;
        }
        self.give_back();
        Err(Diagnosis::CONNECTIONS_MAX)
    }

    /// Makes the own end of a connection on a link.
    fn endpoint(&self, token: AlertToken, link: LinkId) -> Result<Endpoint, Diagnosis> {
        let link = self.group.as_ref().and_then(|group| group.link(link)).ok_or(Diagnosis::INTERNAL)?;
        self.end_of(token, (false, link.port, &link.own))
    }

    fn first_endpoint(&self, token: AlertToken, queue_pair: QueuePairEnd) -> Result<Endpoint, Diagnosis> {
        let number = self.first_port()?;
        let port = self.settings.ports[number.index()].ok_or(Diagnosis::INTERNAL)?.port();
        self.end_of(token, (true, number, &LinkEnd { port, queue_pair }))
    }

    fn end_of(
        &self,
        token: AlertToken,
        (is_first_contact, port, own): (bool, PortNumber, &LinkEnd),
    ) -> Result<Endpoint, Diagnosis> {
        let (buffer, element) = self.sockets.get(&token).ok_or(Diagnosis::INTERNAL)?.element;
        let buffer = self.buffer(buffer).ok_or(Diagnosis::INTERNAL)?;
        Ok(Endpoint {
            is_first_contact,
            peer: self.settings.peer,
            gid: own.port.gid,
            mac: own.port.mac,
            queue_pair: own.queue_pair.number,
            buffer: buffer.tokens[port.index()],
            element: element.get(),
            token,
            compressed_size: buffer.size.compressed(),
            mtu: own.queue_pair.mtu,
            psn: own.queue_pair.psn,
        })
    }
}
