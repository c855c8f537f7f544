//! F_Ports: fabric login, state changes, and what the login server and the fabric controller answer.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_base::Time;
use halftrack_wire::choices::LINK_INCIDENT_SERVICE;
use halftrack_wire::els::{
    ChangedArea, Els, ElsReply, LsReject, Registration, STATE_CHANGE_PAGES_MAX, ServiceParameters,
    StateChange,
};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;
use halftrack_wire::{FcFrame, FcHeader, ParseError, Sof, WorldWideName};

use super::directory::PortRecord;
use super::event::{SwitchEvent, SwitchRefusal};
use super::incidents::Incidents;
use super::outstanding::Outstanding;
use super::{Switch, address};
use crate::n_port::{agreed, discovery::PROBE};
use crate::reject::{INVALID_NAME, MALFORMED, NOT_IN_FABRIC, NOT_SUPPORTED, PARAMETERS, UNKNOWN_COMMAND};
use crate::sequence;
use crate::timing::ERROR_DETECT_TIMEOUT;

/// Changes of an address since its last notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Change {
    /// The port of this name is gone.
    gone: Option<WorldWideName>,
    /// A port is there.
    came: bool,
}

/// A notice on its way: its pages, and the names of the ports that it reports as gone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    change: StateChange,
    gone: Vec<WorldWideName>,
}

/// State of the port at the other end.
#[derive(Debug, Default)]
pub(crate) struct FPort {
    record: Option<PortRecord>,
    /// A FLOGI that is not answered yet.
    waiting: Option<(FcHeader, ServiceParameters)>,
    /// Whether it has registered for state changes.
    registered: bool,
    /// Addresses of which it has not been notified yet.
    changes: BTreeMap<u32, Change>,
    /// The notification that it has not answered yet.
    notice: Option<Outstanding<Notice>>,
    /// Exchange of the last probe.
    probe: Option<u16>,
    pub(super) incidents: Incidents,
}

impl FPort {
    /// Address of the port that is logged in.
    #[inline]
    pub(crate) fn address(&self) -> Option<u32> {
        self.record.map(|record| record.address)
    }

    /// Returns the port that is logged in.
    pub(crate) fn record(&self) -> Option<&PortRecord> {
        self.record.as_ref()
    }

    /// Returns whether a FLOGI waits for its answer.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let notice = self.notice.as_ref().map(|notice| notice.until);
        notice.into_iter().chain(self.incidents.poll_timeout()).min()
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.poll_timeout().is_some_and(|until| until <= now)
    }

    /// Returns the pages of the next notice.
    fn take_changes(&mut self) -> Notice {
        let (mut pages, mut gone) = (Vec::new(), Vec::new());
        while pages.len() + 2 <= STATE_CHANGE_PAGES_MAX
            && let Some((port_address, change)) = self.changes.pop_first()
        {
            pages.extend(change.gone.map(|_| ChangedArea::removed_port(port_address)));
            pages.extend(change.came.then_some(ChangedArea::port(port_address)));
            gone.extend(change.gone);
        }
        Notice { change: StateChange { pages }, gone }
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
            Ok(request) => request,
            Err(error) => {
                let unknown = matches!(error, ParseError::Function(_));
                let reject = if unknown { UNKNOWN_COMMAND } else { MALFORMED };
                self.answer(port, header, &ElsReply::Reject(reject));
                return true;
            }
        };
        match (self.ports[port].f_port().and_then(|own| own.address()), &request) {
            (Some(own), _) if own == header.s_id => {}
            (None, Els::Plogi(other)) => {
                self.refuse(port, header, other.port_name, NOT_IN_FABRIC, SwitchRefusal::NotInFabric);
                return true;
            }
            _ => return false,
        }
        let reply = self.answer_of_service(now, port, header.d_id, &request);
        self.answer(port, header, &reply);
        true
    }

    /// Returns what the service at a well-known address answers to a port that is logged in.
    fn answer_of_service(&mut self, now: Time, port: usize, service: u32, request: &Els) -> ElsReply {
        match (service, request) {
            (address::FABRIC_LOGIN, Els::Logo(_)) => {
                self.leave_fabric(now, port);
                ElsReply::Accept
            }
            (address::FABRIC_CONTROLLER, Els::Scr(registration)) => {
                if let Some(own) = self.ports[port].f_port() {
                    own.registered = *registration != Registration::Clear;
                }
                ElsReply::Accept
            }
            (LINK_INCIDENT_SERVICE, Els::Lirr(registration)) => {
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
            own.record = Some(record);
        }
        let credit = other.buffer_credit.max(1);
        self.events.push_back(SwitchEvent::LoggedIn { port, address: own_address, name, credit });
        let accept = ElsReply::Login(self.service_parameters(port));
        let reply = sequence::reply(&header, address::FABRIC_LOGIN, own_address);
        self.ports[port].outbox.push(Sof::Initiate3, reply, accept.emit());
        self.announce(now, record, true);
    }

    /// Lets in who waited for what is over now.
    pub(super) fn let_in(&mut self, now: Time) {
        for port in 0..self.ports.len() {
            self.answer_login(now, port);
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

    fn refuse(
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

    /// Logs out the port that is logged in at `port`.
    pub(super) fn leave_fabric(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].f_port() else { return };
        let record = std::mem::take(own).record;
        self.departures.forget(port);
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
    fn announce(&mut self, now: Time, record: PortRecord, online: bool) {
        self.notify_switches(now, record, online);
        self.notify(now, record, online);
    }

    /// Notifies the ports that registered and may see the port that it came or is gone.
    pub(super) fn notify(&mut self, now: Time, changed: PortRecord, online: bool) {
        let seen = self.directory.zones_of(&changed);
        let mut notified = BTreeSet::new();
        for port in 0..self.ports.len() {
            let Some(own) = self.ports[port].f_port() else { continue };
            let Some(record) = own.record.filter(|record| record.address != changed.address) else {
                continue;
            };
            if own.registered && self.directory.zones_of(&record).meets(&seen) {
                notified.insert(port);
            }
        }
        for &port in &notified {
            let Some(own) = self.ports[port].f_port() else { continue };
            let change = own.changes.entry(changed.address).or_default();
            *change = match online {
                true => Change { came: true, ..*change },
                false => Change { gone: Some(changed.name), came: false },
            };
            self.send_notice(now, port);
        }
        if !online {
            self.departures.begin(now, changed, notified);
        }
    }

    /// Sends the next RSCN if none is on its way.
    fn send_notice(&mut self, now: Time, port: usize) {
        let own = &mut self.ports[port];
        let ox_id = own.ids.next();
        let Some(f_port) = own.f_port() else { return };
        if f_port.notice.is_some() || f_port.changes.is_empty() {
            return;
        }
        let notice = f_port.take_changes();
        f_port.notice = Some(Outstanding::new(now, notice, ox_id));
        self.emit_notice(port);
    }

    fn emit_notice(&mut self, port: usize) {
        let own = &mut self.ports[port];
        let Some(f_port) = own.f_port() else { return };
        let Some((d_id, notice)) = f_port.address().zip(f_port.notice.as_ref()) else { return };
        let controller = address::FABRIC_CONTROLLER;
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, controller, d_id, notice.ox_id);
        let payload = Els::Rscn(notice.what.change.clone()).emit();
        own.outbox.push(Sof::Initiate3, header, payload);
    }

    /// Repeats a notification without a timely answer, or continues to the next.
    pub(super) fn repeat_notice(&mut self, now: Time, port: usize) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.ports[port].f_port() else { return };
        let Some(notice) = own.notice.take_if(|notice| notice.until <= now) else { return };
        match notice.again(now, ox_id) {
            Ok(notice) => {
                own.notice = Some(notice);
                self.emit_notice(port);
            }
            Err(notice) => self.end_notice(now, port, &notice),
        }
    }

    /// Takes the answer to a notification, to a probe or to an incident record, of which only the exchange counts.
    fn take_service_answer(&mut self, now: Time, port: usize, header: &FcHeader) -> bool {
        let Some(own) = self.ports[port].f_port() else { return false };
        if own.address() != Some(header.s_id) {
            return false;
        }
        if own.probe.take_if(|probe| *probe == header.ox_id).is_some() {
            self.events.push_back(SwitchEvent::ProbeAnswered { port });
            return true;
        }
        let Some(notice) = own.notice.take_if(|notice| notice.ox_id == header.ox_id) else {
            return self.take_incident_answer(now, port, header.ox_id);
        };
        self.end_notice(now, port, &notice.what);
        true
    }

    /// Ends a notification.
    fn end_notice(&mut self, now: Time, port: usize, notice: &Notice) {
        for name in &notice.gone {
            self.departures.acknowledge(port, *name);
        }
        self.send_notice(now, port);
        if !notice.gone.is_empty() {
            self.let_in(now);
        }
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
