//! Zones hide ports, at one switch and over an inter-switch link.

use halftrack_wire::els::{ElsReply, LsReject, ServiceParameters};

use super::super::*;
use super::world::*;
use crate::rig::{Fibre, channel, control_unit, drain};
use crate::{PortEvent, Refusal};

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
