//! Streams that are inflated by call-backs. A card has no such requests: they are software.

use libc::{c_char, c_int, c_uchar, c_void};
use libz_rs_sys::{Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR, Z_VERSION_ERROR, in_func, out_func, z_streamp};

use super::is_version_compatible;
use crate::stream::{Kind, Stream, complete_allocator};

/// Part of the state that is of call-backs: none.
struct Callbacks;

impl Kind for Callbacks {
    const MARK: u64 = u64::from_ne_bytes(*b"HTinfbck");
}

/// Initializes a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateBackInit_(
    strm: z_streamp,
    windowBits: c_int,
    window: *mut c_uchar,
    version: *const c_char,
    stream_size: c_int,
) -> c_int {
    // SAFETY: that of the caller.
    if !unsafe { is_version_compatible(version, stream_size) } {
        return Z_VERSION_ERROR;
    }
    // SAFETY: that of the caller.
    let Some(strm) = (unsafe { strm.as_mut() }) else { return Z_STREAM_ERROR };
    complete_allocator(strm);
    // SAFETY: as above; what the software sets in the stream is its own.
    unsafe {
        let result = libz_rs_sys::inflateBackInit_(strm, windowBits, window, version, stream_size);
        if result != Z_OK {
            return result;
        }
        if Stream::install(strm, Callbacks).is_some() {
            libz_rs_sys::inflateBackEnd(strm);
            return Z_MEM_ERROR;
        }
    }
    Z_OK
}

/// Inflates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateBack(
    strm: z_streamp,
    r#in: Option<in_func>,
    in_desc: *mut c_void,
    out: Option<out_func>,
    out_desc: *mut c_void,
) -> c_int {
    // SAFETY: that of the caller.
    let Some((strm, stream)) = (unsafe { Stream::<Callbacks>::of(strm) }) else { return Z_STREAM_ERROR };
    // SAFETY: the software finds its own state.
    stream.software(strm, |strm| unsafe { libz_rs_sys::inflateBack(strm, r#in, in_desc, out, out_desc) })
}

/// Ends a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateBackEnd(strm: z_streamp) -> c_int {
    // SAFETY: that of the caller.
    let Some((strm, stream)) = (unsafe { Stream::<Callbacks>::of(strm) }) else { return Z_STREAM_ERROR };
    // SAFETY: the software finds its own state; ours is not used afterwards.
    unsafe {
        let result = stream.software(strm, |strm| libz_rs_sys::inflateBackEnd(strm));
        Stream::<Callbacks>::remove(strm);
        result
    }
}
