//! Descriptors that the program names by their numbers.

use std::ffi::c_int;
use std::os::fd::BorrowedFd;

/// Returns a descriptor that the program has named. One that is not open, or is closed meanwhile by another thread, makes the calls
/// fail that use it, as it makes those of the program.
#[must_use]
pub fn named(fd: c_int) -> BorrowedFd<'static> {
    assert!(fd >= 0, "a descriptor with an entry");
    // SAFETY: it is used for system calls within a call of the program that names the same number; nothing is assumed of it.
    unsafe { BorrowedFd::borrow_raw(fd) }
}
