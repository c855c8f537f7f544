//! Streams of the C library on connections: their octets come through calls that no other library can take the place of, so that such
//! streams have calls of their own.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use libc::{FILE, off64_t, size_t, ssize_t};
use rustix::io::Errno;

use super::failed;
use super::octets::{read, write};
use super::sockets::is_tcp;
use crate::next;
use crate::table;

/// Calls of a stream.
#[repr(C)]
struct StreamCalls {
    read: unsafe extern "C" fn(*mut c_void, *mut c_char, size_t) -> ssize_t,
    write: unsafe extern "C" fn(*mut c_void, *const c_char, size_t) -> ssize_t,
    seek: unsafe extern "C" fn(*mut c_void, *mut off64_t, c_int) -> c_int,
    close: unsafe extern "C" fn(*mut c_void) -> c_int,
}

unsafe extern "C" {
    static mut stdin: *mut FILE;
    static mut stdout: *mut FILE;
    static mut stderr: *mut FILE;
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, calls: StreamCalls) -> *mut FILE;
    fn setvbuf(stream: *mut FILE, buffer: *mut c_char, mode: c_int, bytes: size_t) -> c_int;
}

/// Descriptors of streams with calls of their own.
static STREAMS: LazyLock<Mutex<HashMap<usize, c_int>>> = LazyLock::new(Mutex::default);
static STREAM_COUNT: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn read_stream(cookie: *mut c_void, into: *mut c_char, bytes: size_t) -> ssize_t {
    // SAFETY: the C library has room for so many octets.
    unsafe { read(cookie as usize as c_int, into.cast(), bytes) }
}

unsafe extern "C" fn write_stream(cookie: *mut c_void, octets: *const c_char, bytes: size_t) -> ssize_t {
    // SAFETY: the C library has so many octets.
    let sent = unsafe { write(cookie as usize as c_int, octets.cast(), bytes) };
    // An error is none written, for streams of this kind.
    sent.max(0)
}

unsafe extern "C" fn seek_stream(_cookie: *mut c_void, _offset: *mut off64_t, _from: c_int) -> c_int {
    failed(Errno::SPIPE)
}

unsafe extern "C" fn close_stream(cookie: *mut c_void) -> c_int {
    let fd = cookie as usize as c_int;
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    streams.retain(|_, of| *of != fd);
    STREAM_COUNT.store(streams.len(), Ordering::Release);
    drop(streams);
    // SAFETY: the stream had the descriptor.
    unsafe { super::descriptors::close(fd) }
}

/// Opens a stream on a connection.
///
/// # Safety
/// `mode` is one of `fdopen`.
unsafe fn open(fd: c_int, mode: *const c_char) -> *mut FILE {
    let calls =
        StreamCalls { read: read_stream, write: write_stream, seek: seek_stream, close: close_stream };
    // SAFETY: the calls are those that the C library wants, and the cookie is a number to them.
    let stream = unsafe { fopencookie(fd as usize as *mut c_void, mode, calls) };
    if !stream.is_null() {
        let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
        streams.insert(stream as usize, fd);
        STREAM_COUNT.store(streams.len(), Ordering::Release);
    }
    stream
}

/// Returns whether a descriptor is a connection, or may become one.
fn is_internet_stream(fd: c_int) -> bool {
    table::socket(fd).is_some() || (fd >= 0 && is_tcp(fd))
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdopen(fd: c_int, mode: *const c_char) -> *mut FILE {
    // SAFETY: the caller's.
    unsafe { if is_internet_stream(fd) { open(fd, mode) } else { next::fdopen(fd, mode) } }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fileno(stream: *mut FILE) -> c_int {
    if STREAM_COUNT.load(Ordering::Acquire) > 0 {
        let streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fd) = streams.get(&(stream as usize)) {
            return *fd;
        }
    }
    // SAFETY: the caller's.
    unsafe { next::fileno(stream) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fileno_unlocked(stream: *mut FILE) -> c_int {
    // SAFETY: the caller's.
    unsafe { fileno(stream) }
}

/// Gives the standard streams calls of their own where their descriptors are connections, as a program that was started for one has them.
pub(super) fn take_over_standard_streams() {
    // SAFETY: no other thread runs before the program has begun, and the C library takes other streams for its own.
    unsafe {
        if table::socket(0).is_some() {
            stdin = open(0, c"r".as_ptr());
        }
        if table::socket(1).is_some() {
            stdout = open(1, c"w".as_ptr());
        }
        if table::socket(2).is_some() {
            stderr = open(2, c"w".as_ptr());
            setvbuf(stderr, null_mut(), libc::_IONBF, 0);
        }
    }
}
