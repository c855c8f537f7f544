//! A channel port and a control-unit port on frames, with devices over volumes in memory.

mod decisions;
mod faults;
mod frames;
mod ids;
mod link;
mod states;
mod strangers;
mod volumes;
mod withheld;

use halftrack_base::Span;
use halftrack_exchange::{ChannelOutcome, Program};
use halftrack_program::{Protocol, RecordAddress, TrackAddress};
use halftrack_wire::IuData;

use crate::common::{LOGIN, read, write};
use crate::ports::link::{Rig, target};
use crate::ports::volumes::{Volumes, content, geometry};

pub(crate) const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];

fn at(record: u8) -> RecordAddress {
    RecordAddress { cylinder: 0, head: 2, record }
}

fn track() -> TrackAddress {
    TrackAddress::new(0, 2).unwrap()
}

pub(crate) fn is_normal(outcome: &ChannelOutcome) -> bool {
    matches!(outcome, ChannelOutcome::Ended { device_status: 0x0C, residual: 0, incorrect_length: false, .. })
}

#[test]
fn what_is_read_is_what_the_volume_holds() {
    for protocol in PROTOCOLS {
        for frame_payload_bytes in [2048, 2112] {
            let login = halftrack_exchange::Login { frame_payload_bytes, ..LOGIN };
            let mut rig = Rig::new(1, 8, Volumes::new(1), login);
            let program = Program::at(&read(4096, 12), protocol, &at(1), &geometry(), &IuData::None).unwrap();
            assert!(rig.channel.start(rig.now, &target(login, 0), &program, 77));
            rig.run(Span::from_s(1));
            let [end] = &rig.ends[..] else { panic!("{:?}", rig.ends) };
            assert!(end.tag == 77 && is_normal(&end.outcome), "{:?}", end.outcome);
            let expected: Vec<u8> = (1..=12).flat_map(|record| content(0, track(), record)).collect();
            assert_eq!(end.data, expected);
            assert_eq!((rig.channel.open(), rig.control_unit.open(), rig.discarded), (0, 0, 0));
            assert!(rig.volumes.are_all_back());
        }
    }
}

#[test]
fn what_is_written_is_what_the_volume_holds_then() {
    for protocol in PROTOCOLS {
        for (first_transfer_bytes, transfer_ready_bytes) in [(0, 0), (4096, 8192), (65_536, 0)] {
            let login = halftrack_exchange::Login { first_transfer_bytes, transfer_ready_bytes, ..LOGIN };
            let mut rig = Rig::new(1, 8, Volumes::new(1), login);
            let data: Vec<u8> = (0..12 * 4096_u32).map(|at| (at / 3) as u8).collect();
            let octets = IuData::Bytes(data.clone());
            let program = Program::at(&write(4096, 12), protocol, &at(1), &geometry(), &octets).unwrap();
            assert!(rig.channel.start(rig.now, &target(login, 0), &program, 5));
            rig.run(Span::from_s(1));
            assert!(rig.ends.len() == 1 && is_normal(&rig.ends[0].outcome), "{:?}", rig.ends[0].outcome);
            for (record, expected) in (1..).zip(data.chunks(4096)) {
                assert_eq!(rig.volumes.record(0, track(), record), expected);
            }
        }
    }
}

/// The window that the first program was granted holds for the next on the same logical path, and not for longer than
/// the path.
#[test]
fn pacing_outlives_the_exchange() {
    let login = halftrack_exchange::Login { initial_pacing: 2, granted_pacing: 64, ..LOGIN };
    let mut rig = Rig::new(1, 8, Volumes::new(1), login);
    let program =
        Program::at(&read(4096, 12), Protocol::Command, &at(1), &geometry(), &IuData::None).unwrap();
    let mut frames_at_once = || {
        assert!(rig.channel.start(rig.now, &target(login, 0), &program, 1));
        while rig.channel.poll_frame(&mut rig.outbound) {}
        let frames = rig.outbound.frames.len();
        rig.run(Span::from_s(1));
        let end = rig.ends.pop().unwrap();
        assert!(is_normal(&end.outcome), "{:?}", end.outcome);
        if frames > 2 {
            rig.channel.handle_peer_gone(link::CONTROL_UNIT);
        }
        frames
    };
    assert_eq!([frames_at_once(), frames_at_once(), frames_at_once()], [2, 13, 2]);
}

/// Two long reads share the link by turns, so that a short one that comes last does not wait for their ends.
#[test]
fn a_short_exchange_does_not_wait_for_long_ones() {
    let mut rig = Rig::new(1, 8, Volumes::new(3), LOGIN);
    let program = |records| {
        Program::at(&read(4096, records), Protocol::Transport, &at(1), &geometry(), &IuData::None).unwrap()
    };
    for (tag, records) in [(0, 144), (1, 144), (2, 1)] {
        assert!(rig.channel.start(rig.now, &target(LOGIN, tag as u8), &program(records), tag));
    }
    rig.run(Span::from_s(1));
    assert!(rig.ends.iter().all(|end| is_normal(&end.outcome)));
    assert_eq!(rig.ends[0].tag, 2);
}
