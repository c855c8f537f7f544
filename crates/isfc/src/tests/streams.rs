//! Streams over a link.

use halftrack_control_unit::ctc::Side::{X, Y};

use super::rig::*;
use crate::*;

#[test]
fn streams_are_cut_into_blocks_and_each_keeps_its_order() {
    let mut rig = Rig::up(4);
    let other = StreamId(9);
    assert!(rig.send(X, 5 * MIB / 2));
    assert!(rig.end(X).send(other, &Payload::Count(10)));
    assert!(rig.send(X, 1));
    rig.run();
    let mut delivered = Vec::new();
    while let Some(one) = rig.end(Y).poll_delivery() {
        delivered.push((one.stream, one.offset, one.payload.len_bytes()));
    }
    let (mib, half) = (u64::from(MIB), MIB / 2);
    let expected = [(STREAM, 0, MIB), (STREAM, mib, MIB), (STREAM, 2 * mib, half), (other, 0, 10)];
    assert_eq!(delivered[..4], expected);
    assert_eq!(delivered[4..], [(STREAM, 2 * mib + u64::from(half), 1)]);
    let last = 2 * mib + u64::from(half) + 1;
    assert_eq!((rig.ends[0].acknowledged(STREAM), rig.ends[0].next_offset(STREAM)), (last, last));
    let counters = rig.ends.each_ref().map(End::counters);
    assert_eq!(counters[0].write.octets, last + 10);
    assert_eq!(counters[1].read.octets, last + 10);
}

#[test]
fn the_rule_of_the_link_has_the_devices_of_each_side() {
    let mut rig = Rig::up(16);
    let before: Vec<_> = rig.ends[0].devices().map(|device| device.counters.write.octets).collect();
    for _ in 0..60 {
        assert!(rig.send(X, MIB));
    }
    rig.run();
    assert_eq!(rig.take(Y), 60 * u64::from(MIB));
    let after: Vec<_> = rig.ends[0].devices().map(|device| device.counters.write.octets).collect();
    let used: Vec<_> = (0..16).filter(|device| after[*device] > before[*device]).collect();
    assert_eq!(used, (0..14).collect::<Vec<_>>());
    let of_partner = rig.ends[1].devices().filter(|one| one.counters.write.octets > 0);
    assert!(of_partner.map(|one| one.number).all(|one| one >= number(2)), "confirmations go by the rule too");
}

#[test]
fn an_application_that_takes_nothing_stops_the_reads_of_its_end() {
    let narrow = Settings { receive_bytes: u64::from(MIB), ..settings("VMB") };
    let mut rig = Rig::new([settings("VMA"), narrow], 2);
    rig.operational();
    rig.run();
    for _ in 0..8 {
        assert!(rig.send(X, MIB));
    }
    rig.run();
    assert_eq!(
        rig.ends[0].acknowledged(STREAM),
        u64::from(MIB),
        "one block was read, and the next one waits"
    );
    let mut taken = 0;
    while taken < 8 * u64::from(MIB) {
        let bytes = rig.take(Y);
        assert!(bytes > 0, "nothing goes on after {taken} octets");
        taken += bytes;
        rig.run();
    }
}

#[test]
fn a_full_buffer_refuses_data_and_gives_notice_of_room() {
    let narrow = Settings { send_bytes: 4 * u64::from(MIB), ..settings("VMA") };
    let mut rig = Rig::new([narrow, settings("VMB")], 1);
    rig.operational();
    rig.run();
    let (mut accepted, mut taken) = (0, 0);
    for _ in 0..50 {
        while rig.send(X, MIB) {
            accepted += 1;
        }
        assert!(rig.ends[0].kept_bytes() <= 4 * u64::from(MIB));
        rig.notices[0].clear();
        rig.run();
        assert!(rig.notices[0].contains(&Notice::Room));
        taken += rig.take(Y);
    }
    assert_eq!(taken, accepted * u64::from(MIB));
    assert!(accepted >= 100);
}

#[test]
fn a_receiver_that_starts_anew_has_its_partner_go_back() {
    let mut rig = Rig::up(2);
    let mib = u64::from(MIB);
    for _ in 0..40 {
        rig.send(X, MIB);
        rig.run();
    }
    assert_eq!(rig.take(Y), 40 * mib);
    // Its application has kept what came up to the third block.
    rig.start_anew(Y, 3 * mib);
    rig.run();
    let resumed = rig.notices[0].iter().rev().find_map(|notice| match notice {
        Notice::Resume { stream, offset } => Some((*stream, *offset)),
        _ => None,
    });
    match resumed {
        // What is not kept is sent again by the application.
        Some(resumed) => {
            assert_eq!(resumed, (STREAM, 3 * mib));
            assert_eq!(rig.ends[0].next_offset(STREAM), 3 * mib);
            assert!(rig.send(X, 37 * MIB));
            rig.run();
        }
        None => assert_eq!(rig.ends[0].next_offset(STREAM), 40 * mib),
    }
    let first = rig.end(Y).poll_delivery().unwrap();
    assert_eq!(first.offset, 3 * mib);
    assert_eq!(u64::from(first.payload.len_bytes()) + rig.take(Y), 37 * mib);
}

#[test]
fn a_sender_that_starts_anew_goes_on_where_the_partner_is() {
    let mut rig = Rig::up(3);
    rig.send(X, 10);
    rig.run();
    rig.take(Y);
    rig.start_anew(X, 0);
    assert!(rig.send(X, 4), "it begins before it has greeted");
    rig.notices[0].clear();
    rig.run();
    let resume = Notice::Resume { stream: STREAM, offset: 10 };
    assert!(rig.notices[0].contains(&resume), "{:?}", rig.notices[0]);
    assert_eq!((rig.take(Y), rig.ends[0].next_offset(STREAM)), (0, 10));
    rig.send(X, 5);
    rig.run();
    assert_eq!(rig.take(Y), 5);
}

/// Sends the octets of a conversation, and takes what has come of it: offset and length of each delivery.
fn converse(rig: &mut Rig, bytes: &[u32]) -> Vec<(u64, u32)> {
    for bytes in bytes {
        assert!(rig.end(X).send(CONVERSATION, &Payload::Count(*bytes)));
    }
    rig.run();
    let mut delivered = Vec::new();
    while let Some(one) = rig.end(Y).poll_delivery() {
        assert_eq!(one.stream, CONVERSATION);
        delivered.push((one.offset, one.payload.len_bytes()));
    }
    delivered
}

const CONVERSATION: StreamId = StreamId(5);

/// Makes a link that is up, of ends that have a conversation.
fn conversing() -> Rig {
    let mut rig = Rig::new([settings("VMA"), settings("VMB")], 2);
    rig.ends.iter_mut().for_each(|end| end.converse(CONVERSATION));
    rig.operational();
    rig.run();
    rig
}

#[test]
fn a_conversation_begins_anew_whichever_side_does() {
    for anew in [X, Y] {
        let mut rig = conversing();
        assert_eq!(converse(&mut rig, &[10, 7]), [(0, 10), (10, 7)]);
        // Some octets have come and are not taken, and others are not sent yet.
        rig.end(X).send(CONVERSATION, &Payload::Count(100));
        rig.run();
        rig.end(X).send(CONVERSATION, &Payload::Count(1000));
        rig.start_anew(anew, 0);
        rig.end(anew).converse(CONVERSATION);
        rig.run();
        assert_eq!(rig.ends.each_ref().map(|end| end.next_offset(CONVERSATION)), [0, 0]);
        assert_eq!(rig.ends[0].acknowledged(CONVERSATION), 0);
        assert_eq!(converse(&mut rig, &[3]), [(0, 3)], "{anew:?}");
    }
}

/// Other streams go on beside a conversation that begins anew.
#[test]
fn a_stream_goes_on_beside_a_conversation() {
    let mut rig = conversing();
    rig.send(X, 50);
    assert_eq!(rig.end(X).next_offset(STREAM), 50);
    rig.run();
    assert_eq!(rig.take(Y), 50);
    rig.end(X).send(CONVERSATION, &Payload::Count(9));
    rig.send(X, 20);
    rig.start_anew(Y, 50);
    rig.end(Y).converse(CONVERSATION);
    rig.run();
    assert_eq!(rig.take(Y), 20);
    assert_eq!(converse(&mut rig, &[4]), [(0, 4)]);
}
