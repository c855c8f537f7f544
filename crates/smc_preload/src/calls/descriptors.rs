//! Descriptors that are copied and closed.

use std::ffi::{c_int, c_uint};

use rustix::io::Errno;

use super::failed;
use crate::descriptor::named;
use crate::next;
use crate::table::{self, Entry};

/// Forgets a descriptor that is about to be closed, or replaced.
pub(super) fn forget(fd: c_int) {
    let Some(entry) = table::take(fd) else { return };
    if let Entry::Socket(socket) = &*entry {
        table::pollers().iter().for_each(|(_, poller)| poller.closed(fd));
        socket.remove_descriptor(fd);
    }
}

/// Enters a descriptor that is a copy.
pub(super) fn copied(from: c_int, to: c_int) {
    let Some(entry) = table::entry(from).and_then(|entry| entry.clone()) else { return };
    match &*entry {
        Entry::Socket(socket) => socket.add_descriptor(),
        // One of this library is copied by nobody but it.
        Entry::Own => return,
        Entry::Listener(_) | Entry::Poller(_) => {}
    }
    table::put(to, entry);
}

/// As that of the C library. Descriptors of this library stay open.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(fd: c_int) -> c_int {
    if table::is_own(fd) {
        return failed(Errno::BADF);
    }
    forget(fd);
    // SAFETY: the caller's.
    unsafe { next::close(fd) }
}

/// As that of the C library. Descriptors of this library stay open.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    if flags != 0 {
        // SAFETY: the caller's. Nothing is closed yet, or in a table of descriptors that is the thread's own.
        return unsafe { next::close_range(first, last, flags) };
    }
    let mut from = first;
    for (fd, entry) in table::descriptors() {
        let fd = fd.cast_unsigned();
        if fd < from || fd > last {
            continue;
        }
        if let Entry::Own = &*entry {
            if fd > from {
                // SAFETY: the caller's.
                unsafe { next::close_range(from, fd - 1, 0) };
            }
            from = fd + 1;
        } else {
            forget(fd.cast_signed());
        }
    }
    // SAFETY: the caller's.
    if from > last { 0 } else { unsafe { next::close_range(from, last, 0) } }
}

/// As that of the C library. Descriptors of this library stay open.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closefrom(first: c_int) {
    // SAFETY: the caller's.
    unsafe { close_range(first.max(0).cast_unsigned(), c_uint::MAX, 0) };
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup(fd: c_int) -> c_int {
    // SAFETY: the caller's.
    let copy = unsafe { next::dup(fd) };
    if copy >= 0 {
        copied(fd, copy);
    }
    copy
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup2(from: c_int, to: c_int) -> c_int {
    // SAFETY: the caller's.
    replaced(from, to, || unsafe { next::dup2(from, to) })
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int {
    // SAFETY: the caller's.
    replaced(from, to, || unsafe { next::dup3(from, to, flags) })
}

fn replaced(from: c_int, to: c_int, copy: impl FnOnce() -> c_int) -> c_int {
    if from == to || table::entry(from).is_none() && table::entry(to).is_none() {
        return copy();
    }
    // A connection must not end by the copy of what is not open.
    if from < 0 || rustix::io::fcntl_getfd(named(from)).is_err() {
        return failed(Errno::BADF);
    }
    if table::is_own(to) {
        return failed(Errno::BUSY);
    }
    forget(to);
    let result = copy();
    if result >= 0 {
        copied(from, to);
    }
    result
}
