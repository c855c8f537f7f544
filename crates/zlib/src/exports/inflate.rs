//! Functions of streams that are inflated.

use libc::{c_char, c_int, c_long, c_uint, c_ulong};
use libz_rs_sys::{
    Bytef, Z_DATA_ERROR, Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR, Z_VERSION_ERROR, gz_headerp, uInt, z_stream,
    z_streamp,
};

use super::is_version_compatible;
use crate::inflation::Inflation;
use crate::stream::{Stream, complete_allocator};

/// Bits of the window without another choice.
const WINDOW_BITS: c_int = 15;
/// Result of `inflateMark` for what is no stream.
const NO_MARK: c_long = -(1 << 16);

/// Returns the stream and its state, or returns from the function.
macro_rules! stream {
    ($strm:expr, $error:expr) => {
        // SAFETY: that of the caller.
        match unsafe { Stream::<Inflation>::of($strm) } {
            Some(found) => found,
            None => return $error,
        }
    };
}

/// Defines functions that are those of the software. Streams that nothing was inflated of are left to it before `left`.
macro_rules! of_stream {
    ($($(#[$doc:meta])* $when:ident fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty, or $error:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(strm: z_streamp, $($argument: $type),*) -> $result {
            let (strm, stream) = stream!(strm, $error);
            of_stream!($when stream strm);
            // SAFETY: the software finds its own state.
            stream.software(strm, |strm| unsafe { libz_rs_sys::$name(strm, $($argument),*) })
        }
    )*};
    (left $stream:ident $strm:ident) => { $stream.leave_to_software($strm) };
    (reset $stream:ident $strm:ident) => { $stream.reset($strm) };
    (any $stream:ident $strm:ident) => {};
}

of_stream! {
    /// Begins another stream of the same format.
    reset fn inflateReset() -> c_int, or Z_STREAM_ERROR;
    /// Begins another stream and keeps the window.
    reset fn inflateResetKeep() -> c_int, or Z_STREAM_ERROR;
    /// Sets the dictionary, which a card has not.
    left fn inflateSetDictionary(dictionary: *const Bytef, length: uInt) -> c_int, or Z_STREAM_ERROR;
    /// Puts bits in front of the input, which a card does not.
    left fn inflatePrime(bits: c_int, value: c_int) -> c_int, or Z_STREAM_ERROR;
    /// Skips to the next full flush.
    left fn inflateSync() -> c_int, or Z_STREAM_ERROR;
    /// Has the header of gzip kept, which a card does not return.
    left fn inflateGetHeader(head: gz_headerp) -> c_int, or Z_STREAM_ERROR;
    /// Has the check value checked or not.
    left fn inflateValidate(check: c_int) -> c_int, or Z_STREAM_ERROR;
    /// Returns the window.
    any fn inflateGetDictionary(dictionary: *mut Bytef, length: *mut c_uint) -> c_int, or Z_STREAM_ERROR;
    /// Returns whether the stream is behind a full flush.
    any fn inflateSyncPoint() -> c_int, or Z_STREAM_ERROR;
    /// Returns the place in the stream.
    any fn inflateMark() -> c_long, or NO_MARK;
    /// Returns how many entries of the tables of codes are used.
    any fn inflateCodesUsed() -> c_ulong, or c_ulong::MAX;
}

/// Refuses to accept distances that are too far, as zlib does unless it is built otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateUndermine(strm: z_streamp, _subvert: c_int) -> c_int {
    let (_, _) = stream!(strm, Z_STREAM_ERROR);
    Z_DATA_ERROR
}

/// Initializes a stream of the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateInit_(strm: z_streamp, version: *const c_char, stream_size: c_int) -> c_int {
    // SAFETY: that of the caller.
    unsafe { inflateInit2_(strm, WINDOW_BITS, version, stream_size) }
}

/// Initializes a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateInit2_(
    strm: z_streamp,
    windowBits: c_int,
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
        let result = libz_rs_sys::inflateInit2_(strm, windowBits, version, stream_size);
        if result != Z_OK {
            return result;
        }
        if Stream::install(strm, Inflation::new(windowBits)).is_some() {
            libz_rs_sys::inflateEnd(strm);
            return Z_MEM_ERROR;
        }
    }
    Z_OK
}

/// Inflates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflate(strm: z_streamp, flush: c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    stream.inflate(strm, flush)
}

/// Ends a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateEnd(strm: z_streamp) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    // SAFETY: the software finds its own state; ours is not used afterwards.
    unsafe {
        let result = stream.software(strm, |strm| libz_rs_sys::inflateEnd(strm));
        Stream::<Inflation>::remove(strm);
        result
    }
}

/// Begins another stream of another format.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateReset2(strm: z_streamp, windowBits: c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    // SAFETY: the software finds its own state.
    let result = stream.software(strm, |strm| unsafe { libz_rs_sys::inflateReset2(strm, windowBits) });
    if result == Z_OK {
        stream.set_window_bits(windowBits);
    }
    result
}

/// Copies a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateCopy(dest: z_streamp, source: *const z_stream) -> c_int {
    let (source, stream) = stream!(source.cast_mut(), Z_STREAM_ERROR);
    if dest.is_null() {
        return Z_STREAM_ERROR;
    }
    // SAFETY: the software finds its own state; the destination can be written, by the caller, and need not be initialized.
    unsafe {
        let mut copy = z_stream::default();
        let result = stream.software(source, |source| libz_rs_sys::inflateCopy(&mut copy, source));
        if result != Z_OK {
            return result;
        }
        dest.write(copy);
        let dest = &mut *dest;
        if Stream::install(dest, stream.own).is_some() {
            libz_rs_sys::inflateEnd(dest);
            return Z_MEM_ERROR;
        }
    }
    Z_OK
}
