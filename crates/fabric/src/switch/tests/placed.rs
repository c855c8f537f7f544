//! Control units that a channel finds by their place, beside a partner that it finds by name.

use super::super::*;
use super::world::*;
use crate::rig::{channel_to_channel, control_unit, drain};
use crate::timing::RETRY_INTERVAL;
use crate::{LinkPlace, LogoutCause, NPort, PortEvent};

/// Names of two channels, of which the control unit's is the lowest: no order of names decides who logs in.
const OWN: u64 = 0x30;
const PARTNER: u64 = 0x31;

/// Returns a channel at port 0, its partner at port 1, and a control unit at port 2, of another switch with `links`.
fn site(links: u8, place: LinkPlace) -> World {
    let mut world = World::default();
    world.switch(0x61, 4, links, &[]);
    let far = if links == 0 { 0 } else { world.switch(0x62, 4, links, &[]) };
    world.ports.push(NPort::new(channel_to_channel(OWN, &[PARTNER])));
    world.ports[0].add_control_unit(place);
    world.wire(Place::Port(0), Place::Switch(0, 0));
    world.port(channel_to_channel(PARTNER, &[OWN]), 0, 1);
    world.port(control_unit(0x10, None), far, 2);
    for link in 0..usize::from(links) {
        world.wire(Place::Switch(0, 4 + link), Place::Switch(1, 4 + link));
    }
    world
}

#[test]
fn one_port_logs_in_to_a_partner_by_name_and_to_a_control_unit_by_its_place() {
    for (links, domain) in [(0, None), (0, Some(0x61)), (1, Some(0x62))] {
        let mut world = site(links, LinkPlace { domain, area: 3 });
        // A switch whose links come up late is not announced port by port: the login is tried again.
        world.pass(RETRY_INTERVAL * 4);
        assert!(world.agree(0, 1) && world.agree(0, 2), "{domain:?}");
        let events = drain(&mut world.ports[0]);
        let of_unit =
            |event: &&PortEvent| matches!(event, PortEvent::PeerLoggedIn { name, .. } if name.0 == 0x10);
        let transport = events.iter().find(of_unit).map(|event| match event {
            PortEvent::PeerLoggedIn { transport, .. } => transport.is_some(),
            _ => false,
        });
        assert_eq!(transport, Some(true), "{events:?}");
    }
}

#[test]
fn a_control_unit_that_goes_is_missed_alone_and_found_when_it_returns() {
    let mut world = site(0, LinkPlace { domain: None, area: 3 });
    world.settle();
    drain(&mut world.ports[0]);
    world.plug(2, false);
    world.pass(RETRY_INTERVAL);
    let events = drain(&mut world.ports[0]);
    let gone =
        PortEvent::PeerLoggedOut { peer: 0x61_0300, name: WorldWideName(0x10), why: LogoutCause::LeftFabric };
    assert_eq!(events.first(), Some(&gone), "{events:?}");
    assert!(events.iter().all(|event| !matches!(event, PortEvent::PeerLoggedIn { .. })), "{events:?}");
    assert!(world.agree(0, 1));
    world.plug(2, true);
    world.settle();
    assert!(world.agree(0, 2) && world.agree(0, 1));
}

/// A login that one side ends is there again after a while, and the other one is as it was.
#[test]
fn one_login_can_begin_anew_beside_another() {
    for from in [0, 1] {
        let mut world = site(0, LinkPlace { domain: None, area: 3 });
        world.settle();
        drain(&mut world.ports[0]);
        let (now, peer) = (world.now, world.ports[1 - from].address());
        world.ports[from].log_out_of(now, peer);
        world.settle();
        assert!(!world.agree(0, 1) && world.agree(0, 2));
        world.pass(RETRY_INTERVAL);
        assert!(world.agree(0, 1) && world.agree(0, 2));
        let events = drain(&mut world.ports[0]);
        let of_unit = |event: &PortEvent| matches!(event, PortEvent::PeerLoggedIn { name, .. } | PortEvent::PeerLoggedOut { name, .. } if name.0 == 0x10);
        assert!(!events.iter().any(of_unit), "{events:?}");
    }
}

/// A place at which the partner is does not take the partner's login over.
#[test]
fn a_place_of_another_peer_is_refused() {
    let mut world = site(0, LinkPlace { domain: None, area: 2 });
    world.settle();
    let events = drain(&mut world.ports[0]);
    let is_refused = |event: &PortEvent| matches!(event, PortEvent::Refused { .. });
    assert!(events.iter().any(is_refused), "{events:?}");
    assert!(!world.ports[0].is_logged_in(world.ports[2].address()));
}
