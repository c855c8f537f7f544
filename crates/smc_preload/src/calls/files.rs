//! Octets that go between files, pipes and connections.

use std::ffi::{c_int, c_uint};

use libc::{off_t, size_t, ssize_t};
use rustix::io::Errno;

use super::octets::send;
use super::{failed, returned};
use crate::descriptor::named;
use crate::next;
use crate::table;

/// Octets of a file that are sent at once.
const FILE_PART_BYTES: usize = 64 * 1024;

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendfile(to: c_int, from: c_int, offset: *mut off_t, bytes: size_t) -> ssize_t {
    if table::socket(to).is_none() {
        // SAFETY: the caller's.
        return unsafe { next::sendfile(to, from, offset, bytes) };
    }
    // SAFETY: the caller's place of an offset, if any.
    let mut at = if offset.is_null() { None } else { Some(unsafe { *offset } as u64) };
    let sent = send_file(to, from, &mut at, bytes);
    if let Some(at) = at {
        // SAFETY: as above.
        unsafe { *offset = at as off_t };
    }
    match sent {
        Some(sent) => returned(sent),
        // SAFETY: the caller's; nothing was sent.
        None => unsafe { next::sendfile(to, from, offset, bytes) },
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendfile64(to: c_int, from: c_int, offset: *mut off_t, bytes: size_t) -> ssize_t {
    // SAFETY: the caller's; offsets have 64 bits.
    unsafe { sendfile(to, from, offset, bytes) }
}

/// Sends octets of a file from an offset, or from its own place, which moves on as far as they were sent.
fn send_file(to: c_int, from: c_int, at: &mut Option<u64>, bytes: usize) -> Option<Result<usize, Errno>> {
    let from = named(from);
    let own_place = at.is_none().then(|| rustix::fs::tell(from));
    let mut place = match (*at, own_place) {
        (Some(at), _) | (None, Some(Ok(at))) => at,
        (None, Some(Err(error))) => return Some(Err(error)),
        (None, None) => 0,
    };
    let mut octets = vec![0; FILE_PART_BYTES.min(bytes)];
    let mut sent = 0;
    let result = loop {
        let wanted = octets.len().min(bytes - sent);
        let read = match rustix::io::pread(from, &mut octets[..wanted], place) {
            Ok(0) => break Ok(sent),
            Ok(read) => read,
            Err(error) => break if sent > 0 { Ok(sent) } else { Err(error) },
        };
        match send(to, &[&octets[..read]], 0)? {
            Ok(part) => {
                (sent, place) = (sent + part, place + part as u64);
                if part < read || sent == bytes {
                    break Ok(sent);
                }
            }
            Err(error) => break if sent > 0 { Ok(sent) } else { Err(error) },
        }
    };
    match at {
        Some(at) => *at = place,
        None => {
            let _ = rustix::fs::seek(from, rustix::fs::SeekFrom::Start(place));
        }
    }
    Some(result)
}

/// As that of the C library. Octets of a connection do not go through pipes of the kernel.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn splice(
    from: c_int,
    from_offset: *mut off_t,
    to: c_int,
    to_offset: *mut off_t,
    bytes: size_t,
    flags: c_uint,
) -> ssize_t {
    let is_tcp = |fd| table::socket(fd).is_none_or(|socket| socket.stay_with_tcp(named(fd)));
    if !is_tcp(from) || !is_tcp(to) {
        return failed(Errno::INVAL);
    }
    // SAFETY: the caller's.
    unsafe { next::splice(from, from_offset, to, to_offset, bytes, flags) }
}
