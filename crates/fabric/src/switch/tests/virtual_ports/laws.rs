//! Laws of virtual ports under any loss and any octets.

use halftrack_base::Span;
use proptest::prelude::*;

use super::*;

/// Loses the frame with this number; true when there was one.
fn settle_without(world: &mut World, lost: usize) -> bool {
    let mut delivered = 0;
    while (0..4).any(|at| world.deliver(at / 2, at % 2, delivered == lost)) {
        delivered += 1;
    }
    delivered > lost
}

/// Every frame of the logins of all is lost once: they succeed later.
#[test]
fn all_log_in_whatever_one_frame_is_lost() {
    let mut lost = 0;
    loop {
        let mut world = partitions(&[]);
        if !settle_without(&mut world, lost) {
            break;
        }
        world.pass(RETRY_INTERVAL * 3);
        assert_eq!(world.nexuses(), [true; 3], "without frame {lost}");
        assert_eq!(world.switches[0].records().count(), 4, "without frame {lost}");
        lost += 1;
    }
    assert!(lost > 60, "{lost} frames");
}

/// Every frame of the logout of a virtual port is lost once: nobody keeps it, and the others stay.
#[test]
fn a_virtual_port_leaves_whatever_one_frame_is_lost() {
    let mut lost = 0;
    loop {
        let mut world = partitions(&[]);
        world.settle();
        drain(&mut world.ports[0]);
        let now = world.now;
        world.physical[0].log_out_virtual(now, 1);
        if !settle_without(&mut world, lost) {
            break;
        }
        world.pass(RETRY_INTERVAL * 3);
        assert_eq!(world.nexuses(), [true, false, true], "without frame {lost}");
        assert_eq!(world.switches[0].records().count(), 3, "without frame {lost}");
        world.physical[0].log_in_virtual(world.now, 1);
        world.pass(RETRY_INTERVAL * 3);
        assert_eq!(world.nexuses(), [true; 3], "without frame {lost}");
        lost += 1;
    }
    assert!(lost >= 6, "{lost} frames");
}

proptest! {
    /// Checks that, whatever is lost, plugged, unplugged, logged in and out, and in whatever order, those that are to be in
    /// are, and no others, once all links carry all frames.
    #[test]
    fn all_that_are_wanted_log_in_in_the_end(
        steps in prop::collection::vec((0_u8..18, any::<u8>(), any::<bool>()), 0..120),
    ) {
        let mut world = partitions(&[]);
        let mut wanted = [true; 3];
        for (step, which, flag) in steps {
            let wire = usize::from(which) % world.wires.len();
            let index = 1 + usize::from(which) % 2;
            let now = world.now;
            match step {
                0..=10 => { world.deliver(wire, usize::from(flag), false); }
                11 => { world.deliver(wire, usize::from(flag), true); }
                12 => world.plug(wire, flag),
                13 => world.settle(),
                14 if flag => {
                    world.physical[0].log_in_virtual(now, index);
                    wanted[index] = true;
                }
                14 | 15 => {
                    world.physical[0].log_out_virtual(now, index);
                    wanted[index] = false;
                }
                _ => world.advance(now.saturating_add(Span::from_ms(900))),
            }
        }
        for wire in 0..world.wires.len() {
            if !world.wires[wire].is_up {
                world.plug(wire, true);
            }
        }
        world.pass(RETRY_INTERVAL * 6);
        prop_assert_eq!(world.nexuses(), wanted, "{:#?}", world.physical);
        let count = 1 + wanted.iter().filter(|wanted| **wanted).count();
        prop_assert_eq!(world.switches[0].records().count(), count);
    }

    #[test]
    fn no_octets_upset_the_ports_of_a_link(
        header: [u8; 24],
        places in prop::collection::vec((0_usize..5, 0_usize..5, 0_usize..3, any::<bool>()), 1..8),
        mut payload in prop::collection::vec(any::<u8>(), 0..140),
        first in prop::sample::select(vec![0_u8, 1, 2, 3, 4, 5, 0x51, 0x20, 0x21, 0x61, 0x78]),
    ) {
        let mut world = partitions(&[]);
        world.settle();
        let known = [0, 0x61_0100, 0x61_0101, 0x61_0200, address::FABRIC_LOGIN];
        if let Some(octet) = payload.first_mut() {
            *octet = first;
        }
        for (s_id, d_id, fc_type, is_request) in places {
            let mut header = FcHeader::parse(&header).expect("24 octets");
            header.fc_type = [1, 0x20, header.fc_type][fc_type];
            (header.s_id, header.d_id) = (known[s_id], known[d_id]);
            if is_request {
                header = FcHeader { seq_cnt: 0, f_ctl: sequence::request(1, 0, 0, 0).f_ctl, ..header };
            }
            let frame = FcFrame { header, optional: &[], payload: &payload };
            let _ = world.physical[0].handle_frame(world.now, &frame);
            let _ = world.switches[0].handle_frame(world.now, 0, &frame);
            world.settle();
        }
        world.plug(NEAR, false);
        world.plug(NEAR, true);
        world.pass(RETRY_INTERVAL * 6);
        prop_assert_eq!(world.nexuses(), [true; 3]);
    }
}
