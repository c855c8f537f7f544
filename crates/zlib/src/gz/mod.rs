//! Files of the format gzip. They are those of the software library, which reads and writes them by streams of its own.
#![allow(non_snake_case, clippy::missing_safety_doc)]

mod printf;

use libc::{c_char, c_int, c_uint, c_void, size_t};
use libz_rs_sys::{gzFile, z_off_t, z_off64_t};

pub use printf::*;

use crate::exports::of_software;

of_software! {
    /// Opens a file.
    fn gzopen(path: *const c_char, mode: *const c_char) -> gzFile;
    /// Opens a file.
    fn gzopen64(path: *const c_char, mode: *const c_char) -> gzFile;
    /// Opens a file that is open.
    fn gzdopen(fd: c_int, mode: *const c_char) -> gzFile;
    /// Sets the size of buffers.
    fn gzbuffer(file: gzFile, size: c_uint) -> c_int;
    /// Sets level and strategy.
    fn gzsetparams(file: gzFile, level: c_int, strategy: c_int) -> c_int;
    /// Reads.
    fn gzread(file: gzFile, buf: *mut c_void, len: c_uint) -> c_int;
    /// Reads items.
    fn gzfread(buf: *mut c_void, size: size_t, nitems: size_t, file: gzFile) -> size_t;
    /// Writes.
    fn gzwrite(file: gzFile, buf: *const c_void, len: c_uint) -> c_int;
    /// Writes items.
    fn gzfwrite(buf: *const c_void, size: size_t, nitems: size_t, file: gzFile) -> size_t;
    /// Writes a text.
    fn gzputs(file: gzFile, s: *const c_char) -> c_int;
    /// Writes an octet.
    fn gzputc(file: gzFile, c: c_int) -> c_int;
    /// Reads a line.
    fn gzgets(file: gzFile, buf: *mut c_char, len: c_int) -> *mut c_char;
    /// Reads an octet.
    fn gzgetc(file: gzFile) -> c_int;
    /// Reads an octet, for the macro.
    fn gzgetc_(file: gzFile) -> c_int;
    /// Puts an octet back.
    fn gzungetc(c: c_int, file: gzFile) -> c_int;
    /// Writes what is collected.
    fn gzflush(file: gzFile, flush: c_int) -> c_int;
    /// Moves to a place.
    fn gzseek(file: gzFile, offset: z_off_t, whence: c_int) -> z_off_t;
    /// Moves to a place.
    fn gzseek64(file: gzFile, offset: z_off64_t, whence: c_int) -> z_off64_t;
    /// Moves to the begin.
    fn gzrewind(file: gzFile) -> c_int;
    /// Returns the place.
    fn gztell(file: gzFile) -> z_off_t;
    /// Returns the place.
    fn gztell64(file: gzFile) -> z_off64_t;
    /// Returns the place in the file of compressed data.
    fn gzoffset(file: gzFile) -> z_off_t;
    /// Returns the place in the file of compressed data.
    fn gzoffset64(file: gzFile) -> z_off64_t;
    /// Returns whether the end was read.
    fn gzeof(file: gzFile) -> c_int;
    /// Returns whether the file is not compressed.
    fn gzdirect(file: gzFile) -> c_int;
    /// Closes a file.
    fn gzclose(file: gzFile) -> c_int;
    /// Closes a file that was read.
    fn gzclose_r(file: gzFile) -> c_int;
    /// Closes a file that was written.
    fn gzclose_w(file: gzFile) -> c_int;
    /// Returns the last error.
    fn gzerror(file: gzFile, errnum: *mut c_int) -> *const c_char;
    /// Clears the error.
    fn gzclearerr(file: gzFile) -> ();
}
