//! Switches, channels and control units in memory, with every frame between them.

use halftrack_base::Span;
use halftrack_wire::FcFrame;
use halftrack_wire::els::{ElsReply, LsReject, ServiceParameters};
use proptest::prelude::*;

use super::*;
use crate::rig::{Fibre, channel, control_unit, drain};
use crate::timing::RETRY_INTERVAL;
use crate::{LogoutCause, NPort, NPortParameters, PortEvent, Refusal};

const CHANNEL: u64 = 0x10;
const CONTROL_UNIT: u64 = 0x20;

/// An end of a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Port(usize),
    Switch(usize, usize),
}

/// Two ends and the frames between them, by the end that sent them.
struct Wire {
    ends: [Place; 2],
    fibres: [Fibre; 2],
    is_up: bool,
}

#[derive(Default)]
struct World {
    now: Time,
    ports: Vec<NPort>,
    switches: Vec<Switch>,
    wires: Vec<Wire>,
    discarded: Vec<DiscardReason>,
    /// What the switches told, by switch, and was not asked for yet.
    told: Vec<Vec<SwitchEvent>>,
}

impl World {
    fn port(&mut self, parameters: NPortParameters, switch: usize, at: usize) -> usize {
        self.ports.push(NPort::new(parameters));
        let port = self.ports.len() - 1;
        self.wire(Place::Port(port), Place::Switch(switch, at));
        port
    }

    fn switch(&mut self, domain: u8, f_ports: u8, e_ports: u8, zones: &[&[ZoneMember]]) -> usize {
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
        self.told.push(Vec::new());
        self.switches.len() - 1
    }

    fn wire(&mut self, one: Place, other: Place) -> usize {
        self.wires.push(Wire { ends: [one, other], fibres: Default::default(), is_up: false });
        let wire = self.wires.len() - 1;
        self.plug(wire, true);
        wire
    }

    fn plug(&mut self, wire: usize, up: bool) {
        let now = self.now;
        self.wires[wire].is_up = up;
        self.wires[wire].fibres = Default::default();
        for end in self.wires[wire].ends {
            match (end, up) {
                (Place::Port(port), true) => self.ports[port].handle_link_up(now),
                (Place::Port(port), false) => self.ports[port].handle_link_down(),
                (Place::Switch(switch, port), true) => self.switches[switch].handle_link_up(now, port),
                (Place::Switch(switch, port), false) => self.switches[switch].handle_link_down(now, port),
            }
        }
    }

    fn collect(&mut self) {
        let Self { ports, switches, wires, .. } = self;
        for wire in wires.iter_mut().filter(|wire| wire.is_up) {
            for (end, fibre) in wire.ends.iter().zip(&mut wire.fibres) {
                match *end {
                    Place::Port(port) => while ports[port].poll_frame(fibre) {},
                    Place::Switch(switch, port) => {
                        // No frame waits for a link.
                        switches[switch].handle_drained(self.now, port);
                        while switches[switch].poll_frame(port, fibre) {}
                    }
                }
            }
        }
    }

    /// Hands the oldest frame that one end of a wire sent to the other, or loses it; false when there is none.
    fn deliver(&mut self, wire: usize, from: usize, lose: bool) -> bool {
        self.follow();
        self.collect();
        let Some(frame) = self.wires[wire].fibres[from].take() else { return false };
        if lose {
            return true;
        }
        match self.wires[wire].ends[1 - from] {
            Place::Port(port) => {
                let _ = self.ports[port].handle_frame(self.now, &frame.view());
            }
            Place::Switch(switch, port) => {
                match self.switches[switch].handle_frame(self.now, port, &frame.view()) {
                    Verdict::Forward(to) | Verdict::Hold(to) => {
                        // What the switch says of its own goes first, as its owner sends it.
                        self.collect();
                        let (wire, end) = self.wire_at(Place::Switch(switch, to)).expect("a wire is there");
                        self.wires[wire].fibres[end].put(frame);
                    }
                    Verdict::Handled => {}
                    Verdict::Discard(why) => self.discarded.push(why),
                }
            }
        }
        true
    }

    fn wire_at(&self, place: Place) -> Option<(usize, usize)> {
        let places = self.wires.iter().enumerate();
        let mut ends = places
            .flat_map(|(wire, known)| known.ends.iter().enumerate().map(move |(end, at)| (wire, end, *at)));
        ends.find(|(_, _, at)| *at == place).map(|(wire, end, _)| (wire, end))
    }

    fn settle(&mut self) {
        while (0..self.wires.len()).any(|wire| self.deliver(wire, 0, false) || self.deliver(wire, 1, false)) {
        }
    }

    fn pass(&mut self, span: Span) {
        let end = self.now.saturating_add(span);
        self.settle();
        loop {
            let ports = self.ports.iter().filter_map(NPort::poll_timeout);
            let switches = self.switches.iter().filter_map(Switch::poll_timeout);
            let Some(at) = ports.chain(switches).min().filter(|at| *at <= end) else { break };
            self.advance(at);
            self.settle();
        }
        self.now = end;
    }

    fn advance(&mut self, now: Time) {
        self.now = now;
        self.ports.iter_mut().for_each(|port| port.handle_timeout(now));
        self.switches.iter_mut().for_each(|switch| switch.handle_timeout(now));
    }

    fn events(&mut self, switch: usize) -> Vec<SwitchEvent> {
        self.follow();
        std::mem::take(&mut self.told[switch])
    }

    /// Follows what the switches tell, as their owner does: a link that the other end has lost begins anew.
    fn follow(&mut self) {
        for switch in 0..self.switches.len() {
            while let Some(event) = self.switches[switch].poll_event() {
                self.told[switch].push(event);
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
    fn agree(&self, one: usize, other: usize) -> bool {
        let knows = |own: usize, peer: usize| self.ports[own].is_logged_in(self.ports[peer].address());
        knows(one, other) && knows(other, one)
    }
}

/// Returns a channel and a control unit at one switch, or at two with `links` between them.
fn pair(links: u8) -> World {
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

#[test]
fn a_channel_finds_its_control_unit_through_a_switch() {
    let mut world = pair(0);
    world.settle();
    assert!(world.agree(0, 1));
    assert_eq!(world.ports.iter().map(NPort::address).collect::<Vec<_>>(), [0x61_0100, 0x61_0200]);
    let events = drain(&mut world.ports[0]);
    assert_eq!(events[0], PortEvent::Attached { address: 0x61_0100, credit: 64, fabric: true });
    let complete = matches!(
        events.last(),
        Some(PortEvent::PeerLoggedIn { transport: Some(_), frame_payload_bytes: 2048, .. })
    );
    assert!(complete, "{events:?}");
    let logged_in = |port, address, name, credit| SwitchEvent::LoggedIn {
        port,
        address,
        name: WorldWideName(name),
        credit,
    };
    let events = world.events(0);
    assert!(events.contains(&logged_in(0, 0x61_0100, CHANNEL, 8)), "{events:?}");
    assert!(events.contains(&logged_in(1, 0x61_0200, CONTROL_UNIT, 40)), "{events:?}");
    assert_eq!(world.discarded, []);
}

#[test]
fn a_port_that_goes_is_missed_and_one_that_comes_is_found() {
    for links in [0, 1] {
        let mut world = pair(links);
        world.settle();
        drain(&mut world.ports[0]);
        world.plug(1, false);
        world.settle();
        let peer = if links == 0 { 0x61_0200 } else { 0x62_0200 };
        let name = WorldWideName(CONTROL_UNIT);
        let gone = PortEvent::PeerLoggedOut { peer, name, why: LogoutCause::LeftFabric };
        assert_eq!(drain(&mut world.ports[0]), [gone, PortEvent::Refused { name, why: Refusal::NotFound }]);
        world.plug(1, true);
        world.settle();
        assert!(world.agree(0, 1), "the state change is enough: no time has passed");
    }
}

#[test]
fn a_control_unit_that_goes_and_comes_back_unseen_is_logged_in_to_again() {
    let mut world = pair(0);
    world.settle();
    world.plug(1, false);
    world.plug(1, true);
    world.settle();
    assert!(world.agree(0, 1));
    let events = drain(&mut world.ports[0]);
    assert_eq!(events.iter().filter(|event| matches!(event, PortEvent::PeerLoggedIn { .. })).count(), 2);
}

/// Hands over frames of `wires` only, until there are none.
fn settle_only(world: &mut World, wires: &[usize]) {
    while wires.iter().any(|&wire| world.deliver(wire, 0, false) || world.deliver(wire, 1, false)) {}
}

fn is_attached(events: &[PortEvent]) -> bool {
    events.iter().any(|event| matches!(event, PortEvent::Attached { .. }))
}

#[test]
fn a_name_is_let_in_again_only_when_its_logout_was_delivered() {
    for links in [0, 1] {
        let mut world = pair(links);
        world.settle();
        for port in [0, 1] {
            drain(&mut world.ports[port]);
        }
        let near: Vec<_> = (0..world.wires.len()).filter(|wire| *wire != 1).collect();
        world.plug(0, false);
        world.plug(0, true);
        settle_only(&mut world, &near);
        // The control unit has not taken the notice: at its own switch the channel waits, across a link its frames do.
        assert_eq!(is_attached(&drain(&mut world.ports[0])), links == 1);
        assert!(world.ports[1].is_logged_in(0x61_0100), "the old login");
        assert!(!world.agree(0, 1));
        world.pass(RETRY_INTERVAL + RETRY_INTERVAL);
        assert!(world.agree(0, 1), "{links}");
        let events = drain(&mut world.ports[1]);
        let (peer, name) = (0x61_0100, WorldWideName(CHANNEL));
        let gone = PortEvent::PeerLoggedOut { peer, name, why: LogoutCause::LeftFabric };
        assert_eq!(events[0], gone, "the old login ends before there is a new one: {events:?}");
        assert!(matches!(events[1], PortEvent::PeerLoggedIn { .. }), "{events:?}");
    }
}

#[test]
fn a_port_that_acknowledges_nothing_keeps_a_name_out_for_a_while_only() {
    let mut world = pair(0);
    world.settle();
    world.plug(0, false);
    world.plug(0, true);
    world.events(0);
    let began = world.now;
    let is_in = |event: &SwitchEvent| matches!(event, SwitchEvent::LoggedIn { port: 0, .. });
    while !world.events(0).iter().any(is_in) {
        settle_only(&mut world, &[0]);
        let at = world.switches[0].poll_timeout().into_iter().chain(world.ports[0].poll_timeout()).min();
        world.advance(at.expect("somebody waits"));
        assert!(world.now.saturating_since(began) <= RETRY_INTERVAL, "R_A_TOV is enough");
    }
    assert!(world.now > began);
}

#[test]
fn a_second_fabric_login_on_a_link_logs_out_and_in_again() {
    let mut world = pair(0);
    world.settle();
    world.events(0);
    drain(&mut world.ports[1]);
    world.ports[0].handle_link_up(world.now);
    world.settle();
    assert!(world.agree(0, 1));
    let events = world.events(0);
    assert!(
        matches!(events[..], [SwitchEvent::LoggedOut { port: 0, .. }, SwitchEvent::LoggedIn { .. }]),
        "{events:?}"
    );
    let events = drain(&mut world.ports[1]);
    let is_out =
        |event: &PortEvent| matches!(event, PortEvent::PeerLoggedOut { why: LogoutCause::LeftFabric, .. });
    assert!(is_out(&events[0]) && matches!(events[1], PortEvent::PeerLoggedIn { .. }), "{events:?}");
}

#[test]
fn a_port_login_before_the_fabric_login_is_rejected() {
    let mut world = pair(0);
    world.settle();
    world.events(0);
    let parameters = ServiceParameters::class_3(WorldWideName(7), WorldWideName(8), 2112, 8);
    let payload = Els::Plogi(parameters).emit();
    world.switches[0].handle_link_up(world.now, 2);
    for d_id in [address::NAME_SERVER, address::FABRIC_LOGIN, 0x61_0200] {
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, 0x61_0300, d_id, 0xF000);
        let frame = FcFrame { header, optional: &[], payload: &payload };
        assert_eq!(world.switches[0].handle_frame(world.now, 2, &frame), Verdict::Handled, "{d_id:06x}");
        let mut fibre = Fibre::default();
        assert!(world.switches[0].poll_frame(2, &mut fibre), "{d_id:06x}");
        let answer = ElsReply::parse(3, &fibre.take().expect("an answer").payload).expect("a sound answer");
        let logical = LsReject::new(halftrack_wire::els::RejectedBecause::LogicalError);
        assert_eq!(answer, ElsReply::Reject(logical));
        let why = SwitchRefusal::NotInFabric;
        assert_eq!(world.events(0), [SwitchEvent::Refused { port: 2, name: WorldWideName(7), why }]);
    }
}

#[test]
fn a_probe_tells_whether_a_port_is_still_there() {
    let mut world = pair(0);
    world.settle();
    world.events(0);
    assert_eq!(world.switches[0].port_of(WorldWideName(CONTROL_UNIT)), Some(1));
    world.switches[0].probe(1);
    settle_only(&mut world, &[0]);
    assert_eq!(world.events(0), []);
    world.settle();
    assert_eq!(world.events(0), [SwitchEvent::ProbeAnswered { port: 1 }]);
}

#[test]
fn zones_hide_ports_and_refuse_logins() {
    let mut world = World::default();
    let own = [ZoneMember::Name(WorldWideName(CHANNEL)), ZoneMember::LinkAddress { domain: 0x61, area: 3 }];
    world.switch(0x61, 4, 0, &[&own, &[ZoneMember::Name(WorldWideName(CONTROL_UNIT))]]);
    let channel = world.port(channel(CHANNEL, &[CONTROL_UNIT, 0x30]), 0, 0);
    let hidden = world.port(control_unit(CONTROL_UNIT, None), 0, 1);
    let seen = world.port(control_unit(0x30, None), 0, 2);
    world.settle();
    assert!(world.agree(channel, seen) && !world.agree(channel, hidden));
    let name = WorldWideName(CONTROL_UNIT);
    assert!(drain(&mut world.ports[channel]).contains(&PortEvent::Refused { name, why: Refusal::NotFound }));
    // A channel that guesses the address.
    let parameters = ServiceParameters::class_3(WorldWideName(CHANNEL), WorldWideName(1), 2112, 8);
    let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, 0x61_0100, 0x61_0200, 0xF000);
    let payload = Els::Plogi(parameters).emit();
    let login = FcFrame { header, optional: &[], payload: &payload };
    let switch = &mut world.switches[0];
    assert_eq!(switch.handle_frame(world.now, 0, &login), Verdict::Handled);
    let mut fibre = Fibre::default();
    assert!(switch.poll_frame(0, &mut fibre));
    let answer = fibre.take().expect("an answer");
    let reject = ElsReply::parse(3, &answer.payload).expect("a sound answer");
    assert!(matches!(reject, ElsReply::Reject(LsReject { explanation: 0x1F, .. })), "{reject:?}");
    assert_eq!((answer.header.s_id, answer.header.d_id), (0x61_0200, 0x61_0100));
    let command = FcHeader { fc_type: fc_type::SB_CHANNEL, ..header };
    let command = FcFrame { header: command, optional: &[], payload: &[] };
    assert_eq!(switch.handle_frame(world.now, 0, &command), Verdict::Discard(DiscardReason::Zoning));
    let refused = SwitchEvent::Refused {
        port: 0,
        name: WorldWideName(CHANNEL),
        why: SwitchRefusal::NotZoned(0x61_0200),
    };
    assert!(world.events(0).contains(&refused));
}

#[test]
fn zones_hold_across_an_inter_switch_link() {
    let mut world = pair(1);
    let zones = [Zone { name: "OTHERS".to_owned(), members: Vec::new() }];
    world.switches[1].directory = Directory::new(Zoning::new(zones.to_vec()).expect("few zones"));
    world.settle();
    let seen_here = world.switches[0].records().count();
    assert_eq!((seen_here, world.agree(0, 1)), (2, false), "the far switch denies, though this one allows");
    assert!(world.discarded.contains(&DiscardReason::Zoning) || !world.events(1).is_empty());
}

#[test]
fn frames_that_do_not_belong_are_discarded_with_a_reason() {
    let mut world = pair(1);
    world.settle();
    let mut verdict = |port: usize, s_id: u32, d_id: u32| {
        let header = FcHeader { s_id, d_id, fc_type: fc_type::SB_CHANNEL, ..FcHeader::default() };
        let frame = FcFrame { header, optional: &[], payload: &[] };
        world.switches[0].handle_frame(world.now, port, &frame)
    };
    assert_eq!(verdict(0, 0x61_0100, 0x62_0200), Verdict::Forward(4));
    assert_eq!(verdict(4, 0x62_0200, 0x61_0100), Verdict::Forward(0));
    let cases = [
        (0, 0x61_0300, 0x62_0200, DiscardReason::Source),
        (0, 0x61_0100, 0x62_0300, DiscardReason::Destination),
        (0, 0x61_0100, 0xFF_FFFA, DiscardReason::NotUnderstood),
        (2, 0x61_0300, 0x61_0100, DiscardReason::PortDown),
        (4, 0x61_0100, 0x61_0100, DiscardReason::Source),
        (4, 0x62_0200, 0x63_0100, DiscardReason::NoRoute),
        (99, 0x61_0100, 0x61_0100, DiscardReason::PortDown),
    ];
    for (port, s_id, d_id, why) in cases {
        assert_eq!(verdict(port, s_id, d_id), Verdict::Discard(why), "{port} {s_id:06x} {d_id:06x}");
    }
}

#[test]
fn a_name_is_in_the_fabric_once() {
    let mut world = pair(0);
    world.settle();
    let twin = world.port(control_unit(CONTROL_UNIT, None), 0, 2);
    world.settle();
    let events = drain(&mut world.ports[twin]);
    assert!(matches!(events[..], [PortEvent::Refused { why: Refusal::Rejected(_), .. }]), "{events:?}");
    let refused =
        SwitchEvent::Refused { port: 2, name: WorldWideName(CONTROL_UNIT), why: SwitchRefusal::NameTaken };
    assert!(world.events(0).contains(&refused));
    world.plug(1, false);
    world.pass(RETRY_INTERVAL + RETRY_INTERVAL);
    assert!(world.agree(0, twin), "its place is free");
}

#[test]
fn the_second_of_two_links_takes_over() {
    let mut world = pair(2);
    world.settle();
    assert!(world.agree(0, 1));
    drain(&mut world.ports[0]);
    world.plug(2, false);
    world.settle();
    assert_eq!((drain(&mut world.ports[0]), world.agree(0, 1)), (vec![], true), "nobody notices");
    world.plug(3, false);
    world.settle();
    assert!(!world.agree(0, 1));
    assert_eq!(world.switches.iter().map(|switch| switch.records().count()).collect::<Vec<_>>(), [1, 1]);
    world.plug(2, true);
    world.settle();
    assert!(world.agree(0, 1));
}

/// Returns what becomes of a frame from the channel to the control unit.
fn verdict(world: &mut World) -> Verdict {
    let (s_id, d_id) = (0x61_0100, 0x62_0200);
    let header = FcHeader { s_id, d_id, fc_type: fc_type::SB_CHANNEL, ..FcHeader::default() };
    world.switches[0].handle_frame(world.now, 0, &FcFrame { header, optional: &[], payload: &[] })
}

/// Hands over what one switch sends over a wire, but not its answers.
fn one_way(world: &mut World, wire: usize, from: usize) {
    while world.deliver(wire, from, false) {}
}

#[test]
fn frames_wait_for_the_new_route_until_the_other_switch_takes_nothing_more_from_the_old_one() {
    let mut world = pair(2);
    world.settle();
    world.pass(Span::from_s(1));
    let Verdict::Forward(old) = verdict(&mut world) else { panic!("a route") };
    let new = 9 - old;
    world.events(1);
    // This switch alone sees that the link has failed.
    world.switches[0].handle_link_down(world.now, old);
    assert_eq!(verdict(&mut world), Verdict::Hold(new));
    let wire = new - 2;
    one_way(&mut world, wire, 0);
    let abandoned = SwitchEvent::Abandoned { port: old };
    assert!(world.events(1).contains(&abandoned), "the other one is told");
    assert_eq!(verdict(&mut world), Verdict::Hold(new));
    settle_only(&mut world, &[wire]);
    assert_eq!(verdict(&mut world), Verdict::Forward(new), "and has acknowledged it: no time has passed");
}

#[test]
fn frames_wait_for_a_link_that_came_back_until_the_others_are_empty() {
    let mut world = pair(2);
    world.settle();
    world.pass(Span::from_s(1));
    let Verdict::Forward(own) = verdict(&mut world) else { panic!("a route") };
    world.plug(own - 2, false);
    world.settle();
    assert_eq!(verdict(&mut world), Verdict::Forward(9 - own));
    world.plug(own - 2, true);
    // The link that comes back is up before a mark has gone over the other one.
    for _ in 0..100 {
        settle_only(&mut world, &[own - 2]);
    }
    assert_eq!(verdict(&mut world), Verdict::Hold(own));
    world.settle();
    assert_eq!(verdict(&mut world), Verdict::Forward(own));
}

#[test]
fn old_routes_are_not_waited_for_for_longer_than_half_the_hold_time() {
    let mut world = pair(2);
    world.settle();
    world.pass(Span::from_s(1));
    let Verdict::Forward(old) = verdict(&mut world) else { panic!("a route") };
    world.switches[0].handle_link_down(world.now, old);
    let until = world.switches[0].poll_timeout().expect("it waits");
    assert_eq!(until, world.now.saturating_add(Span::from_ms(250)));
    world.switches[0].handle_timeout(until);
    assert_eq!(verdict(&mut world), Verdict::Forward(9 - old));
    assert!(world.events(0).contains(&SwitchEvent::NotDrained { port: old }));
}

#[test]
fn a_domain_that_is_taken_keeps_a_link_down() {
    let mut world = World::default();
    for domain in [0x61, 0x61] {
        world.switch(domain, 1, 1, &[]);
    }
    world.switches[1].name = WorldWideName(0x1000_0000_0000_0099);
    world.wire(Place::Switch(0, 1), Place::Switch(1, 1));
    world.settle();
    let refused = |event: &SwitchEvent| {
        matches!(
            event,
            SwitchEvent::LinkRefused { why: LinkRefusal::DomainTaken(0x61) | LinkRefusal::Rejected(_), .. }
        )
    };
    for switch in [0, 1] {
        let events = world.events(switch);
        assert!(events.iter().any(refused), "{events:?}");
    }
    world.switches[1].domain = 0x62;
    world.pass(RETRY_INTERVAL + RETRY_INTERVAL);
    assert!(world.events(0).iter().any(|event| matches!(event, SwitchEvent::LinkedTo { domain: 0x62, .. })));
}

#[test]
fn only_the_switch_that_belongs_there_is_linked_and_no_channel() {
    let mut world = World::default();
    world.switch(0x61, 1, 1, &[]);
    world.switch(0x62, 1, 1, &[]);
    let stranger = world.switches[1].name;
    *world.switches[0].ports[1].e_port().expect("an E_Port") = EPort::new(Some(WorldWideName(7)));
    let wire = world.wire(Place::Switch(0, 1), Place::Switch(1, 1));
    world.settle();
    let refused = SwitchEvent::LinkRefused { port: 1, why: LinkRefusal::OtherSwitch(stranger) };
    assert!(world.events(0).contains(&refused));
    world.plug(wire, false);
    world.wires.clear();
    world.port(channel(CHANNEL, &[]), 0, 1);
    world.settle();
    let no_f_port =
        SwitchEvent::Refused { port: 1, name: WorldWideName(CHANNEL), why: SwitchRefusal::NotAnFPort };
    assert!(world.events(0).contains(&no_f_port));
}

proptest! {
    /// Whatever is lost, plugged and unplugged, and in whatever order: once all links carry all frames, everybody who may
    /// is logged in, and both switches know the same ports.
    #[test]
    fn all_log_in_in_the_end(
        links in 0_u8..3,
        steps in prop::collection::vec((0_u8..16, any::<u8>(), any::<bool>()), 0..80),
    ) {
        let mut world = pair(links);
        for (step, which, flag) in steps {
            let wire = usize::from(which) % world.wires.len();
            match step {
                0..=10 => { world.deliver(wire, usize::from(flag), false); }
                11 => { world.deliver(wire, usize::from(flag), true); }
                12 => world.plug(wire, flag),
                13 => world.settle(),
                _ => {
                    let now = world.now.saturating_add(Span::from_ms(900));
                    world.advance(now);
                }
            }
        }
        for wire in 0..world.wires.len() {
            if !world.wires[wire].is_up {
                world.plug(wire, true);
            }
        }
        world.pass(RETRY_INTERVAL * 6);
        prop_assert!(world.agree(0, 1), "{:#?}", world.ports);
        for switch in &world.switches {
            prop_assert_eq!(switch.records().count(), 2);
        }
    }

    #[test]
    fn no_octets_upset_a_switch(
        header: [u8; 24],
        service in 0_u32..8,
        types in 0_usize..4,
        port in 0_usize..6,
        mut payload in prop::collection::vec(any::<u8>(), 0..140),
        first in prop::sample::select(vec![0_u8, 1, 2, 3, 4, 5, 0x10, 0x11, 0x1B, 0x61, 0x62]),
        is_request: bool,
    ) {
        let mut world = pair(1);
        world.settle();
        let mut header = FcHeader::parse(&header).expect("24 octets");
        header.fc_type = [1, 0x20, 0x22, header.fc_type][types];
        if service < 6 {
            header.d_id = 0xFF_FFFA + service;
        }
        if is_request {
            header = FcHeader { s_id: 0x61_0100, seq_cnt: 0, f_ctl: sequence::request(1, 0, 0, 0).f_ctl, ..header };
        }
        if let Some(octet) = payload.first_mut() {
            *octet = first;
        }
        let frame = FcFrame { header, optional: &[], payload: &payload };
        let _ = world.switches[0].handle_frame(world.now, port, &frame);
        world.pass(RETRY_INTERVAL * 6);
        prop_assert!(world.switches[1].records().any(|record| record.address == 0x62_0200));
    }
}
