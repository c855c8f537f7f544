//! E_Ports: inter-switch links (FC-SW).
//!
//! ```text
//! Down ─link up─► Parameters (ELP) ─SW_ACC─► Domains (EFP) ─SW_ACC─► Up: RSCNs with the ports of each switch
//!                     ▲        └──────SW_RJT, no answer────────┘
//!                     └──after a while── Refused
//! ```
//!
//! Each end asks, so each knows for itself that the other one answers. There is no election of a principal switch and no
//! path selection: domains come from the configuration, and a frame takes one inter-switch link at most.

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
use super::notice::Asked;
use super::route::Routes;
use super::{Kind, Switch, address};
use crate::sequence;
use crate::timing::{ERROR_DETECT_TIMEOUT, RETRY_INTERVAL};

/// Most changes that wait to be told; with more the link begins anew.
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

/// What is known of the switch at the other end.
#[derive(Debug)]
pub(crate) struct EPort {
    /// Which switch must be there.
    expected: Option<WorldWideName>,
    stage: Stage,
    /// What the other end said it is.
    neighbour: Option<FabricParameters>,
    /// Name of the port at the other end.
    other_port: Option<WorldWideName>,
    /// A mark is to follow the last frame of an old route, or has.
    mark: Option<Mark>,
    asked: Option<Asked<SwitchLinkService>>,
    /// Ports that the other end is still to be told of.
    entries: VecDeque<DeviceEntry>,
    /// The last refusal that was reported.
    refusal: Option<LinkRefusal>,
}

impl EPort {
    pub(crate) fn new(expected: Option<WorldWideName>) -> Self {
        let (neighbour, asked, refusal) = (None, None, None);
        let (other_port, mark, entries) = (None, None, VecDeque::new());
        Self { expected, stage: Stage::Down, neighbour, other_port, mark, asked, entries, refusal }
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
    pub(super) fn ask_link_parameters(&mut self, now: Time, port: usize) {
        // Nobody is to hear of its end any more.
        let (own_address, own_name) = (address::of_port(self.domain, self.ports[port].area), self.name);
        for other in self.ports.iter_mut().filter_map(super::Port::e_port) {
            other.entries.retain(|entry| (entry.address, entry.node_name) != (own_address, own_name));
        }
        let own = SwitchLinkService::LinkParameters(self.link_parameters(port));
        self.ask_neighbour(now, port, own, Stage::Parameters);
    }

    fn ask_neighbour(&mut self, now: Time, port: usize, what: SwitchLinkService, stage: Stage) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = stage;
        own.asked = Some(Asked::new(now, what, ox_id));
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

    /// A request was not answered in time, or a refused link is tried anew.
    pub(super) fn repeat_request(&mut self, now: Time, port: usize) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.ports[port].e_port() else { return };
        if matches!(own.stage, Stage::Refused(_)) {
            return self.ask_link_parameters(now, port);
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
            Ok(SwitchLinkService::StateChange(entries)) => self.answer_changes(now, port, &entries),
            Err(_) => SwitchAnswer::Reject(SwitchReject::UNSUPPORTED),
        };
        self.answer_neighbour(port, header, &answer);
        if matches!(answer, SwitchAnswer::FabricParameters(_)) {
            // An end that begins anew has forgotten the ports of this one.
            self.tell_all(now, port);
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

    /// Returns the ports of the other switch came or went.
    fn answer_changes(&mut self, now: Time, port: usize, entries: &[DeviceEntry]) -> SwitchAnswer {
        let Some(domain) = self.ports[port].e_port().and_then(|own| own.domain()) else {
            return SwitchAnswer::Reject(SwitchReject::LOGICAL_ERROR);
        };
        for entry in entries.iter().filter(|entry| address::domain(entry.address) == domain) {
            if !entry.online && self.abandon(now, port, entry) {
                continue;
            }
            let record = PortRecord { address: entry.address, name: entry.port_name, node: entry.node_name };
            let known = self.directory.by_address(entry.address).copied();
            if known == Some(record) && entry.online {
                continue;
            }
            // A port that leaves is seen by those who could see it; what took its place by those who can.
            if let Some(gone) = self.directory.strike(entry.address) {
                self.notify(now, gone, false);
            }
            self.held.retain(|held| held.address != entry.address);
            if entry.online && self.held.len() < RECORDS_MAX {
                self.held.push(record);
            }
        }
        self.enter_held(now);
        SwitchAnswer::Noted
    }

    /// Enters the ports of other switches that nobody takes any more for one who had the name or the address before.
    pub(super) fn enter_held(&mut self, now: Time) {
        let departures = &self.departures;
        let free = |held: &mut PortRecord| !departures.block(held.name, held.address);
        let entering: Vec<_> = self.held.extract_if(.., free).collect();
        for record in entering {
            if self.directory.enter(record) {
                self.notify(now, record, true);
            }
        }
    }

    fn take_answer(&mut self, now: Time, port: usize, frame: &FcFrame<'_>) -> bool {
        let Some(own) = self.ports[port].e_port() else { return false };
        let Some(asked) = own.asked.take_if(|asked| asked.ox_id == frame.header.ox_id) else { return false };
        let result = match SwitchAnswer::parse(&asked.what, frame.payload) {
            Ok(SwitchAnswer::LinkParameters(other)) => {
                self.take_parameters(port, &other).map(|()| self.ask_domain(now, port))
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

    fn ask_domain(&mut self, now: Time, port: usize) {
        let own = SwitchLinkService::FabricParameters(self.fabric_parameters());
        self.ask_neighbour(now, port, own, Stage::Domains);
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

    /// The link carries frames from now on; the other end hears of all ports of this switch.
    fn link(&mut self, now: Time, port: usize, other: FabricParameters) {
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = Stage::Up;
        own.refusal = None;
        let FabricParameters { switch_name: name, domain } = other;
        self.links.entry(domain).or_default().add(now, port);
        self.events.push_back(SwitchEvent::LinkedTo { port, domain, name });
        self.tell_all(now, port);
    }

    /// Tells the other end of every port of this switch, once frames pass.
    fn tell_all(&mut self, now: Time, port: usize) {
        let all: Vec<_> = self.directory.of_domain(self.domain).map(|record| entry(record, true)).collect();
        if self.ports[port].e_port().is_some_and(|own| own.stage == Stage::Up) {
            self.tell(now, port, all);
        }
    }

    /// Tells the other end of the next ports, if nothing is on its way.
    fn send_entries(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].e_port() else { return };
        let is_marked = own.mark == Some(Mark::Wanted);
        if own.stage != Stage::Up || own.asked.is_some() || (own.entries.is_empty() && !is_marked) {
            return;
        }
        if is_marked {
            own.mark = Some(Mark::Sent);
        }
        let count = own.entries.len().min(DEVICE_ENTRIES_MAX);
        let entries = own.entries.drain(..count).collect();
        self.ask_neighbour(now, port, SwitchLinkService::StateChange(entries), Stage::Up);
    }

    /// Tells each neighbour, over one link, that a port of this switch came or went.
    pub(super) fn tell_neighbours(&mut self, now: Time, record: PortRecord, online: bool) {
        let domains: BTreeSet<_> = self.neighbours().map(|(_, known)| known.domain).collect();
        let first_links: Vec<_> = domains.into_iter().filter_map(|domain| self.teller(domain)).collect();
        for port in first_links {
            self.tell(now, port, [entry(&record, online)]);
        }
    }

    /// Returns the link over which a neighbour is told of changes: one that is up, or else one that is about to be.
    fn teller(&self, domain: u8) -> Option<usize> {
        let up = self.links.get(&domain).and_then(|routes| routes.links().first().copied());
        up.or_else(|| self.neighbours().find(|(_, known)| known.domain == domain).map(|(port, _)| port))
    }

    fn tell(&mut self, now: Time, port: usize, entries: impl IntoIterator<Item = DeviceEntry>) {
        let Some(own) = self.ports[port].e_port() else { return };
        own.entries.extend(entries);
        if own.entries.len() > ENTRIES_MAX {
            return self.refuse_link(now, port, LinkRefusal::NoAnswer);
        }
        self.send_entries(now, port);
    }

    /// Returns whether frames that [`Verdict::Hold`](super::Verdict::Hold) sent to this inter-switch link wait.
    #[inline]
    #[must_use]
    pub fn is_draining(&self, port: usize) -> bool {
        self.routes_of(port).is_some_and(Routes::is_draining)
    }

    /// Nothing that came before the routes changed waits for this inter-switch link any more.
    pub fn handle_drained(&mut self, now: Time, port: usize) {
        if !self.routes_of(port).is_some_and(|routes| routes.drains(port)) {
            return;
        }
        if let Some(own) = self.ports[port].e_port()
            && own.mark.is_none()
        {
            own.mark = Some(Mark::Wanted);
            self.send_entries(now, port);
        }
    }

    /// Old routes were waited for long enough.
    pub(super) fn give_up_drains(&mut self, now: Time) {
        let over: Vec<_> = self.links.values_mut().flat_map(|routes| routes.give_up(now)).collect();
        for port in over {
            if let Some(own) = self.ports[port].e_port() {
                own.mark = None;
            }
            self.events.push_back(SwitchEvent::NotDrained { port });
        }
    }

    fn routes_of(&self, port: usize) -> Option<&Routes> {
        match self.ports.get(port).map(|own| &own.kind) {
            Some(Kind::E(own)) => self.links.get(&own.domain()?),
            _ => None,
        }
    }

    /// The other switch has taken note: of a mark, behind which nothing of an old route comes, or of links that failed,
    /// from which it takes nothing more.
    fn take_noted(&mut self, port: usize, what: &SwitchLinkService) {
        let Some(own) = self.ports[port].e_port() else { return };
        let mut drained = Vec::new();
        if own.mark.take_if(|mark| *mark == Mark::Sent).is_some() {
            drained.push(port);
        }
        let domain = own.domain();
        if let SwitchLinkService::StateChange(entries) = what {
            let failed = entries.iter().filter(|entry| !entry.online && entry.node_name == self.name);
            drained.extend(failed.filter_map(|entry| self.areas[usize::from(address::area(entry.address))]));
        }
        let Some(routes) = domain.and_then(|domain| self.links.get_mut(&domain)) else { return };
        drained.into_iter().for_each(|link| routes.end_drain(link));
    }

    /// Returns the other switch says that a port is gone; true when that is the other end of a link of this one.
    fn abandon(&mut self, now: Time, port: usize, entry: &DeviceEntry) -> bool {
        let is_other_end = |(at, own): &(usize, &super::Port)| matches!(&own.kind, Kind::E(own) if *at != port && own.other_port == Some(entry.port_name));
        let Some(link) = self.ports.iter().enumerate().find(is_other_end).map(|(at, _)| at) else {
            return false;
        };
        self.unlink(now, link);
        if let Some(own) = self.ports[link].e_port() {
            own.stage = Stage::Refused(now.saturating_add(RETRY_INTERVAL));
        }
        self.events.push_back(SwitchEvent::Abandoned { port: link });
        true
    }

    /// There is no link, for a reason; it begins anew after a while.
    fn refuse_link(&mut self, now: Time, port: usize, why: LinkRefusal) {
        self.unlink(now, port);
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = Stage::Refused(now.saturating_add(RETRY_INTERVAL));
        if own.refusal != Some(why) {
            own.refusal = Some(why);
            self.events.push_back(SwitchEvent::LinkRefused { port, why });
        }
    }

    /// The link carries nothing any more. What it had not told yet goes over another one to the same switch; without
    /// one the ports of that switch are gone.
    pub(super) fn unlink(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].e_port() else { return };
        let was_up = own.stage == Stage::Up;
        own.stage = Stage::Down;
        (own.other_port, own.mark) = (None, None);
        let mut untold = match own.asked.take() {
            Some(Asked { what: SwitchLinkService::StateChange(entries), .. }) => entries,
            _ => Vec::new(),
        };
        untold.extend(own.entries.drain(..));
        let Some(FabricParameters { domain, .. }) = own.neighbour.take() else { return };
        if was_up {
            self.events.push_back(SwitchEvent::Unlinked { port, domain });
        }
        if was_up && let Some(routes) = self.links.get_mut(&domain) {
            routes.remove(now, port);
            let port_address = address::of_port(self.domain, self.ports[port].area);
            let record = PortRecord { address: port_address, name: self.port_name(port), node: self.name };
            untold.push(entry(&record, false));
        }
        match self.teller(domain) {
            Some(other) => self.tell(now, other, untold),
            None => {
                self.links.remove(&domain);
                self.held.retain(|held| address::domain(held.address) != domain);
                for gone in self.directory.strike_domain(domain) {
                    self.notify(now, gone, false);
                }
            }
        }
    }
}
