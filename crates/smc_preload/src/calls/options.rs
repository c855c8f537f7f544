//! Flags and options of descriptors.

use std::ffi::{c_int, c_long, c_ulong, c_void};

use libc::{
    F_DUPFD, F_DUPFD_CLOEXEC, F_SETFL, FIONBIO, FIONREAD, O_NONBLOCK, SO_ZEROCOPY, SOL_SOCKET, TCP_CORK,
    TCP_NODELAY, TIOCOUTQ, socklen_t,
};
use rustix::io::Errno;

use super::descriptors::copied;
use super::failed;
use crate::descriptor::named;
use crate::next;
use crate::table;

/// Level of options of TCP, and the one that puts a protocol of the kernel on top.
const LEVEL_TCP: c_int = 6;
const TCP_ULP: c_int = 31;

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl(fd: c_int, command: c_int, argument: c_long) -> c_int {
    // SAFETY: the caller's.
    let result = unsafe { next::fcntl(fd, command, argument) };
    controlled(fd, command, argument, result)
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl64(fd: c_int, command: c_int, argument: c_long) -> c_int {
    // SAFETY: the caller's.
    let result = unsafe { next::fcntl64(fd, command, argument) };
    controlled(fd, command, argument, result)
}

fn controlled(fd: c_int, command: c_int, argument: c_long, result: c_int) -> c_int {
    if result >= 0 {
        match command {
            F_DUPFD | F_DUPFD_CLOEXEC => copied(fd, result),
            F_SETFL => {
                if let Some(socket) = table::socket(fd) {
                    socket.set_nonblocking(argument as c_int & O_NONBLOCK != 0);
                }
            }
            _ => {}
        }
    }
    result
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    if let Some(socket) = table::socket(fd) {
        let answer = match (request, socket.carried()) {
            (FIONREAD, Some(carried)) => Some(socket.readiness(carried).readable_bytes),
            (TIOCOUTQ, Some(_)) => Some(0),
            _ => None,
        };
        if let Some(bytes) = answer {
            // SAFETY: these requests have the place of a whole number as argument.
            unsafe { *argument.cast::<c_int>() = c_int::try_from(bytes).unwrap_or(c_int::MAX) };
            return 0;
        }
        if request == FIONBIO {
            // SAFETY: this request has a whole number as argument.
            socket.set_nonblocking(unsafe { *argument.cast::<c_int>() } != 0);
        }
    }
    // SAFETY: the caller's.
    unsafe { next::ioctl(fd, request, argument) }
}

/// As that of the C library. Options that the kernel would need the octets for are refused, or keep the connection with TCP.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    let is_of_kernel = matches!((level, name), (LEVEL_TCP, TCP_ULP) | (SOL_SOCKET, SO_ZEROCOPY));
    if is_of_kernel && table::socket(fd).is_some_and(|socket| !socket.stay_with_tcp(named(fd))) {
        return failed(Errno::NOPROTOOPT);
    }
    let is_of_packets = matches!((level, name), (LEVEL_TCP, TCP_NODELAY | TCP_CORK));
    if is_of_packets && table::socket(fd).is_some_and(|socket| socket.carried().is_some()) {
        // Octets go as they are written, and bells must not wait.
        return 0;
    }
    // SAFETY: the caller's.
    unsafe { next::setsockopt(fd, level, name, value, length) }
}
