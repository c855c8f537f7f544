//! Requester: packets of work, the window, acknowledgements, and packets that are sent again.

use std::num::NonZeroU16;

use halftrack_base::{Span, Time};
use halftrack_roce::packet::{
    Aeth, Immediate, Mtu, NakCode, Opcode, Operation, Packet, Psn, Reth, RnrTimer, Syndrome,
};
use halftrack_roce::queue_pair::{
    Completion, Failure, LocalSpan, Outcome, PostError, Remote, WRITE_BYTES_MAX, Work, WorkId,
};

use crate::ends::{BASE, End, RKEY, ends, post, send, settle, shown, write};

const NOW: Time = Time::ZERO;

fn count(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("not zero")
}

/// Hands the first end an acknowledgement of a packet, counted from its first.
fn acknowledge(end: &mut End, now: Time, packet: i64, syndrome: Syndrome) {
    let settings = *end.pair.settings();
    let mut heading = halftrack_roce::packet::Heading::new(settings.number, settings.send_psn);
    heading.psn = Psn::new(settings.send_psn.get().wrapping_add(packet as u32));
    let operation = Operation::Acknowledge(Aeth { syndrome, messages: 0 });
    end.pair.receive(now, &Packet { heading, operation, payload: &[] }, &mut end.memory);
}

/// Returns numbers of packets from the first, of all that are due.
fn sent(end: &mut End, now: Time) -> Vec<u32> {
    let first = end.pair.settings().send_psn;
    let numbers = end.transmit(now).into_iter().map(|packet| {
        let bytes = [0, packet[9], packet[10], packet[11]];
        Psn::new(u32::from_be_bytes(bytes)).since(first)
    });
    numbers.collect()
}

fn done(ids: std::ops::Range<u64>) -> Vec<Completion> {
    ids.map(|id| Completion { id: WorkId(id), outcome: Outcome::Done }).collect()
}

#[test]
fn work_is_cut_into_packets_of_the_mtu() {
    let [mut a, b] = ends(false, |settings| settings.mtu = Mtu::Octets256);
    let immediate = Some(Immediate(9));
    let with_immediate = |work: Work| match work {
        Work::Write { from, to, .. } => Work::Write { from, to, immediate },
        Work::Send { message, .. } => Work::Send { message, immediate },
    };
    let works = [
        write(10, 700),
        write(0, 0),
        write(5, 256),
        with_immediate(write(1, 257)),
        with_immediate(send(b"abc")),
    ];
    post(&mut a, &works);
    let packets = a.transmit(NOW);
    let reth = |offset: u64, length_bytes| Reth { address: BASE + offset, rkey: RKEY, length_bytes };
    let expected = [
        (Operation::WriteFirst(reth(10, 700)), 0xFF_FFF0, false),
        (Operation::WriteMiddle, 0xFF_FFF1, false),
        (Operation::WriteLast(None), 0xFF_FFF2, false),
        (Operation::WriteOnly(reth(0, 0), None), 0xFF_FFF3, false),
        (Operation::WriteOnly(reth(5, 256), None), 0xFF_FFF4, false),
        (Operation::WriteFirst(reth(1, 257)), 0xFF_FFF5, false),
        (Operation::WriteLast(immediate), 0xFF_FFF6, false),
        (Operation::SendOnly(immediate), 0xFF_FFF7, true),
    ];
    assert_eq!(shown(&b, &packets), expected);
    assert_eq!(b.read(&packets[2]).payload, &a.source[522..710]);
    assert_eq!(b.read(&packets[6]).payload, &a.source[257..258]);
    assert_eq!(b.read(&packets[7]).payload, b"abc");
}

#[test]
fn acknowledgements_are_cumulative_and_windows_and_numbers_wrap() {
    let mut both = ends(false, |settings| {
        settings.window_packets = count(5);
        settings.acknowledge_packets = count(3);
    });
    post(&mut both[0], &[write(0, 30 * 1024)]);
    let [a, b] = &mut both;
    let packets = a.transmit(NOW);
    let requested: Vec<bool> = shown(b, &packets).iter().map(|packet| packet.2).collect();
    assert_eq!(requested, [false, false, true, false, true], "each third, and the last of the window");
    packets.iter().for_each(|packet| b.receive(NOW, packet).expect("a packet"));
    let answers = b.transmit(NOW);
    let ack = Operation::Acknowledge(Aeth { syndrome: Syndrome::ACK, messages: 0 });
    assert_eq!(shown(a, &answers), [(ack, 0xFF_FFF4, false)], "one for five packets");
    a.receive(NOW, &answers[0]).expect("a packet");
    settle(&mut both, NOW);
    assert_eq!(both[0].completions(), done(0..1));
    let [a, b] = &both;
    assert_eq!(b.memory.octets[..30 * 1024], a.source[..30 * 1024]);
    assert_eq!((a.pair.counts().repeated, a.pair.poll_timeout()), (0, None));
}

#[test]
fn a_missing_packet_is_sent_again_with_all_behind_it() {
    let [mut a, _] = ends(false, |_| {});
    post(&mut a, &[write(0, 3000), send(b"x"), write(3000, 3000)]);
    assert_eq!(sent(&mut a, NOW), [0, 1, 2, 3, 4, 5, 6]);
    acknowledge(&mut a, NOW, 4, Syndrome::Nak(NakCode::SequenceError));
    assert_eq!(a.completions(), done(0..2));
    // The answer came twice.
    acknowledge(&mut a, NOW, 4, Syndrome::Nak(NakCode::SequenceError));
    assert_eq!(sent(&mut a, NOW), [4, 5, 6]);
    assert_eq!((a.pair.counts().requests, a.pair.counts().repeated), (10, 3));
    // A late answer to what was sent before the repetition counts as well.
    assert_eq!(sent(&mut a, NOW + Span::from_us(499)), [0; 0]);
    acknowledge(&mut a, NOW, 6, Syndrome::ACK);
    assert_eq!(a.completions(), [Completion { id: WorkId(2), outcome: Outcome::Done }]);
    assert_eq!(a.pair.poll_timeout(), None);
}

#[test]
fn an_acknowledgement_during_the_repetition_skips_packets() {
    let [mut a, _] = ends(false, |_| {});
    post(&mut a, &[write(0, 5000), send(b"x"), send(b"y")]);
    assert_eq!(sent(&mut a, NOW).len(), 7);
    acknowledge(&mut a, NOW, 1, Syndrome::Nak(NakCode::SequenceError));
    assert!(a.transmit_one(NOW).is_some());
    acknowledge(&mut a, NOW, 5, Syndrome::ACK);
    assert_eq!(sent(&mut a, NOW), [6]);
    assert_eq!(a.completions(), done(0..2));
}

#[test]
fn acknowledgements_of_what_was_not_sent_or_is_acknowledged_have_no_effect() {
    let [mut a, _] = ends(false, |_| {});
    post(&mut a, &[send(b"x"), send(b"y"), send(b"z")]);
    (0..2).for_each(|_| assert!(a.transmit_one(NOW).is_some()));
    acknowledge(&mut a, NOW, 0, Syndrome::ACK);
    let refusals = [
        Syndrome::ACK,
        Syndrome::Nak(NakCode::RemoteAccessError),
        Syndrome::ReceiverNotReady(RnrTimer::new(1)),
    ];
    for (packet, syndrome) in [-1, 0, 2, 3, 1 << 23].into_iter().flat_map(|at| refusals.map(|one| (at, one)))
    {
        acknowledge(&mut a, NOW, packet, syndrome);
    }
    assert_eq!(a.completions(), done(0..1));
    assert_eq!((a.pair.failure(), sent(&mut a, NOW)), (None, vec![2]));
}

#[test]
fn time_without_an_acknowledgement_ends_after_all_retries() {
    let [mut a, _] = ends(false, |settings| settings.retries = 2);
    post(&mut a, &[send(b"x"), write(0, 2000), send(b"y")]);
    let mut now = NOW;
    for _ in 0..3 {
        assert_eq!(sent(&mut a, now), [0, 1, 2, 3]);
        let due = a.pair.poll_timeout().expect("packets are on their way");
        assert_eq!(due, now + Span::from_us(500));
        a.pair.handle_timeout(due - Span::from_ps(1));
        assert_eq!(sent(&mut a, due - Span::from_ps(1)), [0; 0]);
        now = due;
        a.pair.handle_timeout(now);
    }
    let failure = Failure::NoAcknowledgement(3);
    assert_eq!((a.pair.failure(), a.pair.counts().timeouts), (Some(failure), 3));
    let outcomes = [Outcome::Failed(failure), Outcome::Flushed, Outcome::Flushed];
    let expected: Vec<_> =
        (0..).zip(outcomes).map(|(id, outcome)| Completion { id: WorkId(id), outcome }).collect();
    assert_eq!(a.completions(), expected);
    assert_eq!((a.pair.poll_timeout(), sent(&mut a, now)), (None, vec![]));
    assert_eq!(a.pair.post(WorkId(9), send(b"z")), Err(PostError::Failed(failure)));
    assert_eq!(a.pair.post_receives(1), 0);
}

#[test]
fn progress_gives_all_retries_anew() {
    let [mut a, _] = ends(false, |settings| settings.retries = 1);
    post(&mut a, &[write(0, 8 * 1024)]);
    let mut now = NOW;
    assert_eq!(sent(&mut a, now).len(), 8);
    for packet in 0..8 {
        now = a.pair.poll_timeout().expect("packets are on their way");
        a.pair.handle_timeout(now);
        assert_eq!(sent(&mut a, now).len(), 8 - packet as usize);
        acknowledge(&mut a, now, packet, Syndrome::ACK);
    }
    assert_eq!((a.pair.failure(), a.completions()), (None, done(0..1)));
}

#[test]
fn a_peer_without_a_receive_is_waited_for() {
    let [mut a, _] = ends(false, |settings| settings.rnr_retries = Some(1));
    post(&mut a, &[write(0, 10), send(b"x"), send(b"y")]);
    assert_eq!(sent(&mut a, NOW), [0, 1, 2]);
    let not_ready = Syndrome::ReceiverNotReady(RnrTimer::new(4));
    acknowledge(&mut a, NOW, 1, not_ready);
    acknowledge(&mut a, NOW, 1, not_ready);
    let due = NOW + Span::from_us(40);
    assert_eq!((a.completions(), a.pair.poll_timeout()), (done(0..1), Some(due)));
    assert_eq!(sent(&mut a, due - Span::from_ps(1)), [0; 0]);
    a.pair.handle_timeout(due);
    assert_eq!(sent(&mut a, due), [1, 2]);
    acknowledge(&mut a, due, 1, not_ready);
    let failure = Failure::ReceiverNotReady(2);
    assert_eq!(a.pair.failure(), Some(failure));
    assert_eq!(a.completions()[0], Completion { id: WorkId(1), outcome: Outcome::Failed(failure) });
}

#[test]
fn without_a_limit_a_receive_is_waited_for_again_and_again() {
    let [mut a, _] = ends(false, |settings| settings.rnr_retries = None);
    post(&mut a, &[send(b"x")]);
    let mut now = NOW;
    for _ in 0..1000 {
        assert_eq!(sent(&mut a, now), [0]);
        acknowledge(&mut a, now, 0, Syndrome::ReceiverNotReady(RnrTimer::new(1)));
        now += Span::from_us(10);
    }
    assert_eq!((a.pair.failure(), a.pair.counts().rnr_naks), (None, 1000));
}

#[test]
fn a_refusal_of_the_peer_fails_the_oldest_work() {
    let cases = [
        (NakCode::InvalidRequest, Failure::PeerRefusedRequest),
        (NakCode::RemoteAccessError, Failure::PeerRefusedAccess),
        (NakCode::RemoteOperationalError, Failure::PeerFailed),
    ];
    for (code, failure) in cases {
        let [mut a, _] = ends(false, |_| {});
        post(&mut a, &[send(b"x"), write(0, 10), send(b"y")]);
        sent(&mut a, NOW);
        acknowledge(&mut a, NOW, 1, Syndrome::Nak(code));
        let outcomes = [Outcome::Done, Outcome::Failed(failure), Outcome::Flushed];
        assert_eq!(a.completions().iter().map(|one| one.outcome).collect::<Vec<_>>(), outcomes);
        assert_eq!(a.pair.failure(), Some(failure));
    }
}

#[test]
fn the_send_queue_has_a_depth_and_writes_have_a_length() {
    let [mut a, mut b] = ends(false, |settings| settings.send_depth = count(2));
    let long = |length_bytes| {
        let from = LocalSpan { address: 0, length_bytes };
        Work::Write { from, to: Remote::default(), immediate: None }
    };
    let error = PostError::Long(WRITE_BYTES_MAX + 1);
    assert_eq!(a.pair.post(WorkId(0), long(WRITE_BYTES_MAX + 1)), Err(error));
    post(&mut a, &[write(0, 1), write(1, 1)]);
    assert_eq!((a.pair.room(), a.pair.post(WorkId(2), write(2, 1))), (0, Err(PostError::Full)));
    for packet in a.transmit(NOW) {
        b.receive(NOW, &packet).expect("a packet");
    }
    for packet in b.transmit(NOW) {
        a.receive(NOW, &packet).expect("a packet");
    }
    assert_eq!(a.pair.room(), 0, "completions were not polled");
    assert_eq!((a.completions(), a.pair.room()), (done(0..2), 2));
    assert_eq!(a.pair.post(WorkId(2), long(WRITE_BYTES_MAX)), Ok(()));
}

#[test]
fn a_closed_queue_pair_flushes_its_work() {
    let [mut a, mut b] = ends(false, |_| {});
    post(&mut a, &[send(b"x"), send(b"y")]);
    let packets = a.transmit(NOW);
    a.pair.close();
    a.pair.close();
    let outcomes: Vec<_> = a.completions().iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Failed(Failure::Closed), Outcome::Flushed]);
    b.pair.close();
    b.receive(NOW, &packets[0]).expect("a packet");
    assert_eq!((b.transmit(NOW), b.pair.counts().ignored), (Vec::new(), 1));
}

#[test]
fn opcodes_of_a_reliable_connection() {
    let octets: Vec<u8> = Opcode::ALL.iter().map(|opcode| opcode.octet()).collect();
    assert_eq!(octets, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17]);
}
