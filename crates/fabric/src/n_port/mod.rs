//! N_Port: the login of a channel or a control unit to the fabric and to its peers.
//!
//! ```text
//! Down ─link up─► LoggingIn ─ACC, F_Port─► Fabric: SCR, PLOGI to the name server, RFT_ID ─► Ready
//!                    │  ▲                        (a channel then finds its peers: GID_PN, and logs in)
//!                    │  └─after a while─ Refused ◄─LS_RJT, no answer
//!                    └─FLOGI, or ACC of an N_Port─► PointToPoint (PLOGI) or AwaitingAddress ─PLOGI─► PointToPoint
//! ```

mod answers;
pub(crate) mod discovery;
mod event;
mod exchange_requests;
mod incidents;
mod link_place;
#[cfg(test)]
mod many_peers;
mod peer;
mod physical_port;
mod protocol;
mod requests;
mod services;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::els::{LinkErrors, LinkIncident, NodeDescriptor, ServiceParameters};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{FcFrame, FrameSink, WorldWideName};

pub use event::{Discard, ExchangeRequest, LogoutCause, PortEvent, Refusal};
pub use link_place::LinkPlace;
pub use physical_port::{DoubleName, PhysicalPort};
pub use protocol::PortProtocol;

use crate::address;
use crate::bit_error_threshold::BitErrorThreshold;
use crate::incident::IncidentReports;
use crate::outbox::Outbox;
use crate::sequence;
use crate::timing::RETRY_INTERVAL;
use peer::{Peer, Stage};
use requests::{Overdue, Purpose, Requests};

/// Most peers of a port: a channel has at most 256 control-unit ports, and a port takes as many hosts.
pub const PEERS_MAX: usize = 256;

/// Least receive size that a port may state (reference section 5.1).
const RECEIVE_BYTES_MIN: u16 = 256;

/// Which end of a channel path a port is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Logs in to control units.
    Channel,
    /// Takes the logins of channels.
    ControlUnit,
    /// A channel that is a control unit too, to other such channels: logs in to those of higher names, and takes the logins of
    /// those of lower ones. Our choice; the logical paths of both directions share the login.
    ChannelToChannel,
}

impl Role {
    /// Returns the end that the port of this name is towards another one.
    fn towards(self, own: WorldWideName, other: WorldWideName) -> Self {
        match self {
            Self::ChannelToChannel if own < other => Self::Channel,
            Self::ChannelToChannel => Self::ControlUnit,
            role => role,
        }
    }
}

/// Identity and capabilities of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NPortParameters {
    /// Port name.
    pub port_name: WorldWideName,
    /// Node name.
    pub node_name: WorldWideName,
    /// Which end.
    pub role: Role,
    /// Receive buffers, stated at login: the credit of the other end.
    pub receive_credit: u16,
    /// Most payload octets that a receive buffer holds, 256 to 2112.
    pub frame_payload_bytes: u16,
    /// Node descriptor for RNID.
    pub node: NodeDescriptor,
    /// Protocol, with what it offers in PRLI.
    pub protocol: PortProtocol,
    /// Channel: port names of the ports to have a login with. Empty: whoever is at the other end of a link without a
    /// fabric.
    pub peers: Vec<WorldWideName>,
    /// Control unit: port names of the hosts that may log in; none: every host may.
    pub hosts: Option<Vec<WorldWideName>>,
}

/// How far the port is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attachment {
    /// The link is down.
    Down,
    /// FLOGI is on its way.
    LoggingIn,
    /// FLOGI was refused or not answered; it is sent again at this time.
    Refused(Time),
    /// No fabric; this port has the lower name and waits for the PLOGI that gives it its address.
    /// At this time it begins again.
    AwaitingAddress(Time),
    /// No fabric; both ports have an address. The name is that of the other one.
    PointToPoint(WorldWideName),
    /// The fabric gave an address.
    Fabric(Services),
}

/// How far the fabric's services are known to the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Services {
    /// SCR, PLOGI to the name server, RFT_ID.
    Registering,
    /// The name server answers questions.
    Ready,
    /// One of them failed; all are sent again at this time.
    Failed(Time),
}

/// A port, sans IO: frames and time come in by `handle_*`, frames and events go out by `poll_*`.
#[derive(Debug)]
pub struct NPort {
    parameters: NPortParameters,
    /// A virtual port of a link: it logs in by FDISC, as another port has the link's FLOGI.
    is_virtual: bool,
    attachment: Attachment,
    /// The fabric assigns several addresses to the ports of this link.
    has_several_ids: bool,
    /// Own address; 0 before it is assigned.
    address: u32,
    /// Largest payload of one frame that the other end of the link accepts.
    link_payload_bytes: u32,
    /// Receive buffers at the other end of the link.
    link_credit: u16,
    /// The reason that was last reported for not being attached.
    refusal: Option<Refusal>,
    /// Errors of the link, as its owner has counted them.
    link_errors: LinkErrors,
    bit_errors: BitErrorThreshold,
    /// The port logs out of the fabric when its peers have answered.
    is_leaving: bool,
    /// The port is to log out, and begins nothing more over the link.
    is_closing: bool,
    /// Incidents of the link so far.
    incidents: u32,
    /// The last incident, when it could not be reported to any port.
    unreported: Option<LinkIncident>,
    requests: Requests,
    peers: Vec<Peer>,
    outbox: Outbox,
    events: VecDeque<PortEvent>,
}

impl NPort {
    /// Creates a port whose link is down.
    #[must_use]
    pub fn new(parameters: NPortParameters) -> Self {
        let requests = Requests::of(parameters.role, parameters.port_name);
        let peers = parameters.peers.iter().map(|&name| Peer::new(name)).collect();
        Self {
            parameters,
            is_virtual: false,
            attachment: Attachment::Down,
            has_several_ids: false,
            address: address::UNASSIGNED,
            link_payload_bytes: 0,
            link_credit: 0,
            refusal: None,
            link_errors: LinkErrors::default(),
            bit_errors: BitErrorThreshold::default(),
            is_leaving: false,
            is_closing: false,
            incidents: 0,
            unreported: None,
            requests,
            peers,
            outbox: Outbox::default(),
            events: VecDeque::new(),
        }
    }

    /// Creates a virtual port of a link that is down.
    fn of_virtual(parameters: NPortParameters) -> Self {
        Self { is_virtual: true, ..Self::new(parameters) }
    }

    /// Adds a control unit to which the port is a channel, by the place at which a configuration has it.
    pub fn add_control_unit(&mut self, place: LinkPlace) {
        self.peers.push(Peer::at(place));
    }

    /// Returns the port's address; 0 while it has none.
    #[must_use]
    pub fn address(&self) -> u32 {
        self.address
    }

    /// Returns the port's name.
    #[must_use]
    pub fn name(&self) -> WorldWideName {
        self.parameters.port_name
    }

    /// Returns whether the port with this address is logged in (PLOGI at least).
    #[must_use]
    pub fn is_logged_in(&self, peer: u32) -> bool {
        self.peers.iter().any(|known| known.address == peer && known.has_login())
    }

    /// Returns the name of the port at the other end of a link without a fabric, when it is logged in.
    #[must_use]
    pub fn direct_peer(&self) -> Option<WorldWideName> {
        let Attachment::PointToPoint(name) = self.attachment else { return None };
        self.peers.iter().any(|peer| peer.name == name && peer.has_login()).then_some(name)
    }

    /// Returns whether the link leads to a fabric that has let the port in.
    #[must_use]
    pub fn is_in_fabric(&self) -> bool {
        matches!(self.attachment, Attachment::Fabric(_))
    }

    /// Returns whether a port at the other end of a link without a fabric has identified itself, and may log in.
    #[must_use]
    pub fn has_neighbour(&self) -> bool {
        matches!(self.attachment, Attachment::AwaitingAddress(_) | Attachment::PointToPoint(_))
    }

    /// Replaces the hosts that may log in; none: every host may.
    pub fn set_hosts(&mut self, hosts: Option<Vec<WorldWideName>>) {
        self.parameters.hosts = hosts;
    }

    /// Returns the node descriptor of a logged-in peer.
    #[must_use]
    pub fn node_of(&self, peer: u32) -> Option<NodeDescriptor> {
        self.peers.iter().find(|known| known.address == peer && known.has_login())?.node
    }

    /// Begins the login to the other end of a link that has come up.
    pub fn handle_link_up(&mut self, now: Time) {
        self.handle_link_down();
        self.log_in_to_fabric(now);
    }

    /// Ends every login: the link is down.
    pub fn handle_link_down(&mut self) {
        self.attachment = Attachment::Down;
        (self.is_leaving, self.is_closing) = (false, false);
        self.address = address::UNASSIGNED;
        self.refusal = None;
        for index in 0..self.peers.len() {
            self.end_login(index, LogoutCause::LinkDown, None);
            self.peers[index].refusal = None;
        }
        self.requests.forget(|_| true);
        self.outbox.clear();
    }

    /// Takes a frame of TYPE extended link service or common transport.
    ///
    /// # Errors
    /// Why the frame had no effect. Class 3 needs no answer to such a frame; the port stays what it was.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), Discard> {
        let header = &frame.header;
        if self.attachment == Attachment::Down {
            return Err(Discard::LinkDown);
        }
        let service = [fc_type::EXTENDED_LINK_SERVICE, fc_type::COMMON_TRANSPORT].contains(&header.fc_type);
        if !service {
            return Err(Discard::Type(header.fc_type));
        }
        if sequence::is_reply(header) {
            let purpose = self.requests.answered(header.s_id, header.ox_id).ok_or(Discard::NotAsked)?;
            self.handle_answer(now, purpose, frame);
            Ok(())
        } else if sequence::is_request(header) && header.fc_type == fc_type::EXTENDED_LINK_SERVICE {
            self.handle_request(now, frame)
        } else {
            Err(Discard::Form)
        }
    }

    /// Sends at most one frame; false when there is nothing to send. The caller holds a buffer credit for it.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        self.outbox.poll(sink)
    }

    /// Returns whether a frame waits to be sent.
    #[must_use]
    pub fn has_frame(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<PortEvent> {
        self.events.pop_front()
    }

    /// Returns the time at which [`NPort::handle_timeout`] is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let attachment = match self.attachment {
            Attachment::Refused(at)
            | Attachment::AwaitingAddress(at)
            | Attachment::Fabric(Services::Failed(at)) => Some(at),
            Attachment::Down
            | Attachment::LoggingIn
            | Attachment::PointToPoint(_)
            | Attachment::Fabric(Services::Registering | Services::Ready) => None,
        };
        let peers = self.peers.iter().filter_map(|peer| match peer.stage {
            Stage::Out(retry_at) => retry_at,
            Stage::Finding | Stage::LoggingIn | Stage::Agreeing | Stage::LoggedIn => None,
        });
        peers.chain(attachment).chain(self.requests.poll_timeout()).min()
    }

    /// Asks again what was not answered or refused, as far as its time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(overdue) = self.requests.overdue(now) {
            match overdue {
                Overdue::Again(purpose, tries) => self.request(now, purpose, tries),
                Overdue::GivenUp(purpose) => self.fail(now, purpose, Refusal::NoAnswer),
            }
        }
        match self.attachment {
            Attachment::Refused(at) | Attachment::AwaitingAddress(at) if at <= now => {
                self.log_in_to_fabric(now);
            }
            Attachment::Fabric(Services::Failed(at)) if at <= now => self.register(now),
            _ => {}
        }
        for index in 0..self.peers.len() {
            if matches!(self.peers[index].stage, Stage::Out(Some(at)) if at <= now) {
                self.approach(now, index);
            }
        }
    }

    /// Sends LOGO to every peer, and then to the fabric, before the link is closed in order.
    pub fn log_out(&mut self, now: Time) {
        self.is_closing = true;
        for index in 0..self.peers.len() {
            if self.peers[index].has_login() {
                self.send_logout(now, self.peers[index].address);
                self.end_login(index, LogoutCause::Closed, None);
            } else {
                self.end_login(index, LogoutCause::Closed, None);
            }
        }
        // Whatever is under way would be of an address that is gone.
        self.requests.forget(|purpose| !matches!(purpose, Purpose::Logout(_)));
        self.is_leaving = self.is_in_fabric();
        self.leave_fabric(now);
    }

    /// Sends LOGO to one peer: what there is with it begins anew. The port that logs in does so again after a while.
    pub fn log_out_of(&mut self, now: Time, peer: u32) {
        let is_logged_in = |known: &Peer| known.address == peer && known.has_login();
        if let Some(index) = self.peers.iter().position(is_logged_in) {
            self.end_login(index, LogoutCause::Closed, Some(now.saturating_add(RETRY_INTERVAL)));
            self.send_logout(now, peer);
        }
    }

    /// Logs out of the fabric. A channel does when the peers have answered, for their answers need its address; a control
    /// unit closes the link at once.
    fn leave_fabric(&mut self, now: Time) {
        let is_channel = self.parameters.role != Role::ControlUnit;
        let awaits_peers =
            is_channel && self.requests.has_any(|purpose| matches!(purpose, Purpose::Logout(_)));
        if self.is_leaving && !awaits_peers {
            self.is_leaving = false;
            self.send_logout(now, address::FABRIC_LOGIN);
        }
    }

    /// Returns whether the port logs out of the fabric.
    fn is_leaving_fabric(&self) -> bool {
        self.is_leaving || self.requests.has(Purpose::Logout(address::FABRIC_LOGIN))
    }

    /// Ends what a logout from the fabric leaves of a virtual port, whose link stays.
    fn finish_logout(&mut self, now: Time, d_id: u32) {
        if self.is_virtual && d_id == address::FABRIC_LOGIN {
            self.handle_link_down();
        } else {
            self.leave_fabric(now);
        }
    }

    /// Returns whether requests of this port are not answered yet.
    #[must_use]
    pub fn awaits_answers(&self) -> bool {
        self.requests.poll_timeout().is_some()
    }

    /// Sends LOGO to a port that sends frames without a login, so that it logs in again.
    pub fn handle_stranger(&mut self, now: Time, peer: u32) {
        let attached = matches!(self.attachment, Attachment::PointToPoint(_) | Attachment::Fabric(_));
        if attached && !self.is_logged_in(peer) && !address::is_well_known(peer) && !self.requests.are_many()
        {
            self.send_logout(now, peer);
        }
    }

    /// Returns the end that the port is towards a peer.
    fn role_to(&self, index: usize) -> Role {
        let Peer { name, place, .. } = &self.peers[index];
        match place {
            Some(_) => Role::Channel,
            None => self.parameters.role.towards(self.parameters.port_name, *name),
        }
    }

    fn report(&mut self, event: PortEvent) {
        self.events.push_back(event);
    }

    /// Ends what there is of the login of a peer, which is tried again at `retry_at`.
    fn end_login(&mut self, index: usize, why: LogoutCause, retry_at: Option<Time>) {
        let peer = &mut self.peers[index];
        let (was_reported, address, name) = (peer.stage == Stage::LoggedIn, peer.address, peer.name);
        peer.stage = Stage::Out(retry_at);
        (peer.node, peer.transport) = (None, None);
        peer.reports = IncidentReports::default();
        self.requests.forget(|purpose| purpose.peer() == Some(index));
        if was_reported {
            self.report(PortEvent::PeerLoggedOut { peer: address, name, why });
        }
    }
}

/// Returns the most payload octets of a class-3 frame between a port that takes `own_bytes` and another. It is none
/// when the other has no class 3 or takes less than the smallest receive size.
pub(crate) fn agreed(own_bytes: u16, other: &ServiceParameters) -> Option<u32> {
    let other_bytes = other.class_3_receive_bytes().filter(|bytes| *bytes >= RECEIVE_BYTES_MIN)?;
    Some(u32::from(own_bytes.min(other_bytes)))
}
