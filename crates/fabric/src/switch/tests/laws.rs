//! Laws of switches under any losses and any octets.

use halftrack_base::Span;
use proptest::prelude::*;

use super::super::*;
use super::world::*;
use crate::rig::{channel, channel_to_channel, control_unit};
use crate::timing::RETRY_INTERVAL;

proptest! {
    /// Checks that, whatever is lost, plugged and unplugged, and in whatever order, all permitted logins succeed once
    /// all links carry all frames. Both switches then have the same ports.
    #[test]
    fn all_log_in_in_the_end(
        links in 0_u8..3,
        steps in prop::collection::vec((0_u8..16, any::<u8>(), any::<bool>()), 0..80),
    ) {
        let mut world = pair(links);
        for (step, which, flag) in steps {
            let wire = usize::from(which) % world.wires.len();
            match step {
                0..=10 => { world.deliver(wire, usize::from(flag), false); }
                11 => { world.deliver(wire, usize::from(flag), true); }
                12 => world.plug(wire, flag),
                13 => world.settle(),
                _ => {
                    let now = world.now.saturating_add(Span::from_ms(900));
                    world.advance(now);
                }
            }
        }
        for wire in 0..world.wires.len() {
            if !world.wires[wire].is_up {
                world.plug(wire, true);
            }
        }
        world.pass(RETRY_INTERVAL * 6);
        prop_assert!(world.agree(0, 1), "{:#?}", world.ports);
        for switch in &world.switches {
            prop_assert_eq!(switch.records().count(), 2);
        }
    }

    /// Checks the law for a channel and a control unit with two links and more in a row between them. At the end every name
    /// server has both, and every switch routes to every other.
    #[test]
    fn all_log_in_in_the_end_across_several_links(
        extra in prop::collection::vec((0_usize..4, 0_usize..4), 0..4),
        steps in prop::collection::vec((0_u8..16, any::<u8>(), any::<bool>()), 0..120),
    ) {
        let mut world = World::default();
        for switch in 0..4 {
            world.switch(0x61 + switch, 2, 8, &[]);
        }
        world.port(channel(CHANNEL, &[CONTROL_UNIT]), 0, 0);
        world.port(control_unit(CONTROL_UNIT, None), 3, 1);
        let mut used = [2; 4];
        let line = [(0, 1), (1, 2), (2, 3)];
        for (one, other) in line.into_iter().chain(extra).filter(|(one, other)| one != other) {
            let ends = [one, other].map(|switch| {
                used[switch] += 1;
                Place::Switch(switch, used[switch] - 1)
            });
            world.wire(ends[0], ends[1]);
        }
        for (step, which, flag) in steps {
            let wire = usize::from(which) % world.wires.len();
            match step {
                0..=10 => { world.deliver(wire, usize::from(flag), false); }
                11 => { world.deliver(wire, usize::from(flag), true); }
                12 => world.plug(wire, flag),
                13 => world.settle(),
                _ => {
                    let now = world.now.saturating_add(Span::from_ms(900));
                    world.advance(now);
                }
            }
        }
        for wire in 0..world.wires.len() {
            if !world.wires[wire].is_up {
                world.plug(wire, true);
            }
        }
        world.pass(RETRY_INTERVAL * 6);
        world.follow();
        prop_assert!(world.agree(0, 1), "{:#?}", world.ports);
        for switch in &world.switches {
            prop_assert_eq!((switch.records().count(), switch.routes.len()), (2, 3));
            prop_assert!(switch.routes.values().all(|routes| !routes.is_draining()));
        }
    }

    /// Checks the law for channels that are control units too, of which the lower name is on either side.
    #[test]
    fn channels_log_in_to_each_other_in_the_end(
        is_lower_near: bool,
        steps in prop::collection::vec((0_u8..16, any::<u8>(), any::<bool>()), 0..80),
    ) {
        let (near, far) = if is_lower_near { (0x10, 0x20) } else { (0x20, 0x10) };
        let mut world = World::default();
        world.switch(0x61, 4, 1, &[]);
        world.switch(0x62, 4, 1, &[]);
        world.port(channel_to_channel(near, &[far]), 0, 0);
        world.port(channel_to_channel(far, &[near]), 1, 1);
        world.wire(Place::Switch(0, 4), Place::Switch(1, 4));
        for (step, which, flag) in steps {
            let wire = usize::from(which) % world.wires.len();
            match step {
                0..=10 => { world.deliver(wire, usize::from(flag), false); }
                11 => { world.deliver(wire, usize::from(flag), true); }
                12 => world.plug(wire, flag),
                13 => world.settle(),
                _ => {
                    let now = world.now.saturating_add(Span::from_ms(900));
                    world.advance(now);
                }
            }
        }
        for wire in 0..world.wires.len() {
            if !world.wires[wire].is_up {
                world.plug(wire, true);
            }
        }
        world.pass(RETRY_INTERVAL * 6);
        prop_assert!(world.agree(0, 1), "{:#?}", world.ports);
    }

    #[test]
    fn no_octets_upset_a_switch(
        header: [u8; 24],
        service in 0_u32..8,
        types in 0_usize..4,
        port in 0_usize..6,
        mut payload in prop::collection::vec(any::<u8>(), 0..140),
        first in prop::sample::select(vec![0_u8, 1, 2, 3, 4, 5, 0x51, 0x10, 0x11, 0x15, 0x1B, 0x61, 0x62]),
        is_request: bool,
    ) {
        let mut world = pair(1);
        world.settle();
        let mut header = FcHeader::parse(&header).expect("24 octets");
        header.fc_type = [1, 0x20, 0x22, header.fc_type][types];
        if service < 6 {
            header.d_id = 0xFF_FFFA + service;
        }
        if is_request {
            header = FcHeader { s_id: 0x61_0100, seq_cnt: 0, f_ctl: sequence::request(1, 0, 0, 0).f_ctl, ..header };
        }
        if let Some(octet) = payload.first_mut() {
            *octet = first;
        }
        let frame = FcFrame { header, optional: &[], payload: &payload };
        let _ = world.switches[0].handle_frame(world.now, port, &frame);
        world.pass(RETRY_INTERVAL * 6);
        prop_assert!(world.switches[1].records().any(|record| record.address == 0x62_0200));
    }
}
