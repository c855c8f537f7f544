//! Functions of the C library whose place this library takes.
//!
//! Each does what that of the C library does, and more only where a descriptor is that of a connection, a listening socket, an instance
//! of epoll, or one of this library.

mod beginning;
mod descriptors;
mod files;
mod formatted;
mod octets;
mod options;
mod sockets;
mod streams;
mod waits;

use std::ffi::c_int;

use rustix::io::Errno;

/// Sets the error of the calling thread, and returns the value that stands for one.
fn failed<T: From<i8>>(error: Errno) -> T {
    // SAFETY: the address is that of the thread's own error.
    unsafe { *libc::__errno_location() = error.raw_os_error() };
    T::from(-1)
}

/// Returns a result as the C library does.
fn returned(result: Result<usize, Errno>) -> isize {
    result.map_or_else(failed, |count| isize::try_from(count).unwrap_or(isize::MAX))
}

/// Returns a count as the C library does.
fn counted(result: Result<usize, Errno>) -> c_int {
    result.map_or_else(failed, |count| c_int::try_from(count).unwrap_or(c_int::MAX))
}

/// Returns the result of a call of the C library.
fn of_c(result: c_int) -> Result<usize, Errno> {
    usize::try_from(result).map_err(|_| last_error())
}

/// Returns the error of the calling thread.
fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
