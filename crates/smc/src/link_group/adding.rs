//! ADD LINK with its continuations: ends of a new link, and the keys of all buffers on it.

use halftrack_base::{Span, Time};

use super::buffers::{BufferId, BufferState};
use super::flow::{Deletion, Exchange, Joining, Offer, Step};
use super::link::{
    LINKS_KEPT, LINKS_MAX, Link, LinkEnd, LinkId, LinkState, Port, PortNumber, QueuePairEnd, RESPONSE_WAIT,
    agreed_mtu,
};
use super::links::GroupState;
use super::{LinkGroup, Role, Violation};
use crate::message::LinkNumber;
use crate::message::llc::{AddLink, AddLinkContinuation, DeleteReason, Llc, RequestAddLink, RkeyPair};

/// Time after a loss until the server adds a link again, without another reason (our choice).
pub const ADD_AGAIN: Span = Span::from_s(30);
/// Reason of a rejection: no alternate path.
const NO_ALTERNATE_PATH: u8 = 1;
/// Keys of one message.
const KEYS_OF_CONTINUATION: usize = 2;

impl LinkGroup {
    /// Takes a queue pair at a port, which waits until the group needs one.
    pub fn handle_spare(&mut self, now: Time, port: PortNumber, spare: QueuePairEnd) {
        self.spares[port.index()] = Some(spare);
        self.advance(now);
    }

    /// Takes a port that came: another link may be possible.
    pub fn handle_port_up(&mut self, now: Time, number: PortNumber, port: Port) {
        self.ports[number.index()] = Some(port);
        self.want_link(now);
        let is_lacking = matches!(self.state(), GroupState::Single | GroupState::AsymmetricLocal);
        if self.role == Role::Client
            && is_lacking
            && let Some(carrier) = self.carrier()
        {
            self.send(carrier, Llc::RequestAddLink(RequestAddLink { is_response: false }));
        }
        self.advance(now);
    }

    /// Takes the loss of a port, and of all links at it.
    pub fn handle_port_down(&mut self, now: Time, port: PortNumber) {
        (self.ports[port.index()], self.spares[port.index()]) = (None, None);
        let at_port = self.links.iter().filter(|link| link.port == port).map(|link| link.id);
        for link in at_port.collect::<Vec<_>>() {
            self.handle_link_lost(now, link);
        }
    }

    pub(super) fn want_link(&mut self, now: Time) {
        if self.role == Role::Server {
            self.add_at = Some(now);
        }
    }

    /// Puts off another attempt to add a link.
    pub(super) fn put_off_link(&mut self, now: Time) {
        if self.role == Role::Server {
            self.add_at = Some(now.saturating_add(ADD_AGAIN));
        }
    }

    /// Chooses the own port of another link: that with the fewest links, none while the group needs no other.
    pub(super) fn addition_port(&self) -> Option<PortNumber> {
        let is_lacking = match self.links.state() {
            GroupState::None | GroupState::Symmetric => false,
            GroupState::Single | GroupState::AsymmetricPeer => true,
            // Only another own port makes it better.
            GroupState::AsymmetricLocal => {
                PortNumber::ALL.iter().any(|&port| self.links.at_port(port) == 0 && self.is_free(port))
            }
        };
        let has_room = self.links.len() < LINKS_MAX.min(self.peer_links_max);
        if is_lacking && has_room && self.role == Role::Server { self.emptiest_port() } else { None }
    }

    fn is_free(&self, port: PortNumber) -> bool {
        self.ports[port.index()].is_some() && self.spares[port.index()].is_some()
    }

    fn emptiest_port(&self) -> Option<PortNumber> {
        let free = PortNumber::ALL.into_iter().filter(|&port| self.is_free(port));
        free.min_by_key(|&port| self.links.at_port(port))
    }

    fn own_end(&self, port: PortNumber) -> Option<LinkEnd> {
        let (queue_pair, port) = (self.spares[port.index()]?, self.ports[port.index()]?);
        Some(LinkEnd { port, queue_pair })
    }

    /// Starts to add a link where one is wanted; returns whether it did.
    pub(super) fn start_addition(&mut self, now: Time, carrier: LinkId) -> bool {
        if self.add_at.is_none_or(|at| now < at) {
            return false;
        }
        let Some(port) = self.addition_port() else { return false };
        let Some(own) = self.own_end(port) else { return false };
        self.add_at = None;
        let number = self.links.next_number();
        self.send(carrier, add_link(own, number, None));
        self.start(now, carrier, Step::AddLink(Offer { port, own, number }));
        true
    }

    /// Deletes an asymmetric link whose place a symmetric one has taken; returns whether there was one.
    pub(super) fn drop_surplus(&mut self, now: Time) -> bool {
        let Some(surplus) = self.links.surplus(LINKS_KEPT) else { return false };
        self.lose(now, surplus, Some(DeleteReason::ASYMMETRIC));
        true
    }

    pub(super) fn request_add_link(&mut self, now: Time, message: &RequestAddLink) -> Result<(), Violation> {
        if self.role == Role::Client || message.is_response {
            return Err(Violation);
        }
        self.want_link(now);
        Ok(())
    }

    /// Makes a link of the two ends, whose state waits for CONFIRM LINK.
    fn join(&mut self, now: Time, port: PortNumber, message: &AddLink) -> Result<Exchange, Violation> {
        let own = self.own_end(port).ok_or(Violation)?;
        let peer = peer_end(message);
        let taken = self.links.by_peer(peer.port.mac, peer.port.gid, peer.queue_pair.number);
        if taken.is_some() {
            return Err(Violation);
        }
        let id = LinkId::default();
        let state = LinkState::Confirming;
        let number = Some(message.link);
        let link = Link { id, number, state, port, own, peer, last_message: now, test: None };
        let link = self.connect(link).ok_or(Violation)?;
        self.spares[port.index()] = None;
        let left: Vec<BufferId> =
            self.buffers.in_state(BufferState::Confirmed).map(|buffer| buffer.id).collect();
        Ok(Exchange { link, number: message.link, left, peer_left: None })
    }

    /// Takes ADD LINK of a server; that of a client requests one.
    pub(super) fn add_link(
        &mut self,
        now: Time,
        carrier: LinkId,
        message: &AddLink,
    ) -> Result<(), Violation> {
        if self.role == Role::Server {
            self.want_link(now);
            return Ok(());
        }
        let is_taken = self.links.by_number(message.link).is_some() || message.link == LinkNumber(0);
        let mtu = agreed_mtu(message.mtu, message.mtu);
        if is_taken || self.joining.is_some() || mtu.is_none() || message.rejection.is_some() {
            return Err(Violation);
        }
        let Some((port, own)) = self.alternate_end(message) else {
            let rejection = Some(NO_ALTERNATE_PATH);
            self.send(carrier, Llc::AddLink(AddLink { is_response: true, rejection, ..*message }));
            return Ok(());
        };
        let exchange = self.join(now, port, message)?;
        self.send(carrier, add_link(own, message.link, Some(())));
        let deadline = now.saturating_add(RESPONSE_WAIT);
        self.joining = Some(Joining { exchange, carrier, deadline });
        Ok(())
    }

    /// Chooses the own end for a server's: none where neither end would have another port than the links that are.
    fn alternate_end(&self, message: &AddLink) -> Option<(PortNumber, LinkEnd)> {
        let port = self.emptiest_port().filter(|_| self.links.len() < LINKS_MAX)?;
        let peer = peer_end(message).port;
        let is_new_there = !self.links.iter().any(|link| link.peer.port == peer);
        let is_new_here = self.links.at_port(port) == 0;
        let is_better = match self.links.state() {
            GroupState::Single => is_new_there || is_new_here,
            GroupState::None | GroupState::Symmetric => false,
            GroupState::AsymmetricLocal | GroupState::AsymmetricPeer => {
                let own = self.own_end(port)?;
                self.links.iter().any(|link| link.own.port != own.port && link.peer.port != peer)
            }
        };
        if is_better { Some((port, self.own_end(port)?)) } else { None }
    }

    /// Takes the response to ADD LINK.
    pub(super) fn link_added(
        &mut self,
        now: Time,
        carrier: LinkId,
        message: &AddLink,
    ) -> Result<(), Violation> {
        let flow = self.take_flow(carrier, |step| matches!(step, Step::AddLink(_)))?;
        let Step::AddLink(Offer { port, own, number }) = flow.step else { return Err(Violation) };
        if number != message.link {
            return Err(Violation);
        }
        // Another path is wanted again when one end has another port.
        if message.rejection.is_some() {
            return Ok(());
        }
        if self.own_end(port) == Some(own) {
            let exchange = self.join(now, port, message)?;
            self.send_keys(now, carrier, exchange);
        } else {
            // The port went down meanwhile.
            self.deletions.push_back(Deletion { number, reason: DeleteReason::LOST_PATH });
        }
        Ok(())
    }

    /// Sends the next keys to a client, or CONFIRM LINK where none are left at either end.
    fn send_keys(&mut self, now: Time, carrier: LinkId, mut exchange: Exchange) {
        if exchange.is_complete() {
            self.confirm_new(now, exchange.link, exchange.number);
            return;
        }
        self.send_continuation(carrier, &mut exchange, false);
        self.start(now, carrier, Step::Keys(exchange));
    }

    /// Sends up to two keys of those left, which are left no more.
    fn send_continuation(&mut self, carrier: LinkId, exchange: &mut Exchange, is_response: bool) {
        let left = exchange.left.len() as u8;
        let count = exchange.left.len().min(KEYS_OF_CONTINUATION);
        let ports = [carrier, exchange.link].map(|id| self.links.get(id).map(|link| link.port));
        let mut pairs = [RkeyPair::default(); KEYS_OF_CONTINUATION];
        for (pair, buffer) in pairs.iter_mut().zip(exchange.left.drain(..count)) {
            // A buffer deleted meanwhile has keys without a meaning.
            if let ([Some(here), Some(there)], Some(buffer)) = (ports, self.buffers.get(buffer)) {
                *pair = RkeyPair { here: buffer.token(here).rkey, there: buffer.token(there) };
            }
        }
        let message = AddLinkContinuation { is_response, link: exchange.number, left, pairs };
        self.send(carrier, Llc::AddLinkContinuation(message));
    }

    /// Takes keys for a new link.
    pub(super) fn keys_of_new_link(
        &mut self,
        now: Time,
        carrier: LinkId,
        message: &AddLinkContinuation,
    ) -> Result<(), Violation> {
        if message.is_response {
            let is_step = |step: &Step| matches!(step, Step::Keys(_) | Step::LostKeys);
            if let Step::Keys(mut exchange) = self.take_flow(carrier, is_step)?.step {
                self.take_keys(carrier, &mut exchange, message)?;
                self.send_keys(now, carrier, exchange);
            }
            return Ok(());
        }
        let Some(mut joining) = self.joining.take() else {
            if self.role == Role::Server {
                return Err(Violation);
            }
            // This client gave the link up meanwhile, and the server has its notice on the way.
            let response = AddLinkContinuation { is_response: true, left: 0, ..*message };
            self.send(carrier, Llc::AddLinkContinuation(response));
            return Ok(());
        };
        if joining.carrier != carrier || joining.exchange.is_complete() {
            return Err(Violation);
        }
        self.take_keys(carrier, &mut joining.exchange, message)?;
        self.send_continuation(carrier, &mut joining.exchange, true);
        joining.deadline = now.saturating_add(RESPONSE_WAIT);
        self.joining = Some(joining);
        Ok(())
    }

    /// Stores the keys of a continuation: at most two, of buffers that the peer has confirmed before.
    fn take_keys(
        &mut self,
        carrier: LinkId,
        exchange: &mut Exchange,
        message: &AddLinkContinuation,
    ) -> Result<(), Violation> {
        let is_counted = exchange.peer_left.is_none_or(|left| left == message.left);
        if message.link != exchange.number || !is_counted {
            return Err(Violation);
        }
        let count = usize::from(message.left).min(KEYS_OF_CONTINUATION);
        exchange.peer_left = Some(message.left - count as u8);
        for pair in &message.pairs[..count] {
            let buffer = self.buffers.peer_by_key(carrier, pair.here).ok_or(Violation)?;
            let other = self.buffers.peer_by_key(exchange.link, pair.there.rkey);
            let is_own = other.is_none_or(|other| other == buffer);
            if !is_own || !self.buffers.add_peer_token(buffer, exchange.link, pair.there) {
                return Err(Violation);
            }
        }
        Ok(())
    }
}

fn peer_end(message: &AddLink) -> LinkEnd {
    let queue_pair = QueuePairEnd { number: message.queue_pair, psn: message.psn, mtu: message.mtu };
    LinkEnd { port: Port { mac: message.mac, gid: message.gid }, queue_pair }
}

fn add_link(own: LinkEnd, link: LinkNumber, response: Option<()>) -> Llc {
    let LinkEnd { port, queue_pair } = own;
    Llc::AddLink(AddLink {
        is_response: response.is_some(),
        rejection: None,
        mac: port.mac,
        gid: port.gid,
        queue_pair: queue_pair.number,
        link,
        mtu: queue_pair.mtu,
        psn: queue_pair.psn,
    })
}
