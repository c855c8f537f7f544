//! Beginning of the program, its children, and interfaces of the kernel that would pass this library by.

use std::ffi::{c_int, c_long, c_uint, c_void};

use libc::{ENOSYS, SYS_close, SYS_io_uring_setup, pid_t};

use super::failed;
use crate::next;
use crate::process;

/// Function that the loader calls before the program's own begin.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

/// Function that the loader calls behind the program's own end.
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

extern "C" fn end() {
    process::leave();
    crate::fabrics::end_all();
}

/// As that of the C library, once the octets of connections over links have arrived.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(code: c_int) -> ! {
    end();
    // SAFETY: the process ends.
    unsafe { libc::syscall(libc::SYS_exit_group, code) };
    std::process::abort()
}

extern "C" fn begin() {
    process::begin();
    super::streams::take_over_standard_streams();
    // SAFETY: these functions last as long as this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before_fork), None, Some(in_child)) };
}

unsafe extern "C" fn before_fork() {
    process::before_fork();
}

unsafe extern "C" fn in_child() {
    process::in_child();
}

/// As `fork`: a child that shares the memory of its parent would change its table of descriptors.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vfork() -> pid_t {
    // SAFETY: the caller's.
    unsafe { next::fork() }
}

/// As that of the C library, without rings of requests to the kernel.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    if number == SYS_io_uring_setup {
        return failed(rustix::io::Errno::NOSYS);
    }
    if number == SYS_close {
        // A descriptor that gets this number must not be taken for the connection.
        // SAFETY: the caller's.
        return unsafe { super::descriptors::close(a as c_int) }.into();
    }
    // SAFETY: the caller's; a call without so many arguments has others, which the kernel does not use.
    unsafe { next::syscall(number, a, b, c, d, e, f) }
}

/// As that of liburing where the kernel has no rings.
#[unsafe(no_mangle)]
pub extern "C" fn io_uring_setup(_entries: c_uint, _parameters: *mut c_void) -> c_int {
    -ENOSYS
}

/// As that of liburing where the kernel has no rings.
#[unsafe(no_mangle)]
pub extern "C" fn io_uring_queue_init(_entries: c_uint, _ring: *mut c_void, _flags: c_uint) -> c_int {
    -ENOSYS
}

/// As that of liburing where the kernel has no rings.
#[unsafe(no_mangle)]
pub extern "C" fn io_uring_queue_init_params(
    _entries: c_uint,
    _ring: *mut c_void,
    _parameters: *mut c_void,
) -> c_int {
    -ENOSYS
}

/// As that of liburing where the kernel has no rings.
#[unsafe(no_mangle)]
pub extern "C" fn io_uring_queue_init_mem(
    _entries: c_uint,
    _ring: *mut c_void,
    _parameters: *mut c_void,
    _memory: *mut c_void,
    _bytes: usize,
) -> c_int {
    -ENOSYS
}
