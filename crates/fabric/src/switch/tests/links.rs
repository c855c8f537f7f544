//! Inter-switch links: routes that change, and switches that do not belong together.

use halftrack_base::Span;

use super::super::*;
use super::world::*;
use crate::rig::{channel, drain};
use crate::timing::RETRY_INTERVAL;

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
    assert_eq!(verdict(&mut world), Verdict::Hold(0x62));
    let wire = new - 2;
    one_way(&mut world, wire, 0);
    let abandoned = SwitchEvent::Abandoned { port: old };
    assert!(world.events(1).contains(&abandoned), "the other one is events");
    assert_eq!(verdict(&mut world), Verdict::Hold(0x62));
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
    assert_eq!(verdict(&mut world), Verdict::Hold(0x62));
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
    assert!(world.events(0).contains(&SwitchEvent::NotDrained { port: old, domain: 0x62 }));
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
            SwitchEvent::LinkRefused {
                why: LinkRefusal::DomainTaken { domain: 0x61, .. } | LinkRefusal::Rejected(_),
                ..
            }
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
