//! Virtual ports that get no address.

use halftrack_wire::els::{ElsReply, LsReject, RejectExplanation, ServiceParameters, code};

use super::*;
use crate::{DoubleName, Refusal};

/// Returns the answer of the switch to an FDISC at a port, and the address given.
fn discover(world: &mut World, at: usize, name: u64) -> (ElsReply, u32) {
    let header =
        sequence::request(fc_type::EXTENDED_LINK_SERVICE, 0, address::FABRIC_LOGIN, 0xF000 | name as u16);
    let name = WorldWideName(name);
    let payload = Els::Fdisc(ServiceParameters::class_3(name, name, 2112, 8)).emit();
    let frame = FcFrame { header, optional: &[], payload: &payload };
    assert_eq!(world.switches[0].handle_frame(world.now, at, &frame), Verdict::Handled);
    let mut fibre = Fibre::default();
    while world.switches[0].poll_frame(at, &mut fibre) {}
    let answers = std::iter::from_fn(|| fibre.take()).filter(|frame| sequence::is_reply(&frame.header));
    let answer = answers.last().expect("an answer");
    let reply = ElsReply::parse(code::FDISC, &answer.payload).expect("a sound answer");
    (reply, answer.header.d_id)
}

fn rejection(reply: ElsReply) -> (u8, u8) {
    match reply {
        ElsReply::Reject(reject) => (reject.reason.code(), reject.explanation),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_virtual_port_before_the_fabric_login_is_rejected() {
    let mut world = partitions(&[]);
    world.settle();
    world.events(0);
    world.switches[0].handle_link_up(world.now, 2);
    assert_eq!(rejection(discover(&mut world, 2, 0x99).0), (0x09, LsReject::LOGIN_REQUIRED));
    let (name, why) = (WorldWideName(0x99), SwitchRefusal::VirtualNotInFabric);
    assert_eq!(world.events(0), [SwitchEvent::Refused { port: 2, name, why }]);
}

#[test]
fn there_is_a_most_of_virtual_ports_and_one_that_leaves_makes_room() {
    let mut world = partitions(&[]);
    world.settle();
    for name in 0x1000..0x1000 + VIRTUAL_PORTS_MAX as u64 - 2 {
        let (reply, given) = discover(&mut world, 0, name);
        assert!(matches!(reply, ElsReply::Login(_)), "{reply:?}");
        assert_eq!(given >> 8, 0x61_01);
    }
    let no_room = (0x09, LsReject::INSUFFICIENT_RESOURCES);
    assert_eq!(rejection(discover(&mut world, 0, 0x2000).0), no_room);
    assert_eq!(world.switches[0].records().count(), 2 + VIRTUAL_PORTS_MAX);
    let now = world.now;
    world.physical[0].log_out_virtual(now, 1);
    world.pass(RETRY_INTERVAL * 2);
    assert!(matches!(discover(&mut world, 0, 0x2000).0, ElsReply::Login(_)));
}

#[test]
fn a_name_is_in_the_fabric_once() {
    let double = PhysicalPort::new(initiator(1), vec![initiator(2), initiator(1)]);
    assert_eq!(double.err(), Some(DoubleName(WorldWideName(1))));
    let mut world = partitions(&[]);
    let twin = world.plug_physical(physical(&[0x30, PARTITIONS[0], TARGET]), 2);
    world.settle();
    assert_eq!(world.nexuses(), [true; 3]);
    let events = world.port_events(twin);
    for (index, name) in [(1, PARTITIONS[0]), (2, TARGET)] {
        let why = Refusal::Rejected(LsReject {
            reason: RejectExplanation::LogicalError,
            explanation: 0x0D,
            vendor: 0,
        });
        let name = WorldWideName(name);
        assert!(events.contains(&(index, PortEvent::Refused { name, why })), "{events:?}");
        let why = SwitchRefusal::NameTaken;
        assert!(world.events[0].contains(&SwitchEvent::Refused { port: 2, name, why }));
    }
    let now = world.now;
    world.physical[0].log_out_virtual(now, 1);
    world.pass(RETRY_INTERVAL * 2);
    assert!(world.has_nexus(twin, 1), "its place is free");
}

#[test]
fn a_name_that_may_not_log_in_at_the_port_is_rejected() {
    let mut world = partitions(&[]);
    let names = [INITIATOR, PARTITIONS[1]].map(WorldWideName);
    world.switches[0].admit_only(0, Some(names.to_vec()));
    world.settle();
    assert_eq!(world.nexuses(), [true, false, true]);
    let (name, why) = (WorldWideName(PARTITIONS[0]), SwitchRefusal::NotAdmitted);
    assert!(world.events(0).contains(&SwitchEvent::Refused { port: 0, name, why }));
}

#[test]
fn without_a_fabric_there_are_no_virtual_ports() {
    for own in [INITIATOR, 0x40] {
        let mut world = World::default();
        world.physical.push(physical(&[own, 0x11, 0x12]));
        world.ports.push(crate::NPort::new(target(TARGET)));
        world.wire(Place::Physical(0), Place::Port(0));
        world.pass(RETRY_INTERVAL * 3);
        assert_eq!(world.nexuses(), [true, false, false]);
        let events = world.port_events(0);
        let refused = |index: usize| {
            let name = world.physical[0].port(index).expect("it is there").name();
            (index, PortEvent::Refused { name, why: Refusal::NoVirtualPorts })
        };
        for index in [1, 2] {
            let count = events.iter().filter(|event| **event == refused(index)).count();
            assert_eq!(count, 1, "{events:?}");
        }
    }
}

/// The bits of the feature are those of FC-LS; a port that supports one address only gets one.
#[test]
fn the_fabric_login_asks_for_several_addresses() {
    let mut world = partitions(&[]);
    world.switches[0].handle_link_up(world.now, 2);
    for (features, granted) in [(0x8000, 0x2000), (0, 0)] {
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, 0, address::FABRIC_LOGIN, 0xF001);
        let own = ServiceParameters::class_3(WorldWideName(0x70), WorldWideName(0x70), 2112, 8);
        let payload = Els::Flogi(ServiceParameters { features, ..own }).emit();
        let frame = FcFrame { header, optional: &[], payload: &payload };
        assert_eq!(world.switches[0].handle_frame(world.now, 2, &frame), Verdict::Handled);
        let mut fibre = Fibre::default();
        assert!(world.switches[0].poll_frame(2, &mut fibre));
        let answer = fibre.take().expect("an answer");
        let Ok(ElsReply::Login(other)) = ElsReply::parse(code::FLOGI, &answer.payload) else {
            panic!("{answer:?}")
        };
        assert_eq!(other.features & 0x3000, 0x1000 | granted);
    }
}

#[test]
fn a_fabric_that_assigns_one_address_gets_no_fdisc() {
    let mut port = physical(&[INITIATOR, PARTITIONS[0]]);
    port.handle_link_up(Time::ZERO);
    let mut fibre = Fibre::default();
    assert!(port.poll_frame(&mut fibre));
    let asked = fibre.take().expect("FLOGI").header;
    let other = ServiceParameters::class_3(WorldWideName(0x99), WorldWideName(0x99), 2112, 8);
    let accept = ServiceParameters { features: ServiceParameters::F_PORT, ..other };
    let payload = ElsReply::Login(accept).emit();
    let header = sequence::reply(&asked, address::FABRIC_LOGIN, 0x61_0100);
    let frame = FcFrame { header, optional: &[], payload: &payload };
    assert_eq!(port.handle_frame(Time::ZERO, &frame), Ok(()));
    let (name, why) = (WorldWideName(PARTITIONS[0]), Refusal::NoVirtualPorts);
    let attached = PortEvent::Attached { address: 0x61_0100, credit: 8, fabric: true };
    let events: Vec<_> = std::iter::from_fn(|| port.poll_event()).collect();
    assert_eq!(events, [(0, attached), (1, PortEvent::Refused { name, why })]);
    while port.poll_frame(&mut fibre) {}
    let fdisc = |frame: crate::rig::FrameInTransit| Els::code_of(&frame.payload) == Some(code::FDISC);
    assert!(!std::iter::from_fn(|| fibre.take()).any(fdisc));
}
