//! Several inter-switch links in a row: lines, rings and meshes.

use halftrack_base::Span;

use super::super::*;
use super::world::*;
use crate::rig::{channel, control_unit, drain};

/// Returns switches 61, 62 and so on with these wires between them; a channel is at the first, a control unit at `far`.
fn fabric(switches: u8, wires: &[(usize, usize)], far: usize) -> World {
    let mut world = World::default();
    for switch in 0..switches {
        world.switch(0x61 + switch, 2, 4, &[]);
    }
    world.port(channel(CHANNEL, &[CONTROL_UNIT]), 0, 0);
    world.port(control_unit(CONTROL_UNIT, None), far, 1);
    let mut used = vec![2; usize::from(switches)];
    for &(one, other) in wires {
        let [at, far_at] = [one, other].map(|switch| {
            used[switch] += 1;
            Place::Switch(switch, used[switch] - 1)
        });
        world.wire(at, far_at);
    }
    world
}

/// Wires of a fabric begin behind those of its two ports.
const FIRST_WIRE: usize = 2;

/// Returns the switches that a frame from the channel to the control unit passes, in order.
fn way(world: &mut World) -> Vec<usize> {
    let header = FcHeader {
        s_id: world.ports[0].address(),
        d_id: world.ports[1].address(),
        fc_type: fc_type::SB_CHANNEL,
        ..FcHeader::default()
    };
    let frame = FcFrame { header, optional: &[], payload: &[] };
    let (mut at, mut port, mut passed) = (0, 0, Vec::new());
    while let Verdict::Forward(to) = world.switches[at].handle_frame(world.now, port, &frame) {
        passed.push(at);
        let (wire, end) = world.wire_at(Place::Switch(at, to)).expect("a wire is there");
        match world.wires[wire].ends[1 - end] {
            Place::Switch(next, next_port) => (at, port) = (next, next_port),
            Place::Port(_) | Place::Physical(_) => return passed,
        }
        assert!(passed.len() < 20, "a loop: {passed:?}");
    }
    passed.push(99);
    passed
}

fn wire_between(world: &World, one: usize, other: usize) -> usize {
    let switch_of = |place: &Place| match place {
        Place::Switch(switch, _) => Some(*switch),
        Place::Port(_) | Place::Physical(_) => None,
    };
    let joins = |wire: &Wire| {
        let ends = wire.ends.each_ref().map(&switch_of);
        ends == [Some(one), Some(other)] || ends == [Some(other), Some(one)]
    };
    world.wires.iter().position(joins).expect("a wire is there")
}

#[test]
fn a_channel_logs_in_across_a_line_of_four() {
    let mut world = fabric(4, &[(0, 1), (1, 2), (2, 3)], 3);
    world.settle();
    assert!(world.agree(0, 1));
    assert_eq!(way(&mut world), [0, 1, 2, 3]);
    let name = WorldWideName(0x1000_0000_0000_0064);
    let reached = |event: &SwitchEvent| matches!(event, SwitchEvent::Reached { domain: 0x64, name: found, hops: 3, links: 1, .. } if *found == name);
    assert!(world.events(0).iter().any(reached));
    for switch in &world.switches {
        assert_eq!(switch.records().count(), 2, "every name server has both");
    }
    // The middle fails: both ends miss each other's ports, and find them again.
    let middle = wire_between(&world, 1, 2);
    world.plug(middle, false);
    world.settle();
    assert!(!world.agree(0, 1));
    assert!(world.events(0).iter().any(|event| matches!(event, SwitchEvent::Lost { domain: 0x64, .. })));
    world.plug(middle, true);
    world.settle();
    assert!(world.agree(0, 1));
}

#[test]
fn nobody_notices_when_a_ring_has_one_link_less_and_again_one_more() {
    let ring = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let mut world = fabric(4, &ring, 3);
    world.settle();
    world.pass(Span::from_s(1));
    assert_eq!(way(&mut world), [0, 3]);
    drain(&mut world.ports[0]);
    drain(&mut world.ports[1]);
    let direct = wire_between(&world, 0, 3);
    world.plug(direct, false);
    world.pass(Span::from_s(1));
    assert_eq!(way(&mut world), [0, 1, 2, 3]);
    world.plug(direct, true);
    world.settle();
    assert_eq!(way(&mut world), [0, 3], "marks have gone the long way, and no time has passed");
    assert_eq!((drain(&mut world.ports[0]), drain(&mut world.ports[1])), (vec![], vec![]));
    assert!(world.agree(0, 1));
}

#[test]
fn the_way_has_the_fewest_links_and_avoids_a_switch_that_fails() {
    // Two ways of two links, and one of three.
    let mut world = fabric(5, &[(0, 1), (1, 4), (0, 2), (2, 4), (2, 3), (3, 4)], 4);
    world.settle();
    world.pass(Span::from_s(1));
    let first = way(&mut world);
    assert_eq!((first.len(), first.clone()), (3, way(&mut world)), "one of the short ones, and always that");
    let middle = first[1];
    let wires: Vec<_> = (0..world.wires.len())
        .filter(|&wire| {
            world.wires[wire].ends.iter().any(|end| matches!(end, Place::Switch(at, _) if *at == middle))
        })
        .collect();
    for &wire in &wires {
        world.plug(wire, false);
    }
    world.pass(Span::from_s(1));
    let second = way(&mut world);
    assert!(world.agree(0, 1) && second.len() == 3 && second[1] != middle, "{first:?} {second:?}");
    for &wire in &wires {
        world.plug(wire, true);
    }
    world.pass(Span::from_s(1));
    assert_eq!((way(&mut world), world.agree(0, 1)), (first, true));
}

/// Frames on the long way are at their end before those that take the short one.
#[test]
fn frames_wait_for_those_on_a_longer_way() {
    let mut world = fabric(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], 3);
    let direct = wire_between(&world, 0, 3);
    world.plug(direct, false);
    world.settle();
    world.pass(Span::from_s(1));
    assert_eq!(way(&mut world), [0, 1, 2, 3]);
    world.plug(direct, true);
    // The direct link is up, but nothing passes over the last one of the long way.
    let last = wire_between(&world, 2, 3);
    let others: Vec<_> = (0..world.wires.len()).filter(|&wire| wire != last).collect();
    settle_only(&mut world, &others);
    assert_eq!(way(&mut world), [99], "held");
    let header = FcHeader { s_id: 0x61_0100, d_id: 0x64_0200, ..FcHeader::default() };
    let verdict = world.switches[0].route_held(0, &header);
    assert_eq!(verdict, Verdict::Hold(0x64));
    world.settle();
    assert_eq!(way(&mut world), [0, 3]);
}

#[test]
fn no_frame_goes_back_or_round_or_too_far() {
    let mut world = fabric(3, &[(0, 1), (1, 2)], 2);
    world.settle();
    let frame = |s_id, d_id| FcHeader { s_id, d_id, fc_type: fc_type::SB_CHANNEL, ..FcHeader::default() };
    let mut pass = |port, header| {
        let frame = FcFrame { header, optional: &[], payload: &[] };
        world.switches[1].handle_frame(world.now, port, &frame)
    };
    assert_eq!(pass(2, frame(0x61_0100, 0x63_0200)), Verdict::Forward(3));
    assert_eq!(pass(3, frame(0x61_0100, 0x63_0200)), Verdict::Discard(DiscardReason::Loop));
    assert_eq!(pass(2, frame(0x62_0100, 0x63_0200)), Verdict::Discard(DiscardReason::Source));
    assert_eq!(pass(2, frame(0x6F_0100, 0x63_0200)), Verdict::Discard(DiscardReason::Source));
    assert_eq!(pass(2, frame(0x61_0100, 0x6F_0200)), Verdict::Discard(DiscardReason::NoRoute));
    let line: Vec<_> = (0..8).map(|switch| (switch, switch + 1)).collect();
    let mut long = fabric(9, &line, 7);
    long.settle();
    assert!(long.agree(0, 1), "seven links");
    let mut too_long = fabric(9, &line, 8);
    too_long.settle();
    assert!(!too_long.agree(0, 1), "eight links");
    assert!(!too_long.switches[0].routes.contains_key(&0x69));
    let header = frame(0x61_0100, 0x69_0200);
    let verdict =
        too_long.switches[4].handle_frame(too_long.now, 2, &FcFrame { header, optional: &[], payload: &[] });
    assert_eq!(verdict, Verdict::Discard(DiscardReason::HopLimit));
}

#[test]
fn a_domain_that_a_switch_beyond_has_is_refused_by_name() {
    let mut world = fabric(4, &[(0, 1), (2, 3)], 1);
    let [holder, switch] = [world.switches[0].name, world.switches[3].name];
    world.switches[3].domain = 0x61;
    world.settle();
    world.events(1);
    world.wire(Place::Switch(1, 4), Place::Switch(2, 4));
    world.settle();
    let refused = [(1, holder, switch), (2, switch, holder)].map(|(at, holder, switch)| {
        let why = LinkRefusal::DomainTaken { domain: 0x61, switch, holder };
        world.events(at).contains(&SwitchEvent::LinkRefused { port: 4, why })
    });
    assert!(refused.contains(&true), "{refused:?}");
    assert!(world.agree(0, 1), "both fabrics go on by themselves");
    assert_eq!(world.switches.iter().map(|own| own.routes.len()).collect::<Vec<_>>(), [1, 1, 1, 1]);
    let words = LinkRefusal::DomainTaken { domain: 0x61, switch, holder }.to_string();
    assert!(words.contains(&switch.to_string()) && words.contains(&holder.to_string()), "{words}");
}

#[test]
fn a_switch_that_begins_anew_is_found_again() {
    let mut world = fabric(3, &[(0, 1), (1, 2)], 2);
    world.settle();
    world.pass(Span::from_s(1));
    // The middle one forgets all, and counts its records from the first again.
    let wires = [FIRST_WIRE, FIRST_WIRE + 1];
    wires.iter().for_each(|&wire| world.plug(wire, false));
    let middle = world.switch(0x62, 2, 4, &[]);
    world.switches.swap(1, middle);
    world.switches.pop();
    world.events.pop();
    wires.iter().for_each(|&wire| world.plug(wire, true));
    world.settle();
    world.pass(Span::from_s(1));
    assert_eq!((way(&mut world), world.agree(0, 1)), (vec![0, 1, 2], true));
}
