//! Loss of links, DELETE LINK, and the end of a group.

use halftrack_base::Time;

use super::flow::{Deletion, Step};
use super::link::LinkId;
use super::{Action, End, LinkGroup, Role, Violation};
use crate::message::LinkNumber;
use crate::message::llc::{DeleteLink, DeleteReason, Llc};

impl LinkGroup {
    /// Stops a link and moves its connections; the peer gets notice by `notice`, unless it deleted the link itself.
    pub(super) fn lose(&mut self, now: Time, id: LinkId, notice: Option<DeleteReason>) {
        let Some(link) = self.links.remove(id) else { return };
        self.actions.push_back(Action::Stop(id));
        self.buffers.remove_link(id);
        self.announced.take_if(|announced| announced.carrier == id);
        self.abort_flows(now, id);
        if self.end.is_some() {
            return;
        }
        if self.links.active().next().is_none() {
            self.end_with(End::NoLink, None);
            return;
        }
        if let (Some(reason), Some(number)) = (notice, link.number) {
            self.give_notice(now, Deletion { number, reason });
        }
        if notice != Some(DeleteReason::ASYMMETRIC) {
            self.put_off_link(now);
        }
        self.move_connections(id);
    }

    /// Starts the deletion at the peer, before connections move: a server by its flow, a client by a request for that.
    fn give_notice(&mut self, now: Time, deletion: Deletion) {
        if self.role == Role::Server {
            self.deletions.push_back(deletion);
            self.advance(now);
        } else if let Some(carrier) = self.carrier() {
            self.send_deletion(carrier, deletion);
        }
    }

    fn send_deletion(&mut self, carrier: LinkId, deletion: Deletion) {
        let Deletion { number, reason } = deletion;
        let (is_response, is_all, is_orderly) = (false, false, true);
        let message = DeleteLink { is_response, is_all, is_orderly, link: number, reason };
        self.send(carrier, Llc::DeleteLink(message));
    }

    /// Ends flows that a lost link carried, or that were to add it.
    fn abort_flows(&mut self, now: Time, lost: LinkId) {
        let flow = self.flow.take_if(|flow| flow.carrier == lost);
        match flow.map(|flow| flow.step) {
            Some(Step::DeleteLink(deletion)) => self.deletions.push_front(deletion),
            Some(Step::Keys(exchange)) => self.lose(now, exchange.link, Some(DeleteReason::LOST_PATH)),
            // Buffers keep their states, from which their flows start again.
            _ => {}
        }
        if let Some(flow) = &mut self.flow
            && matches!(&flow.step, Step::Keys(exchange) if exchange.link == lost)
        {
            flow.step = Step::LostKeys;
        }
        let joining =
            self.joining.take_if(|joining| joining.carrier == lost || joining.exchange.link == lost);
        if let Some(joining) = joining {
            self.lose(now, joining.exchange.link, Some(DeleteReason::LOST_PATH));
        }
    }

    /// Ends a flow whose response did not come: the link that carried the request is lost.
    pub(super) fn flow_expired(&mut self, now: Time) {
        let Some(flow) = &self.flow else { return };
        let (carrier, is_first) = (flow.carrier, flow.step == Step::FirstLink);
        if is_first {
            self.end_with(End::NoConfirmLink, None);
        } else {
            self.lose(now, carrier, Some(DeleteReason::LOST_PATH));
        }
    }

    /// Starts the deletion of a lost link at the peer; returns whether there was one.
    pub(super) fn start_deletion(&mut self, now: Time, carrier: LinkId) -> bool {
        let Some(deletion) = self.deletions.pop_front() else { return false };
        self.send_deletion(carrier, deletion);
        self.start(now, carrier, Step::DeleteLink(deletion));
        true
    }

    /// Takes DELETE LINK of the peer: a server's is done, and a client's is done by a flow of the server.
    pub(super) fn delete_link(
        &mut self,
        now: Time,
        carrier: LinkId,
        message: &DeleteLink,
    ) -> Result<(), Violation> {
        let response = DeleteLink { is_response: true, ..*message };
        if message.is_all {
            self.send(carrier, Llc::DeleteLink(response));
            self.end_with(End::Peer(message.reason), None);
            return Ok(());
        }
        let found = self.links.by_number(message.link).map(|link| link.id);
        let unknown = DeleteLink { reason: DeleteReason::UNKNOWN_LINK, ..response };
        match (self.role, found) {
            (Role::Client, Some(link)) => {
                self.send(carrier, Llc::DeleteLink(response));
                self.lose(now, link, None);
            }
            (Role::Server, Some(link)) => self.lose(now, link, Some(message.reason)),
            (Role::Server, None) if self.is_in_deletion(message.link) => {}
            (_, None) => self.send(carrier, Llc::DeleteLink(unknown)),
        }
        Ok(())
    }

    fn is_in_deletion(&self, number: LinkNumber) -> bool {
        let is_under_way = self
            .flow
            .as_ref()
            .is_some_and(|flow| matches!(flow.step, Step::DeleteLink(deletion) if deletion.number == number));
        is_under_way || self.deletions.iter().any(|deletion| deletion.number == number)
    }

    /// Takes the response to DELETE LINK. A client has one only where the server had no such link.
    pub(super) fn link_deleted(&mut self, carrier: LinkId, message: &DeleteLink) -> Result<(), Violation> {
        if self.role == Role::Client {
            let is_unknown = message.reason == DeleteReason::UNKNOWN_LINK;
            return if is_unknown { Ok(()) } else { Err(Violation) };
        }
        let is_deletion =
            |step: &Step| matches!(step, Step::DeleteLink(deletion) if deletion.number == message.link);
        self.take_flow(carrier, is_deletion).map(|_| ())
    }

    /// Ends the group with all its connections; the peer gets notice by `notice`.
    pub(super) fn end_with(&mut self, end: End, notice: Option<DeleteReason>) {
        if self.end.is_some() {
            return;
        }
        let carrier = self.links.active().next().or(self.links.iter().next()).map(|link| link.id);
        if let (Some(reason), Some(carrier)) = (notice, carrier) {
            let (is_response, is_all, is_orderly, link) = (false, true, false, LinkNumber(0));
            let message = DeleteLink { is_response, is_all, is_orderly, link, reason };
            self.send(carrier, Llc::DeleteLink(message));
        }
        let connections = std::mem::take(&mut self.connections);
        self.actions.extend(connections.into_keys().map(Action::Reset));
        (self.flow, self.joining, self.announced) = (None, None, None);
        self.deletions.clear();
        self.end = Some(end);
        self.actions.push_back(Action::Ended(end));
    }
}
