//! Link incidents of a switch's ports reach the channels that registered and may see the port.

use halftrack_base::Span;
use halftrack_wire::els::{IncidentCode, LinkIncident, qualifier};

use super::super::*;
use super::world::*;
use crate::PortEvent;
use crate::rig::{channel, control_unit, drain};

/// Returns the records that a port received.
fn received(world: &mut World, port: usize) -> Vec<LinkIncident> {
    let record = |event| match event {
        PortEvent::IncidentReported(record) => Some(record),
        _ => None,
    };
    drain(&mut world.ports[port]).into_iter().filter_map(record).collect()
}

/// The link of a port is lost: the others of its zone get the record, and ports of other zones do not.
#[test]
fn a_lost_link_is_reported_within_its_zones() {
    let mut world = World::default();
    let zone =
        |name: u64| [ZoneMember::Name(WorldWideName(CONTROL_UNIT)), ZoneMember::Name(WorldWideName(name))];
    let other = [ZoneMember::Name(WorldWideName(0x30))];
    world.switch(0x61, 4, 0, &[&zone(CHANNEL), &other]);
    let near = world.port(channel(CHANNEL, &[CONTROL_UNIT]), 0, 0);
    let lost = world.port(control_unit(CONTROL_UNIT, None), 0, 1);
    let hidden = world.port(channel(0x30, &[CONTROL_UNIT]), 0, 2);
    world.settle();
    world.switches[0].note_incident(world.now, 3, IncidentCode::LossOfSignal);
    world.switches[0].note_incident(world.now, 1, IncidentCode::LossOfSignal);
    world.plug(1, false);
    world.settle();
    let records = received(&mut world, near);
    let [record] = &records[..] else { panic!("one record, for nobody is at port 3: {records:?}") };
    let name = world.ports[lost].name();
    assert_eq!((record.connected.port_name, record.address), (name, 0x61_0200));
    assert_eq!(record.port_type, LinkIncident::F_PORT);
    assert_eq!(record.qualifier, qualifier::SWITCH | qualifier::NOT_OPERATIONAL);
    assert_eq!(received(&mut world, hidden), []);
    let incident = *record;
    assert!(world.events(0).contains(&SwitchEvent::IncidentNoted { port: 1, incident }));
}

/// An inter-switch link with bit errors is reported to every port, and a record that is lost on the way is sent again.
#[test]
fn bit_errors_of_an_inter_switch_link_are_reported_to_all() {
    let mut world = pair(1);
    world.settle();
    for burst in 1..=15 {
        world.pass(Span::from_s(2));
        world.switches[0].take_invalid_crcs(world.now, 4, burst);
    }
    while !world.switches[0].has_frame(0) {
        world.settle();
    }
    assert!(world.deliver(0, 1, true), "the record is lost");
    assert_eq!(received(&mut world, 0), []);
    world.pass(Span::from_s(10));
    let records = received(&mut world, 0);
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.code, record.port_type), (IncidentCode::BitErrorRate, LinkIncident::E_PORT));
    let degraded = qualifier::SWITCH | qualifier::EXPANSION_PORT | qualifier::DEGRADED;
    assert_eq!((record.qualifier, record.address), (degraded, 0x61_E000));
}
