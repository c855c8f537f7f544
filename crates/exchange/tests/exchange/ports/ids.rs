//! Exchange ids of exchanges that were given up rest for R_A_TOV, at both ends.

use halftrack_base::{Span, Time};
use halftrack_exchange::{ChannelPort, Program};
use halftrack_program::{Protocol, RecordAddress};
use halftrack_wire::{FcFrame, IuData};

use crate::common::{LOGIN, read};
use crate::ports::link::{CHANNEL, Rig, target};
use crate::ports::volumes::{Volumes, geometry};
use crate::ports::{PROTOCOLS, is_normal};

/// Places of the ports.
const ROOM: u16 = 128;
/// Exchanges that run while an id rests: more than a port has ids, so that those of exchanges that ended well come again.
const EXCHANGES: u32 = 25_000;

fn program(protocol: Protocol) -> Program {
    let start = RecordAddress { cylinder: 0, head: 0, record: 1 };
    Program::at(&read(4096, 1), protocol, &start, &geometry(), &IuData::None).unwrap()
}

fn ox_id(octets: &[u8]) -> u16 {
    FcFrame::parse(octets).unwrap().header.ox_id
}

/// Runs a program to its end; returns the exchange ids of the channel and of the control unit.
fn run_one(rig: &mut Rig, protocol: Protocol, tag: u32) -> (u16, u16) {
    assert!(rig.channel.start(rig.now, &target(LOGIN, 0), &program(protocol), tag));
    while rig.channel.poll_frame(&mut rig.outbound) {}
    let outbound = ox_id(&rig.outbound.frames[0]);
    for octets in std::mem::take(&mut rig.outbound.frames) {
        rig.control_unit.handle_frame(rig.now, &FcFrame::parse(&octets).unwrap(), &mut rig.volumes).unwrap();
    }
    while rig.control_unit.poll_frame(&mut rig.inbound) {}
    let inbound = ox_id(&rig.inbound.frames[0]);
    rig.talk();
    assert!(rig.ends.iter().all(|end| is_normal(&end.outcome)), "{:?}", rig.ends[0].outcome);
    rig.ends.clear();
    (outbound, inbound)
}

/// Begins a read, so that the control unit has begun its answer; the ids of both.
fn begin_one(rig: &mut Rig, protocol: Protocol) -> (u16, u16) {
    assert!(rig.channel.start(rig.now, &target(LOGIN, 0), &program(protocol), 0));
    while rig.channel.poll_frame(&mut rig.outbound) {}
    let outbound = ox_id(&rig.outbound.frames[0]);
    for octets in std::mem::take(&mut rig.outbound.frames) {
        rig.control_unit.handle_frame(rig.now, &FcFrame::parse(&octets).unwrap(), &mut rig.volumes).unwrap();
    }
    assert!(rig.control_unit.poll_frame(&mut rig.inbound));
    let inbound = ox_id(&rig.inbound.frames[0]);
    (outbound, inbound)
}

#[test]
fn ids_of_a_lost_path_are_not_used_for_ten_seconds_by_either_end() {
    for protocol in PROTOCOLS {
        let mut rig = Rig::new(1, ROOM, Volumes::new(1), LOGIN);
        let lost = begin_one(&mut rig, protocol);
        rig.channel.handle_link_down();
        rig.control_unit.handle_link_down(&mut rig.volumes);
        rig.control_unit.log_in(CHANNEL, LOGIN);
        (rig.outbound, rig.inbound) = Default::default();
        assert!(rig.channel.poll_end().is_some());
        let mut used = Vec::new();
        for tag in 0..EXCHANGES {
            rig.now = Time::ZERO.saturating_add(Span::from_us(u64::from(tag) * 300));
            used.push(run_one(&mut rig, protocol, tag));
        }
        assert!(rig.now < Time::ZERO.saturating_add(Span::from_s(10)));
        assert!(used.iter().all(|ids| ids.0 != lost.0), "{protocol:?}: the channel uses {:#x}", lost.0);
        assert!(used.iter().all(|ids| ids.1 != lost.1), "{protocol:?}: the control unit uses {:#x}", lost.1);
        rig.now = Time::ZERO.saturating_add(Span::from_s(11));
        let later: Vec<_> = (0..EXCHANGES).map(|tag| run_one(&mut rig, protocol, tag)).collect();
        assert!(later.iter().any(|ids| ids.0 == lost.0), "{protocol:?}: the id is lost for ever");
    }
}

#[test]
fn the_id_of_an_exchange_that_was_aborted_rests_though_both_ends_agree_on_it() {
    for protocol in PROTOCOLS {
        let mut rig = Rig::new(1, ROOM, Volumes::new(1), LOGIN);
        let (aborted, _) = begin_one(&mut rig, protocol);
        rig.inbound.frames.clear();
        rig.channel.cancel(0, rig.now);
        while rig.ends.is_empty() {
            rig.talk();
            rig.now = rig.now.saturating_add(Span::from_ms(100));
            rig.channel.handle_timeout(rig.now);
            rig.control_unit.handle_timeout(rig.now, &mut rig.volumes);
        }
        assert!(!is_normal(&rig.ends[0].outcome));
        rig.ends.clear();
        for tag in 0..EXCHANGES {
            assert_ne!(run_one(&mut rig, protocol, tag).0, aborted, "{protocol:?}, exchange {tag}");
        }
    }
}

/// A port all of whose ids rest starts nothing, gives the time at which it will again, and then does.
#[test]
fn a_port_all_of_whose_ids_rest_waits_for_the_first_to_have_rested() {
    let mut channel = ChannelPort::new(4096);
    let program = program(Protocol::Command);
    let mut started = 0;
    let mut now = Time::ZERO;
    while channel.start(now, &target(LOGIN, 0), &program, started) {
        channel.handle_link_down();
        assert!(channel.poll_end().is_some());
        started += 1;
        assert!(started < 1 << 16, "an id came again at once");
        now = Time::ZERO.saturating_add(Span::from_us(u64::from(started)));
    }
    let again = channel.poll_timeout().expect("it says when it has room again");
    assert!(again >= Time::ZERO.saturating_add(Span::from_s(10)), "{again:?}");
    channel.handle_timeout(again);
    assert!(channel.start(again, &target(LOGIN, 0), &program, started));
    assert_eq!(channel.open(), 1);
}
