//! Answers of a port to the requests of others.

use halftrack_base::Time;
use halftrack_wire::els::{
    ChangedArea, Discovery, Els, ElsReply, Logout, LsReject, NodeIdentification, ProcessLogin, ServicePage,
    ServiceParameters, StateChange, TimeoutValues,
};
use halftrack_wire::{FcFrame, FcHeader, ParseError, Sof, WorldWideName};

use super::event::{Discard, LogoutCause, PortEvent, Refusal};
use super::peer::{Peer, Stage};
use super::requests::Purpose;
use super::{Attachment, NPort, PEERS_MAX, Role, Services, agreed};
use crate::address;
use crate::reject::{
    INVALID_NAME, LOGIN_REQUIRED, MALFORMED, NO_ROOM, NO_SUCH_PORT, NOT_IN_FABRIC, NOT_SUPPORTED, PARAMETERS,
    UNKNOWN_COMMAND,
};
use crate::sequence;
use crate::timing::RETRY_INTERVAL;

impl NPort {
    /// Answers a link service.
    pub(super) fn handle_request(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), Discard> {
        let header = &frame.header;
        let request = match Els::parse(frame.payload) {
            Ok(Els::Flogi(other)) if header.d_id == address::FABRIC_LOGIN => {
                self.answer_fabric_login(now, header, &other);
                return Ok(());
            }
            Ok(Els::Plogi(other)) => return self.answer_port_login(now, header, &other),
            _ if header.d_id != self.address || self.address == address::UNASSIGNED => {
                return Err(Discard::Address(header.d_id));
            }
            Ok(request) => request,
            Err(ParseError::Function(_)) => return self.reject(header, UNKNOWN_COMMAND),
            Err(_) => return self.reject(header, MALFORMED),
        };
        match request {
            Els::Rscn(change) if header.s_id == address::FABRIC_CONTROLLER => {
                self.answer(header, &ElsReply::Accept);
                self.handle_state_change(now, &change);
                Ok(())
            }
            Els::Rlir(incident) if header.s_id == address::FABRIC_CONTROLLER => {
                self.take_incident(header, incident);
                Ok(())
            }
            Els::Rscn(_) => Err(Discard::Sender(header.s_id)),
            Els::Logo(logout) => {
                self.answer_logout(now, header, &logout);
                Ok(())
            }
            Els::Echo(octets) => {
                self.answer(header, &ElsReply::Echo(octets));
                Ok(())
            }
            Els::Prli(_)
            | Els::Prlo(_)
            | Els::Rnid(_)
            | Els::Adisc(_)
            | Els::Rls(_)
            | Els::Rtv
            | Els::Rrq(_)
            | Els::Rec(_)
            | Els::Lirr(_)
            | Els::Rlir(_) => self.answer_peer(now, header, request),
            Els::Flogi(_) | Els::Fdisc(_) | Els::Plogi(_) | Els::Scr(_) => self.reject(header, NOT_SUPPORTED),
        }
    }

    /// Returns the answer to a request that only a port with a login may send.
    fn answer_peer(&mut self, now: Time, header: &FcHeader, request: Els) -> Result<(), Discard> {
        let logged_in = |peer: &Peer| peer.address == header.s_id && peer.has_login();
        let Some(index) = self.peers.iter().position(logged_in) else {
            return self.reject(header, LOGIN_REQUIRED);
        };
        match request {
            Els::Prli(login) => self.answer_process_login(header, index, &login),
            Els::Rnid(_) => {
                let node = NodeIdentification {
                    port_name: self.parameters.port_name,
                    node_name: self.parameters.node_name,
                    descriptor: self.parameters.node,
                    takes_process_login: self.parameters.protocol.takes_process_login(),
                };
                self.answer(header, &ElsReply::NodeIdentification(node));
                Ok(())
            }
            Els::Prlo(logout) => {
                self.answer_process_logout(header, index, logout);
                Ok(())
            }
            Els::Adisc(_) => {
                let discovery = Discovery {
                    hard_address: 0,
                    port_name: self.parameters.port_name,
                    node_name: self.parameters.node_name,
                    address: self.address,
                };
                self.answer(header, &ElsReply::Discovery(discovery));
                Ok(())
            }
            Els::Rls(port) if port == 0 || port == self.address => {
                self.answer(header, &ElsReply::LinkErrors(self.link_errors));
                Ok(())
            }
            Els::Rls(_) => self.reject(header, NO_SUCH_PORT),
            Els::Rtv => {
                self.answer(header, &ElsReply::TimeoutValues(TimeoutValues::default()));
                Ok(())
            }
            Els::Rec(ids) => self.request_exchange(header, &ids),
            Els::Lirr(registration) => self.answer_incident_registration(now, header, index, registration),
            Els::Rlir(incident) => {
                self.take_incident(header, incident);
                Ok(())
            }
            // The ids of an aborted exchange rest for R_A_TOV at both ends, whenever RRQ comes.
            Els::Rrq(_) => {
                self.answer(header, &ElsReply::Accept);
                Ok(())
            }
            _ => self.reject(header, NOT_SUPPORTED),
        }
    }

    /// Answers PRLO, page by page. After it the peer has its login, and neither transport mode nor FCP.
    fn answer_process_logout(&mut self, header: &FcHeader, index: usize, logout: ProcessLogin) {
        let protocol = self.parameters.protocol;
        let response = |page: ServicePage| {
            let is_known = protocol.has_type_of(&page);
            page.with_response(if is_known { ServicePage::EXECUTED } else { ServicePage::NOT_SUPPORTED })
        };
        let ends = logout.sb_login().is_some() && self.peers[index].transport.is_some();
        let ends_fcp = logout.pages.iter().any(|page| page.fcp_login().is_some());
        let pages = logout.pages.into_iter().map(response).collect();
        self.answer(header, &ElsReply::ProcessLogin(ProcessLogin { pages }));
        if ends {
            self.complete_login(index, None);
        }
        if ends_fcp {
            self.end_fcp_login(index, LogoutCause::Logout);
        }
    }

    /// Answers FLOGI from the other end of the link: there is no fabric.
    fn answer_fabric_login(&mut self, now: Time, header: &FcHeader, other: &ServiceParameters) {
        if matches!(self.attachment, Attachment::Fabric(_)) {
            return self.reply_reject(header, NOT_SUPPORTED);
        }
        if self.may_log_in(other.port_name) {
            self.answer(header, &ElsReply::Login(self.service_parameters()));
        } else {
            self.reply_reject(header, INVALID_NAME);
        }
        self.point_to_point(now, other);
    }

    fn answer_port_login(
        &mut self,
        now: Time,
        header: &FcHeader,
        other: &ServiceParameters,
    ) -> Result<(), Discard> {
        let fabric = match self.attachment {
            Attachment::Fabric(_) => true,
            Attachment::AwaitingAddress(_) | Attachment::PointToPoint(_) => false,
            // It was refused before, with the reason.
            Attachment::Refused(_) => return self.reject(header, NOT_IN_FABRIC),
            Attachment::LoggingIn => {
                self.report(PortEvent::Refused { name: other.port_name, why: Refusal::NotInFabric });
                return self.reject(header, NOT_IN_FABRIC);
            }
            Attachment::Down => return Err(Discard::Address(header.d_id)),
        };
        if fabric && header.d_id != self.address {
            return Err(Discard::Address(header.d_id));
        }
        let (higher, lower) = (other.port_name, self.parameters.port_name);
        let assigns = (header.s_id, header.d_id) == address::point_to_point(higher, lower) && higher > lower;
        let sender = if fabric { !address::is_well_known(header.s_id) && header.s_id != 0 } else { assigns };
        if !sender {
            return Err(Discard::Sender(header.s_id));
        }
        match self.admit(header.s_id, other, fabric) {
            Err((reject, why)) => {
                self.report(PortEvent::Refused { name: other.port_name, why });
                self.reject(header, reject)
            }
            Ok((index, bytes)) => {
                if !fabric {
                    self.take_address(header.d_id, other.port_name);
                }
                self.answer(header, &ElsReply::Login(self.service_parameters()));
                self.begin_agreement(now, index, bytes.min(self.link_payload_bytes));
                Ok(())
            }
        }
    }

    /// Enters the sender of a PLOGI as a peer, or returns the reason of a refusal. An earlier login ends.
    fn admit(
        &mut self,
        s_id: u32,
        other: &ServiceParameters,
        fabric: bool,
    ) -> Result<(usize, u32), (LsReject, Refusal)> {
        let name = other.port_name;
        if fabric && self.parameters.role.towards(self.parameters.port_name, name) == Role::Channel {
            return Err((NOT_SUPPORTED, Refusal::NotAControlUnit));
        }
        if name == self.parameters.port_name {
            return Err((INVALID_NAME, Refusal::SameName));
        }
        if !self.may_log_in(name) {
            return Err((INVALID_NAME, Refusal::NotListed));
        }
        let Some(bytes) = agreed(self.parameters.frame_payload_bytes, other) else {
            return Err((PARAMETERS, Refusal::Parameters));
        };
        let Some(index) = self.peer_named(name) else { return Err((NO_ROOM, Refusal::Full)) };
        for known in 0..self.peers.len() {
            if known == index || self.peers[known].address == s_id {
                self.end_login(known, LogoutCause::NewLogin, None);
                self.peers[known].address = address::UNASSIGNED;
            }
        }
        self.requests.forget(|purpose| purpose == Purpose::Logout(s_id));
        self.peers[index].address = s_id;
        Ok((index, bytes))
    }

    /// Returns the place of the peer of this name. A new one takes a free place, or that of a host that is gone.
    pub(super) fn peer_named(&mut self, name: WorldWideName) -> Option<usize> {
        if let Some(index) = self.peers.iter().position(|peer| peer.name == name) {
            return Some(index);
        }
        if self.peers.len() < PEERS_MAX {
            self.peers.push(Peer::new(name));
            return Some(self.peers.len() - 1);
        }
        let gone = |peer: &Peer| matches!(peer.stage, Stage::Out(_));
        let index = self.peers.iter().position(gone)?;
        self.requests.forget(|purpose| purpose.peer() == Some(index));
        self.peers[index] = Peer::new(name);
        Some(index)
    }

    /// Answers a PRLI: a control unit grants transport mode, if it has any, or FCP. A page of the other protocol is refused.
    fn answer_process_login(
        &mut self,
        header: &FcHeader,
        index: usize,
        login: &ProcessLogin,
    ) -> Result<(), Discard> {
        let protocol = Some(self.parameters.protocol).filter(|_| self.role_to(index) == Role::ControlUnit);
        let Some(answer) = protocol.and_then(|protocol| protocol.answer(login)) else {
            return self.reject(header, NOT_SUPPORTED);
        };
        let executed = answer.pages.iter().find(|page| page.response() == ServicePage::EXECUTED).copied();
        let is_forbidden = answer.pages.iter().any(|page| page.response() == ServicePage::FORBIDDEN);
        self.answer(header, &ElsReply::ProcessLogin(answer));
        let Some(executed) = executed else {
            let (name, why) = (self.peers[index].name, Refusal::OtherProtocol);
            if is_forbidden && self.peers[index].refusal.replace(why) != Some(why) {
                self.report(PortEvent::Refused { name, why });
            }
            return Ok(());
        };
        match executed.fcp_login() {
            Some(granted) => self.complete_fcp_login(index, granted),
            None => self.complete_login(index, executed.sb_login()),
        }
        Ok(())
    }

    /// Handles LOGO: the login is over. A channel tries again later.
    fn answer_logout(&mut self, now: Time, header: &FcHeader, logout: &Logout) {
        self.answer(header, &ElsReply::Accept);
        let sender = |peer: &Peer| peer.address == header.s_id && peer.name == logout.port_name;
        if let Some(index) = self.peers.iter().position(|peer| sender(peer) && peer.has_login()) {
            let retry_at = now.saturating_add(RETRY_INTERVAL);
            self.end_login(index, LogoutCause::Logout, Some(retry_at));
        }
    }

    /// Handles RSCN, page by page. A port that is gone is logged out at once, whether it comes back or not. For a
    /// change without details a channel requests the addresses of the peers concerned, with a login or without; a
    /// control unit requests whether the hosts concerned are still there, or there again.
    fn handle_state_change(&mut self, now: Time, change: &StateChange) {
        if self.attachment != Attachment::Fabric(Services::Ready) || self.is_closing {
            return;
        }
        for page in &change.pages {
            for index in 0..self.peers.len() {
                let concerned = page.covers(self.peers[index].address);
                let is_gone = concerned && page.qualifier == ChangedArea::REMOVED;
                if is_gone && self.peers[index].has_login() {
                    self.end_login(index, LogoutCause::LeftFabric, None);
                }
                match (self.role_to(index), self.peers[index].stage) {
                    (Role::Channel, Stage::Out(_)) => self.approach(now, index),
                    (Role::Channel, _) if concerned => self.find(now, index),
                    (Role::ControlUnit, _) if concerned && !is_gone => {
                        self.request(now, Purpose::NameOf(index), 1);
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn answer(&mut self, header: &FcHeader, reply: &ElsReply) {
        let heading = sequence::reply(header, header.d_id, header.s_id);
        self.outbox.push(Sof::Initiate3, heading, reply.emit());
    }

    fn reply_reject(&mut self, header: &FcHeader, reject: LsReject) {
        self.answer(header, &ElsReply::Reject(reject));
    }

    pub(super) fn reject(&mut self, header: &FcHeader, reject: LsReject) -> Result<(), Discard> {
        self.reply_reject(header, reject);
        Ok(())
    }
}
