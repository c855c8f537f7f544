//! Reset of a stream of the software.

use std::ptr;

use libc::c_int;
use libz_rs_sys::{Z_FINISH, Z_OK, z_streamp};

use super::Parameters;

/// Octets of output that are thrown away at once.
const PIECE_BYTES: usize = 16 << 10;

/// Resets a stream of the software by one of its functions, and gives it the level and strategy of `parameters`.
///
/// One of which anything was deflated must have been brought to its [end](finish).
///
/// # Safety
/// The software has initialized the stream.
pub unsafe fn reset(
    strm: z_streamp,
    by: unsafe extern "C" fn(z_streamp) -> c_int,
    parameters: Parameters,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe {
        let result = by(strm);
        if result != Z_OK {
            return result;
        }
        libz_rs_sys::deflateParams(strm, parameters.level, parameters.strategy)
    }
}

/// Brings a stream to its end before a reset; its output goes nowhere, and its buffers are what they were.
///
/// zlib-rs 0.6.8 forgets neither an open block of level 1 nor the place of output that was partly taken
/// (`deflate::reset_keep`): the next stream would be corrupt, or abort the process.
///
/// # Safety
/// As [`reset`].
pub unsafe fn finish(strm: z_streamp) {
    // SAFETY: that of the caller.
    let strm = unsafe { &mut *strm };
    let (input, output) = ((strm.next_in, strm.avail_in), (strm.next_out, strm.avail_out));
    let mut piece = [0; PIECE_BYTES];
    loop {
        (strm.next_in, strm.avail_in) = (ptr::null(), 0);
        (strm.next_out, strm.avail_out) = (piece.as_mut_ptr(), PIECE_BYTES as _);
        // SAFETY: that of the caller; the output is the piece, and there is no input.
        if unsafe { libz_rs_sys::deflate(strm, Z_FINISH) } != Z_OK {
            break;
        }
    }
    (strm.next_in, strm.avail_in) = input;
    (strm.next_out, strm.avail_out) = output;
}
