//! Endings that are withheld until what a chain wrote or read is safe.

use halftrack_base::Span;
use halftrack_exchange::{ChannelOutcome, Program};
use halftrack_program::Protocol;
use halftrack_wire::IuData;

use super::link::{CHANNEL, Rig, target};
use super::volumes::{Barrier, Volumes, content, geometry};
use super::{PROTOCOLS, at, is_normal, track};
use crate::common::{LOGIN, read, write};

/// A slow disk: longer than every time-out of an exchange.
const LONG: Span = Span::from_s(20);

/// Starts a write of one record at each of so many devices, all of which wait for a barrier.
fn begin_writes(protocol: Protocol, devices: u8) -> Rig {
    let mut rig = Rig::new(1, 8, Volumes::new(devices), LOGIN);
    rig.volumes.barrier.set(Barrier::Pending);
    let data = IuData::Bytes(vec![9; 4096]);
    let program = Program::at(&write(4096, 1), protocol, &at(1), &geometry(), &data).unwrap();
    // From the last to the first, so that the order of the waits is not that of the places.
    for device in (0..devices).rev() {
        assert!(rig.channel.start(rig.now, &target(LOGIN, device), &program, u32::from(device)));
        rig.talk();
    }
    rig
}

/// Ends the barrier.
fn end_waits(rig: &mut Rig, barrier: Barrier) {
    rig.volumes.barrier.set(barrier);
    rig.control_unit.end_waits(rig.now, &mut rig.volumes);
    rig.talk();
}

#[test]
fn no_status_comes_before_the_barrier_and_all_come_after_it_in_order() {
    for protocol in PROTOCOLS {
        let mut rig = begin_writes(protocol, 3);
        end_waits(&mut rig, Barrier::Pending);
        assert!(rig.ends.is_empty() && !rig.volumes.are_all_back());
        end_waits(&mut rig, Barrier::Safe);
        let tags: Vec<_> = rig.ends.iter().map(|end| end.tag).collect();
        assert_eq!(tags, [2, 1, 0], "{protocol:?}");
        assert!(rig.ends.iter().all(|end| is_normal(&end.outcome)), "{:?}", rig.ends);
        rig.run(LONG);
        assert_eq!((rig.ends.len(), rig.control_unit.open()), (3, 0));
        assert!(rig.volumes.are_all_back());
    }
}

#[test]
fn a_barrier_that_fails_ends_every_chain_with_unit_check() {
    for protocol in PROTOCOLS {
        let mut rig = begin_writes(protocol, 2);
        end_waits(&mut rig, Barrier::Failed);
        rig.run(LONG);
        assert_eq!(rig.ends.len(), 2);
        for end in &rig.ends {
            let ChannelOutcome::Ended { device_status, .. } = &end.outcome else { panic!("{end:?}") };
            assert_eq!(device_status & 0x02, 0x02, "{protocol:?}: unit check");
        }
        assert!(rig.volumes.are_all_back());
    }
}

/// The control unit's own timers do not end a chain whose barrier takes long: the missing-interrupt handler is the host's.
#[test]
fn a_slow_barrier_is_waited_for_at_the_control_unit() {
    for protocol in PROTOCOLS {
        let mut rig = begin_writes(protocol, 1);
        for _ in 0..200 {
            rig.now += Span::from_ms(100);
            rig.control_unit.handle_timeout(rig.now, &mut rig.volumes);
        }
        assert_eq!(rig.control_unit.open(), 1, "{protocol:?}");
        end_waits(&mut rig, Barrier::Safe);
        assert!(rig.control_unit.counts().abandoned == 0 && rig.volumes.record(0, track(), 1) == [9; 4096]);
    }
}

/// Withdrawn by the channel, or cut off: the device comes back, the host has one ending at most, and a barrier that ends
/// later adds none.
#[test]
fn what_is_withdrawn_while_it_waits_ends_once() {
    for protocol in PROTOCOLS {
        let mut rig = begin_writes(protocol, 2);
        rig.channel.handle_peer_gone(super::link::CONTROL_UNIT);
        rig.talk();
        rig.control_unit.log_out(CHANNEL, &mut rig.volumes);
        assert!(rig.volumes.are_all_back() && rig.control_unit.open() == 0);
        assert_eq!(rig.control_unit.counts().abandoned, 2);
        end_waits(&mut rig, Barrier::Safe);
        assert_eq!(rig.ends.len(), 2, "{protocol:?}: by the loss of the path alone");
        assert!(rig.ends.iter().all(|end| !is_normal(&end.outcome)));
    }
}

#[test]
fn a_read_brings_its_data_and_waits_with_its_status() {
    for protocol in PROTOCOLS {
        let mut rig = Rig::new(1, 8, Volumes::new(1), LOGIN);
        rig.volumes.barrier.set(Barrier::Pending);
        let program = Program::at(&read(4096, 3), protocol, &at(1), &geometry(), &IuData::None).unwrap();
        assert!(rig.channel.start(rig.now, &target(LOGIN, 0), &program, 1));
        rig.talk();
        assert!(rig.ends.is_empty());
        end_waits(&mut rig, Barrier::Safe);
        let [end] = &rig.ends[..] else { panic!("{:?}", rig.ends) };
        let expected: Vec<u8> = (1..=3).flat_map(|record| content(0, track(), record)).collect();
        assert!(is_normal(&end.outcome) && end.data == expected, "{protocol:?}");
    }
}
