//! Files of the format gzip.
//!
//! Files that are read are those of the software library: it hands over a stream piece by piece, and a card inflates whole
//! streams. It writes by streams of its own, so that files are written by a [`Writer`] where the process has cards.
#![allow(non_snake_case, clippy::missing_safety_doc)]

mod mode;
mod open;
mod printf;
mod writer;

use std::ffi::CStr;
use std::slice;

use libc::{c_char, c_int, c_uint, c_void, size_t};
use libz_rs_sys::{Z_STREAM_ERROR, gzFile, z_off_t, z_off64_t};

pub use open::*;
pub use printf::*;
use writer::Writer;

/// Defines functions that are those of the software, or a writer's.
macro_rules! of_file {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty, |$writer:pat_param| $own:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(file: gzFile $(, $argument: $type)*) -> $result {
            // SAFETY: that of the caller.
            match unsafe { Writer::of(file.cast()) } {
                Some($writer) => $own,
                // SAFETY: that of the caller.
                None => unsafe { libz_rs_sys::$name(file $(, $argument)*) },
            }
        }
    )*};
}

of_file! {
    /// Sets the size of buffers.
    fn gzbuffer(size: c_uint) -> c_int, |writer| if writer.set_buffer(size) { 0 } else { -1 };
    /// Sets level and strategy.
    fn gzsetparams(level: c_int, strategy: c_int) -> c_int, |writer| writer.set_parameters(level, strategy);
    /// Reads.
    fn gzread(buf: *mut c_void, len: c_uint) -> c_int, |_| -1;
    /// Writes.
    fn gzwrite(buf: *const c_void, len: c_uint) -> c_int, |writer| {
        if c_int::try_from(len).is_err() {
            writer.fail(libz_rs_sys::Z_DATA_ERROR, "requested length does not fit in int");
            return 0;
        }
        // SAFETY: that of the caller.
        unsafe { written(writer, buf, len as size_t) as c_int }
    };
    /// Writes a text.
    fn gzputs(s: *const c_char) -> c_int, |writer| {
        // SAFETY: that of the caller.
        let text = unsafe { CStr::from_ptr(s) }.to_bytes();
        let result = c_int::try_from(text.len()).unwrap_or(-1);
        if writer.write(text).is_ok() { result } else { -1 }
    };
    /// Writes an octet.
    fn gzputc(c: c_int) -> c_int, |writer| {
        let octet = c as u8;
        if writer.write(&[octet]).is_ok() { octet.into() } else { -1 }
    };
    /// Reads a line.
    fn gzgets(buf: *mut c_char, len: c_int) -> *mut c_char, |_| std::ptr::null_mut();
    /// Reads an octet.
    fn gzgetc() -> c_int, |_| -1;
    /// Reads an octet, for the macro.
    fn gzgetc_() -> c_int, |_| -1;
    /// Writes what is collected.
    fn gzflush(flush: c_int) -> c_int, |writer| writer.flush(flush);
    /// Moves to a place.
    fn gzseek(offset: z_off_t, whence: c_int) -> z_off_t, |writer| writer.seek(offset, whence).unwrap_or(-1);
    /// Moves to a place.
    fn gzseek64(offset: z_off64_t, whence: c_int) -> z_off64_t, |writer| writer.seek(offset, whence).unwrap_or(-1);
    /// Moves to the begin.
    fn gzrewind() -> c_int, |_| -1;
    /// Returns the place.
    fn gztell() -> z_off_t, |writer| writer.position();
    /// Returns the place.
    fn gztell64() -> z_off64_t, |writer| writer.position();
    /// Returns the place in the file of compressed data.
    fn gzoffset() -> z_off_t, |writer| writer.offset();
    /// Returns the place in the file of compressed data.
    fn gzoffset64() -> z_off64_t, |writer| writer.offset();
    /// Returns whether the end was read.
    fn gzeof() -> c_int, |_| 0;
    /// Returns whether the file is not compressed.
    fn gzdirect() -> c_int, |_| 0;
    /// Closes a file that was read.
    fn gzclose_r() -> c_int, |_| Z_STREAM_ERROR;
    /// Clears the error.
    fn gzclearerr() -> (), |writer| writer.clear_error();
    /// Returns the last error.
    fn gzerror(errnum: *mut c_int) -> *const c_char, |writer| {
        let (error, text) = writer.error();
        if !errnum.is_null() {
            // SAFETY: that of the caller.
            unsafe { *errnum = error };
        }
        text.as_ptr()
    };
}

/// Writes as zlib does: all of it, or nothing and the error is kept.
///
/// # Safety
/// The data are readable.
unsafe fn written(writer: &mut Writer, data: *const c_void, bytes: size_t) -> size_t {
    if data.is_null() || bytes == 0 {
        return 0;
    }
    // SAFETY: that of the caller.
    let data = unsafe { slice::from_raw_parts(data.cast(), bytes) };
    if writer.write(data).is_ok() { bytes } else { 0 }
}

/// Reads items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzfread(buf: *mut c_void, size: size_t, nitems: size_t, file: gzFile) -> size_t {
    // SAFETY: that of the caller.
    match unsafe { Writer::of(file.cast()) } {
        Some(_) => 0,
        // SAFETY: that of the caller.
        None => unsafe { libz_rs_sys::gzfread(buf, size, nitems, file) },
    }
}

/// Writes items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzfwrite(buf: *const c_void, size: size_t, nitems: size_t, file: gzFile) -> size_t {
    // SAFETY: that of the caller.
    let Some(writer) = (unsafe { Writer::of(file.cast()) }) else {
        // SAFETY: that of the caller.
        return unsafe { libz_rs_sys::gzfwrite(buf, size, nitems, file) };
    };
    match size.checked_mul(nitems) {
        Some(0) => 0,
        // SAFETY: that of the caller.
        Some(bytes) => unsafe { written(writer, buf, bytes) / size },
        None => {
            writer.fail(Z_STREAM_ERROR, "request does not fit in a size_t");
            0
        }
    }
}

/// Puts an octet back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzungetc(c: c_int, file: gzFile) -> c_int {
    // SAFETY: that of the caller.
    match unsafe { Writer::of(file.cast()) } {
        Some(_) => -1,
        // SAFETY: that of the caller.
        None => unsafe { libz_rs_sys::gzungetc(c, file) },
    }
}
