//! A switch: F_Ports for channels and control units, E_Ports for inter-switch links, and the fabric's services.
//!
//! * Routing is by domain; in the own domain by area, which is the port's link address, as FICON has it.
//! * Domains are fixed by configuration. At the bring-up of an inter-switch link the ends exchange ELP, then EFP with
//!   their domain; a domain that is taken keeps the link down.
//! * Frames take the fewest inter-switch links, seven at most; between routes of as many links source and destination
//!   decide, so that the order of frames is kept. Routes follow from the link state records that all switches have of
//!   each other (FSPF). A frame never goes back to the switch it came from.
//! * The name server of each switch has all ports: switches notify each other of their own ports by RSCNs.
//! * A port may have virtual ports over the same link, each with a name and an address of its own (NPIV).
//! * With zones only members of a common zone see each other, in the name server, in state changes and for every frame.

mod departure;
mod directory;
mod e_port;
mod event;
mod f_port;
mod far_switch;
mod incidents;
mod marks;
mod name_server;
mod notices;
mod outstanding;
mod reach;
mod route;
#[cfg(test)]
mod tests;
mod topology;
mod virtual_port;
mod zoning;

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::Time;
use halftrack_wire::els::{Els, ElsReply};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::switch_link::SWITCH_LINK_SERVICE;
use halftrack_wire::{FcFrame, FcHeader, FrameSink, Sof, WorldWideName};

pub use directory::{PortRecord, RECORDS_MAX};
pub use event::{DiscardReason, LinkRefusal, SwitchEvent, SwitchRefusal, Verdict};
pub use virtual_port::VIRTUAL_PORTS_MAX;
pub use zoning::{Membership, TooManyZones, ZONES_MAX, Zone, ZoneMember, Zoning};

use crate::address;
use crate::outbox::Outbox;
use crate::reject::{NO_SUCH_PORT, NOT_IN_FABRIC};
use crate::sequence::{self, ExchangeIds};
use crate::timing::HOPS_MAX;
use departure::Departures;
use directory::Directory;
use e_port::EPort;
use f_port::FPort;
use far_switch::FarSwitch;
use incidents::IncidentCounts;
use route::Routes;
use topology::Topology;

/// Purpose of a switch's port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortKind {
    /// F_Port: a channel or a control unit.
    Fabric,
    /// E_Port: an inter-switch link.
    InterSwitch {
        /// Name of the switch that must be at the other end; none: any.
        neighbour: Option<WorldWideName>,
    },
}

/// A port of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchPort {
    /// Link address; each port has its own.
    pub area: u8,
    /// Purpose of the port.
    pub kind: PortKind,
    /// Receive buffers, stated at login.
    pub receive_credit: u16,
}

/// Identity and configuration of a switch.
#[derive(Debug, Clone)]
pub struct SwitchParameters {
    /// Name.
    pub name: WorldWideName,
    /// Domain, 1 to 0xEF.
    pub domain: u8,
    /// Ports; those whose link address another port has already get no frames.
    pub ports: Vec<SwitchPort>,
    /// Zones.
    pub zoning: Zoning,
    /// Most payload octets of a frame, stated at login.
    pub frame_payload_bytes: u16,
}

/// A port and what it has to send of its own.
#[derive(Debug)]
struct Port {
    area: u8,
    receive_credit: u16,
    is_up: bool,
    outbox: Outbox,
    ids: ExchangeIds,
    /// Names of the ports that may log in; none: every port may.
    admitted: Option<Vec<WorldWideName>>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    F(FPort),
    E(EPort),
}

impl Port {
    fn f_port(&mut self) -> Option<&mut FPort> {
        match &mut self.kind {
            Kind::F(port) => Some(port),
            Kind::E(_) => None,
        }
    }

    fn e_port(&mut self) -> Option<&mut EPort> {
        match &mut self.kind {
            Kind::E(port) => Some(port),
            Kind::F(_) => None,
        }
    }
}

/// Returns the name of the port at link address `area` of the switch of this name.
#[must_use]
pub fn port_name(switch_name: WorldWideName, area: u8) -> WorldWideName {
    WorldWideName(switch_name.0 | u64::from(area) << 48)
}

/// A switch, sans IO: frames and time come in by `handle_*`, its own frames and its events go out by `poll_*`. Frames
/// between its ports are carried by the owner; [`Switch::handle_frame`] returns their destination.
#[derive(Debug)]
pub struct Switch {
    name: WorldWideName,
    domain: u8,
    frame_payload_bytes: u16,
    ports: Vec<Port>,
    /// The port with each link address.
    areas: Box<[Option<usize>; 256]>,
    /// Number of this switch's own link state record.
    incarnation: u32,
    topology: Topology,
    /// The routes to the domains that can be reached.
    routes: BTreeMap<u8, Routes>,
    /// The switches there.
    far: BTreeMap<u8, FarSwitch>,
    /// How many times a switch was reached.
    reached_count: u64,
    directory: Directory,
    departures: Departures,
    /// Ports of other switches that wait as those of this one do.
    held: Vec<PortRecord>,
    incidents: IncidentCounts,
    events: VecDeque<SwitchEvent>,
}

impl Switch {
    /// Creates a switch whose links are down.
    #[must_use]
    pub fn new(parameters: SwitchParameters) -> Self {
        let mut areas = Box::new([None; 256]);
        let mut ports = Vec::with_capacity(parameters.ports.len());
        for (index, port) in parameters.ports.iter().enumerate() {
            let of_area: &mut Option<usize> = &mut areas[usize::from(port.area)];
            *of_area = of_area.or(Some(index));
            let kind = match port.kind {
                PortKind::Fabric => Kind::F(FPort::default()),
                PortKind::InterSwitch { neighbour } => Kind::E(EPort::new(neighbour)),
            };
            let (outbox, ids) = (Outbox::default(), ExchangeIds::default());
            let SwitchPort { area, receive_credit, .. } = *port;
            ports.push(Port { area, receive_credit, is_up: false, outbox, ids, admitted: None, kind });
        }
        Self {
            name: parameters.name,
            domain: parameters.domain,
            frame_payload_bytes: parameters.frame_payload_bytes,
            ports,
            areas,
            incarnation: 0,
            topology: Topology::default(),
            routes: BTreeMap::new(),
            far: BTreeMap::new(),
            reached_count: 0,
            directory: Directory::new(parameters.zoning),
            departures: Departures::default(),
            held: Vec::new(),
            incidents: IncidentCounts::default(),
            events: VecDeque::new(),
        }
    }

    /// Begins the service of a port whose link is up. An E_Port sends its parameters; an F_Port waits for FLOGI.
    pub fn handle_link_up(&mut self, now: Time, port: usize) {
        self.handle_link_down(now, port);
        let Some(own) = self.ports.get_mut(port) else { return };
        own.is_up = true;
        if matches!(own.kind, Kind::E(_)) {
            self.request_link_parameters(now, port);
        }
    }

    /// Ends the service of a port whose link is down: its port has left the fabric.
    pub fn handle_link_down(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports.get_mut(port) else { return };
        own.is_up = false;
        own.outbox.clear();
        match own.kind {
            Kind::F(_) => self.leave_fabric(now, port),
            Kind::E(_) => self.unlink(now, port),
        }
    }

    /// Says what becomes of a frame that came in at `port`. Those for the switch itself are handled here.
    #[inline]
    pub fn handle_frame(&mut self, now: Time, port: usize, frame: &FcFrame<'_>) -> Verdict {
        let header = &frame.header;
        if !self.ports.get(port).is_some_and(|own| own.is_up) {
            return Verdict::Discard(DiscardReason::PortDown);
        }
        if address::is_well_known(header.d_id) {
            return self.handle_service(now, port, frame);
        }
        if header.d_id == address::domain_controller(self.domain) {
            let understood = self.is_inter_switch(port) && self.handle_controller(now, frame);
            return if understood {
                Verdict::Handled
            } else {
                Verdict::Discard(DiscardReason::NotUnderstood)
            };
        }
        self.route(port, header).unwrap_or_else(|why| self.refuse_frame(port, frame, why))
    }

    /// Returns where a frame goes that was held, now that its domain has new routes.
    #[must_use]
    pub fn route_held(&self, port: usize, header: &FcHeader) -> Verdict {
        if !self.ports.get(port).is_some_and(|own| own.is_up) {
            return Verdict::Discard(DiscardReason::PortDown);
        }
        self.route(port, header).unwrap_or_else(Verdict::Discard)
    }

    /// Returns where a frame goes that is not for the switch, and whether it has to wait for an old route.
    #[inline]
    fn route(&self, port: usize, header: &FcHeader) -> Result<Verdict, DiscardReason> {
        let (s_id, d_id) = (header.s_id, header.d_id);
        let domain = address::switch_of(d_id);
        match &self.ports[port].kind {
            Kind::F(own) if own.has(s_id) => {}
            Kind::F(own) if own.address().is_some() => return Err(DiscardReason::Source),
            Kind::F(_) => return Err(DiscardReason::NotLoggedIn),
            Kind::E(own) => {
                let from = address::switch_of(s_id);
                let comes_from_there = own.domain() == Some(from) || self.routes.contains_key(&from);
                let neighbour = own.domain().filter(|_| from != self.domain && comes_from_there);
                let neighbour = neighbour.ok_or(DiscardReason::Source)?;
                if domain != self.domain {
                    return self.route_through(neighbour, header);
                }
            }
        }
        let sender = self.directory.membership(s_id).ok_or(DiscardReason::Source)?;
        let receiver = self.directory.membership(d_id).ok_or(DiscardReason::Destination)?;
        if !sender.meets(receiver) {
            return Err(DiscardReason::Zoning);
        }
        if domain != self.domain {
            let routes = self.routes.get(&domain).ok_or(DiscardReason::NoRoute)?;
            let to = routes.link_of(s_id ^ d_id).ok_or(DiscardReason::NoRoute)?;
            return self.out(domain, routes, to);
        }
        let to = self.areas[usize::from(address::area(d_id))];
        to.filter(|&to| self.ports[to].is_up).map(Verdict::Forward).ok_or(DiscardReason::NoRoute)
    }

    /// Returns where a frame goes that came from `neighbour` and is for another switch. The switches at its ends see to
    /// its zones.
    fn route_through(&self, neighbour: u8, header: &FcHeader) -> Result<Verdict, DiscardReason> {
        let (from, domain) = (address::switch_of(header.s_id), address::switch_of(header.d_id));
        let routes = self.routes.get(&domain).ok_or(DiscardReason::NoRoute)?;
        let hops = self.routes.get(&from).map_or(1, |back| back.hops) + routes.hops;
        if hops > HOPS_MAX {
            return Err(DiscardReason::HopLimit);
        }
        let goes_on = |link| self.neighbour_at(link) != Some(neighbour);
        let to = routes.link_among(header.s_id ^ header.d_id, goes_on).ok_or(DiscardReason::Loop)?;
        self.out(domain, routes, to)
    }

    /// Returns whether a frame to `domain` may go out over the link `to`.
    fn out(&self, domain: u8, routes: &Routes, to: usize) -> Result<Verdict, DiscardReason> {
        match (self.ports[to].is_up, routes.is_draining()) {
            (false, _) => Err(DiscardReason::NoRoute),
            (true, true) => Ok(Verdict::Hold(domain)),
            (true, false) => Ok(Verdict::Forward(to)),
        }
    }

    /// Returns the domain at the other end of an inter-switch link.
    fn neighbour_at(&self, port: usize) -> Option<u8> {
        match &self.ports[port].kind {
            Kind::E(own) => own.domain(),
            Kind::F(_) => None,
        }
    }

    /// Refuses a frame without a destination. A login gets a rejection, as the port that it was for cannot send one.
    fn refuse_frame(&mut self, port: usize, frame: &FcFrame<'_>, why: DiscardReason) -> Verdict {
        let header = &frame.header;
        let refusal = match why {
            DiscardReason::Destination | DiscardReason::NoRoute => SwitchRefusal::NobodyThere(header.d_id),
            DiscardReason::Zoning => SwitchRefusal::NotZoned(header.d_id),
            DiscardReason::NotLoggedIn => SwitchRefusal::NotInFabric,
            _ => return Verdict::Discard(why),
        };
        let is_login = header.fc_type == fc_type::EXTENDED_LINK_SERVICE && sequence::is_request(header);
        match Els::parse(frame.payload) {
            Ok(Els::Plogi(other)) if is_login => {
                self.events.push_back(SwitchEvent::Refused { port, name: other.port_name, why: refusal });
                let not_in_fabric = why == DiscardReason::NotLoggedIn;
                let reject = if not_in_fabric { NOT_IN_FABRIC } else { NO_SUCH_PORT };
                self.answer(port, header, &ElsReply::Reject(reject));
                Verdict::Handled
            }
            _ => Verdict::Discard(why),
        }
    }

    /// Returns a frame for one of the well-known addresses.
    fn handle_service(&mut self, now: Time, port: usize, frame: &FcFrame<'_>) -> Verdict {
        let header = &frame.header;
        let is_f_port = matches!(self.ports[port].kind, Kind::F(_));
        let understood = match (header.fc_type, is_f_port) {
            (fc_type::EXTENDED_LINK_SERVICE, true) => self.handle_link_service(now, port, frame),
            (fc_type::COMMON_TRANSPORT, true) => self.handle_name_request(port, frame),
            (SWITCH_LINK_SERVICE, false) => self.handle_switch_link(now, port, frame),
            (fc_type::EXTENDED_LINK_SERVICE, false) => self.refuse_fabric_login(port, frame),
            _ => false,
        };
        if understood { Verdict::Handled } else { Verdict::Discard(DiscardReason::NotUnderstood) }
    }

    /// Sends at most one frame of the switch's own through `port`; false when there is none. The caller holds a
    /// buffer credit for it. They go before the frames that the owner carries, so that a notice of a port arrives
    /// before its frames.
    pub fn poll_frame(&mut self, port: usize, sink: &mut impl FrameSink) -> bool {
        self.ports.get_mut(port).is_some_and(|own| own.outbox.poll(sink))
    }

    /// Returns whether a frame of the switch's own waits at `port`.
    #[inline]
    #[must_use]
    pub fn has_frame(&self, port: usize) -> bool {
        self.ports.get(port).is_some_and(|own| !own.outbox.is_empty())
    }

    /// Sets the names of the ports that may log in at `port` from now on; none: every port may.
    pub fn admit_only(&mut self, port: usize, names: Option<Vec<WorldWideName>>) {
        if let Some(own) = self.ports.get_mut(port) {
            own.admitted = names;
        }
    }

    /// Returns whether a port is for an inter-switch link.
    #[must_use]
    pub fn is_inter_switch(&self, port: usize) -> bool {
        self.ports.get(port).is_some_and(|own| matches!(own.kind, Kind::E(_)))
    }

    /// Returns whether a port is logged in at `port`.
    #[must_use]
    pub fn is_logged_in(&self, port: usize) -> bool {
        matches!(self.ports.get(port).map(|own| &own.kind), Some(Kind::F(own)) if own.address().is_some())
    }

    /// Returns whether a port is logged in at `port`, or its FLOGI waits for its answer.
    #[must_use]
    pub fn has_login(&self, port: usize) -> bool {
        match self.ports.get(port).map(|own| &own.kind) {
            Some(Kind::F(own)) => own.address().is_some() || own.is_waiting(),
            _ => false,
        }
    }

    /// Returns the port of this switch at which the port of this name is logged in, physical or virtual.
    #[must_use]
    pub fn port_of(&self, name: WorldWideName) -> Option<usize> {
        self.ports.iter().position(|own| match &own.kind {
            Kind::F(own) => own.logins().any(|login| login.record.name == name),
            Kind::E(_) => false,
        })
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<SwitchEvent> {
        self.events.pop_front()
    }

    /// Returns the ports of the fabric, by address.
    pub fn records(&self) -> impl Iterator<Item = &PortRecord> {
        self.directory.records()
    }

    /// Returns the time at which [`Switch::handle_timeout`] is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let deadlines = self.ports.iter().filter(|port| port.is_up).filter_map(|port| match &port.kind {
            Kind::F(own) => own.poll_timeout(),
            Kind::E(own) => own.poll_timeout(),
        });
        let drains = self.routes.values().filter_map(Routes::poll_timeout);
        let far = self.far.values().filter_map(FarSwitch::poll_timeout);
        deadlines.chain(self.departures.poll_timeout()).chain(drains).chain(far).min()
    }

    /// Asks again what was not answered, as far as its time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.departures.poll_timeout().is_some_and(|due| due <= now) {
            self.departures.expire(now);
            self.let_in(now);
        }
        self.give_up_drains(now);
        self.repeat_due(now);
        for port in 0..self.ports.len() {
            let own = &self.ports[port];
            match &own.kind {
                Kind::F(f_port) if own.is_up && f_port.is_due(now) => {
                    self.repeat_notices(now, port);
                    self.repeat_incident(now, port);
                }
                Kind::E(e_port) if own.is_up && e_port.is_due(now) => self.repeat_request(now, port),
                Kind::F(_) | Kind::E(_) => {}
            }
        }
    }

    /// Returns the name of a port: the switch's with the link address in its second octet, as vendors do it.
    #[must_use]
    pub fn port_name(&self, port: usize) -> WorldWideName {
        port_name(self.name, self.ports.get(port).map_or(0, |own| own.area))
    }

    /// Sends the answer to a link service, from the address that it was for.
    fn answer(&mut self, port: usize, request: &FcHeader, reply: &ElsReply) {
        let header = sequence::reply(request, request.d_id, request.s_id);
        self.ports[port].outbox.push(Sof::Initiate3, header, reply.emit());
    }
}
