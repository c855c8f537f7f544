//! Virtual ports (NPIV): initiators of FCP over one link, and a target with a login of each.

mod laws;
mod logouts;
mod refusals;

use halftrack_wire::ct::{NameReply, NameRequest};
use halftrack_wire::els::FcpLogin;

use super::super::*;
use super::world::*;
use crate::rig::{Fibre, channel, control_unit, drain, fcp};
use crate::timing::RETRY_INTERVAL;
use crate::{LogoutCause, NPortParameters, PhysicalPort, PortEvent};

const INITIATOR: u64 = 0x10;
/// Virtual ports over the link of the initiator.
const PARTITIONS: [u64; 2] = [0x11, 0x12];
const TARGET: u64 = 0x20;
/// The wires of the initiators and of the target.
const NEAR: usize = 0;
const FAR: usize = 1;

fn initiator(name: u64) -> NPortParameters {
    fcp(channel(name, &[TARGET]), FcpLogin::INITIATOR)
}

fn target(name: u64) -> NPortParameters {
    fcp(control_unit(name, None), FcpLogin::TARGET)
}

fn physical(names: &[u64]) -> PhysicalPort {
    let virtual_ports = names[1..].iter().copied().map(initiator).collect();
    PhysicalPort::new(initiator(names[0]), virtual_ports).expect("names that differ")
}

impl World {
    fn plug_physical(&mut self, port: PhysicalPort, at: usize) -> usize {
        self.physical.push(port);
        let port = self.physical.len() - 1;
        self.wire(Place::Physical(port), Place::Switch(0, at));
        port
    }

    /// Returns the addresses of the ports of a link.
    fn addresses(&self, port: usize) -> Vec<u32> {
        let port = &self.physical[port];
        (0..).map_while(|index| port.port(index)).map(crate::NPort::address).collect()
    }

    /// Returns whether a port and the target are logged in to each other.
    fn has_nexus(&self, port: usize, index: usize) -> bool {
        let own = self.physical[port].port(index).expect("it is there");
        let target = &self.ports[0];
        own.address() != 0 && own.is_logged_in(target.address()) && target.is_logged_in(own.address())
    }

    fn nexuses(&self) -> [bool; 3] {
        [0, 1, 2].map(|index| self.has_nexus(0, index))
    }

    /// Returns the events of the ports of a link, by port.
    fn port_events(&mut self, port: usize) -> Vec<(usize, PortEvent)> {
        std::iter::from_fn(|| self.physical[port].poll_event()).collect()
    }

    /// Returns what the name server answers a port that is logged in at `at`.
    fn name_reply(&mut self, at: usize, s_id: u32, request: &NameRequest) -> NameReply {
        let header = sequence::request(fc_type::COMMON_TRANSPORT, s_id, address::NAME_SERVER, 0xF000);
        let payload = request.emit();
        let frame = FcFrame { header, optional: &[], payload: &payload };
        assert_eq!(self.switches[0].handle_frame(self.now, at, &frame), Verdict::Handled);
        let mut fibre = Fibre::default();
        assert!(self.switches[0].poll_frame(at, &mut fibre));
        let answer = fibre.take().expect("an answer");
        assert_eq!(answer.header.d_id, s_id);
        NameReply::parse(request, &answer.payload).expect("a sound answer")
    }
}

/// Returns a link with two virtual ports, and a target, at one switch.
fn partitions(zones: &[&[ZoneMember]]) -> World {
    let mut world = World::default();
    world.switch(0x61, 4, 0, zones);
    world.plug_physical(physical(&[INITIATOR, PARTITIONS[0], PARTITIONS[1]]), 0);
    world.port(target(TARGET), 0, 1);
    world
}

#[test]
fn each_virtual_port_has_an_address_and_a_login_of_its_own() {
    let mut world = partitions(&[]);
    world.settle();
    assert_eq!(world.addresses(0), [0x61_0100, 0x61_0101, 0x61_0102]);
    assert_eq!(world.nexuses(), [true; 3]);
    let events = world.port_events(0);
    for index in 0..3 {
        // The target may be in the name server later than the first request for it.
        let own = events.iter().filter(|(at, _)| *at == index).map(|(_, event)| event);
        let own: Vec<_> = own.filter(|event| !matches!(event, PortEvent::Refused { .. })).collect();
        let [PortEvent::Attached { fabric: true, .. }, PortEvent::FcpPeerLoggedIn { peer: 0x61_0200, .. }] =
            own[..]
        else {
            panic!("{own:?}")
        };
    }
    let mut names: Vec<_> = drain(&mut world.ports[0])
        .into_iter()
        .filter_map(|event| match event {
            PortEvent::FcpPeerLoggedIn { peer, name, .. } => Some((peer, name.0)),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    assert_eq!(names, [(0x61_0100, 0x10), (0x61_0101, 0x11), (0x61_0102, 0x12)]);
    let events = world.events(0);
    let name = WorldWideName(0x12);
    let event = SwitchEvent::VirtualLoggedIn { port: 0, address: 0x61_0102, name };
    assert!(events.contains(&event), "{events:?}");
    assert_eq!((world.discarded.len(), world.switches[0].port_of(name)), (0, Some(0)));
}

#[test]
fn frames_of_virtual_ports_go_over_their_link_and_no_other() {
    let mut world = partitions(&[]);
    world.settle();
    let mut verdict = |port: usize, s_id: u32, d_id: u32| {
        let header = FcHeader { s_id, d_id, fc_type: fc_type::FCP, ..FcHeader::default() };
        let frame = FcFrame { header, optional: &[], payload: &[] };
        world.switches[0].handle_frame(world.now, port, &frame)
    };
    assert_eq!(verdict(0, 0x61_0102, 0x61_0200), Verdict::Forward(1));
    assert_eq!(verdict(1, 0x61_0200, 0x61_0101), Verdict::Forward(0));
    assert_eq!(verdict(0, 0x61_0103, 0x61_0200), Verdict::Discard(DiscardReason::Source));
    assert_eq!(verdict(1, 0x61_0101, 0x61_0100), Verdict::Discard(DiscardReason::Source));
    assert_eq!(verdict(1, 0x61_0200, 0x61_0103), Verdict::Discard(DiscardReason::Destination));
}

#[test]
fn zones_are_of_names_and_tell_virtual_ports_of_one_link_apart() {
    let member = |name: u64| ZoneMember::Name(WorldWideName(name));
    let mut world = partitions(&[&[member(PARTITIONS[1]), member(TARGET)], &[member(PARTITIONS[0])]]);
    world.settle();
    assert_eq!(world.nexuses(), [false, false, true]);
    let scan = NameRequest::PortNamesByType { domain: 0, area: 0, fc_type: fc_type::FCP };
    let [own, target] = [PARTITIONS[1], TARGET].map(WorldWideName);
    let seen = NameReply::PortNames(vec![(0x61_0102, own), (0x61_0200, target)]);
    assert_eq!(world.name_reply(0, 0x61_0102, &scan), seen);
    let seen = NameReply::PortNames(vec![(0x61_0101, WorldWideName(PARTITIONS[0]))]);
    assert_eq!(world.name_reply(0, 0x61_0101, &scan), seen);
    assert!(matches!(world.name_reply(0, 0x61_0100, &scan), NameReply::Reject(_)), "it is in no zone");
    let ids = NameRequest::PortIdsByType { domain: 0x61, area: 1, fc_type: fc_type::FCP };
    assert_eq!(world.name_reply(0, 0x61_0102, &ids), NameReply::PortIds(vec![0x61_0102]));
    let ids = NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: fc_type::SB_CHANNEL };
    assert!(matches!(world.name_reply(0, 0x61_0102, &ids), NameReply::Reject(_)), "neither has FICON");
}

#[test]
fn a_state_change_is_reported_to_each_virtual_port() {
    let mut world = partitions(&[]);
    world.settle();
    world.port_events(0);
    world.plug(FAR, false);
    world.settle();
    let gone = |(index, event): (usize, PortEvent)| match event {
        PortEvent::PeerLoggedOut { why: LogoutCause::LeftFabric, .. } => Some(index),
        _ => None,
    };
    let mut told: Vec<_> = world.port_events(0).into_iter().filter_map(gone).collect();
    told.sort_unstable();
    assert_eq!(told, [0, 1, 2]);
    world.plug(FAR, true);
    world.settle();
    assert_eq!(world.nexuses(), [true; 3], "the state change is enough: no time has passed");
}

#[test]
fn virtual_ports_are_known_across_an_inter_switch_link() {
    let mut world = partitions(&[]);
    world.plug(FAR, false);
    world.switches.clear();
    world.events.clear();
    world.wires.clear();
    for domain in [0x61, 0x62] {
        world.switch(domain, 4, 1, &[]);
    }
    world.wire(Place::Physical(0), Place::Switch(0, 0));
    world.wire(Place::Port(0), Place::Switch(1, 1));
    world.wire(Place::Switch(0, 4), Place::Switch(1, 4));
    world.settle();
    assert_eq!((world.nexuses(), world.ports[0].address()), ([true; 3], 0x62_0200));
    assert_eq!(world.switches[1].records().count(), 4);
    let own = world.now;
    world.physical[0].log_out_virtual(own, 2);
    world.settle();
    assert_eq!((world.nexuses(), world.switches[1].records().count()), ([true, true, false], 3));
}
