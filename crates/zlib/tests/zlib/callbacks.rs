//! Streams that are inflated by call-backs.

use std::ptr;

use libc::{c_int, c_uint, c_void};
use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_FINISH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, z_stream};

use crate::abi::Stream;
use crate::text;

/// Octets that are handed over in pieces, and those that came out.
struct Exchange {
    input: Vec<u8>,
    at: usize,
    output: Vec<u8>,
    room_bytes: usize,
}

unsafe extern "C" fn pull(exchange: *mut c_void, next: *mut *const u8) -> c_uint {
    // SAFETY: it is that of `run`.
    let exchange = unsafe { &mut *exchange.cast::<Exchange>() };
    let piece = &exchange.input[exchange.at..exchange.input.len().min(exchange.at + 1000)];
    exchange.at += piece.len();
    // SAFETY: the stream takes the pointer.
    unsafe { *next = piece.as_ptr() };
    piece.len() as c_uint
}

unsafe extern "C" fn push(exchange: *mut c_void, data: *mut u8, bytes: c_uint) -> c_int {
    // SAFETY: as above; the data have the length.
    let (exchange, data) =
        unsafe { (&mut *exchange.cast::<Exchange>(), std::slice::from_raw_parts(data, bytes as usize)) };
    exchange.output.extend_from_slice(data);
    c_int::from(exchange.output.len() > exchange.room_bytes)
}

/// Inflates; returns the code and the output.
fn run(input: &[u8], room_bytes: usize) -> (c_int, Vec<u8>) {
    let mut exchange = Exchange { input: input.to_vec(), at: 0, output: Vec::new(), room_bytes };
    let descriptor: *mut c_void = (&raw mut exchange).cast();
    let mut window = vec![0; 1 << 15];
    let mut strm = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
    let size = size_of::<z_stream>() as c_int;
    // SAFETY: the window has its size; the call-backs are those of the exchange.
    let code = unsafe {
        let version = libz_rs_sys::zlibVersion();
        assert_eq!(z::inflateBackInit_(&mut strm, 15, window.as_mut_ptr(), version, size), Z_OK);
        let code = z::inflateBack(&mut strm, Some(pull), descriptor, Some(push), descriptor);
        assert_eq!(z::inflate(&mut strm, 0), Z_STREAM_ERROR, "it is of another kind");
        assert_eq!(z::inflateBackEnd(&mut strm), Z_OK);
        assert_eq!(z::inflateBackEnd(&mut strm), Z_STREAM_ERROR, "it has ended");
        code
    };
    (code, exchange.output)
}

#[test]
fn streams_are_inflated_by_call_backs() {
    let data = text(300_000);
    let mut stream = Vec::new();
    Stream::deflate(6, -15).run(&data, 1_000_000, Z_FINISH, &mut stream);
    assert!(run(&stream, data.len()) == (Z_STREAM_END, data.clone()));
    assert_eq!(run(&stream, 100_000).0, Z_BUF_ERROR, "the output is refused");
    assert_eq!(run(&stream[..stream.len() / 2], data.len()).0, Z_BUF_ERROR, "the input ends");
    assert_eq!(run(&[7, 0], 10).0, Z_DATA_ERROR);
    let mut window = [0_u8; 256];
    let mut strm = z_stream { opaque: ptr::null_mut(), zalloc: None, zfree: None, ..z_stream::default() };
    let size = size_of::<z_stream>() as c_int;
    // SAFETY: the window has its size.
    let code =
        unsafe { z::inflateBackInit_(&mut strm, 7, window.as_mut_ptr(), libz_rs_sys::zlibVersion(), size) };
    assert_eq!(code, Z_STREAM_ERROR, "no size of a window");
}
