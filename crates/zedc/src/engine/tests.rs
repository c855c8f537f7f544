//! Laws of every engine, against a library that is none of them.

use flate2::{Compress, Compression, FlushCompress};
use proptest::prelude::*;

use super::*;
use crate::rig::{incompressible, inflated_elsewhere, text};

/// Octets of output that is long enough for any slice.
const OUTPUT_BYTES: usize = 2 * SLICE_BYTES_MAX;

fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(ZlibRs::default()),
        #[cfg(feature = "libdeflate")]
        Box::new(Libdeflate::default()),
        #[cfg(feature = "isal")]
        Box::new(Isal::default()),
    ]
}

/// Returns the slices of `data` with their positions; no data are one slice.
fn slices(data: &[u8]) -> impl Iterator<Item = (&[u8], Position)> {
    let count = data.len().div_ceil(SLICE_BYTES_MAX).max(1);
    (0..count).map(move |at| {
        let from = at * SLICE_BYTES_MAX;
        let position = if at + 1 == count { Position::Last } else { Position::Inner };
        (&data[from..data.len().min(from + SLICE_BYTES_MAX)], position)
    })
}

/// Deflates `data` slice by slice; slices that an engine refuses are stored.
fn deflated(engine: &mut dyn Engine, data: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    let mut output = vec![0; OUTPUT_BYTES];
    for (slice, position) in slices(data) {
        let length = engine.deflate(slice, position, &mut output).unwrap_or_else(|fault| {
            panic!("{} refuses a slice of {} octets: {fault}", engine.name(), slice.len())
        });
        joined.extend_from_slice(&output[..length]);
    }
    joined
}

/// Deflates by the other library.
fn deflated_elsewhere(data: &[u8], level: u32) -> Vec<u8> {
    let mut stream = Vec::with_capacity(2 * data.len() + 1024);
    let mut compress = Compress::new(Compression::new(level), false);
    compress.compress_vec(data, &mut stream, FlushCompress::Finish).expect("it compresses");
    stream
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    let run = (any::<u8>(), 1_usize..40_000).prop_map(|(octet, bytes)| vec![octet; bytes]);
    let words = (2_u8..5, prop::collection::vec(any::<u8>(), 0..20_000))
        .prop_map(|(kinds, octets)| octets.into_iter().map(|octet| octet % kinds).collect());
    let piece = prop_oneof![run, words, prop::collection::vec(any::<u8>(), 0..50_000)];
    prop::collection::vec(piece, 0..4).prop_map(|pieces: Vec<Vec<u8>>| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Joined slices of any data are one stream, which another library and every engine inflate to the data.
    #[test]
    fn another_library_inflates_what_an_engine_deflates(data in data()) {
        for mut engine in engines() {
            let stream = deflated(&mut *engine, &data);
            prop_assert!(inflated_elsewhere(&stream) == data, "{} gives other data", engine.name());
            let mut output = vec![0; data.len()];
            for mut other in engines() {
                let counts = other.inflate(&stream, &mut output);
                let expected = Inflated { consumed_bytes: stream.len(), produced_bytes: data.len() };
                prop_assert_eq!(counts, Ok(expected), "{} of {}", other.name(), engine.name());
                prop_assert!(output == data);
            }
        }
    }

    /// Octets that are no stream are a fault and never a panic, and nothing is written behind the output.
    #[test]
    fn anything_is_inflated_or_refused(mut stream in data(), at in any::<prop::sample::Index>(), octet in any::<u8>()) {
        let mut good = deflated_elsewhere(&stream, 6);
        let at = at.index(good.len());
        good[at] ^= octet;
        for stream in [&good, &stream] {
            for mut engine in engines() {
                let mut output = vec![0xA5; 4096 + 64];
                let _ = engine.inflate(stream, &mut output[..4096]);
                prop_assert!(output[4096..].iter().all(|octet| *octet == 0xA5), "{}", engine.name());
            }
        }
        stream.clear();
    }

    /// A slice refuses an output that is too short, and writes nothing behind it.
    #[test]
    fn a_short_output_is_refused_when_a_slice_is_deflated(data in data(), bytes in 0_usize..20_000) {
        let slice = &data[..data.len().min(SLICE_BYTES_MAX)];
        for mut engine in engines() {
            for position in [Position::Inner, Position::Last] {
                let mut output = vec![0xA5; OUTPUT_BYTES];
                let needed = engine.deflate(slice, position, &mut output);
                output.fill(0xA5);
                let got = engine.deflate(slice, position, &mut output[..bytes]);
                prop_assert!(output[bytes..].iter().all(|octet| *octet == 0xA5), "{}", engine.name());
                if let (Ok(needed), Ok(got)) = (needed, got) {
                    prop_assert!(got <= bytes);
                    let mut stream = output[..got].to_vec();
                    if position == Position::Inner {
                        stream.extend_from_slice(&[3, 0]);
                    }
                    prop_assert!(inflated_elsewhere(&stream) == slice, "{needed} octets are needed");
                }
            }
        }
    }
}

#[test]
fn no_data_are_a_stream() {
    for mut engine in engines() {
        let stream = deflated(&mut *engine, &[]);
        assert_eq!(inflated_elsewhere(&stream), [0; 0], "{}", engine.name());
        let whole = Inflated { consumed_bytes: stream.len(), produced_bytes: 0 };
        assert_eq!(engine.inflate(&stream, &mut []), Ok(whole), "{}", engine.name());
    }
}

#[test]
fn data_that_do_not_shrink_are_a_stream() {
    for mut engine in engines() {
        for bytes in [1, 4, 5, 255, SLICE_BYTES_MAX - 1, SLICE_BYTES_MAX, SLICE_BYTES_MAX + 1, 1 << 20] {
            let data = incompressible(bytes);
            assert!(inflated_elsewhere(&deflated(&mut *engine, &data)) == data, "{} {bytes}", engine.name());
        }
    }
}

#[test]
fn text_shrinks_as_it_does_elsewhere() {
    let data = text(1 << 20);
    let elsewhere = deflated_elsewhere(&data, 1).len();
    for mut engine in engines() {
        let own = deflated(&mut *engine, &data).len();
        assert!(own < elsewhere * 5 / 4, "{}: {own} octets, and {elsewhere} elsewhere", engine.name());
    }
}

/// Streams of another library, of blocks of each type, are inflated; cut short or with too little room they are refused.
#[test]
fn streams_of_another_library_are_inflated() {
    for data in [vec![], text(1), text(300_000), incompressible(100_000), vec![7; 1 << 20]] {
        for level in [0, 1, 9] {
            let mut stream = deflated_elsewhere(&data, level);
            let end = stream.len();
            stream.extend_from_slice(b"behind the end");
            for mut engine in engines() {
                let name = engine.name();
                let mut output = vec![0; data.len()];
                let whole = Inflated { consumed_bytes: end, produced_bytes: data.len() };
                assert_eq!(engine.inflate(&stream, &mut output), Ok(whole), "{name}");
                assert!(output == data, "{name}");
                for cut in [0, end / 2, end - 1] {
                    let mut room = vec![0; data.len() + 1];
                    assert_eq!(
                        engine.inflate(&stream[..cut], &mut room),
                        Err(EngineFault::Truncated),
                        "{name} {cut}"
                    );
                }
                if let Some(less) = data.len().checked_sub(1) {
                    assert_eq!(
                        engine.inflate(&stream, &mut output[..less]),
                        Err(EngineFault::OutputFull),
                        "{name}"
                    );
                }
            }
        }
    }
}

#[test]
fn corrupt_streams_are_refused() {
    // A block of the reserved type, a length that is not its complement, and a distance before the first octet.
    for stream in [&[7_u8, 0][..], &[1, 1, 0, 0, 0, 0], &[0x4B, 0x04, 0x12, 0x00]] {
        for mut engine in engines() {
            let fault = engine.inflate(stream, &mut [0; 600]).expect_err("it is corrupt");
            assert_eq!(fault, EngineFault::Corrupt, "{} {stream:?}", engine.name());
        }
    }
}

#[test]
fn check_values_are_those_of_the_standards() {
    for engine in engines() {
        assert_eq!(engine.crc32(0, b"123456789"), 0xCBF4_3926, "check value of CRC-32");
        assert_eq!(engine.adler32(1, b"Wikipedia"), 0x11E6_0398);
        assert_eq!(engine.crc32(engine.crc32(0, b"12345"), b"6789"), 0xCBF4_3926);
        assert_eq!(engine.adler32(engine.adler32(1, b"Wiki"), b"pedia"), 0x11E6_0398);
    }
}

#[test]
fn a_slice_that_would_grow_is_stored_within_the_bound() {
    let data = incompressible(100_000);
    let mut joined = vec![0; deflate_bound_bytes(data.len())];
    let mut end = 0;
    for (slice, position) in slices(&data) {
        end += store(slice, position, &mut joined[end..]);
    }
    assert_eq!(end, joined.len());
    assert!(inflated_elsewhere(&joined) == data);
    assert_eq!(deflate_bound_bytes(0), 5, "an empty stored block");
}
