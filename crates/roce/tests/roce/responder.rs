//! Responder: what is taken once and in order, and what is answered.

use halftrack_base::Time;
use halftrack_roce::packet::{
    Aeth, Heading, Immediate, NakCode, Opcode, Operation, Packet, Psn, QueuePairNumber, Reth, Rkey, RnrTimer,
    Syndrome,
};
use halftrack_roce::queue_pair::{AccessError, Failure, InvalidRequest, Message, Received};

use crate::ends::{BASE, End, READ_ONLY, REGION_BYTES, RKEY, ends};

const NOW: Time = Time::ZERO;

fn end() -> End {
    let [_, b] = ends(false, |settings| settings.rnr_timer = RnrTimer::new(5));
    b
}

/// Hands the end a packet of its peer, counted from the first.
fn hand(end: &mut End, number: i64, operation: Operation, payload: &[u8]) {
    let settings = end.pair.settings();
    let psn = Psn::new(settings.receive_psn.get().wrapping_add(number as u32));
    let heading = Heading { is_acknowledge_requested: true, ..Heading::new(settings.number, psn) };
    end.pair.receive(NOW, &Packet { heading, operation, payload }, &mut end.memory);
}

/// Returns the answers that are due: packets counted from the first, syndromes and messages.
fn answers(end: &mut End) -> Vec<(i64, Syndrome, u32)> {
    let first = end.pair.settings().receive_psn;
    let path = end.pair.settings().path;
    let packets = end.transmit(NOW);
    let read = packets.iter().map(|octets| Packet::decode(&path, octets).expect("a packet"));
    read.map(|packet| {
        let Operation::Acknowledge(Aeth { syndrome, messages }) = packet.operation else {
            panic!("an answer")
        };
        let ahead = i64::from(packet.heading.psn.since(first));
        (if ahead < 1 << 23 { ahead } else { ahead - (1 << 24) }, syndrome, messages)
    })
    .collect()
}

fn only(offset: u64, length_bytes: u32) -> Operation {
    Operation::WriteOnly(Reth { address: BASE + offset, rkey: RKEY, length_bytes }, None)
}

fn message(octets: &[u8]) -> Received {
    Received::Message { message: Message::new(octets).expect("short"), immediate: None }
}

#[test]
fn duplicates_are_acknowledged_again_and_change_nothing() {
    let mut b = end();
    b.pair.post_receives(2);
    hand(&mut b, 0, only(0, 3), b"abc");
    hand(&mut b, 1, Operation::SendOnly(None), b"x");
    assert_eq!(answers(&mut b), [(1, Syndrome::ACK, 2)], "one for both");
    // Another program wrote there in between.
    b.memory.octets[..3].copy_from_slice(b"new");
    hand(&mut b, 0, only(0, 3), b"abc");
    assert_eq!(answers(&mut b), [(1, Syndrome::ACK, 2)]);
    hand(&mut b, 1, Operation::SendOnly(None), b"x");
    assert_eq!(answers(&mut b), [(1, Syndrome::ACK, 2)]);
    assert_eq!((b.received(), &b.memory.octets[..3]), (vec![message(b"x")], &b"new"[..]));
    assert_eq!((b.pair.counts().duplicates, b.pair.counts().taken), (2, 2));
}

#[test]
fn a_gap_is_reported_once_until_it_is_filled() {
    let mut b = end();
    hand(&mut b, 2, only(2, 1), b"c");
    hand(&mut b, 1, only(1, 1), b"b");
    let nak = Syndrome::Nak(NakCode::SequenceError);
    assert_eq!(answers(&mut b), [(0, nak, 0)]);
    hand(&mut b, 3, only(3, 1), b"d");
    assert_eq!(answers(&mut b), []);
    hand(&mut b, 0, only(0, 1), b"a");
    hand(&mut b, 2, only(2, 1), b"c");
    assert_eq!(answers(&mut b), [(1, nak, 1)], "it acknowledges the packet before it");
    // Filled before the report went out.
    hand(&mut b, 1, only(1, 1), b"b");
    hand(&mut b, 3, only(3, 1), b"d");
    hand(&mut b, 2, only(2, 1), b"c");
    assert_eq!(answers(&mut b), [(2, Syndrome::ACK, 3)]);
    assert_eq!(b.memory.octets[..4], *b"abc\0");
}

#[test]
fn a_message_without_a_receive_is_not_taken_until_there_is_one() {
    let mut b = end();
    let not_ready = Syndrome::ReceiverNotReady(RnrTimer::new(5));
    hand(&mut b, 0, only(0, 1), b"a");
    hand(&mut b, 1, Operation::SendOnly(None), b"x");
    hand(&mut b, 2, only(1, 1), b"b");
    assert_eq!(answers(&mut b), [(1, not_ready, 1)], "the later packet is dropped without another answer");
    hand(&mut b, 1, Operation::SendOnly(None), b"x");
    assert_eq!(answers(&mut b), [(1, not_ready, 1)]);
    assert_eq!(b.pair.post_receives(1), 1);
    hand(&mut b, 1, Operation::SendOnly(None), b"x");
    hand(&mut b, 2, Operation::SendOnly(None), b"y");
    assert_eq!(answers(&mut b), [(2, not_ready, 2)]);
    assert_eq!((b.received(), b.pair.counts().not_ready), (vec![message(b"x")], 3));
}

#[test]
fn a_word_with_a_write_takes_a_receive_and_the_write_waits_for_it() {
    let mut b = end();
    let reth = Reth { address: BASE, rkey: RKEY, length_bytes: 1026 };
    let word = Some(Immediate(0xB1B2_B3B4));
    hand(&mut b, 0, Operation::WriteFirst(reth), &[1; 1024]);
    hand(&mut b, 1, Operation::WriteLast(word), &[2; 2]);
    assert_eq!(
        (answers(&mut b)[0].1, b.memory.octets[1024]),
        (Syndrome::ReceiverNotReady(RnrTimer::new(5)), 0)
    );
    b.pair.post_receives(3);
    hand(&mut b, 1, Operation::WriteLast(word), &[2; 2]);
    hand(&mut b, 2, Operation::WriteOnly(Reth { length_bytes: 0, ..reth }, word), &[]);
    assert_eq!(b.memory.octets[1023..1027], [1, 2, 2, 0]);
    let written = |length_bytes| Received::Written { length_bytes, immediate: Immediate(0xB1B2_B3B4) };
    assert_eq!(b.received(), [written(1026), written(0)]);
    hand(&mut b, 3, Operation::SendOnly(word), b"x");
    let Some(Received::Message { immediate, .. }) = b.pair.poll_received() else { panic!("a message") };
    assert_eq!((immediate, answers(&mut b)), (word, vec![(3, Syndrome::ACK, 3)]));
}

#[test]
fn receives_have_a_depth_that_messages_keep_until_they_are_polled() {
    let mut b = end();
    assert_eq!((b.pair.post_receives(300), b.pair.post_receives(1)), (256, 0));
    hand(&mut b, 0, Operation::SendOnly(None), b"x");
    assert_eq!((b.pair.post_receives(1), b.received().len(), b.pair.post_receives(5)), (0, 1, 1));
}

#[test]
fn access_outside_of_the_memory_is_refused_before_anything_is_written() {
    let cases = [
        (RKEY, BASE - 1, 2048, AccessError::Bounds),
        (RKEY, BASE + REGION_BYTES as u64 - 2047, 2048, AccessError::Bounds),
        (RKEY, u64::MAX, 2048, AccessError::Bounds),
        (READ_ONLY, BASE, 2048, AccessError::Permission),
        (Rkey(1), BASE, 2048, AccessError::Key),
    ];
    for (rkey, address, length_bytes, error) in cases {
        let mut b = end();
        hand(&mut b, 0, only(0, 1), b"a");
        hand(&mut b, 1, Operation::WriteFirst(Reth { address, rkey, length_bytes }), &[7; 1024]);
        hand(&mut b, 2, Operation::WriteLast(None), &[7; 1024]);
        assert_eq!(answers(&mut b), [(1, Syndrome::Nak(NakCode::RemoteAccessError), 1)]);
        assert_eq!(b.pair.failure(), Some(Failure::RefusedAccess { rkey, address, length_bytes, error }));
        assert!(b.memory.octets[1..].iter().all(|&octet| octet == 0), "{rkey:?} {address:X}");
        assert_eq!(b.pair.counts().ignored, 1, "the packet behind it");
    }
}

#[test]
fn the_last_octet_of_the_memory_can_be_written_and_nothing_needs_no_memory() {
    let mut b = end();
    hand(&mut b, 0, only(REGION_BYTES as u64 - 2, 2), b"ab");
    hand(&mut b, 1, Operation::WriteOnly(Reth { address: 0, rkey: Rkey(1), length_bytes: 0 }, None), &[]);
    assert_eq!((answers(&mut b), b.pair.failure()), (vec![(1, Syndrome::ACK, 2)], None));
    assert_eq!(b.memory.octets[REGION_BYTES - 2..], *b"ab");
}

#[test]
fn memory_that_is_withdrawn_during_a_write_is_not_written() {
    let mut b = end();
    let reth = Reth { address: BASE, rkey: RKEY, length_bytes: 2048 };
    hand(&mut b, 0, Operation::WriteFirst(reth), &[7; 1024]);
    b.memory.is_withdrawn = true;
    hand(&mut b, 1, Operation::WriteLast(None), &[7; 1024]);
    assert_eq!(answers(&mut b), [(1, Syndrome::Nak(NakCode::RemoteAccessError), 0)]);
    let Some(Failure::RefusedAccess { address, length_bytes, error, .. }) = b.pair.failure() else {
        panic!("refused");
    };
    assert_eq!((address, length_bytes, error), (BASE + 1024, 1024, AccessError::Key));
    assert_eq!(b.memory.octets[1023..1025], [7, 0]);
}

#[test]
fn invalid_requests_are_refused_with_their_reason() {
    let first = |length_bytes| Operation::WriteFirst(Reth { address: BASE, rkey: RKEY, length_bytes });
    let payload = |opcode, bytes| InvalidRequest::Payload { opcode, bytes };
    let sequence = InvalidRequest::Sequence;
    let (middle, last) = (Operation::WriteMiddle, Operation::WriteLast(None));
    let cases: &[(&[(Operation, usize)], InvalidRequest)] = &[
        (&[(middle, 1024)], sequence(Opcode::WriteMiddle)),
        (&[(last, 1)], sequence(Opcode::WriteLast)),
        (&[(Operation::SendMiddle, 1024)], sequence(Opcode::SendMiddle)),
        (&[(Operation::SendLast(Some(Immediate(1))), 1)], sequence(Opcode::SendLastImmediate)),
        (&[(first(4096), 1024), (first(4096), 1024)], sequence(Opcode::WriteFirst)),
        (&[(first(4096), 1024), (only(0, 1), 1)], sequence(Opcode::WriteOnly)),
        (&[(first(4096), 1024), (Operation::SendOnly(None), 1)], sequence(Opcode::SendOnly)),
        (&[(first(4096), 1024), (Operation::SendLast(None), 1)], sequence(Opcode::SendLast)),
        (&[(Operation::SendFirst, 1024)], InvalidRequest::Message(1024)),
        (&[(Operation::SendOnly(None), 45)], InvalidRequest::Message(45)),
        (&[(only(0, 5), 4)], payload(Opcode::WriteOnly, 4)),
        (&[(only(0, 4), 5)], payload(Opcode::WriteOnly, 5)),
        (&[(only(0, 1025), 1025)], payload(Opcode::WriteOnly, 1025)),
        (&[(first(4096), 1023)], payload(Opcode::WriteFirst, 1023)),
        (&[(first(4096), 1028)], payload(Opcode::WriteFirst, 1028)),
        (&[(first(1024), 1024)], payload(Opcode::WriteFirst, 1024)),
        (&[(first((1 << 31) + 1), 1024)], payload(Opcode::WriteFirst, 1024)),
        (&[(first(2048), 1024), (middle, 1024)], payload(Opcode::WriteMiddle, 1024)),
        (&[(first(4096), 1024), (middle, 1000)], payload(Opcode::WriteMiddle, 1000)),
        (&[(first(2000), 1024), (last, 975)], payload(Opcode::WriteLast, 975)),
        (&[(first(2000), 1024), (last, 977)], payload(Opcode::WriteLast, 977)),
        (&[(first(4096), 1024), (last, 3072)], payload(Opcode::WriteLast, 3072)),
    ];
    for (packets, invalid) in cases {
        let mut b = end();
        b.pair.post_receives(1);
        for (number, (operation, bytes)) in (0..).zip(*packets) {
            hand(&mut b, number, *operation, &vec![1; *bytes]);
        }
        assert_eq!(b.pair.failure(), Some(Failure::InvalidRequest(*invalid)));
        let at = packets.len() as i64 - 1;
        assert_eq!(answers(&mut b), [(at, Syndrome::Nak(NakCode::InvalidRequest), 0)], "{invalid}");
        assert_eq!((b.received(), b.pair.post_receives(1)), (vec![], 0));
    }
}

#[test]
fn packets_for_others_have_no_effect() {
    let mut b = end();
    let settings = *b.pair.settings();
    let own = Heading::new(settings.number, settings.receive_psn);
    let others = [
        Heading { destination: QueuePairNumber::new(1), ..own },
        Heading { partition_key: 0x7FFE, ..own },
        Heading { partition_key: 0xFFFE, ..own },
    ];
    for heading in others {
        b.pair.receive(NOW, &Packet { heading, operation: only(0, 1), payload: b"a" }, &mut b.memory);
    }
    assert_eq!((b.pair.counts().ignored, b.pair.counts().taken), (3, 0));
    let limited = Heading { partition_key: 0x7FFF, ..own };
    b.pair.receive(NOW, &Packet { heading: limited, operation: only(0, 1), payload: b"a" }, &mut b.memory);
    assert_eq!(b.pair.counts().taken, 1, "a limited member reaches a full one");
}
