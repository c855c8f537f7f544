//! Ends that are given anything.

use halftrack_base::Time;
use halftrack_program::DeviceStatus;
use proptest::prelude::*;

use super::rig::*;
use crate::*;

fn received() -> impl Strategy<Value = Received> {
    let small = || prop_oneof![0..4_u64, Just(u64::MAX), any::<u64>()];
    let header = (0..4_usize, any::<u8>(), small(), small(), 0..3_u64, 0..3_u64, 0..3_u32, small());
    let contents = prop_oneof![
        any::<Vec<u8>>(),
        small().prop_map(|offset| {
            let expected = vec![(STREAM, offset)];
            let (system, collection) = (name("VMB"), name("CSC1"));
            let (level, device) = (Level::SIXTEEN_DEVICES, number(1));
            Hello { system, collection, level, device, wants_answer: true, expected }.encode()
        }),
        small().prop_map(|held| Report { devices: vec![number(1)], held: vec![held] }.encode()),
    ];
    (header, contents).prop_map(|(header, contents)| {
        let (kind, flags, sequence, confirmed, sender, receiver, stream, offset) = header;
        let kind = [Kind::Hello, Kind::Data, Kind::Report, Kind::Filler][kind];
        let (sender, receiver) = (Incarnation(sender), Incarnation(receiver));
        let (stream, length_bytes) = (StreamId(stream), contents.len() as u32);
        let flags = Flags(flags);
        let header =
            Header { kind, flags, sequence, confirmed, sender, receiver, stream, offset, length_bytes };
        Received::Block(Block { header, payload: contents.into() })
    })
}

proptest! {
    /// Whatever a partner sends and a device presents, an end does not panic and has at most one program at a device.
    #[test]
    fn an_end_stands_anything(
        events in prop::collection::vec((0..3_usize, any::<u8>(), any::<u8>(), received()), 1..60),
    ) {
        let mut end = End::new(settings("VMA"));
        for device in 0..3 {
            end.activate(number(device), None).unwrap();
            end.operational(number(device));
        }
        let mut is_busy = [false; 3];
        for (device, kind, sense, received) in events {
            match kind % 8 {
                0 => end.attention(number(device)),
                1 => {
                    is_busy[device] = false;
                    end.lost(number(device));
                    end.operational(number(device));
                }
                2 => {
                    end.send(STREAM, &Payload::Count(kind.into()));
                }
                _ => {
                    is_busy[device] = false;
                    let normal = DeviceStatus::NORMAL_END;
                    let status = if kind < 200 { normal } else { DeviceStatus(sense) };
                    end.attention(number(device));
                    let ended = ProgramEnd { status, sense, moved_bytes: u32::MAX, received };
                    end.program_ended(number(device), ended, Time::ZERO);
                }
            }
            while let Some(order) = end.poll_order(Time::ZERO) {
                let device = usize::from(order.device().0 - number(0).0);
                let is_reset = matches!(order, Order::Reset { .. });
                prop_assert!(is_reset || !is_busy[device], "{order:?}");
                is_busy[device] = !is_reset;
            }
            while end.poll_delivery().is_some() || end.poll_notice().is_some() {}
        }
    }
}
