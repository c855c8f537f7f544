//! Programs that do not keep to the protocol.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

use halftrack_base::{Span, Time};
use halftrack_shared_memory::{SealedMemory, connect_at_once, is_gone};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

use super::*;
use crate::clock::Clock;
use crate::layout::{COLLECTED_WORD, ENDED_WORD, MEMORY_BYTES, SUBMITTED_WORD, submission_word};
use crate::message::{FromCard, ToCard};
use crate::remote_card::receive_in_time;

/// Makes a connection by hand; returns it with the memory of its rings.
fn visitor(machine: &Machine) -> (UnixStream, SealedMemory) {
    let stream = connect_at_once(&machine.place().socket(card(0))).unwrap();
    ToCard::Attach { vf: 1 }.send(&stream, &[]).unwrap();
    let (welcome, mut descriptors) = receive_in_time(&stream).unwrap();
    assert!(matches!(welcome, FromCard::Welcome { vf: 1, .. }));
    (stream, SealedMemory::open(descriptors.remove(0), MEMORY_BYTES).unwrap())
}

fn is_let_go(stream: &UnixStream) -> bool {
    let clock = Clock::default();
    while !is_gone(stream) && clock.now() < Time::ZERO + Span::from_s(10) {
        thread::yield_now();
    }
    is_gone(stream)
}

#[test]
fn counts_that_cannot_be_end_the_connection_and_no_other() {
    let machine = Machine::new(1, 2);
    let mut user = machine.user(2);
    for (word, value) in
        [(SUBMITTED_WORD, 65), (SUBMITTED_WORD, u64::MAX), (COLLECTED_WORD, 1), (COLLECTED_WORD, 1000)]
    {
        let (stream, memory) = visitor(&machine);
        memory.words()[word].store(value, Ordering::SeqCst);
        if word == COLLECTED_WORD {
            memory.words()[SUBMITTED_WORD].store(1, Ordering::SeqCst);
        }
        // The card may sleep: other work wakes it.
        user.round_trip(b"beside it");
        assert!(is_let_go(&stream), "word {word} with {value}");
        user.round_trip(b"behind it");
    }
}

#[test]
fn submissions_of_any_words_have_answers() {
    let machine = Machine::new(1, 2);
    let mut user = machine.user(2);
    let (stream, memory) = visitor(&machine);
    let mut state = 7_u64;
    for number in 0..2000_u64 {
        for word in 0..16 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = if state >> 62 == 0 { state } else { state >> 60 };
            memory.words()[submission_word(number) + word].store(value, Ordering::Relaxed);
        }
        memory.words()[SUBMITTED_WORD].store(number + 1, Ordering::SeqCst);
        let ended = || memory.words()[ENDED_WORD].load(Ordering::Acquire);
        while ended() + 20 < number {
            user.round_trip(b"beside them");
        }
        memory.words()[COLLECTED_WORD].store(ended(), Ordering::SeqCst);
    }
    assert!(!is_gone(&stream), "bad requests are answers, no reason to end the connection");
    user.round_trip(&text(100_000));
}

#[test]
fn memory_that_could_be_cut_or_is_none_is_no_region() {
    let machine = Machine::new(1, 1);
    let (stream, _memory) = visitor(&machine);
    let register = |address: u64, bytes: u64, length: u64| {
        let file = memfd_create("open", MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&file, length).unwrap();
        ToCard::Register { token: 1, address, bytes }.send(&stream, &[file.as_fd()]).unwrap();
        receive_in_time(&stream).unwrap().0
    };
    assert_eq!(register(0x10000, 4096, 4096), FromCard::Answered(Answer::BadRegionAddress), "it can be cut");
    assert_eq!(register(0x10001, 4096, 4096), FromCard::Answered(Answer::BadRegionAddress));
    assert_eq!(register(0x10000, 4095, 4095), FromCard::Answered(Answer::BadRegionLength));
    assert_eq!(register(0x10000, 1 << 40, 4096), FromCard::Answered(Answer::BadRegionLength));
    ToCard::Register { token: 1, address: 0x10000, bytes: 4096 }.send(&stream, &[]).unwrap();
    let none = receive_in_time(&stream).unwrap().0;
    assert_eq!(none, FromCard::Answered(Answer::BadRegionAddress), "no memory came");
    ToCard::Deregister { token: 9 }.send(&stream, &[]).unwrap();
    assert_eq!(receive_in_time(&stream).unwrap().0, FromCard::Answered(Answer::BadRegionToken));
}

#[test]
fn nonsense_over_the_socket_ends_the_connection() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    let (mut stream, _memory) = visitor(&machine);
    stream.write_all(&[0xFF; 64]).unwrap();
    assert!(is_let_go(&stream));
    let mut stranger = connect_at_once(&machine.place().socket(card(0))).unwrap();
    stranger.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    assert!(is_let_go(&stranger));
    user.round_trip(b"nobody else notices");
}

#[test]
fn a_program_that_floods_and_collects_nothing_stops_itself_only() {
    let machine = Machine::new(1, 2);
    let (mut flood, mut user) = (machine.user(1), machine.user(2));
    flood.program.store(flood.input, 0, &text(1 << 20)).unwrap();
    let mut flooded = 0;
    for _ in 0..20 {
        while flood.start(Options::default(), 1 << 20, deflate_bound_bytes(1 << 20)).is_ok() {
            flooded += 1;
        }
        user.round_trip(&text(4096));
    }
    assert!(flooded >= 64);
}
