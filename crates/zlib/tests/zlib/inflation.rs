//! Streams that are inflated.

use libc::c_int;
use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_DATA_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH,
    gz_header,
};
use proptest::prelude::*;

use crate::abi::{Library, Stream, call};
use crate::bounds::{data, faults};
use crate::in_process::{Faults, requests, set_faults};
use crate::incompressible;

/// Room that is never too small.
const ROOM: usize = 4_000_000;

/// Deflates by the software alone.
fn deflated(data: &[u8], window_bits: c_int) -> Vec<u8> {
    let mut output = Vec::new();
    let mut stream = Stream::deflate_with(Library::Software, 6, window_bits, 0, 0).expect("good parameters");
    assert_eq!(stream.run(data, ROOM, Z_FINISH, &mut output), Z_STREAM_END);
    output
}

/// Bits of windows that inflate a format, with the bits of its deflation.
const WINDOWS: [(c_int, c_int); 8] =
    [(15, 15), (0, 15), (47, 15), (32, 15), (31, 31), (16, 31), (47, 31), (-15, -15)];

/// A whole stream is one request; its fields are those that the software leaves, and octets behind it are left.
#[test]
fn a_whole_stream_is_one_request() {
    let data = incompressible(30_000);
    for (inflate_bits, deflate_bits) in WINDOWS {
        let stream = [&deflated(&data, deflate_bits)[..], b"behind the end"].concat();
        for flush in [Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH] {
            for first in [0, 1] {
                set_faults(Faults { first, ..Faults::default() });
                let mut own = Stream::inflate(inflate_bits);
                let mut software =
                    Stream::inflate_with(Library::Software, inflate_bits, 0).expect("good parameters");
                let (a, b) = (own.step(&stream, ROOM, flush), software.step(&stream, ROOM, flush));
                assert_eq!(requests(), 1);
                assert_eq!((a.code, a.taken), (Z_STREAM_END, stream.len() - 14));
                assert!(a == b && a.output == data, "{inflate_bits} {flush}");
                let fields = |stream: &Stream| {
                    let strm = &stream.strm;
                    // Raw DEFLATE has no check value, and the field is the application's; the software sets it all the same.
                    let adler = if deflate_bits == -15 { 0 } else { strm.adler };
                    (strm.total_in, strm.total_out, adler, strm.data_type, strm.msg.is_null())
                };
                assert_eq!(fields(&own), fields(&software), "{inflate_bits} {flush} {first}");
                assert_eq!(own.step(b"more", 10, flush), software.step(b"more", 10, flush), "it has ended");
                if flush != Z_FINISH {
                    // As zlib does; the software has it only while the stream goes on.
                    assert!(own.dictionary() == data || first == 1, "{inflate_bits} {flush}");
                }
                assert_eq!(call!(own, inflateMark), call!(software, inflateMark));
                assert_eq!(call!(own, inflateSyncPoint), call!(software, inflateSyncPoint));
                // The next stream is of the same format.
                assert_eq!(call!(own, inflateReset), Z_OK);
                let again = own.step(&stream, ROOM, flush);
                assert!(again.code == Z_STREAM_END && again.output == data, "{inflate_bits} {flush}");
                assert_eq!(requests(), 2);
            }
        }
    }
}

#[test]
fn what_is_not_whole_is_inflated_by_software() {
    let data = incompressible(100_000);
    for (inflate_bits, deflate_bits) in WINDOWS {
        let stream = deflated(&data, deflate_bits);
        set_faults(Faults::default());
        let mut own = Stream::inflate(inflate_bits);
        let mut output = own.step(&stream[..50_000], ROOM, Z_NO_FLUSH).output;
        let step = own.step(&stream[50_000..], ROOM, Z_NO_FLUSH);
        output.extend_from_slice(&step.output);
        assert_eq!((step.code, requests()), (Z_STREAM_END, 1));
        assert!(output == data, "a stream in two pieces");
        let mut own = Stream::inflate(inflate_bits);
        let mut output = Vec::new();
        assert_eq!(own.run(&stream, 1_000, Z_NO_FLUSH, &mut output), Z_STREAM_END);
        assert!(output == data, "a room that is too small");
        let mut own = Stream::inflate(inflate_bits);
        let mut short = stream.clone();
        short.pop();
        let step = own.step(&short, ROOM, Z_FINISH);
        assert_eq!(step.code, Z_BUF_ERROR, "the last octet is missing");
        assert!(data.starts_with(&step.output) && step.output.len() + 10 > data.len());
    }
}

#[test]
fn short_inputs_and_other_windows_are_software() {
    set_faults(Faults::default());
    let data = incompressible(20_000);
    let stream = deflated(&data, 15);
    let mut own = Stream::inflate(15);
    assert_eq!(own.step(&stream[..16_383], ROOM, Z_NO_FLUSH).code, Z_OK);
    assert_eq!(own.step(&stream[16_383..], ROOM, Z_NO_FLUSH).code, Z_STREAM_END);
    let small = deflated(&data, 14);
    assert_eq!(Stream::inflate(15).step(&small, ROOM, Z_FINISH).code, Z_STREAM_END);
    assert_eq!(Stream::inflate(14).step(&small, ROOM, Z_FINISH).code, Z_STREAM_END);
    assert_eq!(Stream::inflate(14).step(&stream, ROOM, Z_FINISH).code, Z_DATA_ERROR, "its window is larger");
    assert_eq!(Stream::inflate(15).step(&stream, ROOM, Z_BLOCK).code, Z_OK);
    let mut primed = Stream::inflate(-15);
    assert_eq!(call!(primed, inflatePrime, 0, 0), Z_OK);
    assert_eq!(primed.step(&deflated(&data, -15), ROOM, Z_FINISH).code, Z_STREAM_END);
    let mut unchecked = Stream::inflate(15);
    assert_eq!(call!(unchecked, inflateValidate, 0), Z_OK);
    let mut wrong = stream.clone();
    *wrong.last_mut().expect("a stream") ^= 1;
    assert_eq!(unchecked.step(&wrong, ROOM, Z_FINISH).code, Z_STREAM_END);
    assert_eq!(requests(), 0);
}

#[test]
fn a_wrong_check_value_is_an_error_of_the_stream() {
    let data = incompressible(30_000);
    for (inflate_bits, deflate_bits) in WINDOWS.into_iter().filter(|(_, bits)| *bits > 0) {
        set_faults(Faults::default());
        let mut stream = deflated(&data, deflate_bits);
        *stream.last_mut().expect("a stream") ^= 0x80;
        let mut own = Stream::inflate(inflate_bits);
        assert_eq!(own.step(&stream, ROOM, Z_NO_FLUSH).code, Z_DATA_ERROR);
        let mut software = Stream::inflate_with(Library::Software, inflate_bits, 0).expect("good parameters");
        software.step(&stream, ROOM, Z_NO_FLUSH);
        assert_eq!(own.strm.msg, software.strm.msg);
        assert_eq!(requests(), 1);
    }
}

#[test]
fn the_header_of_gzip_is_returned() {
    set_faults(Faults::default());
    let stream = deflated(&incompressible(30_000), 31);
    let mut own = Stream::inflate(47);
    let mut header = gz_header { done: 7, ..gz_header::default() };
    assert_eq!(own.set_header(&mut header), Z_OK);
    assert_eq!(own.step(&stream, ROOM, Z_FINISH).code, Z_STREAM_END);
    assert_eq!((header.done, header.os, requests()), (1, 3, 0));
}

#[test]
fn a_stream_that_has_ended_can_be_copied_synchronized_and_given_another_format() {
    set_faults(Faults::default());
    let data = incompressible(60_000);
    let stream = deflated(&data, 15);
    let mut own = Stream::inflate(15);
    assert_eq!(own.step(&stream, ROOM, Z_NO_FLUSH).code, Z_STREAM_END);
    let mut copy = own.copied().expect("there is memory");
    assert!(copy.dictionary() == data[data.len() - 32_768..]);
    assert_eq!(copy.step(&[], 10, Z_NO_FLUSH).code, Z_STREAM_END);
    assert_eq!(call!(copy, inflateReset2, -15), Z_OK);
    let raw = deflated(&data, -15);
    assert!(copy.step(&raw, ROOM, Z_NO_FLUSH).output == data);
    drop(copy);
    // Behind a full flush inflation goes on.
    let mut flushed = Vec::new();
    let mut deflate = Stream::deflate_with(Library::Software, 6, -15, 0, 0).expect("good parameters");
    deflate.run(b"before", ROOM, Z_FULL_FLUSH, &mut flushed);
    deflate.run(b"behind", ROOM, Z_FINISH, &mut flushed);
    (own.strm.next_in, own.strm.avail_in) = (flushed.as_ptr(), flushed.len() as _);
    assert_eq!(call!(own, inflateSync), Z_OK);
    let rest = &flushed[flushed.len() - own.strm.avail_in as usize..];
    assert_eq!(own.step(rest, 100, Z_NO_FLUSH).output, b"behind");
    assert_eq!(requests(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Any octets with any rooms give what the software gives.
    #[test]
    fn anything_is_inflated_as_by_the_software(
        data in data(),
        windows in prop::sample::select(WINDOWS.to_vec()),
        change in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        pieces in prop::collection::vec(1_usize..400_000, 1..4),
        room in prop_oneof![1_usize..30_000, Just(ROOM)],
        faults in faults(),
    ) {
        let (inflate_bits, deflate_bits) = windows;
        let mut stream = deflated(&data, deflate_bits);
        if let Some((at, octet)) = change {
            let at = at.index(stream.len());
            stream[at] = octet;
        }
        let result = |library, faults| {
            set_faults(faults);
            let mut inflate = Stream::inflate_with(library, inflate_bits, 0).expect("good parameters");
            let (mut output, mut at) = (Vec::new(), 0);
            let mut sizes = pieces.iter().cycle();
            loop {
                let piece = &stream[at..stream.len().min(at + sizes.next().expect("a cycle"))];
                let code = inflate.run(piece, room, Z_NO_FLUSH, &mut output);
                at = inflate.strm.total_in as usize;
                if !matches!(code, Z_OK | Z_BUF_ERROR) || piece.is_empty() {
                    let adler = if deflate_bits == -15 { 0 } else { inflate.strm.adler };
                    return (code, at, output, adler, inflate.strm.msg);
                }
            }
        };
        // A wrong answer about a raw stream cannot be found: it has no check value.
        let is_wrong = faults.is_wrong && deflate_bits != -15;
        let (own, software) = (result(Library::Own, Faults { is_wrong, ..faults }), result(Library::Software, faults));
        prop_assert!(own == software, "{:?} and {:?}", (own.0, own.1), (software.0, software.1));
    }
}
