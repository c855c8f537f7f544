//! Cards that are lost in the middle of a stream: software goes on, and the application sees no error.

use libc::c_int;
use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_PARTIAL_FLUSH, Z_STREAM_END,
    Z_SYNC_FLUSH,
};
use proptest::prelude::*;

use crate::abi::{Library, Stream, crc32, inflated_elsewhere};
use crate::bounds::{data, faults};
use crate::in_process::{Faults, requests, set_faults};
use crate::text;

/// Formats that a card deflates.
const FORMATS: [c_int; 3] = [15, -15, 31];

/// Deflates with a flush behind every piece.
fn deflated(window_bits: c_int, pieces: &[(&[u8], c_int)], room_bytes: usize) -> Vec<u8> {
    let mut stream = Stream::deflate(6, window_bits);
    let mut output = Vec::new();
    let mut total = 0;
    for (piece, flush) in pieces {
        let code = stream.run(piece, room_bytes, *flush, &mut output);
        total += piece.len();
        assert!(matches!(code, Z_OK | Z_BUF_ERROR), "{code} at a flush");
        assert_eq!(stream.strm.total_in, total as u64);
        assert_eq!(stream.strm.total_out, output.len() as u64);
    }
    assert_eq!(stream.run(&[], room_bytes, Z_FINISH, &mut output), Z_STREAM_END);
    assert_eq!(stream.end(), Z_OK);
    assert_eq!(stream.allocations.live.get(), 0, "all memory is freed");
    output
}

/// The output inflates to the data when any one request fails, or all from any one on, or when its answer is wrong.
#[test]
fn a_card_can_be_lost_at_every_request() {
    let data = text(3_500_000);
    for window_bits in FORMATS {
        for room in [100, 4_000_000] {
            set_faults(Faults::default());
            let pieces: [(&[u8], _); 4] = [
                (&data[..1_500_000], Z_NO_FLUSH),
                (&data[1_500_000..1_600_000], Z_SYNC_FLUSH),
                (&data[1_600_000..1_700_000], Z_FULL_FLUSH),
                (&data[1_700_000..], Z_NO_FLUSH),
            ];
            assert!(inflated_elsewhere(&deflated(window_bits, &pieces, room), window_bits) == data);
            let all = requests();
            assert_eq!(all, 5, "1 MiB, to the flush, to the next one, 1 MiB, and the rest");
            for first in 1..=all {
                for (is_all_behind, is_wrong) in [(false, false), (true, false), (false, true)] {
                    // Raw DEFLATE has no check value: its answers cannot be found to be wrong.
                    let is_wrong = is_wrong && window_bits != -15;
                    set_faults(Faults { first, is_all_behind, is_wrong });
                    let output = deflated(window_bits, &pieces, room);
                    assert!(inflated_elsewhere(&output, window_bits) == data, "{window_bits} {first}");
                    assert_eq!(requests(), first, "software goes on");
                }
            }
        }
    }
}

/// A flush ends with its marker, so that all data so far can be inflated, whoever deflates.
#[test]
fn all_data_before_a_flush_can_be_inflated() {
    let data = text(50_000);
    for first in [0, 1, 2] {
        for flush in [Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH] {
            set_faults(Faults { first, ..Faults::default() });
            let mut stream = Stream::deflate(6, -15);
            let mut output = Vec::new();
            for end in [20_000, 50_000] {
                let from = end - if end == 20_000 { 20_000 } else { 30_000 };
                assert_eq!(stream.run(&data[from..end], 100_000, flush, &mut output), Z_OK);
                if flush != Z_PARTIAL_FLUSH {
                    assert!(output.ends_with(&[0, 0, 0xFF, 0xFF]), "{first} {flush}");
                }
                let mut inflate = Stream::inflate_with(Library::Software, -15, 0).expect("good parameters");
                assert!(
                    inflate.step(&output, 100_000, Z_SYNC_FLUSH).output == data[..end],
                    "{first} {flush}"
                );
                assert_eq!(stream.step(&[], 100, flush).code, Z_BUF_ERROR, "nothing is left to be done");
            }
        }
    }
}

/// Fields of the stream after every call are those that the software leaves.
#[test]
fn fields_are_those_of_the_software() {
    let data = text(300_000);
    let mut binary = data.clone();
    binary[100] = 1;
    for data in [&data, &binary] {
        for window_bits in FORMATS {
            for first in 0..4 {
                set_faults(Faults { first, ..Faults::default() });
                let mut own = Stream::deflate(6, window_bits);
                let mut software =
                    Stream::deflate_with(Library::Software, 6, window_bits, 0, 0).expect("good parameters");
                let steps = [
                    (10_000, Z_NO_FLUSH),
                    (90_000, Z_SYNC_FLUSH),
                    (100_000, Z_FULL_FLUSH),
                    (0, Z_SYNC_FLUSH),
                ];
                let mut at = 0;
                for (bytes, flush) in steps.into_iter().chain([(100_000, Z_FINISH)]) {
                    let input = &data[at..at + bytes];
                    at += bytes;
                    let (a, b) = (own.step(input, 400_000, flush), software.step(input, 400_000, flush));
                    assert_eq!((a.code, a.taken), (b.code, b.taken), "{window_bits} {first} {flush}");
                    assert_eq!(own.strm.total_in, software.strm.total_in);
                    // The software does not have the check value of gzip before the end, as zlib has.
                    let adler = match window_bits {
                        31 => crc32(&data[..at]),
                        _ => software.strm.adler,
                    };
                    assert_eq!(own.strm.adler, adler, "{window_bits} {first} {flush}");
                    if at > 10_000 {
                        assert_eq!(own.strm.data_type, software.strm.data_type);
                    }
                }
                assert_eq!(own.step(&[], 10, Z_FINISH).code, Z_STREAM_END, "the end is reported again");
                assert_eq!(own.step(b"more", 10, Z_FINISH).code, Z_BUF_ERROR);
                assert_eq!(own.step(&[], 10, Z_NO_FLUSH).code, libz_rs_sys::Z_STREAM_ERROR);
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Call {
    bytes: usize,
    flush: c_int,
    room_bytes: usize,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let flush = prop::sample::select(vec![
        Z_NO_FLUSH,
        Z_NO_FLUSH,
        Z_NO_FLUSH,
        Z_PARTIAL_FLUSH,
        Z_SYNC_FLUSH,
        Z_FULL_FLUSH,
        Z_BLOCK,
    ]);
    let bytes = prop_oneof![Just(0_usize), 1_usize..5_000, 1_usize..400_000, 1_000_000_usize..1_200_000];
    let room = prop_oneof![1_usize..20, 20_usize..100_000, Just(2_000_000_usize)];
    let call = (bytes, flush, room).prop_map(|(bytes, flush, room_bytes)| Call { bytes, flush, room_bytes });
    prop::collection::vec(call, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever calls an application makes and whatever requests fail, the output inflates to the data.
    #[test]
    fn any_calls_give_a_stream_of_the_data(
        data in data(),
        calls in calls(),
        window_bits in prop::sample::select(FORMATS.to_vec()),
        faults in faults(),
    ) {
        set_faults(Faults { is_wrong: faults.is_wrong && window_bits != -15, ..faults });
        let mut stream = Stream::deflate(-1, window_bits);
        let (mut output, mut at) = (Vec::new(), 0);
        for call in calls {
            let input = &data[at..data.len().min(at + call.bytes)];
            let step = stream.step(input, call.room_bytes, call.flush);
            prop_assert!(matches!(step.code, Z_OK | Z_BUF_ERROR), "{} of {:?}", step.code, call);
            let is_idle = step.taken == 0 && step.output.is_empty();
            prop_assert!(is_idle || step.code == Z_OK, "{} although something was done", step.code);
            at += step.taken;
            output.extend_from_slice(&step.output);
        }
        prop_assert_eq!(stream.run(&data[at..], 30_000, Z_FINISH, &mut output), Z_STREAM_END);
        prop_assert_eq!((stream.strm.total_in, stream.strm.total_out), (data.len() as u64, output.len() as u64));
        prop_assert_eq!(stream.end(), Z_OK);
        prop_assert_eq!(stream.allocations.live.get(), 0);
        prop_assert!(inflated_elsewhere(&output, window_bits) == data);
    }
}
