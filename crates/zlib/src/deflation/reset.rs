//! Reset of a stream of the software.

use std::ptr;

use libc::{c_int, c_uint};
use libz_rs_sys::{Z_FINISH, Z_OK, z_streamp};

/// Octets that are taken out of the software at once.
const PIECE_BYTES: usize = 1 << 10;

/// Resets a stream of the software by one of its functions, after output that waits was taken out.
///
/// zlib-rs 0.6.8 forgets such output and not the place that it takes: the buffer is short of it until it is next empty, and a
/// block that does not fit aborts the process (`Pending::reset_keep`).
///
/// # Safety
/// The software has initialized the stream.
pub unsafe fn reset(strm: z_streamp, by: unsafe extern "C" fn(z_streamp) -> c_int) -> c_int {
    // SAFETY: that of the caller.
    unsafe {
        take_output(strm);
        by(strm)
    }
}

/// Takes out the output of a stream that is given up; its buffers are what they were.
///
/// # Safety
/// As [`reset`].
unsafe fn take_output(strm: z_streamp) {
    // SAFETY: that of the caller.
    let strm = unsafe { &mut *strm };
    let (input, output) = ((strm.next_in, strm.avail_in), (strm.next_out, strm.avail_out));
    let mut piece = [0; PIECE_BYTES];
    loop {
        let (mut waiting, mut bits): (c_uint, c_int) = (0, 0);
        // SAFETY: that of the caller.
        let result = unsafe { libz_rs_sys::deflatePending(strm, &mut waiting, &mut bits) };
        if result != Z_OK || waiting == 0 {
            break;
        }
        // No more room than is taken, so that the call does nothing else.
        let room = waiting.min(PIECE_BYTES as c_uint);
        (strm.next_in, strm.avail_in) = (ptr::null(), 0);
        (strm.next_out, strm.avail_out) = (piece.as_mut_ptr(), room);
        // SAFETY: that of the caller; the output is the piece, and there is no input.
        unsafe { libz_rs_sys::deflate(strm, Z_FINISH) };
        if strm.avail_out == room {
            break;
        }
    }
    (strm.next_in, strm.avail_in) = input;
    (strm.next_out, strm.avail_out) = output;
}
