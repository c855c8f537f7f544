//! Files opened and closed.

use std::ffi::{CStr, CString};

use libc::{c_char, c_int};
use libz_rs_sys::{Z_STREAM_ERROR, gzFile};

use super::mode::Mode;
use super::writer::Writer;
use crate::connections;

/// Rights of a file that is made, less those that the process takes away.
const RIGHTS: libc::mode_t = 0o666;

/// Returns the mode when it is one of a writer.
///
/// # Safety
/// It is null, or a text.
unsafe fn mode_of_writer(mode: *const c_char) -> Option<Mode> {
    if mode.is_null() || !connections::is_configured() {
        return None;
    }
    // SAFETY: that of the caller.
    Mode::of_writing(unsafe { CStr::from_ptr(mode) }.to_bytes())
}

/// Returns a writer of an open file.
fn writer(file: c_int, path: CString, mode: Mode) -> gzFile {
    if mode.flags & libc::O_APPEND != 0 {
        // So that the offset is right. A pipe has none.
        // SAFETY: the call changes nothing but the file.
        unsafe { libc::lseek(file, 0, libc::SEEK_END) };
    }
    Box::into_raw(Box::new(Writer::new(file, path, mode))).cast()
}

/// Opens a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzopen(path: *const c_char, mode: *const c_char) -> gzFile {
    // SAFETY: that of the caller.
    let Some(own) = (unsafe { mode_of_writer(mode) }).filter(|_| !path.is_null()) else {
        // SAFETY: that of the caller.
        return unsafe { libz_rs_sys::gzopen(path, mode) };
    };
    // SAFETY: that of the caller.
    let (file, path) = unsafe { (libc::open(path, own.flags, RIGHTS), CStr::from_ptr(path)) };
    if file == -1 { std::ptr::null_mut() } else { writer(file, path.to_owned(), own) }
}

/// Opens a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzopen64(path: *const c_char, mode: *const c_char) -> gzFile {
    // SAFETY: that of the caller.
    unsafe { gzopen(path, mode) }
}

/// Opens a file that is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzdopen(fd: c_int, mode: *const c_char) -> gzFile {
    // SAFETY: that of the caller.
    let Some(own) = (unsafe { mode_of_writer(mode) }).filter(|_| fd != -1) else {
        // SAFETY: that of the caller.
        return unsafe { libz_rs_sys::gzdopen(fd, mode) };
    };
    let path = CString::new(format!("<fd:{fd}>")).unwrap_or_default();
    writer(fd, path, own)
}

/// Closes a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose(file: gzFile) -> c_int {
    // SAFETY: that of the caller.
    unsafe {
        match Writer::of(file.cast()) {
            Some(_) => gzclose_w(file),
            None => libz_rs_sys::gzclose(file),
        }
    }
}

/// Closes a file that was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose_w(file: gzFile) -> c_int {
    if file.is_null() {
        return Z_STREAM_ERROR;
    }
    // SAFETY: that of the caller; a writer came from a box, and is not used afterwards.
    unsafe {
        match Writer::of(file.cast()) {
            Some(writer) => Box::from_raw(&raw mut *writer).close(),
            None => libz_rs_sys::gzclose_w(file),
        }
    }
}
