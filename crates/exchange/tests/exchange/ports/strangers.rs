//! Frames that nobody expects: they are discarded for a reason, or end as an exchange does, and fill nothing up.

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_exchange::{BusyKind, Cause, ChannelOutcome, Discard, Program};
use halftrack_program::{Geometry, Protocol, RecordAddress};
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::{FC_HEADER_BYTES, FcHeader, fc_type, routing};
use halftrack_wire::{
    Address, Body, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, FcFrame, Iu, IuData,
};

use crate::common::{LOGIN, read};
use crate::ports::link::{CHANNEL, CONTROL_UNIT, Rig, target};
use crate::ports::volumes::{Volumes, geometry};
use crate::ports::{PROTOCOLS, is_normal};

fn program(protocol: Protocol) -> Program {
    let start = RecordAddress { cylinder: 0, head: 0, record: 1 };
    Program::at(&read(4096, 1), protocol, &start, &geometry(), &IuData::None).unwrap()
}

#[test]
fn any_octets_leave_nothing_behind() {
    let mut random = RandomStream::new(3, "strangers");
    let mut rig = Rig::new(3, 4, Volumes::new(1), LOGIN);
    let mut octets = vec![0_u8; 300];
    for round in 0..20_000 {
        octets.iter_mut().for_each(|octet| *octet = random.below(256) as u8);
        let length = random.below(276) as usize;
        let mut header = FcHeader::parse(&octets[..FC_HEADER_BYTES]).unwrap();
        header.fc_type = [0x00, 0x08, 0x1B, 0x1C, 0x20][random.below(5) as usize];
        header.r_ctl = [0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x81, 0x84][random.below(8) as usize];
        header.seq_cnt = random.below(2) as u16;
        header.s_id = [CHANNEL, CONTROL_UNIT, 5][random.below(3) as usize];
        header.ox_id = random.below(32) as u16;
        let frame = FcFrame { header, optional: &[], payload: &octets[24..24 + length] };
        let _ = rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes);
        let _ = rig.channel.handle_frame(rig.now, &frame);
        if round % 100 == 0 {
            let protocol = PROTOCOLS[random.below(2) as usize];
            let _ = rig.channel.start(rig.now, &target(LOGIN, 0), &program(protocol), round);
            rig.talk();
        }
        assert!(rig.control_unit.open() <= 4 + 1 + 8 && rig.channel.open() <= 4);
    }
    rig.run(Span::from_s(60));
    assert_eq!((rig.channel.open(), rig.control_unit.open()), (0, 0));
    assert!(rig.volumes.are_all_back());
    rig.ends.clear();
    assert!(rig.channel.start(rig.now, &target(LOGIN, 0), &program(Protocol::Transport), 1));
    rig.run(Span::from_s(1));
    assert!(is_normal(&rig.ends[0].outcome), "{:?}", rig.ends[0].outcome);
}

/// Returns the first frame of the channel to `rig.control_unit`, changed.
fn first_frame(rig: &mut Rig, protocol: Protocol) -> Vec<u8> {
    assert!(rig.channel.start(rig.now, &target(LOGIN, 0), &program(protocol), 1));
    assert!(rig.channel.poll_frame(&mut rig.outbound));
    rig.outbound.frames.pop_front().unwrap()
}

#[test]
fn the_reason_is_told() {
    let mut rig = Rig::new(1, 4, Volumes::new(1), LOGIN);
    let octets = first_frame(&mut rig, Protocol::Transport);
    let frame = FcFrame::parse(&octets).unwrap();
    let mut give = |change: fn(&mut FcHeader)| {
        let mut header = frame.header;
        change(&mut header);
        let frame = FcFrame { header, ..frame };
        rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes)
    };
    assert_eq!(give(|header| header.s_id = 9), Err(Discard::NotLoggedIn { s_id: 9 }));
    assert_eq!(give(|header| header.fc_type = 0x20), Err(Discard::Kind { fc_type: 0x20, r_ctl: 6 }));
    assert_eq!(give(|header| header.seq_cnt = 1), Err(Discard::NoExchange));
    assert_eq!(give(|header| header.r_ctl = 1), Err(Discard::NoExchange));
    assert_eq!(give(|_| {}), Ok(()));
    let to_channel = |rig: &mut Rig, change: fn(&mut FcHeader)| {
        let mut header = FcHeader { s_id: CONTROL_UNIT, r_ctl: 7, ..frame.header };
        change(&mut header);
        rig.channel.handle_frame(rig.now, &FcFrame { header, optional: &[], payload: &[] })
    };
    assert_eq!(to_channel(&mut rig, |header| header.ox_id ^= 0x4000), Err(Discard::OldExchange));
    assert_eq!(to_channel(&mut rig, |header| header.s_id = 9), Err(Discard::Stranger { s_id: 9 }));
    let sb = to_channel(&mut rig, |header| header.fc_type = fc_type::SB_CONTROL_UNIT);
    assert!(matches!(sb, Err(Discard::Opening(_))), "{sb:?}");
}

#[test]
fn an_exchange_id_used_again_ends_what_the_control_unit_still_has() {
    let mut rig = Rig::new(1, 1, Volumes::new(1), LOGIN);
    let octets = first_frame(&mut rig, Protocol::Command);
    let frame = FcFrame::parse(&octets).unwrap();
    rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes).unwrap();
    rig.channel.handle_link_down();
    rig.outbound.frames.clear();
    let mut next = octets.clone();
    // Another token, whose change the LRC follows, as both are words of the same place.
    next[24 + 13] ^= 1;
    next[24 + 29] ^= 1;
    let frame = FcFrame::parse_without_crc_check(&next).unwrap();
    rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes).unwrap();
    assert_eq!((rig.control_unit.open(), rig.control_unit.counts().abandoned), (1, 1));
    assert_eq!(rig.volumes.opened, 2);
}

#[test]
fn what_is_beyond_the_limit_is_answered_busy() {
    for protocol in PROTOCOLS {
        let mut rig = Rig::new(1, 8, Volumes::new(2), LOGIN);
        rig.control_unit = halftrack_exchange::ControlUnitPort::new(1);
        rig.control_unit.log_in(CHANNEL, LOGIN);
        for (tag, device) in [(0, 0), (1, 1)] {
            assert!(rig.channel.start(rig.now, &target(LOGIN, device), &program(protocol), tag));
        }
        // Both commands are there before the control unit answers one.
        while rig.channel.poll_frame(&mut rig.outbound) {}
        rig.run(Span::from_s(1));
        let outcomes: Vec<_> = rig.ends.iter().map(|end| (end.tag, end.outcome)).collect();
        let busy = ChannelOutcome::Busy(BusyKind::ControlUnit);
        assert!(outcomes.contains(&(1, busy)), "{outcomes:?}");
        assert_eq!((rig.control_unit.counts().refused, rig.control_unit.open()), (1, 0));
    }
}

/// A channel has no more room for data than its part of the port, however many operations the port takes: what is
/// beyond it is answered busy, and what was done makes room again.
#[test]
fn operations_beyond_the_room_for_their_data_are_answered_busy() {
    let start = RecordAddress { cylinder: 0, head: 0, record: 1 };
    let tracks = Geometry::with_cylinders(20).unwrap();
    let long = Program::at(&read(56_664, 255), Protocol::Transport, &start, &tracks, &IuData::None).unwrap();
    let mut rig = Rig::new(1, 64, Volumes::new(10), LOGIN);
    for round in 0..2 {
        for device in 0..10 {
            assert!(rig.channel.start(rig.now, &target(LOGIN, device), &long, device.into()));
        }
        // All commands are there before the control unit answers one: nine times 14 MB fit into 128 MiB.
        while rig.channel.poll_frame(&mut rig.outbound) {}
        for octets in std::mem::take(&mut rig.outbound.frames) {
            let frame = FcFrame::parse(&octets).unwrap();
            rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes).unwrap();
        }
        rig.run(Span::from_s(1));
        let busy = ChannelOutcome::Busy(BusyKind::ControlUnit);
        let is_busy: Vec<_> = rig.ends.iter().filter(|end| end.outcome == busy).map(|end| end.tag).collect();
        assert_eq!((is_busy, rig.ends.len()), (vec![9], 10), "round {round}");
        rig.ends.clear();
    }
    assert!(rig.volumes.are_all_back() && rig.control_unit.open() == 0);
}

#[test]
fn a_device_that_is_not_there_is_an_address_exception() {
    for protocol in PROTOCOLS {
        let mut rig = Rig::new(1, 8, Volumes::new(1), LOGIN);
        assert!(rig.channel.start(rig.now, &target(LOGIN, 9), &program(protocol), 4));
        rig.run(Span::from_s(1));
        let exception = ChannelOutcome::InterfaceControlCheck(Cause::AddressException);
        assert_eq!(rig.ends.iter().map(|end| end.outcome).collect::<Vec<_>>(), [exception]);
        assert_eq!((rig.channel.open(), rig.control_unit.open()), (0, 0));
    }
}

/// A command whose LRC is wrong is not believed, not even its device address: the control unit aborts the exchange, and the
/// channel ends its program without waiting for a time-out.
#[test]
fn a_bad_lrc_in_a_first_iu_is_answered_by_abts() {
    let mut rig = Rig::new(1, 4, Volumes::new(1), LOGIN);
    let mut octets = first_frame(&mut rig, Protocol::Command);
    octets[FC_HEADER_BYTES + 9] ^= 0x40;
    let frame = FcFrame::parse_without_crc_check(&octets).unwrap();
    let discard = rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes);
    assert!(matches!(discard, Err(Discard::Opening(_))), "{discard:?}");
    while rig.control_unit.poll_frame(&mut rig.inbound) {}
    let sent: Vec<_> =
        rig.inbound.frames.iter().map(|octets| FcFrame::parse(octets).unwrap().header).collect();
    let [abort] = sent[..] else { panic!("{sent:?}") };
    assert_eq!((abort.r_ctl, abort.ox_id), (routing::ABTS, frame.header.ox_id));
    rig.talk();
    let outcomes: Vec<_> = rig.ends.iter().map(|end| end.outcome).collect();
    assert_eq!(outcomes, [ChannelOutcome::InterfaceControlCheck(Cause::Aborted)]);
    assert!(rig.ends[0].is_settled && rig.volumes.opened == 0);
    assert_eq!((rig.channel.open(), rig.control_unit.open(), rig.now), (0, 0, Time::ZERO));
}

/// ABTS of a command-mode exchange is accepted under its own id. The control unit gives the device back, and its response
/// to the purge path that follows reports code 12, whatever code the channel gives.
#[test]
fn abts_in_command_mode_is_accepted_and_reported_by_the_purge_response() {
    let mut rig = Rig::new(1, 4, Volumes::new(1), LOGIN);
    let octets = first_frame(&mut rig, Protocol::Command);
    let frame = FcFrame::parse(&octets).unwrap();
    rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes).unwrap();
    let header = FcHeader { r_ctl: routing::ABTS, fc_type: 0, seq_id: 9, ..frame.header };
    let abort = FcFrame { header, optional: &[], payload: &[] };
    rig.control_unit.handle_frame(rig.now, &abort, &mut rig.volumes).unwrap();
    assert!(rig.volumes.are_all_back(), "the device is free");
    while rig.control_unit.poll_frame(&mut rig.inbound) {}
    let accept = FcFrame::parse(rig.inbound.frames.back().unwrap()).unwrap();
    let ids = [frame.header.ox_id.to_be_bytes(), [0xFF; 2]].concat();
    assert_eq!((accept.header.r_ctl, accept.header.ox_id), (routing::BA_ACC, frame.header.ox_id));
    assert_eq!(accept.payload[4..8], ids);
    rig.inbound.frames.clear();
    let purge = purge_path(of(&frame), 1);
    let header = FcHeader { seq_id: 10, ..frame.header };
    rig.control_unit
        .handle_frame(rig.now, &FcFrame { header, optional: &[], payload: &purge }, &mut rig.volumes)
        .unwrap();
    while rig.control_unit.poll_frame(&mut rig.inbound) {}
    let response = FcFrame::parse(rig.inbound.frames.back().unwrap()).unwrap();
    assert_eq!(response.payload[76], 12, "the code of the response");
    assert_eq!(rig.control_unit.open(), 0);
}

/// A channel that requests status where none is owed gets status 0, and no device is used for it.
#[test]
fn a_request_for_status_is_answered_by_status_zero_when_none_is_owed() {
    let mut rig = Rig::new(1, 4, Volumes::new(1), LOGIN);
    let octets = first_frame(&mut rig, Protocol::Command);
    let frame = FcFrame::parse(&octets).unwrap();
    let dib = Dib::Control(ControlDib::plain(ControlFunction::RequestStatus));
    let request = control_iu(of(&frame), dib, 1);
    let request = FcFrame { header: frame.header, optional: &[], payload: &request };
    rig.control_unit.handle_frame(rig.now, &request, &mut rig.volumes).unwrap();
    while rig.control_unit.poll_frame(&mut rig.inbound) {}
    let answer = FcFrame::parse(rig.inbound.frames.back().unwrap()).unwrap();
    let status = Iu::parse_command_mode(answer.payload).unwrap();
    let Body::CommandMode(CommandMode { dib: Dib::Status(status), .. }) = status.body else {
        panic!("{status:?}")
    };
    assert_eq!((status.device_status, rig.volumes.opened), (0, 0));
}

/// Returns the address in the command of a frame.
fn of(frame: &FcFrame<'_>) -> Address {
    CommandIuView::new(frame.payload).unwrap().address()
}

/// Returns the octets of a purge path with this error code.
fn purge_path(address: Address, code: u8) -> Vec<u8> {
    control_iu(address, Dib::Control(ControlDib::purge_path(code)), 2)
}

/// Returns the octets of a control IU with this count.
fn control_iu(address: Address, dib: Dib, iu_count: u8) -> Vec<u8> {
    let fields = CommandMode { flags: DataFlags::default(), ccw: 1, iu_count, dib };
    Iu { address, body: Body::CommandMode(fields), data: IuData::None }.emit().unwrap()
}
