//! The cases of `infcover.c` of zlib that use its interface alone, and streams that are none.

use std::ffi::CStr;
use std::ptr;

use libc::c_int;
use libz_rs_sys::{
    Z_BUF_ERROR, Z_DATA_ERROR, Z_NEED_DICT, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, Z_TREES,
    Z_VERSION_ERROR, z_stream,
};

use crate::abi::{Library, Stream, call};

/// Returns the octets of hexadecimal digits.
fn octets(hex: &str) -> Vec<u8> {
    hex.split(' ')
        .filter(|digits| !digits.is_empty())
        .map(|digits| u8::from_str_radix(digits, 16).expect("hex"))
        .collect()
}

/// Octets, octets of a step (0 for all), bits of the window, room, and the code of the first call.
const HEADERS: &[(&str, usize, c_int, usize, c_int)] = &[
    ("63 0", 0, -15, 1, Z_OK),
    ("63 18 5", 0, -8, 259, Z_OK),
    ("63 18 68 30 d0 0 0", 4, -8, 259, Z_OK),
    ("3 0", 0, -15, 1, Z_STREAM_END),
    ("1f 8b 0 0", 0, 31, 0, Z_DATA_ERROR),
    ("1f 8b 8 80", 0, 31, 0, Z_DATA_ERROR),
    ("77 85", 0, 15, 0, Z_DATA_ERROR),
    ("8 99", 0, 0, 0, Z_OK),
    ("78 9c", 0, 8, 0, Z_DATA_ERROR),
    ("78 9c 63 0 0 0 1 0 1", 0, 15, 1, Z_STREAM_END),
    ("1f 8b 8 1e 0 0 0 0 0 0 1 0 0 0 0 0 0", 0, 47, 1, Z_DATA_ERROR),
    ("1f 8b 8 2 0 0 0 0 0 0 1d 26 3 0 0 0 0 0 0 0 0 0", 0, 47, 0, Z_STREAM_END),
    ("78 90", 0, 47, 0, Z_DATA_ERROR),
    ("8 b8 0 0 0 1", 0, 8, 0, Z_NEED_DICT),
    ("78 9c 63 0", 0, 15, 1, Z_OK),
    ("2 8 20 80 0 3 0", 0, -15, 258, Z_STREAM_END),
    ("63 18 5 40 c 0", 3, -8, 300, Z_OK),
    (
        "e5 e0 81 ad 6d cb b2 2c c9 01 1e 59 63 ae 7d ee fb 4d fd b5 35 41 68 ff 7f 0f 0 0 0",
        0,
        -8,
        258,
        Z_DATA_ERROR,
    ),
    (
        "25 fd 81 b5 6d 59 b6 6a 49 ea af 35 6 34 eb 8c b9 f6 b9 1e ef 67 49 50 fe ff ff 3f 0 0",
        0,
        -8,
        258,
        Z_DATA_ERROR,
    ),
    ("3 7e 0 0 0 0 0", 0, -8, 258, Z_DATA_ERROR),
    ("1b 7 0 0 0 0 0", 0, -8, 258, Z_DATA_ERROR),
    ("d c7 1 ae eb 38 c 4 41 a0 87 72 de df fb 1f b8 36 b1 38 5d ff ff 0", 0, -8, 258, Z_DATA_ERROR),
    ("63 18 5 8c 10 8 0 0 0 0", 0, -8, 259, Z_OK),
    ("63 60 60 18 c9 0 8 18 18 18 26 c0 28 0 29 0 0 0", 6, -8, 259, Z_OK),
    ("63 0 3 0 0 0 0 0", 0, -8, 259, Z_STREAM_END),
];

#[test]
fn headers_and_ends_have_the_codes_of_zlib() {
    for (hex, step, window_bits, room, expected) in HEADERS {
        let input = octets(hex);
        let step = if *step == 0 { input.len() } else { *step };
        let mut stream = Stream::inflate(*window_bits);
        let result = stream.step(&input[..step], *room, Z_NO_FLUSH);
        // Without room a call is an error of the buffer at once where zlib has begun to inflate.
        assert_eq!(result.code, *expected, "{hex}");
        if result.code == Z_NEED_DICT {
            assert_eq!(stream.set_dictionary(&input[..1]), Z_DATA_ERROR, "another dictionary");
            assert_eq!(stream.set_dictionary(&[]), Z_OK);
            assert_eq!(stream.step(&[], *room, Z_NO_FLUSH).code, Z_BUF_ERROR);
        }
        assert!(stream.copied().is_ok());
        assert_eq!(call!(stream, inflateReset2, -8), Z_OK);
        assert_eq!(stream.end(), Z_OK);
        assert_eq!(stream.allocations.live.get(), 0);
    }
    assert!(matches!(Stream::inflate_with(Library::Own, 1, 0), Err(Z_STREAM_ERROR)), "no size of a window");
}

/// Octets, and the message of their error; those of the last two have a header.
const DATA: &[(&str, &str)] = &[
    ("0 0 0 0 0", "invalid stored block lengths"),
    ("3 0", ""),
    ("6", "invalid block type"),
    ("1 1 0 fe ff 0", ""),
    ("fc 0 0", "too many length or distance symbols"),
    ("4 0 fe ff", "invalid code lengths set"),
    ("4 0 24 49 0", "invalid bit length repeat"),
    ("4 0 24 e9 ff ff", "invalid bit length repeat"),
    ("4 0 24 e9 ff 6d", "invalid code -- missing end-of-block"),
    ("4 80 49 92 24 49 92 24 71 ff ff 93 11 0", "invalid literal/lengths set"),
    ("4 80 49 92 24 49 92 24 f b4 ff ff c3 84", "invalid distances set"),
    ("4 c0 81 8 0 0 0 0 20 7f eb b 0 0", "invalid literal/length code"),
    ("2 7e ff ff", "invalid distance code"),
    ("c c0 81 0 0 0 0 0 90 ff 6b 4 0", "invalid distance too far back"),
    ("5 c0 21 d 0 0 0 80 b0 fe 6d 2f 91 6c", ""),
    ("5 e0 81 91 24 cb b2 2c 49 e2 f 2e 8b 9a 47 56 9f fb fe ec d2 ff 1f", ""),
    ("ed c0 1 1 0 0 0 40 20 ff 57 1b 42 2c 4f", ""),
    ("ed cf c1 b1 2c 47 10 c4 30 fa 6f 35 1d 1 82 59 3d fb be 2e 2a fc f c", ""),
    ("1f 8b 8 0 0 0 0 0 0 0 3 0 0 0 0 1", "incorrect data check"),
    ("1f 8b 8 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0 0 1", "incorrect length check"),
];

/// Inflates as infcover does; returns the last code.
fn inflated(stream: &mut Stream, input: &[u8]) -> c_int {
    let room = input.len() << 3;
    let mut at = 0;
    loop {
        let step = stream.step(&input[at..], room, Z_TREES);
        at += step.taken;
        assert!(step.code != Z_STREAM_ERROR);
        let is_done = at == input.len() && step.output.len() < room;
        if matches!(step.code, Z_DATA_ERROR | Z_NEED_DICT) || is_done {
            return step.code;
        }
    }
}

#[test]
fn corrupt_data_have_the_messages_of_zlib() {
    for (hex, message) in DATA {
        let input = octets(hex);
        let mut stream = Stream::inflate(if input.starts_with(&[0x1F, 0x8B]) { 47 } else { -15 });
        let code = inflated(&mut stream, &input);
        let found = if stream.strm.msg.is_null() {
            String::new()
        } else {
            // SAFETY: a message of the library is a text.
            let text = unsafe { CStr::from_ptr(stream.strm.msg) };
            text.to_str().expect("text").to_owned()
        };
        assert_eq!(code == Z_DATA_ERROR, !message.is_empty(), "{hex}: {code}");
        if code == Z_DATA_ERROR {
            assert_eq!(found, *message, "{hex}");
        }
    }
}

/// Streams that are null, of another kind, ended, not initialized or copied by value are refused.
#[test]
fn what_is_no_stream_is_refused() {
    // SAFETY: every pointer is null, or a structure of this test; the calls find out that they are no streams.
    unsafe {
        assert_eq!(z::inflate(ptr::null_mut(), 0), Z_STREAM_ERROR);
        assert_eq!(z::inflateEnd(ptr::null_mut()), Z_STREAM_ERROR);
        assert_eq!(z::inflateCopy(ptr::null_mut(), ptr::null()), Z_STREAM_ERROR);
        assert_eq!(z::deflate(ptr::null_mut(), 0), Z_STREAM_ERROR);
        assert_eq!(z::deflateCopy(ptr::null_mut(), ptr::null_mut()), Z_STREAM_ERROR);
        assert_eq!(z::inflateBackEnd(ptr::null_mut()), Z_STREAM_ERROR);
        assert_eq!(
            z::inflateBack(ptr::null_mut(), None, ptr::null_mut(), None, ptr::null_mut()),
            Z_STREAM_ERROR
        );
        let mut zero = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
        for end in [z::deflateEnd, z::inflateEnd, z::inflateBackEnd, z::deflateReset, z::inflateReset] {
            assert_eq!(end(&mut zero), Z_STREAM_ERROR);
        }
        let (mut deflate, mut inflate) = (Stream::deflate(6, 15), Stream::inflate(15));
        assert_eq!(z::deflate(&mut *inflate.strm, 0), Z_STREAM_ERROR, "another kind");
        assert_eq!(z::inflate(&mut *deflate.strm, 0), Z_STREAM_ERROR, "another kind");
        assert_eq!(z::deflateEnd(&mut *inflate.strm), Z_STREAM_ERROR, "another kind");
        assert_eq!(z::inflateBackEnd(&mut *inflate.strm), Z_STREAM_ERROR, "another kind");
        let mut copy = *deflate.strm;
        assert_eq!(z::deflate(&mut copy, 0), Z_STREAM_ERROR, "the structure alone is no stream");
        assert_eq!(z::deflateEnd(&mut copy), Z_STREAM_ERROR);
        assert_eq!(deflate.end(), Z_OK);
        assert_eq!(z::deflateEnd(&mut *deflate.strm), Z_STREAM_ERROR, "it has ended");
        let mut strm = z_stream::default();
        let size = size_of::<z_stream>() as c_int;
        assert_eq!(z::inflateInit_(&mut strm, c"2.0".as_ptr(), size), Z_VERSION_ERROR);
        assert_eq!(z::deflateInit_(&mut strm, 6, ptr::null(), size), Z_VERSION_ERROR);
        assert_eq!(z::deflateInit_(&mut strm, 6, c"1.2.13".as_ptr(), size - 1), Z_VERSION_ERROR);
        assert_eq!(z::deflateInit_(ptr::null_mut(), 6, c"1.2.13".as_ptr(), size), Z_STREAM_ERROR);
        assert_eq!(z::deflateInit_(&mut strm, 10, c"1.2.13".as_ptr(), size), Z_STREAM_ERROR);
        assert_eq!(z::inflateBackInit_(&mut strm, 0, ptr::null_mut(), ptr::null(), 0), Z_VERSION_ERROR);
    }
}

/// Bits that are put in front, and a search for a flush, are as in zlib.
#[test]
fn bits_and_searches_have_the_codes_of_zlib() {
    let mut stream = Stream::inflate(15);
    assert_eq!(call!(stream, inflatePrime, 5, 31), Z_OK);
    assert_eq!(call!(stream, inflatePrime, -1, 0), Z_OK);
    assert_eq!(call!(stream, inflateSetDictionary, ptr::null(), 0), Z_STREAM_ERROR);
    let mut stream = Stream::inflate(-8);
    assert_eq!(stream.set_dictionary(&[0; 257]), Z_OK);
    assert_eq!(call!(stream, inflatePrime, 16, 0), Z_OK);
    let input = [0x80, 0];
    (stream.strm.next_in, stream.strm.avail_in) = (input.as_ptr(), 2);
    assert_eq!(call!(stream, inflateSync), Z_DATA_ERROR);
    let marker = [0, 0, 0xFF, 0xFF];
    (stream.strm.next_in, stream.strm.avail_in) = (marker.as_ptr(), 4);
    assert_eq!(call!(stream, inflateSync), Z_OK);
    assert_eq!(call!(stream, inflateUndermine, 1), Z_DATA_ERROR);
}
