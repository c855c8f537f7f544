//! Formatted output to a file of the format gzip.

use std::arch::naked_asm;

use libc::{c_char, c_int, c_uint, c_void, size_t};
use libz_rs_sys::{Z_MEM_ERROR, Z_STREAM_ERROR, gzFile};

use super::gzwrite;
use super::writer::Writer;

/// Octets of the buffer of a file that has not our own.
const BUFFER_BYTES: usize = 8 << 10;

unsafe extern "C" {
    /// Takes the arguments of `gzprintf`, and calls `gzvprintf` (`printf.c`).
    fn halftrack_gzprintf();
    /// Formats. A list of arguments is passed as a pointer on the processors that we build for.
    fn vsnprintf(text: *mut c_char, bytes: size_t, format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// Writes a formatted text. It only goes to the function in C, with all arguments where they are: a function of a library in
/// C is not exported from one in Rust.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn gzprintf() {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("jmp {}", sym halftrack_gzprintf);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("b {}", sym halftrack_gzprintf);
}

/// Writes a formatted text that is shorter than the buffer of the file; a longer one is not written, and the result 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzvprintf(file: gzFile, format: *const c_char, va: *mut c_void) -> c_int {
    if file.is_null() || format.is_null() {
        return Z_STREAM_ERROR;
    }
    // SAFETY: that of the caller.
    let writer = unsafe { Writer::of(file.cast()) };
    let room = writer.map_or(BUFFER_BYTES, |writer| writer.buffer_bytes());
    let mut text = Vec::new();
    if text.try_reserve_exact(room).is_err() {
        return Z_MEM_ERROR;
    }
    text.resize(room, 0_u8);
    // SAFETY: the room has its length; format and arguments are the caller's.
    let length = unsafe { vsnprintf(text.as_mut_ptr().cast(), text.len(), format, va) };
    match usize::try_from(length) {
        Ok(length) if (1..room).contains(&length) => {
            // SAFETY: the file is the caller's, and so much text was written.
            unsafe { gzwrite(file, text.as_ptr().cast(), length as c_uint) }
        }
        _ => 0,
    }
}
