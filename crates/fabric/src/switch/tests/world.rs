//! Switches, channels and control units in memory, with every frame between them.

use halftrack_base::Span;

use super::super::*;
use crate::rig::{Fibre, FrameInTransit, channel, control_unit};
use crate::{NPort, NPortParameters, PhysicalPort};

pub(super) const CHANNEL: u64 = 0x10;
pub(super) const CONTROL_UNIT: u64 = 0x20;

/// An end of a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Port(usize),
    Physical(usize),
    Switch(usize, usize),
}

/// Two ends and the frames between them, by the end that sent them.
pub(super) struct Wire {
    pub(super) ends: [Place; 2],
    pub(super) fibres: [Fibre; 2],
    pub(super) is_up: bool,
}

#[derive(Default)]
pub(super) struct World {
    pub(super) now: Time,
    pub(super) ports: Vec<NPort>,
    /// Ports with virtual ports.
    pub(super) physical: Vec<PhysicalPort>,
    pub(super) switches: Vec<Switch>,
    pub(super) wires: Vec<Wire>,
    pub(super) discarded: Vec<DiscardReason>,
    /// Frames that wait for new routes, with their switch and the port at which they came.
    pub(super) held: Vec<(usize, usize, FrameInTransit)>,
    /// Events of the switches, by switch, that no test has taken yet.
    pub(super) events: Vec<Vec<SwitchEvent>>,
}

impl World {
    pub(super) fn port(&mut self, parameters: NPortParameters, switch: usize, at: usize) -> usize {
        self.ports.push(NPort::new(parameters));
        let port = self.ports.len() - 1;
        self.wire(Place::Port(port), Place::Switch(switch, at));
        port
    }

    pub(super) fn switch(&mut self, domain: u8, f_ports: u8, e_ports: u8, zones: &[&[ZoneMember]]) -> usize {
        let f_ports = (0..f_ports).map(|area| SwitchPort {
            area: area + 1,
            kind: PortKind::Fabric,
            receive_credit: 64,
        });
        let kind = PortKind::InterSwitch { neighbour: None };
        let e_ports = (0..e_ports).map(|area| SwitchPort { area: 0xE0 + area, kind, receive_credit: 64 });
        let zones = zones.iter().map(|members| Zone { name: "ZONE".to_owned(), members: members.to_vec() });
        self.switches.push(Switch::new(SwitchParameters {
            name: WorldWideName(0x1000_0000_0000_0000 | u64::from(domain)),
            domain,
            ports: f_ports.chain(e_ports).collect(),
            zoning: Zoning::new(zones.collect()).expect("few zones"),
            frame_payload_bytes: 2112,
        }));
        self.events.push(Vec::new());
        self.switches.len() - 1
    }

    pub(super) fn wire(&mut self, one: Place, other: Place) -> usize {
        self.wires.push(Wire { ends: [one, other], fibres: Default::default(), is_up: false });
        let wire = self.wires.len() - 1;
        self.plug(wire, true);
        wire
    }

    pub(super) fn plug(&mut self, wire: usize, up: bool) {
        let now = self.now;
        self.wires[wire].is_up = up;
        self.wires[wire].fibres = Default::default();
        for end in self.wires[wire].ends {
            match (end, up) {
                (Place::Port(port), true) => self.ports[port].handle_link_up(now),
                (Place::Port(port), false) => self.ports[port].handle_link_down(),
                (Place::Physical(port), true) => self.physical[port].handle_link_up(now),
                (Place::Physical(port), false) => self.physical[port].handle_link_down(),
                (Place::Switch(switch, port), true) => self.switches[switch].handle_link_up(now, port),
                (Place::Switch(switch, port), false) => self.switches[switch].handle_link_down(now, port),
            }
        }
    }

    pub(super) fn collect(&mut self) {
        let Self { ports, physical, switches, wires, held, .. } = self;
        for wire in wires.iter_mut().filter(|wire| wire.is_up) {
            for (end, fibre) in wire.ends.iter().zip(&mut wire.fibres) {
                match *end {
                    Place::Port(port) => while ports[port].poll_frame(fibre) {},
                    Place::Physical(port) => while physical[port].poll_frame(fibre) {},
                    Place::Switch(switch, port) => {
                        // No frame waits for a link, but for new routes.
                        let marks: Vec<_> = switches[switch].wanted_marks(port).collect();
                        for domain in marks {
                            let waits = |(at, _, frame): &(usize, usize, FrameInTransit)| {
                                *at == switch && address::domain(frame.header.d_id) == domain
                            };
                            if switches[switch].is_draining(domain) || !held.iter().any(waits) {
                                switches[switch].handle_drained(port, domain);
                            }
                        }
                        while switches[switch].poll_frame(port, fibre) {}
                    }
                }
            }
        }
    }

    /// Hands the oldest frame that one end of a wire sent to the other, or loses it; false when there is none.
    pub(super) fn deliver(&mut self, wire: usize, from: usize, lose: bool) -> bool {
        self.follow();
        self.let_go();
        self.collect();
        let Some(frame) = self.wires[wire].fibres[from].take() else { return false };
        if lose {
            return true;
        }
        match self.wires[wire].ends[1 - from] {
            Place::Port(port) => {
                let _ = self.ports[port].handle_frame(self.now, &frame.view());
            }
            Place::Physical(port) => {
                let _ = self.physical[port].handle_frame(self.now, &frame.view());
            }
            Place::Switch(switch, port) => {
                let verdict = self.switches[switch].handle_frame(self.now, port, &frame.view());
                self.carry(switch, port, frame, verdict);
            }
        }
        true
    }

    fn carry(&mut self, switch: usize, port: usize, frame: FrameInTransit, verdict: Verdict) {
        match verdict {
            Verdict::Forward(to) => {
                // The frames of the switch go first, as its owner sends them.
                self.collect();
                let (wire, end) = self.wire_at(Place::Switch(switch, to)).expect("a wire is there");
                self.wires[wire].fibres[end].put(frame);
            }
            Verdict::Hold(_) => self.held.push((switch, port, frame)),
            Verdict::Handled => {}
            Verdict::Discard(why) => self.discarded.push(why),
        }
    }

    /// Lets the frames go whose domain has new routes.
    fn let_go(&mut self) {
        let Self { held, switches, .. } = self;
        let is_free = |(switch, _, frame): &mut (usize, usize, FrameInTransit)| {
            !switches[*switch].is_draining(address::switch_of(frame.header.d_id))
        };
        let free: Vec<_> = held.extract_if(.., is_free).collect();
        for (switch, port, frame) in free {
            let verdict = self.switches[switch].route_held(port, &frame.header);
            self.carry(switch, port, frame, verdict);
        }
    }

    pub(super) fn wire_at(&self, place: Place) -> Option<(usize, usize)> {
        let places = self.wires.iter().enumerate();
        let mut ends = places
            .flat_map(|(wire, known)| known.ends.iter().enumerate().map(move |(end, at)| (wire, end, *at)));
        ends.find(|(_, _, at)| *at == place).map(|(wire, end, _)| (wire, end))
    }

    pub(super) fn settle(&mut self) {
        while (0..self.wires.len()).any(|wire| self.deliver(wire, 0, false) || self.deliver(wire, 1, false)) {
        }
    }

    pub(super) fn pass(&mut self, span: Span) {
        let end = self.now.saturating_add(span);
        self.settle();
        loop {
            let ports = self.ports.iter().filter_map(NPort::poll_timeout);
            let switches = self.switches.iter().filter_map(Switch::poll_timeout);
            let physical = self.physical.iter().filter_map(PhysicalPort::poll_timeout);
            let Some(at) = ports.chain(switches).chain(physical).min().filter(|at| *at <= end) else { break };
            self.advance(at);
            self.settle();
        }
        self.now = end;
    }

    pub(super) fn advance(&mut self, now: Time) {
        self.now = now;
        self.ports.iter_mut().for_each(|port| port.handle_timeout(now));
        self.physical.iter_mut().for_each(|port| port.handle_timeout(now));
        self.switches.iter_mut().for_each(|switch| switch.handle_timeout(now));
    }

    pub(super) fn events(&mut self, switch: usize) -> Vec<SwitchEvent> {
        self.follow();
        std::mem::take(&mut self.events[switch])
    }

    /// Handles the events of the switches as their owner does: a link that the other end has lost begins anew.
    pub(super) fn follow(&mut self) {
        for switch in 0..self.switches.len() {
            while let Some(event) = self.switches[switch].poll_event() {
                self.events[switch].push(event);
                if let SwitchEvent::Abandoned { port } = event
                    && let Some((wire, _)) = self.wire_at(Place::Switch(switch, port))
                {
                    self.plug(wire, false);
                    self.plug(wire, true);
                }
            }
        }
    }

    /// Returns whether both ports are logged in to each other.
    pub(super) fn agree(&self, one: usize, other: usize) -> bool {
        let knows = |own: usize, peer: usize| self.ports[own].is_logged_in(self.ports[peer].address());
        knows(one, other) && knows(other, one)
    }
}

/// Returns a channel and a control unit at one switch, or at two with `links` between them.
pub(super) fn pair(links: u8) -> World {
    let mut world = World::default();
    world.switch(0x61, 4, links, &[]);
    let far = if links == 0 { 0 } else { world.switch(0x62, 4, links, &[]) };
    world.port(channel(CHANNEL, &[CONTROL_UNIT]), 0, 0);
    world.port(control_unit(CONTROL_UNIT, None), far, 1);
    for link in 0..usize::from(links) {
        world.wire(Place::Switch(0, 4 + link), Place::Switch(1, 4 + link));
    }
    world
}

/// Hands over frames of `wires` only, until there are none.
pub(super) fn settle_only(world: &mut World, wires: &[usize]) {
    while wires.iter().any(|&wire| world.deliver(wire, 0, false) || world.deliver(wire, 1, false)) {}
}

/// Returns what becomes of a frame from the channel to the control unit.
pub(super) fn verdict(world: &mut World) -> Verdict {
    let (s_id, d_id) = (0x61_0100, 0x62_0200);
    let header = FcHeader { s_id, d_id, fc_type: fc_type::SB_CHANNEL, ..FcHeader::default() };
    world.switches[0].handle_frame(world.now, 0, &FcFrame { header, optional: &[], payload: &[] })
}

/// Hands over what one switch sends over a wire, but not its answers.
pub(super) fn one_way(world: &mut World, wire: usize, from: usize) {
    while world.deliver(wire, from, false) {}
}
