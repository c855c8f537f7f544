//! Streams that are left to software.

use libc::c_int;
use libz_rs_sys::{
    Z_BLOCK, Z_FILTERED, Z_FINISH, Z_FIXED, Z_HUFFMAN_ONLY, Z_NO_FLUSH, Z_RLE, Z_STREAM_END, Z_SYNC_FLUSH,
};

use crate::abi::{Library, Stream, call, inflated_elsewhere};
use crate::in_process::{Faults, requests, set_faults};
use crate::text;

const ROOM: usize = 1_000_000;

/// Returns the requests of a stream of these parameters and this first input.
fn deflate_requests(level: c_int, window_bits: c_int, strategy: c_int, bytes: usize) -> usize {
    set_faults(Faults::default());
    let mut stream =
        Stream::deflate_with(Library::Own, level, window_bits, strategy, 0).expect("good parameters");
    let mut output = Vec::new();
    assert_eq!(stream.run(&text(bytes), ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    assert!(inflated_elsewhere(&output, window_bits) == text(bytes));
    requests()
}

#[test]
fn short_first_inputs_are_software() {
    for (bytes, expected) in [(0, 0), (1, 0), (4095, 0), (4096, 1), (100_000, 1)] {
        assert_eq!(deflate_requests(6, 15, 0, bytes), expected, "{bytes} octets");
    }
    set_faults(Faults::default());
    let mut stream = Stream::deflate(6, 15);
    let mut output = Vec::new();
    stream.run(&text(100), ROOM, Z_NO_FLUSH, &mut output);
    stream.run(&text(900_000), ROOM, Z_FINISH, &mut output);
    assert_eq!(requests(), 0, "the first input decides for the whole stream");
}

#[test]
fn parameters_that_a_card_has_not_are_software() {
    for window_bits in [15, -15, 31] {
        for level in -1..=9 {
            assert_eq!(
                deflate_requests(level, window_bits, 0, 5_000),
                usize::from(level != 0),
                "level {level}"
            );
        }
        assert_eq!(deflate_requests(6, window_bits, Z_FILTERED, 5_000), 1);
        for strategy in [Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED] {
            assert_eq!(deflate_requests(6, window_bits, strategy, 5_000), 0, "strategy {strategy}");
        }
    }
    for window_bits in [9, 14, -9, -14, 25, 30] {
        assert_eq!(deflate_requests(6, window_bits, 0, 5_000), 0, "window bits {window_bits}");
    }
}

#[test]
fn to_stop_between_blocks_is_software() {
    set_faults(Faults::default());
    let mut stream = Stream::deflate(6, 15);
    let mut output = Vec::new();
    stream.run(&text(5_000), ROOM, Z_BLOCK, &mut output);
    stream.run(&text(5_000), ROOM, Z_FINISH, &mut output);
    assert_eq!(requests(), 0);
    // In the middle, what was collected is software's too.
    let mut stream = Stream::deflate(6, 15);
    let mut output = Vec::new();
    for flush in [Z_SYNC_FLUSH, Z_NO_FLUSH, Z_BLOCK] {
        stream.run(&text(5_000), ROOM, flush, &mut output);
    }
    assert_eq!(stream.run(&text(5_000), ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    assert_eq!(requests(), 1);
    assert!(inflated_elsewhere(&output, 15) == text(5_000).repeat(4));
}

#[test]
fn dictionaries_and_bits_in_front_are_software_up_to_the_next_reset() {
    set_faults(Faults::default());
    let mut stream = Stream::deflate(6, -15);
    assert_eq!(stream.set_dictionary(&text(1_000)), 0);
    stream.run(&text(50_000), ROOM, Z_FINISH, &mut Vec::new());
    assert_eq!(requests(), 0);
    assert_eq!(call!(stream, deflateReset), 0);
    assert_eq!(call!(stream, deflatePrime, 10, 2), 0);
    let mut output = Vec::new();
    stream.run(&text(50_000), ROOM, Z_FINISH, &mut output);
    assert_eq!(requests(), 0);
    assert!(inflated_elsewhere(&output, -15) == text(50_000));
    assert_eq!(call!(stream, deflateReset), 0);
    stream.run(&text(50_000), ROOM, Z_FINISH, &mut Vec::new());
    assert_eq!(requests(), 1);
}

/// A call that is refused is not the first one.
#[test]
fn calls_that_are_refused_decide_nothing() {
    set_faults(Faults::default());
    let mut stream = Stream::deflate(6, 15);
    assert_eq!(stream.step(b"x", 0, Z_FINISH).code, libz_rs_sys::Z_BUF_ERROR);
    assert_eq!(stream.step(b"x", 10, 7).code, libz_rs_sys::Z_STREAM_ERROR);
    assert_eq!(stream.step(&text(5_000), ROOM, Z_FINISH).code, Z_STREAM_END);
    assert_eq!(requests(), 1);
}
