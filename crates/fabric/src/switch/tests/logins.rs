//! Logins through one switch: ports that come, go and return.

use halftrack_wire::els::{ElsReply, LsReject, ServiceParameters};

use super::super::*;
use super::world::*;
use crate::rig::{Fibre, control_unit, drain};
use crate::timing::RETRY_INTERVAL;
use crate::{LogoutCause, NPort, PortEvent, Refusal};

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
        let logical = LsReject::new(halftrack_wire::els::RejectExplanation::LogicalError);
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
fn a_port_that_is_not_admitted_is_refused_and_logs_in_when_it_is() {
    let mut world = pair(0);
    world.switches[0].admit_only(0, Some(vec![WorldWideName(CONTROL_UNIT)]));
    world.settle();
    assert!(!world.switches[0].is_logged_in(0) && world.switches[0].is_logged_in(1));
    let (name, why) = (WorldWideName(CHANNEL), SwitchRefusal::NotAdmitted);
    let events = world.events(0);
    assert!(events.contains(&SwitchEvent::Refused { port: 0, name, why }), "{events:?}");
    world.switches[0].admit_only(0, Some(vec![name]));
    world.pass(RETRY_INTERVAL);
    world.settle();
    assert!(world.agree(0, 1));
}
