//! Virtual ports that leave, and return.

use super::*;

/// Returns whether the target has ended its login with a name, and that after the last time it began.
fn is_out(world: &mut World, name: u64) -> bool {
    let of_name = |event: PortEvent| match event {
        PortEvent::FcpPeerLoggedIn { name: known, .. } if known.0 == name => Some(false),
        PortEvent::PeerLoggedOut { name: known, .. } if known.0 == name => Some(true),
        _ => None,
    };
    drain(&mut world.ports[0]).into_iter().filter_map(of_name).next_back().unwrap_or(true)
}

/// Delivers frames up to a number of them; false when there were fewer.
fn deliver(world: &mut World, frames: usize) -> bool {
    (0..frames).all(|_| (0..4).any(|at| world.deliver(at / 2, at % 2, false)))
}

/// However far the login of a virtual port is, its logout ends it at both ends and at the switch, and it may return.
#[test]
fn a_logout_at_any_point_of_the_login_ends_it() {
    let mut frames = 0;
    loop {
        let mut world = partitions(&[]);
        let is_part = deliver(&mut world, frames);
        let now = world.now;
        world.physical[0].log_out_virtual(now, 1);
        world.settle();
        assert_eq!(world.addresses(0)[1], 0, "after {frames} frames");
        assert!(is_out(&mut world, PARTITIONS[0]), "after {frames} frames");
        assert_eq!((world.nexuses(), world.switches[0].records().count()), ([true, false, true], 3));
        world.physical[0].log_in_virtual(now, 1);
        world.settle();
        assert_eq!(world.nexuses(), [true; 3], "after {frames} frames");
        if !is_part {
            break;
        }
        frames += 1;
    }
    assert!(frames > 60, "{frames} frames");
}

#[test]
fn a_virtual_port_that_is_logged_out_stays_out_over_the_next_link() {
    let mut world = partitions(&[]);
    world.settle();
    let now = world.now;
    world.physical[0].log_out_virtual(now, 2);
    world.plug(NEAR, false);
    world.plug(NEAR, true);
    world.pass(RETRY_INTERVAL);
    assert_eq!(world.nexuses(), [true, true, false]);
    world.physical[0].log_out_virtual(now, 0);
    world.settle();
    assert_eq!(world.nexuses(), [true, true, false], "the physical port is none of them");
}

/// FLOGI or LOGO of the physical port, or the loss of the link, ends the logins of its virtual ports.
#[test]
fn all_leave_with_the_physical_port() {
    for cause in 0..3 {
        let mut world = partitions(&[]);
        world.settle();
        world.events(0);
        let now = world.now;
        match cause {
            0 => world.plug(NEAR, false),
            1 => world.physical[0].log_out(now),
            _ => world.physical[0].handle_link_up(now),
        }
        world.settle();
        let left = world.events(0).into_iter().map_while(|event| match event {
            SwitchEvent::VirtualLoggedOut { address, .. } | SwitchEvent::LoggedOut { address, .. } => {
                Some(address)
            }
            _ => None,
        });
        let left: Vec<_> = left.collect();
        assert_eq!(left, [0x61_0101, 0x61_0102, 0x61_0100], "{cause}");
        let returns = cause == 2;
        assert_eq!(world.nexuses(), [returns; 3], "{cause}");
        assert_eq!(world.switches[0].records().count(), if returns { 4 } else { 1 }, "{cause}");
    }
}

#[test]
fn a_logout_of_all_is_over_when_the_fabric_has_answered() {
    let mut world = partitions(&[]);
    world.settle();
    assert!(!world.physical[0].awaits_answers());
    let now = world.now;
    world.physical[0].log_out(now);
    assert!(world.physical[0].awaits_answers() && world.physical[0].has_frame());
    drain(&mut world.ports[0]);
    world.settle();
    assert!(!world.physical[0].awaits_answers());
    let logged_out =
        |event: &PortEvent| matches!(event, PortEvent::PeerLoggedOut { why: LogoutCause::Logout, .. });
    let events = drain(&mut world.ports[0]);
    assert_eq!(events.iter().filter(|event| logged_out(event)).count(), 3, "{events:?}");
}

/// A name returns only when the target has ended its old login.
#[test]
fn a_virtual_port_that_returns_waits_for_the_end_of_its_old_login() {
    let mut world = partitions(&[]);
    world.settle();
    drain(&mut world.ports[0]);
    let now = world.now;
    world.physical[0].log_out_virtual(now, 1);
    world.physical[0].log_in_virtual(now, 1);
    settle_only(&mut world, &[NEAR]);
    assert_eq!(world.addresses(0)[1], 0, "the target has not taken the notice");
    world.pass(RETRY_INTERVAL * 2);
    assert_eq!(world.nexuses(), [true; 3]);
    let events = drain(&mut world.ports[0]);
    assert!(matches!(events[0], PortEvent::PeerLoggedOut { .. }), "{events:?}");
}
