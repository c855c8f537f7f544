//! Messages that links carry.

use halftrack_base::Time;
use halftrack_roce::queue_pair::{LocalSpan, Received, Remote, Work, WorkId};
use halftrack_smc::link_group::{self, LinkId};
use halftrack_smc::message::{Cdc, LINK_MESSAGE_BYTES, LinkMessage, ProducerFlags};

use crate::link::{Link, NO_MESSAGE};
use crate::socket::Socket;
use crate::stack::Stack;

impl Stack {
    /// Takes the messages that a link has received, and posts receives for others.
    pub(crate) fn take_messages(&mut self, now: Time, id: LinkId) {
        while let Some(link) = self.link_mut(id)
            && let Some(received) = link.pair.poll_received()
        {
            link.pair.post_receives(1);
            if !self.take_data_message(now, id, &received) {
                // Another length than a message has is a violation too.
                let message = message(&received).unwrap_or([0; LINK_MESSAGE_BYTES]);
                if let Some(group) = &mut self.group {
                    group.handle_message(now, id, &message);
                }
                self.act(now);
            }
        }
    }

    /// Takes a message of a connection; returns false for another.
    pub(crate) fn take_data_message(&mut self, now: Time, id: LinkId, received: &Received) -> bool {
        let Some(cdc) = message(received).and_then(|message| Cdc::decode(&message).ok()) else {
            return false;
        };
        if let Some(group) = &mut self.group {
            group.handle_traffic(now, id);
        }
        self.deliver(now, id, &cdc);
        true
    }

    /// Gives a message to its connection, or keeps it until that is open.
    pub(crate) fn deliver(&mut self, now: Time, id: LinkId, cdc: &Cdc) {
        let is_validation = cdc.producer_flags.contains(ProducerFlags::FAILOVER_VALIDATION);
        let Some(before) = self.sockets.get(&cdc.token).map(|socket| socket.peer_link) else { return };
        if is_validation && before != id {
            // The peer has given up the link before. A write that is late there must find it stopped.
            if let Some(group) = &mut self.group {
                group.handle_link_lost(now, before);
            }
            self.act(now);
        }
        let Some(socket) = self.sockets.get_mut(&cdc.token) else { return };
        let Some(connection) = socket.connection.as_mut() else { return socket.keep(id, cdc) };
        if before != id && !is_validation {
            // Without a validation nothing shows that messages on the other link arrived.
            connection.abort();
        } else {
            socket.peer_link = id;
            // An error aborts the connection, which both applications find.
            let _ = connection.receive(cdc);
        }
        self.is_due = true;
    }

    /// Posts everything that is due, as far as there is room.
    pub(crate) fn post_all(&mut self) {
        self.links.iter_mut().for_each(Link::post_waiting);
        if self.end().is_some() {
            // The last messages of the group have arrived, or never will.
            self.links.retain(|link| link.pair.failure().is_none() && !link.is_idle());
        }
        let group = &self.group;
        let is_active = |id: LinkId| {
            group.as_ref().and_then(|group| group.link(id)).is_some_and(link_group::Link::is_active)
        };
        for (token, socket) in &mut self.sockets {
            if !socket.is_dead
                && is_active(socket.link)
                && let Some(link) = self.links.iter_mut().find(|link| link.id == socket.link)
            {
                post(u64::from(token.0), socket, link);
            }
        }
        self.give_back();
    }
}

/// Posts what a connection has due.
fn post(token: u64, socket: &mut Socket, link: &mut Link) {
    let (Some(connection), Some(target)) = (&mut socket.connection, &socket.target) else { return };
    while link.has_room()
        && let Some(transmission) = connection.poll()
    {
        for span in transmission.writes.into_iter().filter(|span| span.length_bytes > 0) {
            let offset = u64::from(span.offset);
            let from = LocalSpan { address: token << 32 | offset, length_bytes: span.length_bytes };
            let address = target.token.address.wrapping_add(target.offset_bytes + offset);
            let to = Remote { rkey: halftrack_roce::packet::Rkey(target.token.rkey.0), address };
            // There is room, and the queue pair has not failed.
            let _ = link.pair.post(NO_MESSAGE, Work::Write { from, to, immediate: None });
        }
        let cdc = &transmission.cdc;
        let is_validation = cdc.producer_flags.contains(ProducerFlags::FAILOVER_VALIDATION);
        let id = if is_validation { NO_MESSAGE } else { WorkId(token << 16 | u64::from(cdc.sequence)) };
        link.post_message(id, &cdc.encode());
    }
}

/// Returns the message of a SEND, where it has the length of one.
fn message(received: &Received) -> Option<LinkMessage> {
    match received {
        Received::Message { message, .. } => message.octets().try_into().ok(),
        Received::Written { .. } => None,
    }
}
