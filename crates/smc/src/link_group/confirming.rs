//! CONFIRM LINK: the first message over a link in either direction.

use halftrack_base::Time;

use super::flow::{Flow, Step};
use super::link::{LINKS_MAX, Link, LinkEnd, LinkId, LinkState, RESPONSE_WAIT, agreed_mtu};
use super::{Action, End, FirstLink, LinkGroup, Role, Violation};
use crate::handshake::FIRST_LINK_WAIT;
use crate::message::LinkNumber;
use crate::message::llc::{ConfirmLink, DeleteReason, Llc};

impl LinkGroup {
    /// Connects the first link, and starts its flow.
    pub(super) fn confirm_first(&mut self, first: &FirstLink, now: Time) -> Option<()> {
        let port = self.ports[first.port.index()]?;
        let own = LinkEnd { port, queue_pair: first.queue_pair };
        let number = (self.role == Role::Server).then(|| self.links.next_number());
        let link = self.connect(Link {
            id: LinkId::default(),
            number,
            state: LinkState::Confirming,
            port: first.port,
            own,
            peer: first.peer,
            last_message: now,
            test: None,
        })?;
        self.buffers.add_peer(vec![(link, first.peer_buffer)])?;
        let deadline = now.saturating_add(FIRST_LINK_WAIT);
        self.flow = Some(Flow { step: Step::FirstLink, carrier: link, deadline });
        if let Some(number) = number {
            self.send_confirm_link(link, number, false);
        }
        Some(())
    }

    /// Adds a link, and requires that its queue pair is connected; `None` where the ends have no MTU in common.
    pub(super) fn connect(&mut self, link: Link) -> Option<LinkId> {
        let (port, own, peer) = (link.port, link.own, link.peer);
        let mtu = agreed_mtu(own.queue_pair.mtu, peer.queue_pair.mtu)?;
        let id = self.links.add(link);
        self.actions.push_back(Action::Connect { link: id, port, own, peer, mtu });
        Some(id)
    }

    pub(super) fn send_confirm_link(&mut self, link: LinkId, number: LinkNumber, is_response: bool) {
        let Some(own) = self.links.get(link).map(|link| link.own) else { return };
        let message = ConfirmLink {
            is_response,
            has_no_eye_catchers: true,
            mac: own.port.mac,
            gid: own.port.gid,
            queue_pair: own.queue_pair.number,
            link: number,
            user_id: link.0,
            max_links: LINKS_MAX as u8,
        };
        self.send(link, Llc::ConfirmLink(message));
    }

    pub(super) fn confirm_link(
        &mut self,
        now: Time,
        link: LinkId,
        message: &ConfirmLink,
    ) -> Result<(), Violation> {
        self.check_confirm_link(link, message)?;
        let is_first = self.flow.as_ref().is_some_and(|flow| flow.step == Step::FirstLink);
        if is_first && !message.has_no_eye_catchers {
            self.end_with(End::EyeCatchers, Some(DeleteReason::PROGRAM));
            return Ok(());
        }
        if message.is_response {
            self.take_flow(link, |step| matches!(step, Step::FirstLink | Step::NewLink))?;
        } else if is_first {
            self.take_flow(link, |step| *step == Step::FirstLink)?;
            let first = self.links.get_mut(link).ok_or(Violation)?;
            first.number = Some(message.link);
        } else {
            let joining = self.joining.take_if(|joining| joining.exchange.link == link).ok_or(Violation)?;
            if !joining.exchange.is_complete() {
                return Err(Violation);
            }
        }
        if !message.is_response {
            self.send_confirm_link(link, message.link, true);
        }
        self.peer_links_max = message.max_links.into();
        self.links.activate(link);
        if is_first {
            self.want_link(now);
        }
        Ok(())
    }

    /// Makes sure that the message names the link that carries it.
    fn check_confirm_link(&self, link: LinkId, message: &ConfirmLink) -> Result<(), Violation> {
        let is_client = self.role == Role::Client;
        let link = self.links.get(link).ok_or(Violation)?;
        let peer = &link.peer;
        let is_peer = (message.mac, message.gid, message.queue_pair)
            == (peer.port.mac, peer.port.gid, peer.queue_pair.number);
        let is_number = match link.number {
            Some(number) => number == message.link,
            None => message.link != LinkNumber(0),
        };
        // Requests come from the server alone.
        let is_direction = message.is_response != is_client;
        let is_expected = link.state == LinkState::Confirming && message.max_links > 0;
        if is_peer && is_number && is_direction && is_expected { Ok(()) } else { Err(Violation) }
    }

    /// Sends CONFIRM LINK on a new link, whose keys both ends have.
    pub(super) fn confirm_new(&mut self, now: Time, link: LinkId, number: LinkNumber) {
        let deadline = now.saturating_add(RESPONSE_WAIT);
        self.flow = Some(Flow { step: Step::NewLink, carrier: link, deadline });
        self.send_confirm_link(link, number, false);
    }
}
