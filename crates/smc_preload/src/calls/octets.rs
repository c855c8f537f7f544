//! Octets that are read and written.

use std::ffi::{c_int, c_uint, c_void};
use std::slice::{from_raw_parts, from_raw_parts_mut};

use libc::{MSG_DONTWAIT, MSG_ERRQUEUE, MSG_NOSIGNAL, MSG_OOB, MSG_PEEK, MSG_WAITALL, MSG_WAITFORONE};
use libc::{iovec, mmsghdr, msghdr, size_t, sockaddr, socklen_t, ssize_t, timespec};
use rustix::io::Errno;

use super::{failed, returned};
use crate::descriptor::named;
use crate::next;
use crate::socket::Flow;
use crate::table;

/// Receives from a connection; none where the descriptor is the kernel's.
fn receive(fd: c_int, parts: &mut [&mut [u8]], flags: c_int) -> Option<Result<usize, Errno>> {
    let socket = table::socket(fd)?;
    if flags & MSG_ERRQUEUE != 0 {
        return Some(Err(Errno::AGAIN));
    }
    if flags & MSG_OOB != 0 {
        return Some(Err(Errno::INVAL));
    }
    let flow = Flow::new(&socket, named(fd), flags & MSG_DONTWAIT != 0);
    match flow.receive(parts, flags & MSG_PEEK != 0, flags & MSG_WAITALL != 0) {
        Ok(received) => received.map(Ok),
        Err(error) => Some(Err(error)),
    }
}

/// Sends over a connection; none where the descriptor is the kernel's.
pub(super) fn send(fd: c_int, parts: &[&[u8]], flags: c_int) -> Option<Result<usize, Errno>> {
    let socket = table::socket(fd)?;
    if flags & MSG_OOB != 0 {
        return Some(Err(Errno::OPNOTSUPP));
    }
    let sent = Flow::new(&socket, named(fd), flags & MSG_DONTWAIT != 0).send(parts);
    if sent == Err(Errno::PIPE) && flags & MSG_NOSIGNAL == 0 {
        // SAFETY: a signal to the calling thread, which the kernel would have sent.
        unsafe { libc::raise(libc::SIGPIPE) };
    }
    match sent {
        Ok(sent) => sent.map(Ok),
        Err(error) => Some(Err(error)),
    }
}

/// Returns memory of the program that octets go to.
///
/// # Safety
/// So many octets are the caller's to write for as long as it wants.
unsafe fn place<'a>(into: *mut c_void, bytes: size_t) -> &'a mut [u8] {
    if bytes == 0 || into.is_null() {
        return &mut [];
    }
    // SAFETY: the caller's; a program's buffer is no longer than the address space.
    unsafe { from_raw_parts_mut(into.cast(), bytes) }
}

/// Returns memory of the program that octets come from.
///
/// # Safety
/// So many octets are the caller's to read for as long as it wants.
unsafe fn source<'a>(octets: *const c_void, bytes: size_t) -> &'a [u8] {
    if bytes == 0 || octets.is_null() {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { from_raw_parts(octets.cast(), bytes) }
}

/// Returns the parts of memory that a program has listed.
///
/// # Safety
/// There are so many, as `iovec` has them.
unsafe fn listed<'a>(parts: *const iovec, count: usize) -> &'a [iovec] {
    // SAFETY: the caller's.
    if count == 0 || parts.is_null() { &[] } else { unsafe { from_raw_parts(parts, count) } }
}

/// Receives into listed parts; none where the descriptor is the kernel's.
///
/// # Safety
/// As `readv`.
unsafe fn receive_listed(
    fd: c_int,
    parts: *const iovec,
    count: usize,
    flags: c_int,
) -> Option<Result<usize, Errno>> {
    table::entry(fd)?;
    // SAFETY: the caller's.
    let parts = unsafe { listed(parts, count) };
    // SAFETY: the caller's, for each part.
    let place_of = |part: &iovec| unsafe { place(part.iov_base, part.iov_len) };
    let mut places: Vec<_> = parts.iter().map(place_of).collect();
    receive(fd, &mut places, flags)
}

/// Sends listed parts; none where the descriptor is the kernel's.
///
/// # Safety
/// As `writev`.
unsafe fn send_listed(
    fd: c_int,
    parts: *const iovec,
    count: usize,
    flags: c_int,
) -> Option<Result<usize, Errno>> {
    table::entry(fd)?;
    // SAFETY: the caller's.
    let parts = unsafe { listed(parts, count) };
    // SAFETY: the caller's, for each part.
    let source_of = |part: &iovec| unsafe { source(part.iov_base, part.iov_len) };
    let sources: Vec<_> = parts.iter().map(source_of).collect();
    send(fd, &sources, flags)
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(fd: c_int, into: *mut c_void, bytes: size_t) -> ssize_t {
    // SAFETY: the caller's.
    unsafe {
        match receive(fd, &mut [place(into, bytes)], 0) {
            Some(received) => returned(received),
            None => next::read(fd, into, bytes),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __read_chk(fd: c_int, into: *mut c_void, bytes: size_t, room: size_t) -> ssize_t {
    assert!(bytes <= room, "buffer overflow detected");
    // SAFETY: the caller's.
    unsafe { read(fd, into, bytes) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readv(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: the caller's.
    unsafe {
        match receive_listed(fd, parts, count.max(0) as usize, 0) {
            Some(received) => returned(received),
            None => next::readv(fd, parts, count),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(fd: c_int, into: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t {
    // SAFETY: the caller's.
    unsafe { recvfrom(fd, into, bytes, flags, std::ptr::null_mut(), std::ptr::null_mut()) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __recv_chk(
    fd: c_int,
    into: *mut c_void,
    bytes: size_t,
    room: size_t,
    flags: c_int,
) -> ssize_t {
    assert!(bytes <= room, "buffer overflow detected");
    // SAFETY: the caller's.
    unsafe { recv(fd, into, bytes, flags) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvfrom(
    fd: c_int,
    into: *mut c_void,
    bytes: size_t,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    // SAFETY: the caller's.
    unsafe {
        match receive(fd, &mut [place(into, bytes)], flags) {
            Some(received) => {
                // A stream names no sender.
                if !address.is_null() && !length.is_null() {
                    *length = 0;
                }
                returned(received)
            }
            None => next::recvfrom(fd, into, bytes, flags, address, length),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __recvfrom_chk(
    fd: c_int,
    into: *mut c_void,
    bytes: size_t,
    room: size_t,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    assert!(bytes <= room, "buffer overflow detected");
    // SAFETY: the caller's.
    unsafe { recvfrom(fd, into, bytes, flags, address, length) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    if message.is_null() {
        return failed(Errno::FAULT);
    }
    // SAFETY: the caller's.
    unsafe {
        match receive_listed(fd, (*message).msg_iov, (*message).msg_iovlen, flags) {
            Some(received) => {
                ((*message).msg_namelen, (*message).msg_controllen, (*message).msg_flags) = (0, 0, 0);
                returned(received)
            }
            None => next::recvmsg(fd, message, flags),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvmmsg(
    fd: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
    wait: *mut timespec,
) -> c_int {
    if table::socket(fd).is_none() {
        // SAFETY: the caller's.
        return unsafe { next::recvmmsg(fd, messages, count, flags, wait) };
    }
    let receive_one = |at: usize| {
        let flags = if at > 0 && flags & MSG_WAITFORONE != 0 { flags | MSG_DONTWAIT } else { flags };
        // SAFETY: the caller has so many messages.
        unsafe {
            let message = messages.add(at);
            let received = recvmsg(fd, &raw mut (*message).msg_hdr, flags & !MSG_WAITFORONE);
            (*message).msg_len = received.max(0) as c_uint;
            received
        }
    };
    each(count, receive_one)
}

/// Does something with one message after another; returns how many were whole.
fn each(count: c_uint, mut one: impl FnMut(usize) -> ssize_t) -> c_int {
    for at in 0..count as usize {
        match one(at) {
            ..0 if at == 0 => return -1,
            ..0 => return at as c_int,
            0 => return at as c_int + 1,
            _ => {}
        }
    }
    count as c_int
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(fd: c_int, octets: *const c_void, bytes: size_t) -> ssize_t {
    // SAFETY: the caller's.
    unsafe {
        match send(fd, &[source(octets, bytes)], 0) {
            Some(sent) => returned(sent),
            None => next::write(fd, octets, bytes),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: the caller's.
    unsafe {
        match send_listed(fd, parts, count.max(0) as usize, 0) {
            Some(sent) => returned(sent),
            None => next::writev(fd, parts, count),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(export_name = "send")]
pub unsafe extern "C" fn send_to_peer(
    fd: c_int,
    octets: *const c_void,
    bytes: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's.
    unsafe { sendto(fd, octets, bytes, flags, std::ptr::null(), 0) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendto(
    fd: c_int,
    octets: *const c_void,
    bytes: size_t,
    flags: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> ssize_t {
    // SAFETY: the caller's.
    unsafe {
        match send(fd, &[source(octets, bytes)], flags) {
            Some(sent) => returned(sent),
            None => next::sendto(fd, octets, bytes, flags, address, length),
        }
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> ssize_t {
    if message.is_null() {
        return failed(Errno::FAULT);
    }
    // SAFETY: the caller's.
    unsafe {
        match send_listed(fd, (*message).msg_iov, (*message).msg_iovlen, flags) {
            Some(sent) => returned(sent),
            None if carries_connection(message) => failed(Errno::OPNOTSUPP),
            None => next::sendmsg(fd, message, flags),
        }
    }
}

/// Returns whether a message has the descriptor of a connection of SMC-R, which the receiver could not go on with. Others are made
/// connections of TCP.
///
/// # Safety
/// As `sendmsg`.
unsafe fn carries_connection(message: *const msghdr) -> bool {
    // SAFETY: the caller's; descriptors lie behind a header as the macros of the C library have it.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            if ((*header).cmsg_level, (*header).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let bytes = (*header).cmsg_len - libc::CMSG_LEN(0) as usize;
                let descriptors = libc::CMSG_DATA(header).cast::<c_int>();
                for at in 0..bytes / size_of::<c_int>() {
                    let fd = descriptors.add(at).read_unaligned();
                    if table::socket(fd).is_some_and(|socket| !socket.stay_with_tcp(named(fd))) {
                        return true;
                    }
                }
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
        false
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendmmsg(fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int {
    if table::socket(fd).is_none() {
        // SAFETY: the caller's.
        return unsafe { next::sendmmsg(fd, messages, count, flags) };
    }
    each(count, |at| {
        // SAFETY: the caller has so many messages.
        unsafe {
            let message = messages.add(at);
            let sent = sendmsg(fd, &raw const (*message).msg_hdr, flags);
            (*message).msg_len = sent.max(0) as c_uint;
            sent
        }
    })
}
