//! Processing of the answers to a port's requests.

use halftrack_base::Time;
use halftrack_wire::ct::NameReply;
use halftrack_wire::els::{ElsReply, FcpLogin, ProcessLogin, SbLogin, ServicePage, ServiceParameters, code};
use halftrack_wire::{FcFrame, WorldWideName};

use super::event::{LogoutCause, PortEvent, Refusal};
use super::peer::{Peer, Stage};
use super::requests::Purpose;
use super::{Attachment, NPort, Role, Services, agreed};
use crate::address;
use crate::timing::RETRY_INTERVAL;

impl NPort {
    pub(super) fn handle_answer(&mut self, now: Time, purpose: Purpose, frame: &FcFrame<'_>) {
        if let Some(request) = self.name_request(purpose) {
            return match NameReply::parse(&request, frame.payload) {
                Ok(NameReply::Reject(_)) => self.fail(now, purpose, Refusal::NotFound),
                Ok(reply) => self.handle_name_reply(now, purpose, &reply),
                Err(_) => self.fail(now, purpose, Refusal::BadAnswer),
            };
        }
        let code = match purpose {
            // That of FDISC has the same form.
            Purpose::FabricLogin => code::FLOGI,
            Purpose::StateChanges => code::SCR,
            Purpose::Identify(_) => code::RNID,
            Purpose::ProcessLogin(_) => code::PRLI,
            Purpose::Logout(_) => code::LOGO,
            Purpose::Probe(_) => code::ECHO,
            Purpose::FabricIncidents | Purpose::PeerIncidents(_) => code::LIRR,
            Purpose::ReportIncident(_) => code::RLIR,
            Purpose::NameServerLogin
            | Purpose::PortLogin(_)
            | Purpose::RegisterTypes
            | Purpose::RegisterFeatures
            | Purpose::FindPort(_)
            | Purpose::NameOf(_) => code::PLOGI,
        };
        match ElsReply::parse(code, frame.payload) {
            Ok(ElsReply::Reject(reject)) => self.fail(now, purpose, Refusal::Rejected(reject)),
            Ok(reply) => self.handle_accept(now, purpose, &reply, frame.header.d_id),
            Err(_) => self.fail(now, purpose, Refusal::BadAnswer),
        }
    }

    fn handle_accept(&mut self, now: Time, purpose: Purpose, reply: &ElsReply, d_id: u32) {
        match (purpose, reply) {
            (Purpose::FabricLogin, ElsReply::Login(other)) => self.attach(now, other, d_id),
            (Purpose::StateChanges, _) => {
                self.request(now, Purpose::NameServerLogin, 1);
                // The incidents of a link are reported to its physical port.
                if self.parameters.role != Role::ControlUnit && !self.is_virtual {
                    self.request(now, Purpose::FabricIncidents, 1);
                }
            }
            (Purpose::Logout(d_id), _) => self.finish_logout(now, d_id),
            (Purpose::ReportIncident(index), _) => self.send_next_incident(now, index),
            (Purpose::NameServerLogin, _) => self.request(now, Purpose::RegisterTypes, 1),
            (Purpose::PortLogin(index), ElsReply::Login(other)) => {
                self.finish_port_login(now, index, other);
            }
            (Purpose::Identify(index), ElsReply::NodeIdentification(node)) => {
                self.peers[index].node = Some(node.descriptor);
                if (self.role_to(index), self.peers[index].stage) == (Role::Channel, Stage::Agreeing) {
                    let protocol = self.parameters.protocol;
                    if protocol.is_fcp() || node.takes_process_login && protocol.takes_process_login() {
                        self.request(now, Purpose::ProcessLogin(index), 1);
                    } else {
                        self.complete_login(index, None);
                    }
                }
            }
            (Purpose::Probe(_), _) => self.report(PortEvent::ProbeAnswered),
            (Purpose::ProcessLogin(index), ElsReply::ProcessLogin(login)) => {
                self.take_process_login(now, index, login);
            }
            _ => {}
        }
    }

    /// Continues after FLOGI was accepted, by an F_Port or by the other end of a link without a fabric.
    fn attach(&mut self, now: Time, other: &ServiceParameters, assigned: u32) {
        if other.features & ServiceParameters::F_PORT == 0 && !self.is_virtual {
            return self.point_to_point(now, other);
        }
        self.has_several_ids = other.features & ServiceParameters::SEVERAL_IDS_ASSIGNED != 0;
        if !self.take_link(other) || address::is_well_known(assigned) || assigned == address::UNASSIGNED {
            return self.refuse_attachment(now, Refusal::BadAnswer);
        }
        self.refusal = None;
        self.address = assigned;
        self.report(PortEvent::Attached { address: assigned, credit: self.link_credit, fabric: true });
        self.register(now);
    }

    /// Notes what the other end of the link takes; false when that is nothing.
    pub(super) fn take_link(&mut self, other: &ServiceParameters) -> bool {
        let Some(bytes) = agreed(self.parameters.frame_payload_bytes, other) else { return false };
        self.link_payload_bytes = bytes;
        self.link_credit = other.buffer_credit.max(1);
        true
    }

    /// Continues with an N_Port at the other end of the link: the one with the higher name assigns both addresses.
    pub(super) fn point_to_point(&mut self, now: Time, other: &ServiceParameters) {
        self.requests.forget(|_| true);
        let name = other.port_name;
        let refusal = if name == self.parameters.port_name {
            Some(Refusal::SameName)
        } else if !self.take_link(other) {
            Some(Refusal::Parameters)
        } else {
            None
        };
        if let Some(why) = refusal {
            return self.refuse_attachment(now, why);
        }
        for index in 0..self.peers.len() {
            self.end_login(index, LogoutCause::NewLogin, None);
        }
        let known = if self.may_log_in(name) { self.peer_named(name) } else { None };
        let Some(index) = known else {
            self.attachment = Attachment::Refused(now.saturating_add(RETRY_INTERVAL));
            return self.report(PortEvent::Refused { name, why: Refusal::NotListed });
        };
        if self.parameters.port_name > name {
            self.take_address(address::point_to_point(self.parameters.port_name, name).0, name);
            self.approach(now, index);
        } else if !matches!(self.attachment, Attachment::PointToPoint(_)) {
            let retry_at = now.saturating_add(RETRY_INTERVAL);
            self.attachment = Attachment::AwaitingAddress(retry_at);
        }
    }

    /// Takes the port's address without a fabric.
    pub(super) fn take_address(&mut self, own: u32, other: WorldWideName) {
        self.refusal = None;
        self.attachment = Attachment::PointToPoint(other);
        if self.address != own {
            self.address = own;
            self.report(PortEvent::Attached { address: own, credit: self.link_credit, fabric: false });
        }
    }

    /// Ends the login to a port whose PLOGI was accepted.
    fn finish_port_login(&mut self, now: Time, index: usize, other: &ServiceParameters) {
        let Some(bytes) = agreed(self.parameters.frame_payload_bytes, other) else {
            return self.refuse_peer(now, index, Refusal::Parameters, LogoutCause::NewLogin);
        };
        if self.peers[index].place.is_some() {
            let is_of_another = |(at, peer): (usize, &Peer)| at != index && peer.name == other.port_name;
            if self.peers.iter().enumerate().any(is_of_another) {
                return self.refuse_peer(now, index, Refusal::OtherName, LogoutCause::NewLogin);
            }
            self.peers[index].name = other.port_name;
        } else if other.port_name != self.peers[index].name {
            self.send_logout(now, self.peers[index].address);
            return self.refuse_peer(now, index, Refusal::OtherName, LogoutCause::NewLogin);
        }
        self.begin_agreement(now, index, bytes.min(self.link_payload_bytes));
    }

    /// Begins the exchange of identities after both sides have logged in. For a control unit the login is complete.
    pub(super) fn begin_agreement(&mut self, now: Time, index: usize, frame_payload_bytes: u32) {
        let peer = &mut self.peers[index];
        peer.frame_payload_bytes = frame_payload_bytes;
        peer.stage = Stage::Agreeing;
        if self.role_to(index) == Role::ControlUnit && !self.parameters.protocol.is_fcp() {
            self.complete_login(index, None);
        }
        self.request(now, Purpose::Identify(index), 1);
        if self.role_to(index) == Role::Channel {
            self.request(now, Purpose::PeerIncidents(index), 1);
        }
    }

    /// Takes the answer to PRLI. Without a page that was executed FICON is in command mode, and FCP has no login.
    fn take_process_login(&mut self, now: Time, index: usize, login: &ProcessLogin) {
        let protocol = self.parameters.protocol;
        let own = login.pages.iter().filter(|page| protocol.has_type_of(page));
        let executed = own.clone().find(|page| page.response() == ServicePage::EXECUTED);
        let is_forbidden = own.clone().any(|page| page.response() == ServicePage::FORBIDDEN);
        let granted = executed.and_then(ServicePage::fcp_login);
        match (executed, granted) {
            (None, _) if is_forbidden => {
                self.refuse_peer(now, index, Refusal::OtherProtocol, LogoutCause::NewLogin);
            }
            (_, Some(granted)) => self.complete_fcp_login(index, granted),
            (_, None) if protocol.is_fcp() => {
                self.refuse_peer(now, index, Refusal::BadAnswer, LogoutCause::NewLogin);
            }
            (executed, None) => self.complete_login(index, executed.and_then(ServicePage::sb_login)),
        }
    }

    /// Completes a login of FCP with what the target granted. An older one of the same peer is over.
    pub(super) fn complete_fcp_login(&mut self, index: usize, granted: FcpLogin) {
        self.end_fcp_login(index, LogoutCause::NewLogin);
        let peer = &mut self.peers[index];
        (peer.stage, peer.refusal) = (Stage::LoggedIn, None);
        let event = PortEvent::FcpPeerLoggedIn {
            peer: peer.address,
            name: peer.name,
            frame_payload_bytes: peer.frame_payload_bytes,
            login: granted,
        };
        self.report(event);
    }

    /// Ends the login of FCP of a peer; that of the port stays.
    pub(super) fn end_fcp_login(&mut self, index: usize, why: LogoutCause) {
        let peer = &mut self.peers[index];
        if self.parameters.protocol.is_fcp() && peer.stage == Stage::LoggedIn {
            peer.stage = Stage::Agreeing;
            let event = PortEvent::PeerLoggedOut { peer: peer.address, name: peer.name, why };
            self.report(event);
        }
    }

    /// Completes a login; `offered` is the other side's page of transport mode.
    pub(super) fn complete_login(&mut self, index: usize, offered: Option<SbLogin>) {
        let own = self.parameters.protocol.transport();
        let transport =
            offered.zip(own).map(|(offered, own)| SbLogin { flags: offered.flags & own.flags, ..offered });
        let transport = transport.filter(|login| login.has(SbLogin::TRANSPORT_MODE));
        let peer = &mut self.peers[index];
        peer.stage = Stage::LoggedIn;
        peer.refusal = None;
        peer.transport = transport;
        let event = PortEvent::PeerLoggedIn {
            peer: peer.address,
            name: peer.name,
            frame_payload_bytes: peer.frame_payload_bytes,
            transport,
        };
        self.report(event);
    }

    fn handle_name_reply(&mut self, now: Time, purpose: Purpose, reply: &NameReply) {
        match (purpose, reply) {
            (Purpose::RegisterTypes, _) if self.parameters.protocol.is_fcp() => {
                self.request(now, Purpose::RegisterFeatures, 1);
            }
            (Purpose::RegisterTypes | Purpose::RegisterFeatures, _) => self.finish_registration(now),
            (Purpose::FindPort(index), &NameReply::PortId(found)) => self.found(now, index, found),
            (Purpose::NameOf(index), &NameReply::Name(name)) => self.named(now, index, name),
            _ => {}
        }
    }

    /// Begins the logins of the peers, now that the name server answers questions.
    pub(super) fn finish_registration(&mut self, now: Time) {
        self.attachment = Attachment::Fabric(Services::Ready);
        for index in 0..self.peers.len() {
            if matches!(self.peers[index].stage, Stage::Out(_)) {
                self.approach(now, index);
            }
        }
    }

    /// Takes the name at a host's address from the name server. A host that is there without a login may still
    /// believe in one: it is requested to log in again.
    fn named(&mut self, now: Time, index: usize, name: WorldWideName) {
        let peer = &self.peers[index];
        match (name == peer.name, peer.has_login()) {
            (false, _) => self.end_login(index, LogoutCause::LeftFabric, None),
            (true, false) => self.send_logout(now, peer.address),
            (true, true) => {}
        }
    }

    /// Takes a peer's address, from the name server or of its place. With a login that still exists RNID shows whether the peer has it
    /// as well: a state change may have been the peer's logout and return.
    pub(super) fn found(&mut self, now: Time, index: usize, found: u32) {
        if self.peers[index].has_login() && self.peers[index].address == found {
            return self.request(now, Purpose::Identify(index), 1);
        }
        self.end_login(index, LogoutCause::LeftFabric, None);
        for other in 0..self.peers.len() {
            if other != index && self.peers[other].address == found {
                self.end_login(other, LogoutCause::NewLogin, None);
                self.peers[other].address = address::UNASSIGNED;
            }
        }
        self.peers[index].address = found;
        self.peers[index].stage = Stage::LoggingIn;
        self.request(now, Purpose::PortLogin(index), 1);
    }
}
