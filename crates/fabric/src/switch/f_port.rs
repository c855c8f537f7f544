//! F_Ports: fabric login, and what the login server and the fabric controller answer.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_wire::choices::LINK_INCIDENT_SERVICE;
use halftrack_wire::els::{Els, ElsReply, LsReject, Registration, ServiceParameters};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;
use halftrack_wire::{FcFrame, FcHeader, ParseError, Sof, WorldWideName};

use super::directory::PortRecord;
use super::event::{SwitchEvent, SwitchRefusal};
use super::incidents::Incidents;
use super::notices::Notices;
use super::{Switch, address};
use crate::n_port::{agreed, discovery::PROBE};
use crate::reject::{INVALID_NAME, MALFORMED, NOT_IN_FABRIC, NOT_SUPPORTED, PARAMETERS, UNKNOWN_COMMAND};
use crate::sequence;
use crate::timing::ERROR_DETECT_TIMEOUT;

/// Login of an N_Port, of the physical port of a link or of a virtual one.
#[derive(Debug)]
pub(super) struct Login {
    pub(super) record: PortRecord,
    pub(super) notices: Notices,
}

impl Login {
    /// Creates the login of a port without registrations.
    pub(super) fn new(record: PortRecord) -> Self {
        Self { record, notices: Notices::default() }
    }
}

/// FLOGI or FDISC that is not answered yet.
pub(super) type WaitingLogin = (FcHeader, ServiceParameters);

/// State of the ports at the other end.
#[derive(Debug, Default)]
pub(crate) struct FPort {
    /// Login of the physical port.
    login: Option<Login>,
    /// Logins of virtual ports, by address.
    pub(super) virtual_logins: BTreeMap<u32, Login>,
    /// A FLOGI that is not answered yet.
    waiting: Option<WaitingLogin>,
    /// FDISCs that are not answered yet, each of another name.
    pub(super) waiting_virtual: Vec<WaitingLogin>,
    /// Exchange of the last probe.
    probe: Option<u16>,
    pub(super) incidents: Incidents,
}

impl FPort {
    /// Address of the physical port that is logged in.
    #[inline]
    pub(crate) fn address(&self) -> Option<u32> {
        self.record().map(|record| record.address)
    }

    /// Returns the physical port that is logged in.
    #[inline]
    pub(crate) fn record(&self) -> Option<&PortRecord> {
        self.login.as_ref().map(|login| &login.record)
    }

    /// Returns whether a port with this address is logged in, physical or virtual.
    #[inline]
    pub(crate) fn has(&self, port_address: u32) -> bool {
        self.address() == Some(port_address) || self.virtual_logins.contains_key(&port_address)
    }

    /// Returns the logins: the physical port, then its virtual ports by address.
    pub(super) fn logins(&self) -> impl Iterator<Item = &Login> {
        self.login.iter().chain(self.virtual_logins.values())
    }

    /// Returns the login of the port with this address.
    pub(super) fn login_at(&mut self, port_address: u32) -> Option<&mut Login> {
        let own = self.login.as_mut().filter(|login| login.record.address == port_address);
        own.or_else(|| self.virtual_logins.get_mut(&port_address))
    }

    /// Returns whether a FLOGI waits for its answer.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let notices = self.logins().filter_map(|login| login.notices.poll_timeout());
        notices.chain(self.incidents.poll_timeout()).min()
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.poll_timeout().is_some_and(|until| until <= now)
    }
}

impl Switch {
    /// Returns a link service for the login server, the fabric controller or the name server; true when it was understood.
    pub(super) fn handle_link_service(&mut self, now: Time, port: usize, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        if sequence::is_reply(header) {
            return self.take_service_answer(now, port, header);
        }
        if !sequence::is_request(header) {
            return false;
        }
        let request = match Els::parse(frame.payload) {
            Ok(Els::Flogi(other)) if header.d_id == address::FABRIC_LOGIN => {
                self.log_in(now, port, header, &other);
                return true;
            }
            Ok(Els::Fdisc(other))
                if (header.d_id, header.s_id) == (address::FABRIC_LOGIN, address::UNASSIGNED) =>
            {
                self.log_in_virtual(now, port, header, &other);
                return true;
            }
            Ok(request) => request,
            Err(error) => {
                let unknown = matches!(error, ParseError::Function(_));
                let reject = if unknown { UNKNOWN_COMMAND } else { MALFORMED };
                self.answer(port, header, &ElsReply::Reject(reject));
                return true;
            }
        };
        let Some(own) = self.ports[port].f_port() else { return false };
        match (own.address(), &request) {
            (Some(_), _) if own.has(header.s_id) => {}
            (None, Els::Plogi(other)) => {
                self.refuse(port, header, other.port_name, NOT_IN_FABRIC, SwitchRefusal::NotInFabric);
                return true;
            }
            _ => return false,
        }
        let reply = self.answer_of_service(now, port, header, &request);
        self.answer(port, header, &reply);
        true
    }

    /// Returns what the service at a well-known address answers to a port that is logged in.
    fn answer_of_service(&mut self, now: Time, port: usize, header: &FcHeader, request: &Els) -> ElsReply {
        let (service, asker) = (header.d_id, header.s_id);
        let is_physical = self.ports[port].f_port().and_then(|own| own.address()) == Some(asker);
        match (service, request) {
            (address::FABRIC_LOGIN, Els::Logo(_)) if is_physical => {
                self.leave_fabric(now, port);
                ElsReply::Accept
            }
            (address::FABRIC_LOGIN, Els::Logo(_)) => {
                self.log_out_virtual(now, port, asker);
                ElsReply::Accept
            }
            (address::FABRIC_CONTROLLER, Els::Scr(registration)) => {
                if let Some(own) = self.ports[port].f_port().and_then(|own| own.login_at(asker)) {
                    own.notices.registered = *registration != Registration::Clear;
                }
                ElsReply::Accept
            }
            // Incidents are those of links, and the physical port receives them.
            (LINK_INCIDENT_SERVICE, Els::Lirr(registration)) if is_physical => {
                self.register_for_incidents(port, *registration)
            }
            (address::NAME_SERVER, Els::Plogi(_)) => ElsReply::Login(self.service_parameters(port)),
            (address::NAME_SERVER, Els::Logo(_)) => ElsReply::Accept,
            (_, Els::Echo(octets)) => ElsReply::Echo(octets.clone()),
            _ => ElsReply::Reject(NOT_SUPPORTED),
        }
    }

    /// Handles FLOGI. An earlier port is logged out first; the new one is accepted when no port has a login any more
    /// with the one that had its name or its address.
    fn log_in(&mut self, now: Time, port: usize, header: &FcHeader, other: &ServiceParameters) {
        self.leave_fabric(now, port);
        if let Some(own) = self.ports[port].f_port() {
            own.waiting = Some((*header, *other));
        }
        self.answer_login(now, port);
    }

    /// Answers the FLOGI that waits at a port, if its time has come.
    fn answer_login(&mut self, now: Time, port: usize) {
        let own_address = address::of_port(self.domain, self.ports[port].area);
        let Some(own) = self.ports[port].f_port() else { return };
        let waiting = own.waiting.take_if(|(_, other)| !self.departures.block(other.port_name, own_address));
        let Some((header, other)) = waiting else { return };
        let name = other.port_name;
        let record = PortRecord { address: own_address, name, node: other.node_name };
        let usable = agreed(self.frame_payload_bytes, &other).is_some();
        let admitted = self.ports[port].admitted.as_ref();
        let refusal = if admitted.is_some_and(|names| !names.contains(&name)) {
            Some((INVALID_NAME, SwitchRefusal::NotAdmitted))
        } else if !usable {
            Some((PARAMETERS, SwitchRefusal::Parameters))
        } else if !self.directory.enter(record) {
            Some((INVALID_NAME, SwitchRefusal::NameTaken))
        } else {
            None
        };
        if let Some((reject, why)) = refusal {
            return self.refuse(port, &header, name, reject, why);
        }
        if let Some(own) = self.ports[port].f_port() {
            own.login = Some(Login::new(record));
        }
        let credit = other.buffer_credit.max(1);
        self.events.push_back(SwitchEvent::LoggedIn { port, address: own_address, name, credit });
        self.accept_login(port, &header, &other, own_address);
        self.announce(now, record, true);
    }

    /// Accepts FLOGI or FDISC with an address. A port that supports several has the feature that there are in its answer.
    pub(super) fn accept_login(
        &mut self,
        port: usize,
        header: &FcHeader,
        other: &ServiceParameters,
        assigned: u32,
    ) {
        let own = self.service_parameters(port);
        let asks = other.features & ServiceParameters::SEVERAL_IDS_SUPPORTED != 0;
        let several = if asks { ServiceParameters::SEVERAL_IDS_ASSIGNED } else { 0 };
        let accept = ElsReply::Login(ServiceParameters { features: own.features | several, ..own });
        let reply = sequence::reply(header, address::FABRIC_LOGIN, assigned);
        self.ports[port].outbox.push(Sof::Initiate3, reply, accept.emit());
    }

    /// Lets in who waited for what is over now.
    pub(super) fn let_in(&mut self, now: Time) {
        for port in 0..self.ports.len() {
            self.answer_login(now, port);
            self.answer_virtual_logins(now, port);
        }
        self.enter_held(now);
    }

    /// Returns the FLOGI on a port that is for an inter-switch link.
    pub(super) fn refuse_fabric_login(&mut self, port: usize, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        match Els::parse(frame.payload) {
            Ok(Els::Flogi(other)) if sequence::is_request(header) => {
                self.refuse(port, header, other.port_name, NOT_SUPPORTED, SwitchRefusal::NotAnFPort);
                true
            }
            _ => false,
        }
    }

    pub(super) fn refuse(
        &mut self,
        port: usize,
        header: &FcHeader,
        name: WorldWideName,
        reject: LsReject,
        why: SwitchRefusal,
    ) {
        self.events.push_back(SwitchEvent::Refused { port, name, why });
        self.answer(port, header, &ElsReply::Reject(reject));
    }

    /// Logs out the port that is logged in at `port`, after all of its virtual ports.
    pub(super) fn leave_fabric(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].f_port() else { return };
        let FPort { login, virtual_logins, .. } = std::mem::take(own);
        let virtual_ports: Vec<_> = virtual_logins.into_values().map(|login| login.record).collect();
        let record = login.map(|login| login.record);
        for gone in virtual_ports.iter().chain(&record) {
            self.departures.forget(gone.address);
        }
        for gone in virtual_ports {
            self.strike_virtual(now, port, gone);
        }
        if let Some(record) = record {
            self.directory.strike(record.address);
            let PortRecord { address, name, .. } = record;
            self.events.push_back(SwitchEvent::LoggedOut { port, address, name });
            self.announce(now, record, false);
        }
        self.let_in(now);
    }

    fn service_parameters(&self, port: usize) -> ServiceParameters {
        let (bytes, credit) = (self.frame_payload_bytes, self.ports[port].receive_credit);
        let own = ServiceParameters::class_3(self.port_name(port), self.name, bytes, credit);
        ServiceParameters {
            features: own.features | ServiceParameters::F_PORT,
            word_3: (RESOURCE_ALLOCATION_TIMEOUT.as_ps() / 1_000_000_000) as u32,
            error_detect_timeout: (ERROR_DETECT_TIMEOUT.as_ps() / 1_000_000_000) as u32,
            ..own
        }
    }

    /// Tells the other switches and the ports of this one that a port of this switch came or went.
    pub(super) fn announce(&mut self, now: Time, record: PortRecord, online: bool) {
        self.notify_switches(now, record, online);
        self.notify(now, record, online);
    }

    /// Takes the answer to a notification, to a probe or to an incident record, of which only the exchange counts.
    fn take_service_answer(&mut self, now: Time, port: usize, header: &FcHeader) -> bool {
        let Some(own) = self.ports[port].f_port() else { return false };
        if !own.has(header.s_id) {
            return false;
        }
        let is_physical = own.address() == Some(header.s_id);
        if own.probe.take_if(|probe| *probe == header.ox_id).is_some() {
            self.events.push_back(SwitchEvent::ProbeAnswered { port });
            return true;
        }
        self.take_notice_answer(now, port, header.s_id, header.ox_id)
            || is_physical && self.take_incident_answer(now, port, header.ox_id)
    }

    /// Sends a probe (ECHO) to the port that is logged in at `port`. Its answer becomes
    /// [`SwitchEvent::ProbeAnswered`].
    pub fn probe(&mut self, port: usize) {
        let Some(own) = self.ports.get_mut(port) else { return };
        let ox_id = own.ids.next();
        let Some(d_id) = own.f_port().and_then(|own| own.address()) else { return };
        if let Some(own) = own.f_port() {
            own.probe = Some(ox_id);
        }
        let controller = address::FABRIC_CONTROLLER;
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, controller, d_id, ox_id);
        own.outbox.push(Sof::Initiate3, header, Els::Echo(PROBE.to_vec()).emit());
    }
}
