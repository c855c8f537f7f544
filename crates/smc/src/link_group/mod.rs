//! Link groups: links between two stacks, keys of buffers on each of them, and the link of every connection
//! (RFC 7609, sections 3 and 4).
//!
//! A group is given messages of link layer control, losses of links, ports and time by its `handle_` methods, and requires
//! [`Action`]s of its caller, to be taken by [`LinkGroup::poll_action`] after each of them. The server owns every change of
//! the links: it starts one flow at a time, and a client requests it. A response that does not come in time means that the
//! link which carried the request is lost; so no response comes that nobody expects, and one that does violates the
//! protocol. A violation ends the group.

mod action;
mod adding;
mod buffers;
mod confirming;
mod deleting;
mod flow;
mod link;
mod links;
mod placing;
mod rkeys;
mod testing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::Time;

pub use action::{Action, End};
pub use buffers::{BUFFERS_MAX, BufferId, PeerBufferId};
pub use link::{
    IDLE_BEFORE_TEST, LINKS_KEPT, LINKS_MAX, Link, LinkEnd, LinkId, LinkState, PORTS_MAX, Port, PortNumber,
    QueuePairEnd, RESPONSE_WAIT, agreed_mtu,
};
pub use links::GroupState;

use crate::message::llc::{DeleteReason, Llc};
use crate::message::{AlertToken, LinkMessage, RemoteToken};
use buffers::{BufferState, Buffers};
use flow::{Deletion, Flow, Joining, Step};
use links::Links;
use placing::Placement;
use rkeys::Announced;

/// Role of an end, fixed at first contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Owns the changes of the group.
    Server,
    /// Requests them.
    Client,
}

/// Settings of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Role.
    pub role: Role,
    /// Own ports that can have links; `None` for one that is absent or down.
    pub ports: [Option<Port>; PORTS_MAX],
}

/// First link of a group, and its buffers, as Accept and Confirm have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstLink {
    /// Own port.
    pub port: PortNumber,
    /// Own queue pair.
    pub queue_pair: QueuePairEnd,
    /// End of the peer.
    pub peer: LinkEnd,
    /// Own buffer at each own port.
    pub buffer: [RemoteToken; PORTS_MAX],
    /// Buffer of the peer.
    pub peer_buffer: RemoteToken,
}

/// Message of the peer that the protocol does not allow.
struct Violation;

/// One end of a link group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkGroup {
    role: Role,
    ports: [Option<Port>; PORTS_MAX],
    spares: [Option<QueuePairEnd>; PORTS_MAX],
    links: Links,
    /// Links that the peer takes.
    peer_links_max: usize,
    buffers: Buffers,
    connections: BTreeMap<AlertToken, Placement>,
    flow: Option<Flow>,
    joining: Option<Joining>,
    deletions: VecDeque<Deletion>,
    /// CONFIRM RKEY of the peer whose continuation is to come.
    announced: Option<Announced>,
    /// Instant from which a server adds a link, where one is wanted.
    add_at: Option<Time>,
    /// Instant from which keys that the peer put off are sent again.
    keys_at: Time,
    actions: VecDeque<Action>,
    end: Option<End>,
}

impl LinkGroup {
    /// Makes a group with its first link; `None` where the peer's MTU is none.
    ///
    /// The server makes it for a Confirm, and the client for an Accept of first contact.
    pub fn new(settings: &Settings, first: &FirstLink, now: Time) -> Option<Self> {
        agreed_mtu(first.queue_pair.mtu, first.peer.queue_pair.mtu)?;
        let mut group = Self {
            role: settings.role,
            ports: settings.ports,
            spares: [None; PORTS_MAX],
            links: Links::default(),
            peer_links_max: 1,
            buffers: Buffers::default(),
            connections: BTreeMap::new(),
            flow: None,
            joining: None,
            deletions: VecDeque::new(),
            announced: None,
            add_at: None,
            keys_at: now,
            actions: VecDeque::new(),
            end: None,
        };
        group.buffers.add(first.buffer, BufferState::Confirmed)?;
        group.confirm_first(first, now)?;
        Some(group)
    }

    /// Returns the state.
    pub fn state(&self) -> GroupState {
        if self.end.is_some() { GroupState::None } else { self.links.state() }
    }

    /// Returns why the group ended, where it did.
    pub const fn end(&self) -> Option<End> {
        self.end
    }

    /// Returns the links.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter()
    }

    /// Returns a link.
    pub fn link(&self, id: LinkId) -> Option<&Link> {
        self.links.get(id)
    }

    /// Takes the next action.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Takes a message of link layer control that came over a link.
    pub fn handle_message(&mut self, now: Time, link: LinkId, octets: &LinkMessage) {
        if self.end.is_some() || self.links.get(link).is_none() {
            return;
        }
        self.handle_traffic(now, link);
        let handled = match Llc::decode(octets) {
            Ok(message) => self.dispatch(now, link, &message),
            Err(_) => Err(Violation),
        };
        if handled.is_err() {
            self.end_with(End::Violation, Some(DeleteReason::PROTOCOL));
        }
        self.advance(now);
    }

    fn dispatch(&mut self, now: Time, link: LinkId, message: &Llc) -> Result<(), Violation> {
        let is_active = self.links.get(link).is_some_and(Link::is_active);
        match message {
            Llc::ConfirmLink(message) => self.confirm_link(now, link, message),
            Llc::TestLink(message) => self.test_link(link, message),
            // Until both ends have confirmed a link, it carries nothing else.
            _ if !is_active => Err(Violation),
            Llc::AddLink(message) if message.is_response => self.link_added(now, link, message),
            Llc::AddLink(message) => self.add_link(now, link, message),
            Llc::RequestAddLink(message) => self.request_add_link(now, message),
            Llc::AddLinkContinuation(message) => self.keys_of_new_link(now, link, message),
            Llc::DeleteLink(message) if message.is_response => self.link_deleted(link, message),
            Llc::DeleteLink(message) => self.delete_link(now, link, message),
            Llc::ConfirmRkey(message) if message.is_response => {
                self.keys_confirmed(now, link, (message.is_negative, message.is_retry))
            }
            Llc::ConfirmRkey(message) => self.confirm_keys(link, message),
            Llc::ConfirmRkeyContinuation(message) if message.is_response => {
                self.keys_confirmed(now, link, (message.is_negative, false))
            }
            Llc::ConfirmRkeyContinuation(message) => self.continue_keys(link, message),
            Llc::DeleteRkey(message) if message.is_response => self.keys_deleted(link),
            Llc::DeleteRkey(message) => self.delete_keys(link, message),
        }
    }

    /// Notes that a message came over a link: it needs no test.
    pub fn handle_traffic(&mut self, now: Time, link: LinkId) {
        if let Some(link) = self.links.get_mut(link) {
            link.last_message = now;
        }
    }

    /// Takes the loss of a link: its queue pair failed, or the peer has moved a connection from it.
    pub fn handle_link_lost(&mut self, now: Time, link: LinkId) {
        if self.end.is_none() {
            self.lose(now, link, Some(DeleteReason::LOST_PATH));
            self.advance(now);
        }
    }

    /// Does what is due at `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.end.is_some() {
            return;
        }
        if self.flow.as_ref().is_some_and(|flow| flow.deadline <= now) {
            self.flow_expired(now);
        }
        if let Some(joining) = self.joining.as_ref().filter(|joining| joining.deadline <= now) {
            let link = joining.exchange.link;
            self.lose(now, link, Some(DeleteReason::LOST_PATH));
        }
        self.test_links(now);
        self.advance(now);
    }

    /// Returns the instant at which [`handle_timeout`](Self::handle_timeout) is due.
    pub fn deadline(&self) -> Option<Time> {
        if self.end.is_some() {
            return None;
        }
        let is_free = self.flow.is_none() && self.joining.is_none();
        let has_keys = self.buffers.in_state(BufferState::Unconfirmed).next().is_some();
        let flow = self.flow.as_ref().map(|flow| flow.deadline);
        let joining = self.joining.as_ref().map(|joining| joining.deadline);
        let keys = (is_free && has_keys).then_some(self.keys_at);
        let addition = self.add_at.filter(|_| is_free && self.addition_port().is_some());
        let tests = self.links.iter().filter_map(Link::test_due).min();
        [flow, joining, keys, addition, tests].into_iter().flatten().min()
    }

    /// Ends the group by the will of the caller.
    pub fn close(&mut self, reason: DeleteReason) {
        self.end_with(End::Own(reason), Some(reason));
    }

    /// Starts the next flow that is due, if none is under way.
    fn advance(&mut self, now: Time) {
        while self.end.is_none() && self.flow.is_none() && self.joining.is_none() {
            let Some(carrier) = self.carrier() else { return };
            let has_started = match self.role {
                Role::Server => self.start_deletion(now, carrier) || self.drop_surplus(now),
                Role::Client => false,
            };
            let has_started = has_started || self.start_keys(now, carrier);
            let has_started = has_started || (self.role == Role::Server && self.start_addition(now, carrier));
            if !has_started {
                return;
            }
        }
    }

    /// Returns the link for messages of the group: the oldest that is active.
    fn carrier(&self) -> Option<LinkId> {
        self.links.active().next().map(|link| link.id)
    }

    fn send(&mut self, link: LinkId, message: Llc) {
        self.actions.push_back(Action::Send { link, message: message.encode() });
    }

    fn start(&mut self, now: Time, carrier: LinkId, step: Step) {
        self.flow = Some(Flow { step, carrier, deadline: now.saturating_add(RESPONSE_WAIT) });
    }

    /// Takes the flow whose response came over a link, where `is_step` holds.
    fn take_flow(&mut self, link: LinkId, is_step: impl Fn(&Step) -> bool) -> Result<Flow, Violation> {
        self.flow.take_if(|flow| flow.carrier == link && is_step(&flow.step)).ok_or(Violation)
    }
}
