//! Functions of the C library behind those of this library.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{
    FILE, epoll_event, fd_set, iovec, mmsghdr, msghdr, nfds_t, off_t, pid_t, pollfd, sigset_t, size_t,
    sockaddr, socklen_t, ssize_t, timespec,
};

/// Address of a function, found at its first use.
struct Next(AtomicPtr<c_void>);

impl Next {
    /// Returns the address.
    ///
    /// # Panics
    /// No library behind this one has the function, which then was called by nobody.
    fn get(&self, name: &CStr) -> *mut c_void {
        let known = self.0.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name ends with a zero.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
        assert!(!found.is_null(), "the C library has {name:?}");
        self.0.store(found, Ordering::Relaxed);
        found
    }
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        $(
            /// Calls the function of this name of the C library.
            ///
            /// # Safety
            /// Its own.
            pub unsafe fn $name($($argument: $kind),*) -> $result {
                static NEXT: Next = Next(AtomicPtr::new(std::ptr::null_mut()));
                let name = const {
                    match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => panic!("a name ends with one zero"),
                    }
                };
                // SAFETY: the function of this name has these arguments, by the headers of the C library; arguments that may be
                // left out are whole numbers or pointers, which are passed alike.
                let function: unsafe extern "C" fn($($kind),*) -> $result = unsafe { transmute(NEXT.get(name)) };
                // SAFETY: the caller's.
                unsafe { function($($argument),*) }
            }
        )*
    };
}

functions! {
    accept(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> c_int;
    accept4(fd: c_int, address: *mut sockaddr, length: *mut socklen_t, flags: c_int) -> c_int;
    close(fd: c_int) -> c_int;
    close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int;
    connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int;
    dup(fd: c_int) -> c_int;
    dup2(from: c_int, to: c_int) -> c_int;
    dup3(from: c_int, to: c_int, flags: c_int) -> c_int;
    epoll_create1(flags: c_int) -> c_int;
    epoll_ctl(poller: c_int, operation: c_int, fd: c_int, event: *mut epoll_event) -> c_int;
    epoll_pwait(poller: c_int, events: *mut epoll_event, count: c_int, wait_ms: c_int, mask: *const sigset_t) -> c_int;
    epoll_pwait2(poller: c_int, events: *mut epoll_event, count: c_int, wait: *const timespec, mask: *const sigset_t) -> c_int;
    fcntl(fd: c_int, command: c_int, argument: c_long) -> c_int;
    fcntl64(fd: c_int, command: c_int, argument: c_long) -> c_int;
    fdopen(fd: c_int, mode: *const c_char) -> *mut FILE;
    fileno(file: *mut FILE) -> c_int;
    fork() -> pid_t;
    ioctl(fd: c_int, request: libc::c_ulong, argument: *mut c_void) -> c_int;
    listen(fd: c_int, backlog: c_int) -> c_int;
    ppoll(fds: *mut pollfd, count: nfds_t, wait: *const timespec, mask: *const sigset_t) -> c_int;
    pselect(count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, wait: *const timespec, mask: *const sigset_t) -> c_int;
    read(fd: c_int, into: *mut c_void, bytes: size_t) -> ssize_t;
    readv(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t;
    recvfrom(fd: c_int, into: *mut c_void, bytes: size_t, flags: c_int, address: *mut sockaddr, length: *mut socklen_t) -> ssize_t;
    recvmmsg(fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, wait: *mut timespec) -> c_int;
    recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
    sendfile(to: c_int, from: c_int, offset: *mut off_t, bytes: size_t) -> ssize_t;
    sendmmsg(fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int;
    sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
    sendto(fd: c_int, octets: *const c_void, bytes: size_t, flags: c_int, address: *const sockaddr, length: socklen_t) -> ssize_t;
    setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, length: socklen_t) -> c_int;
    shutdown(fd: c_int, how: c_int) -> c_int;
    splice(from: c_int, from_offset: *mut off_t, to: c_int, to_offset: *mut off_t, bytes: size_t, flags: c_uint) -> ssize_t;
    syscall(number: c_long, a: c_long, b: c_long, c: c_long, d: c_long, e: c_long, f: c_long) -> c_long;
    write(fd: c_int, octets: *const c_void, bytes: size_t) -> ssize_t;
    writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t;
}
