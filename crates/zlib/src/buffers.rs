//! Buffers that the application hands over in a `z_stream`, and the counts that go with them.

use std::ptr;
use std::slice;

use libc::{c_int, c_uint};
use libz_rs_sys::{z_stream, zError};

/// Returns the input of the application.
///
/// # Safety
/// Input of the stream is readable for the lifetime, and nothing is written to it meanwhile.
pub unsafe fn input<'a>(strm: &z_stream) -> &'a [u8] {
    if strm.next_in.is_null() {
        return &[];
    }
    // SAFETY: that of the caller.
    unsafe { slice::from_raw_parts(strm.next_in, strm.avail_in as usize) }
}

/// Counts input as consumed.
pub fn consume(strm: &mut z_stream, bytes: usize) {
    strm.next_in = strm.next_in.wrapping_add(bytes);
    strm.avail_in -= bytes as c_uint;
    strm.total_in = strm.total_in.wrapping_add(bytes as _);
}

/// Counts output as produced.
pub fn produce(strm: &mut z_stream, bytes: usize) {
    strm.next_out = strm.next_out.wrapping_add(bytes);
    strm.avail_out -= bytes as c_uint;
    strm.total_out = strm.total_out.wrapping_add(bytes as _);
}

/// Writes as many octets to the output of the application as it has room for; returns how many.
///
/// # Safety
/// The output of the stream can be written, and is none of `octets`.
pub unsafe fn write(strm: &mut z_stream, octets: &[u8]) -> usize {
    let bytes = octets.len().min(strm.avail_out as usize);
    if bytes > 0 {
        // SAFETY: that of the caller.
        unsafe { ptr::copy_nonoverlapping(octets.as_ptr(), strm.next_out, bytes) };
        produce(strm, bytes);
    }
    bytes
}

/// Returns whether input and output have an octet in common.
pub fn is_overlapping(strm: &z_stream) -> bool {
    let (from, to) = (strm.next_in.addr(), strm.next_out.addr());
    from < to.saturating_add(strm.avail_out as usize) && to < from.saturating_add(strm.avail_in as usize)
}

/// Sets the message of an error, and returns it.
pub fn fail(strm: &mut z_stream, error: c_int) -> c_int {
    strm.msg = zError(error).cast_mut();
    error
}
