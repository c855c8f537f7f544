//! Functions of streams that are deflated, on streams that a card has begun.

use std::ffi::CString;

use libc::c_int;
use libz_rs_sys::{
    Z_BUF_ERROR, Z_DATA_ERROR, Z_DEFAULT_STRATEGY, Z_FINISH, Z_HUFFMAN_ONLY, Z_NO_FLUSH, Z_OK, Z_STREAM_END,
    Z_STREAM_ERROR, Z_SYNC_FLUSH, gz_header,
};

use crate::abi::{Library, Stream, call, inflated_elsewhere};
use crate::in_process::{Faults, requests, set_faults};
use crate::{incompressible, text};

/// Room that is never too small.
const ROOM: usize = 4_000_000;

/// Begins a stream, and has a card deflate some of it.
fn begun(window_bits: c_int, data: &[u8], output: &mut Vec<u8>) -> Stream {
    set_faults(Faults::default());
    let mut stream = Stream::deflate(6, window_bits);
    assert_eq!(stream.run(data, ROOM, Z_SYNC_FLUSH, output), Z_OK);
    assert_eq!(requests(), 1, "a card deflates it");
    stream
}

#[test]
fn input_is_collected_up_to_a_segment() {
    set_faults(Faults::default());
    let data = incompressible(1 << 20);
    let mut stream = Stream::deflate(1, -15);
    let mut output = Vec::new();
    for piece in data[..(1 << 20) - 1].chunks(10_000) {
        let step = stream.step(piece, ROOM, Z_NO_FLUSH);
        assert_eq!((step.code, step.output.len()), (Z_OK, 0));
    }
    assert_eq!(requests(), 0);
    let step = stream.step(&data[(1 << 20) - 1..], 1000, Z_NO_FLUSH);
    assert_eq!((step.code, requests()), (Z_OK, 1));
    output.extend_from_slice(&step.output);
    let (octets, bits) = stream.pending();
    assert!(octets + 1000 > 1 << 20 && bits == 0, "{octets} octets wait");
    assert_eq!(stream.run(&[], ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    assert_eq!(stream.pending(), (0, 0));
    assert!(inflated_elsewhere(&output, -15) == data);
}

#[test]
fn a_stream_that_is_reset_is_another_one() {
    for window_bits in [15, -15, 31] {
        let mut output = Vec::new();
        let mut stream = begun(window_bits, &text(20_000), &mut output);
        for is_lost in [false, true, false] {
            set_faults(Faults { first: usize::from(is_lost), ..Faults::default() });
            assert_eq!(call!(stream, deflateReset), Z_OK);
            output.clear();
            assert_eq!(stream.run(&text(50_000), 999, Z_FINISH, &mut output), Z_STREAM_END);
            assert_eq!(requests(), 1, "a card is used again");
            assert_eq!(stream.strm.total_in, 50_000);
            assert!(inflated_elsewhere(&output, window_bits) == text(50_000));
        }
        // A short stream is software.
        assert_eq!(call!(stream, deflateReset), Z_OK);
        output.clear();
        assert_eq!(stream.run(b"short", 999, Z_FINISH, &mut output), Z_STREAM_END);
        assert_eq!(requests(), 1);
        assert_eq!(inflated_elsewhere(&output, window_bits), b"short");
    }
}

#[test]
fn output_that_was_not_taken_before_a_reset_takes_no_room_after_it() {
    let data = incompressible(200_000);
    // The software goes on behind a card that is lost, or does all of a stream that begins with little.
    for (first_bytes, level) in [(100_000, 6), (10, 0), (10, 6)] {
        set_faults(Faults { first: 1, is_all_behind: true, ..Faults::default() });
        let mut stream = Stream::deflate(6, -15);
        stream.step(&data[..first_bytes], 10, Z_SYNC_FLUSH);
        stream.step(&data[..100_000], 30_000, Z_SYNC_FLUSH);
        assert!(stream.pending().0 > 0, "output waits");
        assert_eq!(call!(stream, deflateReset), Z_OK);
        assert_eq!(call!(stream, deflateParams, level, Z_DEFAULT_STRATEGY), Z_OK);
        let mut output = Vec::new();
        assert_eq!(stream.run(&data, 10, Z_FINISH, &mut output), Z_STREAM_END);
        assert!(inflated_elsewhere(&output, -15) == data);
    }
}

#[test]
fn a_block_that_is_open_at_a_reset_is_not_in_the_next_stream() {
    let data = incompressible(200_000);
    for first_bytes in [60_000, 10] {
        set_faults(Faults { first: 1, is_all_behind: true, ..Faults::default() });
        let mut stream = Stream::deflate(1, 15);
        stream.step(&data[..first_bytes], ROOM, Z_SYNC_FLUSH);
        stream.step(&data[..60_000], ROOM, Z_NO_FLUSH);
        assert_eq!(call!(stream, deflateReset), Z_OK);
        let mut output = Vec::new();
        assert_eq!(stream.run(&data, 4_000, Z_FINISH, &mut output), Z_STREAM_END);
        assert!(inflated_elsewhere(&output, 15) == data);
    }
}

#[test]
fn parameters_that_a_card_had_outlast_a_reset() {
    set_faults(Faults::default());
    let mut stream = begun(15, &text(20_000), &mut Vec::new());
    let mut room = [0_u8; 100];
    (stream.strm.next_out, stream.strm.avail_out) = (room.as_mut_ptr(), 100);
    assert_eq!(call!(stream, deflateParams, 0, Z_DEFAULT_STRATEGY), Z_OK);
    assert_eq!(call!(stream, deflateReset), Z_OK);
    let mut output = Vec::new();
    assert_eq!(stream.run(b"stored, stored, stored", 100, Z_FINISH, &mut output), Z_STREAM_END);
    assert!(output.windows(22).any(|run| run == b"stored, stored, stored"), "level 0 is kept");
}

#[test]
fn a_stream_that_is_copied_goes_on_twice() {
    for first in [0, 1, 2] {
        set_faults(Faults { first, ..Faults::default() });
        let mut stream = Stream::deflate(6, 31);
        let mut output = Vec::new();
        // Some waits as input, some as output.
        let data = text(1_130_000);
        assert_eq!(stream.run(&data[..30_000], 20, Z_NO_FLUSH, &mut output), Z_OK);
        let step = stream.step(&data[30_000..], 20, Z_NO_FLUSH);
        output.extend_from_slice(&step.output);
        let taken = 30_000 + step.taken;
        let mut copy = stream.copied().expect("there is memory");
        let mut other = output.clone();
        assert_eq!(copy.run(&data[taken..], ROOM, Z_NO_FLUSH, &mut other), Z_OK);
        assert_eq!(copy.run(b"copy", ROOM, Z_FINISH, &mut other), Z_STREAM_END);
        assert_eq!(stream.run(b"original", ROOM, Z_FINISH, &mut output), Z_STREAM_END);
        assert!(inflated_elsewhere(&other, 31) == [&data[..], b"copy"].concat());
        assert!(inflated_elsewhere(&output, 31) == [&data[..taken], b"original"].concat());
    }
}

#[test]
fn parameters_change_in_the_middle() {
    let data = text(200_000);
    for (level, strategy, is_for_card) in
        [(9, Z_DEFAULT_STRATEGY, true), (0, Z_DEFAULT_STRATEGY, false), (6, Z_HUFFMAN_ONLY, false)]
    {
        for window_bits in [15, -15, 31] {
            let mut output = Vec::new();
            let mut stream = begun(window_bits, &data[..100_000], &mut output);
            assert_eq!(stream.run(&data[100_000..150_000], ROOM, Z_NO_FLUSH, &mut output), Z_OK);
            let mut room = vec![0_u8; ROOM];
            (stream.strm.next_out, stream.strm.avail_out) = (room.as_mut_ptr(), ROOM as _);
            assert_eq!(call!(stream, deflateParams, level, strategy), Z_OK);
            output.extend_from_slice(&room[..ROOM - stream.strm.avail_out as usize]);
            assert_eq!(stream.run(&data[150_000..], ROOM, Z_FINISH, &mut output), Z_STREAM_END);
            assert_eq!(requests(), if is_for_card { 2 } else { 1 });
            assert!(inflated_elsewhere(&output, window_bits) == data, "{level} {strategy} {window_bits}");
        }
    }
}

#[test]
fn parameters_wait_for_room() {
    let data = incompressible(900_000);
    let mut output = Vec::new();
    let mut stream = begun(15, &data[..100_000], &mut output);
    assert_eq!(stream.run(&data[100_000..], ROOM, Z_NO_FLUSH, &mut output), Z_OK);
    let mut calls = 0;
    loop {
        let mut room = [0_u8; 100];
        (stream.strm.next_out, stream.strm.avail_out) = (room.as_mut_ptr(), 100);
        let code = call!(stream, deflateParams, 0, Z_DEFAULT_STRATEGY);
        output.extend_from_slice(&room[..100 - stream.strm.avail_out as usize]);
        calls += 1;
        if code == Z_OK {
            break;
        }
        assert_eq!(code, Z_BUF_ERROR);
    }
    assert!(calls > 1, "the room was too small");
    assert_eq!(stream.run(&[], ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    assert!(inflated_elsewhere(&output, 15) == data);
    assert_eq!(call!(stream, deflateParams, 10, 0), Z_STREAM_ERROR);
    assert_eq!(call!(stream, deflateParams, 1, 5), Z_STREAM_ERROR);
}

#[test]
fn the_dictionary_is_the_last_data() {
    let data = text(150_000);
    for first in [0, 2] {
        let mut output = Vec::new();
        let mut stream = begun(15, &data[..10_000], &mut output);
        assert!(stream.dictionary() == data[..10_000]);
        set_faults(Faults { first: first / 2, ..Faults::default() });
        assert_eq!(stream.run(&data[10_000..15_000], ROOM, Z_SYNC_FLUSH, &mut output), Z_OK);
        assert!(stream.dictionary() == data[..15_000], "{first}");
        assert_eq!(stream.run(&data[15_000..20_000], ROOM, Z_NO_FLUSH, &mut output), Z_OK);
        assert!(stream.dictionary() == data[..20_000], "data that are not deflated count");
        assert_eq!(stream.run(&data[20_000..], ROOM, Z_SYNC_FLUSH, &mut output), Z_OK);
        assert!(stream.dictionary() == data[data.len() - 32_768..], "{first}");
    }
}

#[test]
fn a_dictionary_in_the_middle_is_for_raw_streams() {
    let (data, words) = (text(50_000), incompressible(3_000));
    let mut output = Vec::new();
    let mut stream = begun(-15, &data, &mut output);
    assert_eq!(stream.set_dictionary(&words), Z_OK);
    let before = output.len();
    assert_eq!(stream.run(&words, ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    assert!(output.len() - before < 200, "the dictionary is used");
    let mut inflate = Stream::inflate(-15);
    assert!(inflate.step(&output[..before], ROOM, Z_SYNC_FLUSH).output == data);
    assert_eq!(inflate.set_dictionary(&words), Z_OK);
    assert!(inflate.step(&output[before..], ROOM, Z_FINISH).output == words);
    for window_bits in [15, 31] {
        let mut stream = begun(window_bits, &data, &mut Vec::new());
        assert_eq!(stream.set_dictionary(&words), Z_STREAM_ERROR);
    }
}

#[test]
fn bits_are_put_in_front_of_what_follows() {
    let data = text(50_000);
    let mut output = Vec::new();
    let mut stream = begun(-15, &data, &mut output);
    // An empty block of fixed codes has ten bits.
    assert_eq!(call!(stream, deflatePrime, 10, 2), Z_OK);
    assert_eq!(stream.run(&data, ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    assert_eq!(requests(), 1, "software goes on");
    assert!(inflated_elsewhere(&output, -15) == [&data[..], &data].concat());
}

#[test]
fn the_header_of_gzip_is_the_application_s() {
    let data = text(50_000);
    let name = CString::new("a name of a file").expect("a text");
    let mut extra = [7_u8; 300];
    for is_long in [false, true] {
        set_faults(Faults::default());
        let long = CString::new(vec![b'x'; 10_000]).expect("a text");
        let name = if is_long { &long } else { &name };
        let mut header = gz_header {
            text: 1,
            time: 1_234_567,
            os: 3,
            extra: extra.as_mut_ptr(),
            extra_len: 300,
            name: name.as_ptr().cast_mut().cast(),
            hcrc: 1,
            ..gz_header::default()
        };
        let mut own = Stream::deflate(6, 31);
        assert_eq!(own.set_header(&mut header), Z_OK);
        let mut software = Stream::deflate_with(Library::Software, 6, 31, 0, 0).expect("good parameters");
        assert_eq!(software.set_header(&mut header), Z_OK);
        let bound = call!(own, deflateBound, data.len() as _) as usize;
        let (a, b) = (own.step(&data, bound, Z_FINISH), software.step(&data, bound, Z_FINISH));
        assert_eq!((a.code, b.code), (Z_STREAM_END, Z_STREAM_END));
        assert_eq!(requests(), usize::from(!is_long), "a long header is left to software");
        let header_bytes = 10 + 2 + 300 + name.as_bytes_with_nul().len() + 2;
        assert!(a.output[..header_bytes] == b.output[..header_bytes]);
        assert!(inflated_elsewhere(&a.output, 31) == data);
    }
}

#[test]
fn a_stream_that_ends_early_is_reported() {
    for first in [0, 1] {
        set_faults(Faults { first, ..Faults::default() });
        let mut stream = Stream::deflate(6, 15);
        assert_eq!(stream.step(&text(50_000), ROOM, Z_SYNC_FLUSH).code, Z_OK);
        assert_eq!(stream.end(), Z_DATA_ERROR);
        assert_eq!(stream.allocations.live.get(), 0);
        let mut stream = Stream::deflate(6, 15);
        assert_eq!(stream.step(&text(50_000), 20, Z_FINISH).code, Z_OK);
        assert_eq!(stream.end(), Z_OK, "all was deflated, although not all was taken");
    }
}

/// Input and output that lie on each other are left to software, which reads before it writes.
#[test]
fn buffers_can_overlap() {
    set_faults(Faults::default());
    let data = text(50_000);
    let mut buffer = [vec![0; 1000], data.clone()].concat();
    let mut stream = Stream::deflate(6, 15);
    stream.strm.next_in = buffer[1000..].as_ptr();
    stream.strm.avail_in = 50_000;
    (stream.strm.next_out, stream.strm.avail_out) = (buffer.as_mut_ptr(), 51_000);
    assert_eq!(call!(stream, deflate, Z_FINISH), Z_STREAM_END);
    assert_eq!(requests(), 0);
    assert!(inflated_elsewhere(&buffer[..stream.strm.total_out as usize], 15) == data);
    // In the middle of a stream too.
    let mut output = Vec::new();
    let mut stream = begun(31, &data, &mut output);
    let mut buffer = [vec![0; 100], data.clone()].concat();
    stream.strm.next_in = buffer[100..].as_ptr();
    stream.strm.avail_in = 50_000;
    (stream.strm.next_out, stream.strm.avail_out) = (buffer.as_mut_ptr(), 50_100);
    assert_eq!(call!(stream, deflate, Z_FINISH), Z_STREAM_END);
    output.extend_from_slice(&buffer[..50_100 - stream.strm.avail_out as usize]);
    assert!(inflated_elsewhere(&output, 31) == [&data[..], &data].concat());
}
