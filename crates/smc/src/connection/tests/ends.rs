//! Windows, urgent octets, and ends.

use super::rig::{Mistake, Rig};
use crate::connection::{ConnectionError, State, StreamError};
use crate::message::{AlertToken, CloseFlags, Cursor, ProducerFlags};

#[test]
fn a_full_element_blocks_the_writer_until_space_is_reported() {
    let mut rig = Rig::new(Mistake::Nothing);
    rig.send(0, 16_384);
    assert_eq!(rig.ends[0].connection.room_bytes(), 0);
    rig.deliver(0, true);
    rig.complete(0);
    let end = &mut rig.ends[0].connection;
    assert_eq!(end.send(10, false).unwrap()[0].length_bytes, 10);
    let blocked = end.poll().unwrap().cdc;
    assert!(blocked.producer_flags.contains(ProducerFlags::WRITER_BLOCKED));
    assert_eq!(end.poll(), None, "reported once");
    let reader = &mut rig.ends[1].connection;
    reader.receive(&blocked).unwrap();
    assert_eq!(reader.poll(), None);
    reader.consume(1);
    let update = reader.poll().unwrap().cdc;
    assert_eq!(update.consumer, Cursor { wrap: 0, count: 1 });
    let end = &mut rig.ends[0].connection;
    assert!(end.receive(&update).unwrap().has_room);
    let next = end.poll().unwrap();
    assert_eq!((next.writes[0].offset, next.writes[0].length_bytes), (0, 1));
    assert_eq!(next.cdc.producer, Cursor { wrap: 1, count: 1 });
}

#[test]
fn an_urgent_octet_ends_an_announcement() {
    let mut rig = Rig::new(Mistake::Nothing);
    let [writer, reader] = &mut rig.ends;
    let (writer, reader) = (&mut writer.connection, &mut reader.connection);
    writer.send(4, true).unwrap();
    writer.send(6, false).unwrap();
    let first = writer.poll().unwrap().cdc;
    assert_eq!(first.producer.count, 4);
    assert!(first.producer_flags.contains(ProducerFlags::URGENT_PRESENT));
    let arrival = reader.receive(&first).unwrap();
    assert!(arrival.has_urgent && arrival.has_data);
    assert_eq!(reader.urgent().map(|place| place.0), Some(3));
    let second = writer.poll().unwrap().cdc;
    assert!(!reader.receive(&second).unwrap().has_urgent);
    reader.consume(4);
    assert_eq!((reader.urgent(), reader.readable_bytes()), (None, 6));
}

#[test]
fn a_half_close_waits_for_the_octets_before_it() {
    let mut rig = Rig::new(Mistake::Nothing);
    rig.send(0, 100);
    rig.ends[0].connection.shut_down();
    assert_eq!(rig.ends[0].connection.send(1, false), Err(StreamError::ShutDown));
    rig.post(0);
    rig.deliver(0, true);
    rig.deliver(0, true);
    assert_eq!(rig.ends[1].connection.state(), State::AppCloseWait1);
    assert!(!rig.ends[1].connection.is_end(), "100 octets are to be read");
    rig.send(1, 50);
    assert_eq!(rig.check(), Ok(true));
    assert!(rig.ends[1].connection.is_end());
    rig.ends[1].connection.shut_down();
    rig.post(1);
    rig.settle().unwrap();
    assert_eq!(rig.ends[0].connection.state(), State::PeerCloseWait2);
    for at in [0, 1] {
        rig.ends[at].connection.close();
        rig.post(at);
        rig.settle().unwrap();
    }
    assert_eq!([0, 1].map(|at: usize| rig.ends[at].connection.state()), [State::Closed; 2]);
}

#[test]
fn a_peer_that_has_closed_is_sent_no_octets_again() {
    let mut rig = Rig::new(Mistake::Nothing);
    rig.ends[1].connection.abort();
    rig.post(1);
    rig.send(0, 100);
    rig.deliver(1, true);
    let end = &mut rig.ends[0].connection;
    assert_eq!((end.state(), end.is_settled()), (State::Closed, false), "its abort is under way");
    end.fail_over();
    assert!(end.poll().unwrap().cdc.producer_flags.contains(ProducerFlags::FAILOVER_VALIDATION));
    let again = end.poll().unwrap();
    assert_eq!(again.writes.map(|span| span.length_bytes), [0, 0], "its element may be another connection's");
    assert!(again.cdc.close_flags.contains(CloseFlags::ABNORMAL));
    end.completed(again.cdc.sequence);
    assert!(end.is_settled());
}

#[test]
fn a_close_with_octets_unread_resets() {
    let mut rig = Rig::new(Mistake::Nothing);
    rig.send(0, 100);
    rig.deliver(0, true);
    rig.ends[1].connection.close();
    rig.post(1);
    rig.deliver(1, true);
    assert_eq!(rig.ends[0].connection.send(1, false), Err(StreamError::Reset));
    assert_eq!(rig.check(), Ok(false));
    assert_eq!([0, 1].map(|at: usize| rig.ends[at].connection.state()), [State::Closed; 2]);
}

#[test]
fn hostile_messages_reset_and_messages_of_others_change_nothing() {
    let mut rig = Rig::new(Mistake::Nothing);
    rig.ends[0].connection.send(10, false).unwrap();
    let good = rig.ends[0].connection.poll().unwrap().cdc;
    let reader = &mut rig.ends[1].connection;
    let before = reader.clone();
    let token = AlertToken(99);
    let other = crate::message::Cdc { token, ..good };
    assert_eq!(reader.receive(&other), Err(ConnectionError::Token(token)));
    assert_eq!(*reader, before);
    let outside = Cursor { wrap: 0, count: 16_384 };
    let beyond = Cursor { wrap: 1, count: 1 };
    for hostile in [
        crate::message::Cdc { producer: outside, ..good },
        crate::message::Cdc { producer: beyond, ..good },
        crate::message::Cdc { consumer: outside, ..good },
        crate::message::Cdc { consumer: Cursor { wrap: 0, count: 1 }, ..good },
    ] {
        let mut reader = before.clone();
        assert!(matches!(reader.receive(&hostile), Err(ConnectionError::Cursor(_))), "{hostile:?}");
        assert!(reader.is_reset());
        let abort = reader.poll().unwrap().cdc;
        assert!(abort.close_flags.contains(CloseFlags::ABNORMAL));
    }
}
