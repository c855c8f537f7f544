//! Bounds hold for every output.

use libc::c_int;
use libz_rs_sys::{Z_FINISH, Z_OK, Z_STREAM_END};
use proptest::prelude::*;

use crate::abi::{Library, Stream, call, compress, inflated_elsewhere, uncompress};
use crate::in_process::{Faults, set_faults};

/// Returns data of pieces that shrink, and of pieces that do not.
pub fn data() -> impl Strategy<Value = Vec<u8>> {
    let run = (any::<u8>(), 1_usize..200_000).prop_map(|(octet, bytes)| vec![octet; bytes]);
    let words = (2_u8..5, prop::collection::vec(any::<u8>(), 0..40_000))
        .prop_map(|(kinds, octets)| octets.into_iter().map(|octet| octet % kinds).collect());
    let noise = (0_usize..1_400_000).prop_map(crate::incompressible);
    let piece =
        prop_oneof![2 => run, 2 => words, 1 => noise, 1 => prop::collection::vec(any::<u8>(), 0..5_000)];
    prop::collection::vec(piece, 0..4).prop_map(|pieces: Vec<Vec<u8>>| pieces.concat())
}

/// Returns faults of requests.
pub fn faults() -> impl Strategy<Value = Faults> {
    (0_usize..4, any::<bool>(), any::<bool>()).prop_map(|(first, is_all_behind, is_wrong)| Faults {
        first,
        is_all_behind,
        is_wrong,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// One call with `Z_FINISH` and the room of `deflateBound` ends the stream, whoever deflates, and when a card is lost.
    #[test]
    fn one_call_with_the_bound_ends_a_stream(
        data in data(),
        level in -1_i32..=9,
        window_bits in prop::sample::select(vec![15, -15, 31, 9, -9, 14, 25]),
        strategy in 0_i32..=4,
        faults in faults(),
    ) {
        // A raw stream has no check value by which a wrong answer could be found.
        set_faults(Faults { is_wrong: faults.is_wrong && window_bits > 0, ..faults });
        let mut stream = Stream::deflate_with(Library::Own, level, window_bits, strategy, 0).expect("good parameters");
        let bound = call!(stream, deflateBound, data.len() as _) as usize;
        let step = stream.step(&data, bound, Z_FINISH);
        prop_assert_eq!(step.code, Z_STREAM_END, "{} octets of {}", bound, data.len());
        prop_assert!(inflated_elsewhere(&step.output, window_bits) == data);
    }

    /// `compress` of any data into the room of `compressBound` succeeds, and `uncompress` gives the data.
    #[test]
    fn compress_succeeds_with_its_bound(data in data(), level in -1_i32..=9, faults in faults()) {
        set_faults(faults);
        let (code, output) = compress(&data, level, z::compressBound(data.len() as _) as usize);
        prop_assert_eq!(code, Z_OK);
        let (code, inflated, consumed) = uncompress(&output, data.len());
        prop_assert_eq!((code, consumed), (Z_OK, output.len()));
        prop_assert!(inflated == data);
    }
}

#[test]
fn bounds_of_lengths_that_are_none_do_not_overflow() {
    for bytes in [usize::MAX, usize::MAX - 65_536, usize::MAX / 2] {
        assert!(z::compressBound_z(bytes) >= bytes, "{bytes}");
    }
}

/// A room that is too small is an error of `compress`, and of `uncompress`.
#[test]
fn rooms_that_are_too_small_are_an_error() {
    const BUFFER: c_int = libz_rs_sys::Z_BUF_ERROR;
    set_faults(Faults::default());
    let data = crate::text(100_000);
    let (code, whole) = compress(&data, 6, 100_000);
    assert_eq!(code, Z_OK);
    for room in [0, 1, 2, whole.len() - 1] {
        assert_eq!(compress(&data, 6, room).0, BUFFER, "{room}");
    }
    assert_eq!(compress(&data, 6, whole.len()).0, Z_OK, "the exact room is enough");
    for room in [0, 1, data.len() - 1] {
        assert_eq!(uncompress(&whole, room).0, BUFFER, "{room}");
    }
    for cut in [0, 1, whole.len() / 2, whole.len() - 1] {
        assert_eq!(uncompress(&whole[..cut], data.len() + 1).0, libz_rs_sys::Z_DATA_ERROR, "{cut}");
    }
    let (code, empty) = compress(&[], 6, 100);
    assert_eq!((code, uncompress(&empty, 0).0), (Z_OK, Z_OK), "no data need no room");
}
