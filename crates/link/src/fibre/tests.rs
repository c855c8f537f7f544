//! Links between two ends in one thread, their time an argument.

use std::cell::RefCell;
use std::rc::Rc;

use halftrack_wire::FrameControl;

use halftrack_wire::fcip::{SPECIAL_FRAME_BYTES, encapsulate};
use halftrack_wire::{Eof, FcFrame, FcHeader, FrameSink, Sof};

use super::*;
use crate::InProcessTransport;
use crate::clock::HostClock;

type End = Fibre<InProcessTransport>;

const NEAR: WorldWideName = WorldWideName(0xC050_7600_0000_0001);
const FAR: WorldWideName = WorldWideName(0x5005_0763_0000_0030);

fn options(own_name: WorldWideName, receive_credit: u16) -> FibreOptions {
    FibreOptions { own_name, receive_credit, check_crc: true, clock: None }
}

/// Returns a transport whose far end is worked by hand.
fn by_hand() -> (InProcessTransport, InProcessTransport) {
    InProcessTransport::pair().unwrap()
}

fn opening(receive_credit: u16) -> (End, End) {
    let (near, far) = by_hand();
    let near = Fibre::open(near, options(NEAR, receive_credit), 7, Time::ZERO);
    (near, Fibre::accept(far, options(FAR, receive_credit), Time::ZERO))
}

/// Lets the ends talk until both are up.
fn up(receive_credit: u16) -> (End, End) {
    let (mut near, mut far) = opening(receive_credit);
    for _ in 0..2 {
        turn(&mut near, Time::ZERO, false).unwrap();
        turn(&mut far, Time::ZERO, false).unwrap();
    }
    assert!(near.is_up() && far.is_up());
    (near, far)
}

/// Runs one turn and returns the number of frames received.
fn turn(end: &mut End, now: Time, idle: bool) -> Result<usize, Closing> {
    let mut frames = 0;
    while end.receive(now)? {
        while end.next_frame()?.is_some() {
            frames += 1;
        }
    }
    end.handle_timeout(now)?;
    end.flush(now, idle)?;
    Ok(frames)
}

fn send(end: &mut End, payload: &[u8]) {
    assert!(end.can_send());
    let header = FcHeader { f_ctl: FrameControl::END_SEQUENCE, ox_id: 0x12, ..FcHeader::default() };
    end.frame(Sof::Initiate3, &header, &[payload], Eof::Terminate);
}

fn at(ms: u64) -> Time {
    Time::ZERO.saturating_add(Span::from_ms(ms))
}

/// Puts octets on the wire by hand.
fn put(transport: &mut InProcessTransport, octets: &[u8]) {
    let mut out = OutBuffer::new(0);
    out.tail().extend_from_slice(octets);
    transport.send(&mut out).unwrap();
}

#[test]
fn a_link_comes_up_and_carries_frames_in_place() {
    let (mut near, mut far) = up(4);
    assert_eq!((far.peer_name(), near.peer_name()), (Some(NEAR), None));
    send(&mut near, b"hello");
    assert!(!near.can_send(), "one credit before login");
    near.flush(at(1), false).unwrap();
    assert!(far.receive(at(1)).unwrap());
    let incoming = far.next_frame().unwrap().unwrap();
    assert_eq!((incoming.frame.payload, incoming.frame.header.ox_id), (&b"hello"[..], 0x12));
    assert_eq!((incoming.sof, incoming.eof, incoming.octets.len()), (Sof::Initiate3, Eof::Terminate, 36));
    assert!(far.next_frame().unwrap().is_none());
    assert_eq!((far.counters().frames_in, near.counters().frames_out), (1, 1));
}

#[test]
fn credits_come_back_with_what_is_sent_or_when_there_are_many_or_when_idle() {
    let (mut near, mut far) = up(8);
    near.set_credit(8);
    send(&mut near, b"1");
    turn(&mut near, at(1), false).unwrap();
    assert_eq!(turn(&mut far, at(1), false).unwrap(), 1);
    assert_eq!(near.credit.available(), 7);
    turn(&mut near, at(1), false).unwrap();
    assert_eq!(near.credit.available(), 7, "one of eight is not given back on its own");
    turn(&mut far, at(1), true).unwrap();
    turn(&mut near, at(1), false).unwrap();
    assert_eq!(near.credit.available(), 8, "given back when idle");
    for _ in 0..2 {
        send(&mut near, b"2");
    }
    turn(&mut near, at(2), false).unwrap();
    turn(&mut far, at(2), false).unwrap();
    turn(&mut near, at(2), false).unwrap();
    assert_eq!(near.credit.available(), 8, "a quarter is given back at once");
}

#[test]
fn frames_beyond_the_credits_close_the_link() {
    let (mut near, mut far) = up(2);
    near.set_credit(3);
    for _ in 0..3 {
        send(&mut near, b"x");
    }
    near.flush(at(1), false).unwrap();
    assert!(matches!(turn(&mut far, at(1), false), Err(Closing::CreditExceeded { granted: 2 })));
}

#[test]
fn an_end_that_takes_nothing_gets_no_credits_for_ever() {
    let (mut near, mut far) = up(2);
    // The near end sends and never receives: soon no batch finds room, and the far end's output stays bounded.
    let mut closing = None;
    for turn_number in 0..100_000 {
        near.credit.reset();
        send(&mut near, b"x");
        near.flush(at(1), false).unwrap();
        if let Err(why) = turn(&mut far, at(1), false) {
            closing = Some((turn_number, why));
            break;
        }
        assert!(far.output.len() <= OUT_BYTES + SPECIAL_FRAME_BYTES);
    }
    assert!(matches!(closing, Some((_, Closing::CreditExceeded { granted: 2 }))), "{closing:?}");
}

#[test]
fn credits_that_do_not_come_back_reset_the_link() {
    let (mut near, mut far) = up(4);
    send(&mut near, b"x");
    turn(&mut near, at(10), false).unwrap();
    assert_eq!(near.poll_timeout(), at(2000));
    turn(&mut near, at(1999), false).unwrap();
    assert!(matches!(turn(&mut near, at(2010), false), Err(Closing::CreditLost { after_ms: 2000 })));
    turn(&mut far, at(2010), true).unwrap();
}

#[test]
fn an_idle_link_is_kept_alive_and_a_silent_one_closed() {
    let (mut near, mut far) = up(4);
    for second in 1..60 {
        turn(&mut near, at(second * 1000), true).unwrap();
        turn(&mut far, at(second * 1000), true).unwrap();
    }
    let last = (60..100).map(|second| turn(&mut near, at(second * 1000), true)).find(Result::is_err);
    assert!(matches!(last, Some(Err(Closing::Silent { after_ms: 10_000 }))));
}

/// A process that was stopped finds old frames in its sockets before it checks its timers.
#[test]
fn what_waited_longer_than_a_frame_may_is_not_looked_at() {
    let (mut near, mut far) = up(4);
    turn(&mut near, at(1000), true).unwrap();
    turn(&mut far, at(1000), true).unwrap();
    send(&mut near, b"old");
    near.flush(at(1001), true).unwrap();
    assert!(matches!(far.receive(at(12_000)), Err(Closing::Silent { after_ms: 10_000 })));
}

#[test]
fn an_end_that_does_not_begin_is_given_up() {
    let (mut near, mut far) = opening(4);
    assert_eq!(near.poll_timeout(), at(5000));
    assert!(matches!(near.handle_timeout(at(5000)), Err(Closing::HalfOpen { after_ms: 5000 })));
    assert!(matches!(far.handle_timeout(at(5000)), Err(Closing::HalfOpen { .. })));
    assert!(far.handle_timeout(at(4999)).is_ok());
}

#[test]
fn strangers_are_turned_away_at_their_first_octets() {
    let (mut hand, far) = by_hand();
    let mut far = Fibre::accept(far, options(FAR, 4), Time::ZERO);
    put(&mut hand, b"GET / HTTP/1.1\r\n");
    let closing = turn(&mut far, at(1), false).unwrap_err();
    assert!(matches!(closing, Closing::Fcip(_)), "{closing}");
    drop(hand);
    let (mut hand, far) = by_hand();
    let mut far = Fibre::accept(far, options(FAR, 4), Time::ZERO);
    let mut octets = Vec::new();
    let (sof, eof, header) = (Sof::Initiate3, Eof::Terminate, FcHeader::default());
    encapsulate(&mut octets, TimeStamp::default(), sof, &header, &[b"early"], eof).unwrap();
    put(&mut hand, &octets);
    assert!(matches!(turn(&mut far, at(1), false), Err(Closing::NotBegun)));
}

#[test]
fn a_connection_for_somebody_else_is_closed() {
    let (mut hand, far) = by_hand();
    let mut far = Fibre::accept(far, options(FAR, 4), Time::ZERO);
    let first = SpecialFrame { destination_name: NEAR, ..SpecialFrame::first(NEAR, 1) };
    let mut octets = Vec::new();
    first.emit(TimeStamp::default(), &mut octets);
    put(&mut hand, &octets);
    assert!(matches!(
        turn(&mut far, at(1), false),
        Err(Closing::OtherDestination { wanted: NEAR, own: FAR })
    ));
}

#[test]
fn a_damaged_frame_is_discarded_and_its_credit_is_not_lost() {
    let (mut hand, far) = by_hand();
    let mut far = Fibre::accept(far, options(FAR, 4), Time::ZERO);
    let mut octets = Vec::new();
    SpecialFrame::first(NEAR, 1).emit(TimeStamp::default(), &mut octets);
    for payload in [b"good", b"evil", b"more"] {
        let (sof, eof, header) = (Sof::Initiate3, Eof::Terminate, FcHeader::default());
        encapsulate(&mut octets, TimeStamp::default(), sof, &header, &[payload], eof).unwrap();
    }
    let evil = octets.windows(4).position(|octets| octets == b"evil").unwrap();
    octets[evil] ^= 0x20;
    put(&mut hand, &octets);
    assert_eq!(turn(&mut far, at(1), false).unwrap(), 2);
    assert_eq!((far.counters().damaged, far.counters().frames_in, far.freed), (1, 3, 0));
}

#[derive(Clone, Default)]
struct RecordingTap(Rc<RefCell<Vec<(FrameDirection, u64, usize)>>>);

impl FrameTap for RecordingTap {
    fn frame(&mut self, way: FrameDirection, at: Time, _: Sof, frame: &[u8], _: Eof) {
        assert!(FcFrame::parse(frame).is_ok());
        self.0.borrow_mut().push((way, at.as_ps() / 1_000_000_000, frame.len()));
    }
}

#[test]
fn a_tap_sees_the_frames_of_both_ways() {
    let (mut near, mut far) = up(4);
    let seen = RecordingTap::default();
    near.set_tap(Box::new(seen.clone()));
    send(&mut near, b"1234");
    turn(&mut near, at(3), false).unwrap();
    turn(&mut far, at(3), false).unwrap();
    send(&mut far, b"12345678");
    turn(&mut far, at(4), false).unwrap();
    turn(&mut near, at(5), false).unwrap();
    assert_eq!(*seen.0.borrow(), [(FrameDirection::Out, 0, 32), (FrameDirection::In, 5, 36)]);
}

#[test]
fn a_buffer_that_is_held_is_given_back_when_it_is_released() {
    let (mut near, mut far) = up(2);
    near.set_credit(2);
    for payload in [b"1", b"2"] {
        send(&mut near, payload);
        near.flush(at(1), false).unwrap();
        assert!(far.receive(at(1)).unwrap());
        assert!(far.next_frame().unwrap().is_some());
        far.hold();
    }
    turn(&mut far, at(2), true).unwrap();
    turn(&mut near, at(2), true).unwrap();
    assert_eq!(near.available_credit(), 0, "both are held");
    near.set_credit(3);
    send(&mut near, b"3");
    near.flush(at(2), false).unwrap();
    far.receive(at(2)).unwrap();
    assert!(matches!(far.next_frame(), Err(Closing::CreditExceeded { granted: 2 })));
    far.release();
    turn(&mut far, at(3), true).unwrap();
    turn(&mut near, at(3), true).unwrap();
    assert_eq!(near.available_credit(), 1);
    far.release();
    far.release();
    far.flush(at(4), true).unwrap();
    turn(&mut near, at(4), true).unwrap();
    assert_eq!(near.available_credit(), 2, "two were held, and one of three is on its way");
}

/// Returns a link between ends with one clock; the far process began this many seconds earlier.
fn up_with_clock(near_id: u64, far_id: u64, earlier_s: u64) -> (End, End) {
    let clock = |id, start_ns| Some(HostClock { id, start_ns });
    let near_clock = clock(near_id, 1_000_000_000 * earlier_s);
    let far_clock = clock(far_id, 0);
    let (near, far) = by_hand();
    let now = Time::ZERO;
    let mut near = Fibre::open(near, FibreOptions { clock: near_clock, ..options(NEAR, 8) }, 7, now);
    let mut far =
        Fibre::accept(far, FibreOptions { clock: far_clock, ..options(FAR, 8) }, at(1000 * earlier_s));
    for _ in 0..2 {
        turn(&mut near, now, false).unwrap();
        turn(&mut far, at(1000 * earlier_s), false).unwrap();
    }
    near.set_credit(8);
    far.set_credit(8);
    (near, far)
}

#[test]
fn a_frame_that_was_on_its_way_for_longer_than_it_may_live_is_dropped_and_counted() {
    let (mut near, mut far) = up_with_clock(5, 5, 100);
    assert!(near.has_common_clock() && far.has_common_clock());
    for (sent, came, frames) in [(1000, 5000, 1), (6000, 10_001, 0), (12_000, 12_000, 1)] {
        assert!(!near.receive(at(sent)).unwrap() || near.next_frame().unwrap().is_none());
        send(&mut near, b"write");
        near.flush(at(sent), false).unwrap();
        assert_eq!(turn(&mut far, at(100_000 + came), true).unwrap(), frames, "sent at {sent}");
    }
    assert_eq!(
        (far.counters().too_old, far.counters().frames_in, far.freed),
        (1, 3, 0),
        "its buffer is free"
    );
}

#[test]
fn the_age_counts_from_the_first_sender_across_a_switch() {
    let (mut channel, mut switch_in) = up_with_clock(5, 5, 0);
    let (mut switch_out, mut box_port) = up_with_clock(5, 5, 0);
    let mut came = Vec::new();
    for (sent, passed, received) in [(0, 1900, 3900), (4000, 6500, 8500), (9000, 11_500, 12_900)] {
        turn(&mut channel, at(sent), true).unwrap();
        send(&mut channel, b"write");
        channel.flush(at(sent), false).unwrap();
        while switch_in.receive(at(passed)).unwrap() {}
        turn(&mut switch_out, at(passed), true).unwrap();
        let incoming = switch_in.next_frame().unwrap().expect("it is young enough for the switch");
        switch_out.forward(incoming.sof, incoming.octets, incoming.eof, incoming.stamp);
        switch_out.flush(at(passed), false).unwrap();
        switch_in.flush(at(passed), true).unwrap();
        came.push(turn(&mut box_port, at(received), true).unwrap());
    }
    assert_eq!((came, box_port.counters().too_old), (vec![1, 0, 1], 1), "4.5 s, though 2 s on each link");
}

#[test]
fn without_a_common_clock_the_age_is_not_checked_and_not_made_up() {
    for (near_id, far_id) in [(5, 6), (5, 0), (0, 6), (0, 0)] {
        let (mut near, mut far) = up_with_clock(near_id, far_id, 0);
        assert!(!near.has_common_clock() && !far.has_common_clock(), "{near_id} {far_id}");
        send(&mut near, b"write");
        near.flush(at(0), false).unwrap();
        assert!(far.receive(at(9000)).unwrap());
        assert_eq!(far.next_frame().unwrap().unwrap().stamp, TimeStamp::default());
    }
}

#[test]
fn what_came_before_the_other_end_gave_the_link_up_does_not_count_after_a_stall() {
    for (is_in_use, stall_ms, counts) in
        [(true, 99, true), (true, 100, false), (true, 3000, false), (false, 3000, true)]
    {
        let (mut near, mut far) = up(4);
        if is_in_use {
            far.set_credit(4);
        }
        send(&mut near, b"late write");
        near.flush(at(1), false).unwrap();
        drop(near);
        match far.receive(at(stall_ms)) {
            Ok(came) => assert!(counts && came, "{stall_ms}"),
            Err(why) => assert!(!counts && matches!(why, Closing::ByOtherEnd), "{stall_ms}"),
        }
    }
}

#[test]
fn what_comes_after_a_silence_of_r_a_tov_does_not_count() {
    let (mut near, mut far) = up(4);
    send(&mut near, b"late write");
    near.flush(at(1), false).unwrap();
    assert!(matches!(far.receive(at(10_000)), Err(Closing::Silent { after_ms: 10_000 })));
}
