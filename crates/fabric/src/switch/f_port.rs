//! F_Ports: fabric login, state changes, and what the login server and the fabric controller answer.

use std::collections::BTreeSet;

use halftrack_engine::SimTime;
use halftrack_wire::els::{
    ChangedArea, Els, ElsReply, LsReject, Registration, ServiceParameters, StateChange,
};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{FcFrame, FcHeader, ParseError, Sof, WorldWideName};

use super::directory::PortRecord;
use super::event::{SwitchEvent, SwitchRefusal};
use super::notice::Asked;
use super::{Switch, address};
use crate::n_port::agreed;
use crate::reject::{INVALID_NAME, MALFORMED, NOT_SUPPORTED, PARAMETERS, UNKNOWN_COMMAND};
use crate::sequence;
use crate::timing::{ERROR_DETECT_TIMEOUT, RESOURCE_ALLOCATION_TIMEOUT};

/// Most pages of one notification; more changes follow in the next.
const NOTICE_PAGES: usize = 255;

/// What is known of the port at the other end.
#[derive(Debug, Default)]
pub(crate) struct FPort {
    record: Option<PortRecord>,
    /// It wants to hear of state changes.
    registered: bool,
    /// Addresses of which it has not been told yet.
    changes: BTreeSet<u32>,
    /// The notification that it has not answered yet.
    notice: Option<Asked<StateChange>>,
}

impl FPort {
    /// Address of the port that is logged in.
    #[inline]
    pub(crate) fn address(&self) -> Option<u32> {
        self.record.map(|record| record.address)
    }

    pub(crate) fn poll_timeout(&self) -> Option<SimTime> {
        self.notice.as_ref().map(|notice| notice.until)
    }

    pub(crate) fn is_due(&self, now: SimTime) -> bool {
        self.poll_timeout().is_some_and(|until| until <= now)
    }
}

impl Switch {
    /// A link service for the login server, the fabric controller or the name server; true when it was understood.
    pub(super) fn handle_link_service(&mut self, now: SimTime, port: usize, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        if sequence::is_reply(header) {
            return self.take_notice_answer(now, port, header);
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
        let own = self.ports[port].f_port().and_then(|own| own.address());
        if own != Some(header.s_id) {
            return false;
        }
        let reply = self.answer_of_service(now, port, header.d_id, &request);
        self.answer(port, header, &reply);
        true
    }

    /// What the service at a well-known address answers to a port that is logged in.
    fn answer_of_service(&mut self, now: SimTime, port: usize, service: u32, request: &Els) -> ElsReply {
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
            (address::NAME_SERVER, Els::Plogi(_)) => ElsReply::Login(self.service_parameters(port)),
            (address::NAME_SERVER, Els::Logo(_)) => ElsReply::Accept,
            (_, Els::Echo(octets)) => ElsReply::Echo(octets.clone()),
            _ => ElsReply::Reject(NOT_SUPPORTED),
        }
    }

    /// FLOGI.
    fn log_in(&mut self, now: SimTime, port: usize, header: &FcHeader, other: &ServiceParameters) {
        let name = other.port_name;
        self.leave_fabric(now, port);
        let own_address = address::of_port(self.domain, self.ports[port].area);
        let record = PortRecord { address: own_address, name, node: other.node_name };
        let usable = agreed(self.frame_payload_bytes, other).is_some();
        let refusal = if !usable {
            Some((PARAMETERS, SwitchRefusal::Parameters))
        } else if !self.directory.enter(record) {
            Some((INVALID_NAME, SwitchRefusal::NameTaken))
        } else {
            None
        };
        if let Some((reject, why)) = refusal {
            return self.refuse(port, header, name, reject, why);
        }
        if let Some(own) = self.ports[port].f_port() {
            own.record = Some(record);
        }
        let credit = other.buffer_credit.max(1);
        self.events.push_back(SwitchEvent::LoggedIn { port, address: own_address, name, credit });
        let accept = ElsReply::Login(self.service_parameters(port));
        let reply = sequence::reply(header, address::FABRIC_LOGIN, own_address);
        self.ports[port].outbox.push(Sof::Initiate3, reply, accept.emit());
        self.announce(now, record, true);
    }

    /// FLOGI on a port that is for an inter-switch link.
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

    /// Whoever is logged in at the port is so no longer.
    pub(super) fn leave_fabric(&mut self, now: SimTime, port: usize) {
        let Some(own) = self.ports[port].f_port() else { return };
        let Some(record) = std::mem::take(own).record else { return };
        self.directory.strike(record.address);
        let PortRecord { address, name, .. } = record;
        self.events.push_back(SwitchEvent::LoggedOut { port, address, name });
        self.announce(now, record, false);
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
    fn announce(&mut self, now: SimTime, record: PortRecord, online: bool) {
        self.tell_neighbours(now, record, online);
        self.notify(now, record);
    }

    /// Tells the ports that registered and may see the port that it came or went.
    pub(super) fn notify(&mut self, now: SimTime, changed: PortRecord) {
        let seen = self.directory.zones_of(&changed);
        for port in 0..self.ports.len() {
            let Some(own) = self.ports[port].f_port() else { continue };
            let Some(record) = own.record.filter(|record| record.address != changed.address) else {
                continue;
            };
            if own.registered && self.directory.zones_of(&record).meets(&seen) {
                if let Some(own) = self.ports[port].f_port() {
                    own.changes.insert(changed.address);
                }
                self.send_notice(now, port);
            }
        }
    }

    /// Sends the next RSCN if none is on its way.
    fn send_notice(&mut self, now: SimTime, port: usize) {
        let own = &mut self.ports[port];
        let ox_id = own.ids.next();
        let Some(f_port) = own.f_port() else { return };
        if f_port.notice.is_some() || f_port.changes.is_empty() {
            return;
        }
        let rest = f_port.changes.iter().nth(NOTICE_PAGES).copied();
        let rest = rest.map(|first| f_port.changes.split_off(&first)).unwrap_or_default();
        let told = std::mem::replace(&mut f_port.changes, rest);
        let change = StateChange { pages: told.into_iter().map(ChangedArea::port).collect() };
        f_port.notice = Some(Asked::new(now, change, ox_id));
        self.emit_notice(port);
    }

    fn emit_notice(&mut self, port: usize) {
        let own = &mut self.ports[port];
        let Some(f_port) = own.f_port() else { return };
        let Some((d_id, notice)) = f_port.address().zip(f_port.notice.as_ref()) else { return };
        let controller = address::FABRIC_CONTROLLER;
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, controller, d_id, notice.ox_id);
        let payload = Els::Rscn(notice.what.clone()).emit();
        own.outbox.push(Sof::Initiate3, header, payload);
    }

    /// A notification was not answered in time: once more, or on to the next.
    pub(super) fn repeat_notice(&mut self, now: SimTime, port: usize) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.ports[port].f_port() else { return };
        own.notice = own.notice.take().and_then(|notice| notice.again(now, ox_id));
        if own.notice.is_some() {
            self.emit_notice(port);
        } else {
            self.send_notice(now, port);
        }
    }

    /// The answer to a notification, which is only looked at for its exchange.
    fn take_notice_answer(&mut self, now: SimTime, port: usize, header: &FcHeader) -> bool {
        let Some(own) = self.ports[port].f_port() else { return false };
        let answered = |notice: &Asked<StateChange>| notice.ox_id == header.ox_id;
        if own.address() != Some(header.s_id) || !own.notice.as_ref().is_some_and(answered) {
            return false;
        }
        own.notice = None;
        self.send_notice(now, port);
        true
    }
}
