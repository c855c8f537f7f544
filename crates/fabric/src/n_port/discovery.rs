//! Requests of a port, and the consequences of their failure.

use halftrack_base::Time;
use halftrack_wire::choices::{LINK_INCIDENT_FORMAT, LINK_INCIDENT_SERVICE, NODE_IDENTIFICATION_FORMAT};
use halftrack_wire::ct::{FcFeatures, FcTypes, NameRequest};
use halftrack_wire::els::{
    Els, FcpLogin, IncidentReceiver, IncidentRegistration, Logout, LsReject, ProcessLogin, Registration,
    ServiceParameters,
};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Sof, WorldWideName};

use super::event::{LogoutCause, PortEvent, Refusal};
use super::peer::Stage;
use super::protocol::PortProtocol;
use super::requests::Purpose;
use super::{Attachment, NPort, Role, Services};
use crate::address;
use crate::sequence;
use crate::timing::{RETRY_INTERVAL, TRIES};

/// Registration of a channel for link incidents: every record.
const REGISTRATION: IncidentRegistration =
    IncidentRegistration { receiver: IncidentReceiver::Unconditional, format: LINK_INCIDENT_FORMAT };

/// Contents of a probe.
pub(crate) const PROBE: [u8; 4] = *b"HERE";

impl NPort {
    /// Sends FLOGI. Its sender has no address.
    pub(super) fn log_in_to_fabric(&mut self, now: Time) {
        self.address = address::UNASSIGNED;
        self.attachment = Attachment::LoggingIn;
        self.request(now, Purpose::FabricLogin, 1);
    }

    /// Makes the port known to the fabric's services.
    pub(super) fn register(&mut self, now: Time) {
        self.attachment = Attachment::Fabric(Services::Registering);
        self.request(now, Purpose::StateChanges, 1);
    }

    /// Begins the login of a peer. In a fabric the channel logs in, and the name server has the address; without a
    /// fabric the port with the higher name does, which the other one reminds by a FLOGI.
    pub(super) fn approach(&mut self, now: Time, index: usize) {
        let higher = self.parameters.port_name > self.peers[index].name;
        let role = self.role_to(index);
        let peer = &mut self.peers[index];
        match (self.attachment, role) {
            (Attachment::Fabric(Services::Ready), Role::Channel) => {
                peer.stage = Stage::Finding;
                self.find(now, index);
            }
            (Attachment::PointToPoint(other), _) if higher && other == peer.name => {
                peer.address = address::point_to_point(self.parameters.port_name, peer.name).1;
                peer.stage = Stage::LoggingIn;
                self.request(now, Purpose::PortLogin(index), 1);
            }
            (Attachment::PointToPoint(other), _) if other == peer.name => {
                peer.stage = Stage::Out(None);
                self.log_in_to_fabric(now);
            }
            _ => peer.stage = Stage::Out(None),
        }
    }

    /// Finds the address of a peer in a fabric: by its name, or at its place.
    pub(super) fn find(&mut self, now: Time, index: usize) {
        match self.peers[index].place {
            Some(place) => self.found(now, index, place.address(self.address)),
            None => self.request(now, Purpose::FindPort(index), 1),
        }
    }

    /// Sends a request, for the `tries`th time.
    pub(super) fn request(&mut self, now: Time, purpose: Purpose, tries: u8) {
        if let Some(request) = self.name_request(purpose) {
            let d_id = address::NAME_SERVER;
            let ox_id = self.requests.request(now, purpose, d_id, tries);
            let header = sequence::request(fc_type::COMMON_TRANSPORT, self.address, d_id, ox_id);
            self.outbox.push(Sof::Initiate3, header, request.emit());
        } else {
            let (d_id, els) = self.link_service(purpose);
            let ox_id = self.requests.request(now, purpose, d_id, tries);
            let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, self.address, d_id, ox_id);
            self.outbox.push(Sof::Initiate3, header, els.emit());
        }
    }

    /// Returns the request to the name server, when it is the addressee.
    pub(super) fn name_request(&self, purpose: Purpose) -> Option<NameRequest> {
        let types = FcTypes::default().with(fc_type::FCP);
        let types = match self.parameters.protocol {
            PortProtocol::Fcp(_) => types,
            PortProtocol::Ficon(_) => types.with(fc_type::SB_CHANNEL).with(fc_type::SB_CONTROL_UNIT),
        };
        match purpose {
            Purpose::RegisterTypes => Some(NameRequest::RegisterTypes { address: self.address, types }),
            Purpose::RegisterFeatures => self.features(),
            Purpose::FindPort(index) => Some(NameRequest::PortId { port_name: self.peers[index].name }),
            Purpose::NameOf(index) => Some(NameRequest::PortName { address: self.peers[index].address }),
            Purpose::FabricLogin
            | Purpose::StateChanges
            | Purpose::NameServerLogin
            | Purpose::PortLogin(_)
            | Purpose::Identify(_)
            | Purpose::ProcessLogin(_)
            | Purpose::FabricIncidents
            | Purpose::PeerIncidents(_)
            | Purpose::ReportIncident(_)
            | Purpose::Logout(_)
            | Purpose::Probe(_) => None,
        }
    }

    /// Returns the registration of what the port is in FCP; none for FICON.
    fn features(&self) -> Option<NameRequest> {
        let PortProtocol::Fcp(login) = self.parameters.protocol else { return None };
        let functions =
            [(FcpLogin::INITIATOR, FcFeatures::INITIATOR), (FcpLogin::TARGET, FcFeatures::TARGET)];
        let own = functions.into_iter().filter(|(function, _)| login.has(*function));
        let features = own.fold(0, |features, (_, feature)| features | feature.0);
        let features = FcFeatures(features);
        Some(NameRequest::RegisterFeatures { address: self.address, features, fc_type: fc_type::FCP })
    }

    /// Returns the link service and its destination; requests to the name server are not built here.
    fn link_service(&self, purpose: Purpose) -> (u32, Els) {
        let to = |index: usize| self.peers[index].address;
        match purpose {
            Purpose::FabricLogin if self.is_virtual => {
                (address::FABRIC_LOGIN, Els::Fdisc(self.service_parameters()))
            }
            Purpose::FabricLogin => (address::FABRIC_LOGIN, Els::Flogi(self.service_parameters())),
            Purpose::StateChanges => (address::FABRIC_CONTROLLER, Els::Scr(Registration::Full)),
            Purpose::PortLogin(index) => (to(index), Els::Plogi(self.service_parameters())),
            Purpose::Identify(index) => (to(index), Els::Rnid(NODE_IDENTIFICATION_FORMAT)),
            Purpose::ProcessLogin(index) => {
                let pages = self.parameters.protocol.page().into_iter().collect();
                (to(index), Els::Prli(ProcessLogin { pages }))
            }
            Purpose::FabricIncidents => (LINK_INCIDENT_SERVICE, Els::Lirr(REGISTRATION)),
            Purpose::PeerIncidents(index) => (to(index), Els::Lirr(REGISTRATION)),
            Purpose::ReportIncident(index) => {
                // Its records end with the login, and this request with them.
                let incident = self.peers[index].reports.first();
                (to(index), incident.map_or(Els::Echo(Vec::new()), Els::Rlir))
            }
            Purpose::Logout(d_id) => {
                let port_name = self.parameters.port_name;
                (d_id, Els::Logo(Logout { address: self.address, port_name }))
            }
            Purpose::Probe(d_id) => (d_id, Els::Echo(PROBE.to_vec())),
            Purpose::NameServerLogin
            | Purpose::RegisterTypes
            | Purpose::RegisterFeatures
            | Purpose::FindPort(_)
            | Purpose::NameOf(_) => (address::NAME_SERVER, Els::Plogi(self.service_parameters())),
        }
    }

    pub(super) fn service_parameters(&self) -> ServiceParameters {
        let own = &self.parameters;
        let (bytes, credit) = (own.frame_payload_bytes, own.receive_credit);
        ServiceParameters::class_3(own.port_name, own.node_name, bytes, credit)
    }

    /// Sends a probe to the port at the other end of a link without a fabric. Its answer becomes
    /// [`PortEvent::ProbeAnswered`]. Nothing happens while a probe is outstanding, or when nobody is logged in there.
    pub fn probe(&mut self, now: Time) {
        let Some(name) = self.direct_peer() else { return };
        let known = self.peers.iter().find(|peer| peer.name == name);
        let Some(purpose) = known.map(|peer| Purpose::Probe(peer.address)) else { return };
        if !self.requests.has(purpose) {
            self.request(now, purpose, TRIES);
        }
    }

    /// Says LOGO.
    pub(super) fn send_logout(&mut self, now: Time, d_id: u32) {
        self.request(now, Purpose::Logout(d_id), 1);
    }

    /// Handles the failure of a request.
    pub(super) fn fail(&mut self, now: Time, purpose: Purpose, why: Refusal) {
        match purpose {
            Purpose::FabricLogin => self.refuse_attachment(now, why),
            // A name server without the features of ports answers the rest.
            Purpose::RegisterFeatures if why == Refusal::NotFound => self.finish_registration(now),
            Purpose::StateChanges
            | Purpose::NameServerLogin
            | Purpose::RegisterTypes
            | Purpose::RegisterFeatures => {
                let retry_at = now.saturating_add(RETRY_INTERVAL);
                self.attachment = Attachment::Fabric(Services::Failed(retry_at));
            }
            // A name server that does not answer has no effect on a peer with a login.
            Purpose::FindPort(index) if self.peers[index].has_login() && why != Refusal::NotFound => {}
            Purpose::FindPort(index) => self.refuse_peer(now, index, why, LogoutCause::LeftFabric),
            Purpose::NameOf(index) if why == Refusal::NotFound => {
                self.end_login(index, LogoutCause::LeftFabric, None);
                // A host that returned before the fabric reported its departure is requested to log in again.
                self.send_logout(now, self.peers[index].address);
            }
            Purpose::PortLogin(index) => self.refuse_peer(now, index, why, LogoutCause::NewLogin),
            Purpose::Identify(index) => self.fail_identify(now, index, why),
            Purpose::ProcessLogin(index) if why == Refusal::NoAnswer => {
                self.refuse_peer(now, index, why, LogoutCause::NoAnswer);
            }
            Purpose::ProcessLogin(index) if self.parameters.protocol.is_fcp() => {
                self.refuse_peer(now, index, why, LogoutCause::NewLogin);
            }
            Purpose::ProcessLogin(index) => self.complete_login(index, None),
            // A rejection is an answer too.
            Purpose::Probe(_) if why != Refusal::NoAnswer => self.report(PortEvent::ProbeAnswered),
            Purpose::ReportIncident(index) => self.send_next_incident(now, index),
            // Incidents are then those of the other ports.
            Purpose::FabricIncidents | Purpose::PeerIncidents(_) => {}
            // The fabric would keep the address of a virtual port for as long as the link is up.
            Purpose::Logout(d_id)
                if self.is_virtual && d_id == address::FABRIC_LOGIN && why == Refusal::NoAnswer =>
            {
                self.send_logout(now, d_id);
            }
            Purpose::Logout(d_id) => self.finish_logout(now, d_id),
            Purpose::NameOf(_) | Purpose::Probe(_) => {}
        }
    }

    /// Handles an RNID that was not answered with a node descriptor. Without one a channel works in command mode, as
    /// long as the peer has the login at all.
    fn fail_identify(&mut self, now: Time, index: usize, why: Refusal) {
        let unknown =
            matches!(why, Refusal::Rejected(reject) if reject.explanation == LsReject::LOGIN_REQUIRED);
        match (self.role_to(index), self.peers[index].stage) {
            _ if unknown => {
                self.end_login(index, LogoutCause::Unknown, None);
                self.approach(now, index);
            }
            (Role::Channel, _) if why == Refusal::NoAnswer => {
                self.refuse_peer(now, index, why, LogoutCause::NoAnswer);
            }
            // Targets of other makers have no node descriptor.
            (Role::Channel, Stage::Agreeing) if self.parameters.protocol.is_fcp() => {
                self.request(now, Purpose::ProcessLogin(index), 1);
            }
            (Role::Channel, Stage::Agreeing) => self.complete_login(index, None),
            _ => {}
        }
    }

    /// Retries later after the fabric, or the other end of the link, refused the login of the port.
    pub(super) fn refuse_attachment(&mut self, now: Time, why: Refusal) {
        self.attachment = Attachment::Refused(now.saturating_add(RETRY_INTERVAL));
        if self.refusal != Some(why) {
            self.refusal = Some(why);
            self.report(PortEvent::Refused { name: self.parameters.port_name, why });
        }
    }

    /// Retries later after a peer refused the login of the port, or is missing.
    pub(super) fn refuse_peer(&mut self, now: Time, index: usize, why: Refusal, cause: LogoutCause) {
        self.end_login(index, cause, Some(now.saturating_add(RETRY_INTERVAL)));
        let peer = &mut self.peers[index];
        if peer.refusal != Some(why) {
            peer.refusal = Some(why);
            let name = peer.name;
            self.report(PortEvent::Refused { name, why });
        }
    }

    /// Returns whether the port may have a login with the port of this name.
    pub(super) fn may_log_in(&self, name: WorldWideName) -> bool {
        let own = &self.parameters;
        match own.role {
            Role::Channel | Role::ChannelToChannel => own.peers.is_empty() || own.peers.contains(&name),
            Role::ControlUnit => own.hosts.as_ref().is_none_or(|hosts| hosts.contains(&name)),
        }
    }
}
