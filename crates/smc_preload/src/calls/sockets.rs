//! Connections that are made, accepted and ended.

use std::ffi::c_int;
use std::sync::Arc;

use halftrack_smc_host::{ListenerEntry, is_option_shown, show_option};
use libc::{AF_INET, AF_INET6, SHUT_RD, SHUT_RDWR, SOCK_NONBLOCK, sockaddr, socklen_t};
use rustix::fs::{OFlags, fcntl_getfl, fstat};
use rustix::io::{Errno, FdFlags, fcntl_getfd};
use rustix::net::SocketType;
use rustix::net::sockopt::{socket_protocol, socket_type};

use super::last_error;
use crate::descriptor::named;
use crate::names::Addresses;
use crate::next;
use crate::socket::{Phase, Socket};
use crate::table::{self, Entry};

/// Returns whether a descriptor is a socket of TCP.
pub(super) fn is_tcp(fd: c_int) -> bool {
    let fd = named(fd);
    let is_stream = socket_type(fd) == Ok(SocketType::STREAM);
    is_stream && socket_protocol(fd) == Ok(Some(rustix::net::ipproto::TCP))
}

fn enter(fd: c_int, socket: Socket) -> Arc<Socket> {
    let socket = Arc::new(socket);
    table::put(fd, Arc::new(Entry::Socket(Arc::clone(&socket))));
    socket
}

/// As that of the C library. The listening socket is entered in the registry of the host, and shows the option.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn listen(fd: c_int, backlog: c_int) -> c_int {
    let is_new = table::entry(fd).is_none() && is_tcp(fd);
    if is_new && ends_with_exec(fd) {
        show_option(named(fd));
    }
    // SAFETY: the caller's.
    let result = unsafe { next::listen(fd, backlog) };
    if result == 0 && is_new {
        let entered = fstat(named(fd)).map_err(Into::into).and_then(|file| ListenerEntry::enter(file.st_ino));
        if let Ok(entered) = entered {
            table::put(fd, Arc::new(Entry::Listener(entered)));
        }
    }
    result
}

/// Returns whether a listening socket stays with programs that have this library. Another one, to which it went over `exec`, would
/// read what clients of the option propose.
fn ends_with_exec(fd: c_int) -> bool {
    fcntl_getfd(named(fd)).is_ok_and(|flags| flags.contains(FdFlags::CLOEXEC))
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> c_int {
    // SAFETY: the caller's.
    let accepted = unsafe { next::accept(fd, address, length) };
    was_accepted(fd, accepted, false);
    accepted
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept4(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller's.
    let accepted = unsafe { next::accept4(fd, address, length, flags) };
    was_accepted(fd, accepted, flags & SOCK_NONBLOCK != 0);
    accepted
}

/// Takes a connection that was accepted. Nobody is waited for.
fn was_accepted(fd: c_int, accepted: c_int, is_nonblocking: bool) {
    if accepted < 0 {
        return;
    }
    let is_entered = table::is_listener_after(fd, ListenerEntry::take_clients);
    let is_of_host = || Addresses::of(named(accepted)).is_ok_and(|addresses| addresses.are_of_one_host());
    if is_entered && is_of_host() || is_option_shown(named(accepted)) {
        enter(accepted, Socket::accepted(is_nonblocking));
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    let is_new = table::entry(fd).is_none() && is_tcp(fd);
    if is_new {
        show_option(named(fd));
    }
    // SAFETY: the caller's.
    let result = unsafe { next::connect(fd, address, length) };
    let is_begun = result == 0 || last_error() == Errno::INPROGRESS;
    // SAFETY: the kernel has taken the address, or `is_begun` is not set.
    let is_internet = is_begun && matches!(c_int::from(unsafe { (*address).sa_family }), AF_INET | AF_INET6);
    if is_internet && is_new {
        let is_nonblocking = fcntl_getfl(named(fd)).is_ok_and(|flags| flags.contains(OFlags::NONBLOCK));
        let socket = Socket::connecting(is_nonblocking);
        if result != 0 || socket.step(named(fd)) != Phase::Tcp {
            let socket = enter(fd, socket);
            for (outer, poller) in table::pollers() {
                poller.adopt(named(outer), fd, &socket);
            }
        }
        if result != 0 {
            return super::failed(Errno::INPROGRESS);
        }
    }
    result
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shutdown(fd: c_int, how: c_int) -> c_int {
    if let Some(socket) = table::socket(fd)
        && socket.shut_down(named(fd), how != SHUT_RD, how == SHUT_RD || how == SHUT_RDWR)
    {
        return 0;
    }
    // SAFETY: the caller's.
    unsafe { next::shutdown(fd, how) }
}
