//! E_Ports: inter-switch links (FC-SW).
//!
//! ```text
//! Down ─link up─► Parameters (ELP) ─SW_ACC─► Domains (EFP) ─SW_ACC─► Up: RSCNs with the ports of each switch
//!                     ▲        └──────SW_RJT, no answer────────┘
//!                     └──after a while── Refused
//! ```
//!
//! Each end sends requests, so each verifies for itself that the other one answers. There is no election of a
//! principal switch and no path selection: domains come from the configuration, and a frame takes one inter-switch
//! link at most.

mod changes;
mod linking;

use std::collections::{BTreeSet, VecDeque};

use halftrack_base::{Span, Time};
use halftrack_wire::switch_link::{
    DEVICE_ENTRIES_MAX, DeviceEntry, FabricParameters, LinkParameters, SWITCH_LINK_SERVICE, SwitchAnswer,
    SwitchLinkService, SwitchReject,
};
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;
use halftrack_wire::{FcFrame, FcHeader, Sof, WorldWideName};

use super::directory::{PortRecord, RECORDS_MAX};
use super::event::{LinkRefusal, SwitchEvent};
use super::outstanding::Outstanding;
use super::route::Routes;
use super::{Kind, Switch, address};
use crate::sequence;
use crate::timing::{ERROR_DETECT_TIMEOUT, RETRY_INTERVAL};

/// Most changes that wait to be sent; with more the link begins anew.
const ENTRIES_MAX: usize = 4 * RECORDS_MAX;
/// Least receive size (reference section 5.1).
const FRAME_PAYLOAD_MIN_BYTES: u16 = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Down,
    /// ELP was sent.
    Parameters,
    /// EFP was sent.
    Domains,
    /// Frames pass.
    Up,
    /// No link; it begins anew at this time.
    Refused(Time),
}

/// How far a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Wanted,
    Sent,
}

/// State of the switch at the other end.
#[derive(Debug)]
pub(crate) struct EPort {
    /// Which switch must be there.
    expected: Option<WorldWideName>,
    stage: Stage,
    /// Parameters of the switch at the other end.
    neighbour: Option<FabricParameters>,
    /// Name of the port at the other end.
    other_port: Option<WorldWideName>,
    /// A mark is to follow the last frame of an old route, or has.
    mark: Option<Mark>,
    asked: Option<Outstanding<SwitchLinkService>>,
    /// Ports that the other end has yet to be notified of.
    entries: VecDeque<DeviceEntry>,
    /// Exchange of the newest notice of the other end's ports.
    newest_notice: Option<u16>,
    /// The last refusal that was reported.
    refusal: Option<LinkRefusal>,
}

impl EPort {
    pub(crate) fn new(expected: Option<WorldWideName>) -> Self {
        let (neighbour, asked, refusal) = (None, None, None);
        let (other_port, mark, entries) = (None, None, VecDeque::new());
        let (stage, newest_notice) = (Stage::Down, None);
        Self { expected, stage, neighbour, other_port, mark, asked, entries, newest_notice, refusal }
    }

    /// Returns the domain at the other end.
    #[inline]
    pub(crate) fn domain(&self) -> Option<u8> {
        self.neighbour.map(|neighbour| neighbour.domain)
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        match self.stage {
            Stage::Refused(at) => Some(at),
            Stage::Down => None,
            Stage::Parameters | Stage::Domains | Stage::Up => self.asked.as_ref().map(|asked| asked.until),
        }
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.poll_timeout().is_some_and(|at| at <= now)
    }
}

const fn ms(span: Span) -> u32 {
    (span.as_ps() / 1_000_000_000) as u32
}

const fn entry(record: &PortRecord, online: bool) -> DeviceEntry {
    DeviceEntry { online, address: record.address, port_name: record.name, node_name: record.node }
}

impl Switch {
    /// Begins an inter-switch link.
    pub(super) fn request_link_parameters(&mut self, now: Time, port: usize) {
        // No switch has to be notified of its end any more.
        let (own_address, own_name) = (address::of_port(self.domain, self.ports[port].area), self.name);
        for other in self.ports.iter_mut().filter_map(super::Port::e_port) {
            other.entries.retain(|entry| (entry.address, entry.node_name) != (own_address, own_name));
        }
        let own = SwitchLinkService::LinkParameters(self.link_parameters(port));
        self.request_of_neighbour(now, port, own, Stage::Parameters);
    }

    fn request_of_neighbour(&mut self, now: Time, port: usize, what: SwitchLinkService, stage: Stage) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = stage;
        own.asked = Some(Outstanding::new(now, what, ox_id));
        self.emit_request(port);
    }

    fn emit_request(&mut self, port: usize) {
        let own = &mut self.ports[port];
        let Some(asked) = own.e_port().and_then(|own| own.asked.as_ref()) else { return };
        let controller = address::FABRIC_CONTROLLER;
        let header = sequence::request(SWITCH_LINK_SERVICE, controller, controller, asked.ox_id);
        let mut payload = Vec::new();
        asked.what.emit(&mut payload);
        own.outbox.push(Sof::Fabric, header, payload);
    }

    /// Repeats a request without a timely answer, or tries a refused link anew.
    pub(super) fn repeat_request(&mut self, now: Time, port: usize) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.ports[port].e_port() else { return };
        if matches!(own.stage, Stage::Refused(_)) {
            return self.request_link_parameters(now, port);
        }
        own.asked = own.asked.take().and_then(|asked| asked.again(now, ox_id).ok());
        if own.asked.is_some() {
            self.emit_request(port);
        } else {
            self.refuse_link(now, port, LinkRefusal::NoAnswer);
        }
    }

    /// Returns a frame between switches; true when it was understood.
    pub(super) fn handle_switch_link(&mut self, now: Time, port: usize, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        if header.d_id != address::FABRIC_CONTROLLER {
            return false;
        }
        if sequence::is_reply(header) {
            return self.take_answer(now, port, frame);
        }
        if !sequence::is_request(header) {
            return false;
        }
        let answer = match SwitchLinkService::parse(frame.payload) {
            Ok(SwitchLinkService::LinkParameters(other)) => self.answer_parameters(now, port, &other),
            Ok(SwitchLinkService::FabricParameters(other)) => self.answer_domain(now, port, other),
            Ok(SwitchLinkService::StateChange(_)) if self.note_notice(port, header.ox_id) => {
                SwitchAnswer::Noted
            }
            Ok(SwitchLinkService::StateChange(entries)) => self.answer_changes(now, port, &entries),
            Err(_) => SwitchAnswer::Reject(SwitchReject::UNSUPPORTED),
        };
        self.answer_neighbour(port, header, &answer);
        if matches!(answer, SwitchAnswer::FabricParameters(_)) {
            // An end that begins anew has forgotten the ports of this one.
            self.notify_all(now, port);
        }
        true
    }

    fn answer_neighbour(&mut self, port: usize, header: &FcHeader, answer: &SwitchAnswer) {
        let mut payload = Vec::new();
        answer.emit(&mut payload);
        let reply = sequence::reply(header, header.d_id, header.s_id);
        self.ports[port].outbox.push(Sof::Fabric, reply, payload);
    }

    fn answer_parameters(&mut self, now: Time, port: usize, other: &LinkParameters) -> SwitchAnswer {
        if let Some(own) = self.ports[port].e_port() {
            // An end that begins anew may count its exchanges anew.
            own.newest_notice = None;
        }
        match self.take_parameters(port, other) {
            Ok(()) => SwitchAnswer::LinkParameters(self.link_parameters(port)),
            Err(why) => {
                self.refuse_link(now, port, why);
                SwitchAnswer::Reject(SwitchReject::LOGICAL_ERROR)
            }
        }
    }

    fn answer_domain(&mut self, now: Time, port: usize, other: FabricParameters) -> SwitchAnswer {
        match self.take_domain(port, other) {
            Ok(()) => SwitchAnswer::FabricParameters(self.fabric_parameters()),
            Err(why) => {
                self.refuse_link(now, port, why);
                SwitchAnswer::Reject(SwitchReject::DOMAIN_TAKEN)
            }
        }
    }

    fn take_answer(&mut self, now: Time, port: usize, frame: &FcFrame<'_>) -> bool {
        let Some(own) = self.ports[port].e_port() else { return false };
        let Some(asked) = own.asked.take_if(|asked| asked.ox_id == frame.header.ox_id) else { return false };
        let result = match SwitchAnswer::parse(&asked.what, frame.payload) {
            Ok(SwitchAnswer::LinkParameters(other)) => {
                self.take_parameters(port, &other).map(|()| self.request_domain(now, port))
            }
            Ok(SwitchAnswer::FabricParameters(other)) => {
                self.take_domain(port, other).map(|()| self.link(now, port, other))
            }
            Ok(SwitchAnswer::Noted) => {
                self.take_noted(port, &asked.what);
                self.send_entries(now, port);
                Ok(())
            }
            Ok(SwitchAnswer::Reject(reject)) => Err(LinkRefusal::Rejected(reject)),
            Err(_) => Err(LinkRefusal::BadAnswer),
        };
        if let Err(why) = result {
            self.refuse_link(now, port, why);
        }
        true
    }

    fn request_domain(&mut self, now: Time, port: usize) {
        let own = SwitchLinkService::FabricParameters(self.fabric_parameters());
        self.request_of_neighbour(now, port, own, Stage::Domains);
    }

    fn link_parameters(&self, port: usize) -> LinkParameters {
        LinkParameters {
            resource_allocation_timeout_ms: ms(RESOURCE_ALLOCATION_TIMEOUT),
            error_detect_timeout_ms: ms(ERROR_DETECT_TIMEOUT),
            port_name: self.port_name(port),
            switch_name: self.name,
            frame_payload_bytes: self.frame_payload_bytes,
            credit: u32::from(self.ports[port].receive_credit),
        }
    }

    const fn fabric_parameters(&self) -> FabricParameters {
        FabricParameters { switch_name: self.name, domain: self.domain }
    }

    /// Notes how frames pass over the link.
    fn take_parameters(&mut self, port: usize, other: &LinkParameters) -> Result<(), LinkRefusal> {
        if other.frame_payload_bytes < FRAME_PAYLOAD_MIN_BYTES || other.credit == 0 {
            return Err(LinkRefusal::Parameters);
        }
        self.check_name(port, other.switch_name)?;
        if let Some(own) = self.ports[port].e_port() {
            own.other_port = Some(other.port_name);
        }
        let credit = u16::try_from(other.credit).unwrap_or(u16::MAX);
        self.events.push_back(SwitchEvent::LinkCredit { port, credit });
        Ok(())
    }

    fn check_name(&mut self, port: usize, name: WorldWideName) -> Result<(), LinkRefusal> {
        let expected = self.ports[port].e_port().and_then(|own| own.expected);
        let right = name != self.name && expected.is_none_or(|expected| expected == name);
        if right { Ok(()) } else { Err(LinkRefusal::OtherSwitch(name)) }
    }

    /// Notes which domain is at the other end. One that this switch or a third one has cannot be reached.
    fn take_domain(&mut self, port: usize, other: FabricParameters) -> Result<(), LinkRefusal> {
        self.check_name(port, other.switch_name)?;
        if !(address::DOMAIN_MIN..=address::DOMAIN_MAX).contains(&other.domain) {
            return Err(LinkRefusal::DomainRange(other.domain));
        }
        let contradicts = |(at, known): (usize, FabricParameters)| {
            let same = (known.domain == other.domain, known.switch_name == other.switch_name);
            at != port && same.0 != same.1
        };
        if other.domain == self.domain || self.neighbours().any(contradicts) {
            return Err(LinkRefusal::DomainTaken(other.domain));
        }
        if let Some(own) = self.ports[port].e_port() {
            own.neighbour = Some(other);
        }
        Ok(())
    }

    fn neighbours(&self) -> impl Iterator<Item = (usize, FabricParameters)> {
        self.ports.iter().enumerate().filter_map(|(port, own)| match &own.kind {
            Kind::E(own) => own.neighbour.map(|neighbour| (port, neighbour)),
            Kind::F(_) => None,
        })
    }

    /// Refuses a link for a reason; it begins anew after a while.
    fn refuse_link(&mut self, now: Time, port: usize, why: LinkRefusal) {
        self.unlink(now, port);
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = Stage::Refused(now.saturating_add(RETRY_INTERVAL));
        if own.refusal != Some(why) {
            own.refusal = Some(why);
            self.events.push_back(SwitchEvent::LinkRefused { port, why });
        }
    }
}
