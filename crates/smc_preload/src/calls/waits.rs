//! Waits for one of several descriptors.

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr::null;
use std::slice::from_raw_parts_mut;
use std::sync::Arc;
use std::time::Duration;

use libc::{
    EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD, FD_ISSET, FD_SET, FD_SETSIZE, FD_ZERO, POLLERR, POLLHUP,
    POLLIN, POLLNVAL, POLLOUT, POLLPRI, epoll_event, fd_set, nfds_t, pollfd, sigset_t, timespec, timeval,
};
use rustix::io::Errno;

use super::{counted, failed, of_c};
use crate::descriptor::named;
use crate::next;
use crate::poll_set;
use crate::poller::{Change, Interest, Poller};
use crate::table::{self, Entry};

/// Returns a wait in the words of the C library.
fn timespec_of(limit: Duration) -> timespec {
    timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() }
}

/// Returns the time of a wait; none for one without end.
///
/// # Safety
/// It is a time, if it is anything.
unsafe fn limit_of(wait: *const timespec) -> Option<Duration> {
    // SAFETY: the caller's.
    let wait = unsafe { wait.as_ref() }?;
    let (seconds, nanoseconds) = (u64::try_from(wait.tv_sec), u32::try_from(wait.tv_nsec));
    Some(Duration::new(seconds.unwrap_or(0), nanoseconds.unwrap_or(0)))
}

/// Returns the time of a wait in milliseconds; none for one without end.
fn limit_of_ms(wait_ms: c_int) -> Option<Duration> {
    u64::try_from(wait_ms).ok().map(Duration::from_millis)
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_create1(flags: c_int) -> c_int {
    // SAFETY: the caller's.
    let fd = unsafe { next::epoll_create1(flags) };
    if fd >= 0
        && let Ok(poller) = Poller::new()
    {
        table::put(fd, Arc::new(Entry::Poller(Arc::new(poller))));
    }
    fd
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_create(size: c_int) -> c_int {
    // SAFETY: the caller's.
    if size <= 0 { failed(Errno::INVAL) } else { unsafe { epoll_create1(0) } }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_ctl(
    outer: c_int,
    operation: c_int,
    fd: c_int,
    event: *mut epoll_event,
) -> c_int {
    let Some(poller) = table::poller(outer) else {
        // SAFETY: the caller's.
        return unsafe { next::epoll_ctl(outer, operation, fd, event) };
    };
    // SAFETY: the caller's event, where the operation has one.
    let interest = unsafe { event.as_ref() }.map(|event| Interest { events: event.events, data: event.u64 });
    let change = match (operation, interest) {
        (EPOLL_CTL_ADD, Some(interest)) => Change::Add(interest),
        (EPOLL_CTL_MOD, Some(interest)) => Change::Modify(interest),
        (EPOLL_CTL_DEL, _) => Change::Delete,
        _ => return failed(Errno::INVAL),
    };
    if let Some(socket) = table::socket(fd)
        && socket.step(named(fd)) != crate::socket::Phase::Tcp
    {
        return match poller.change(named(outer), fd, &socket, change) {
            Ok(()) => 0,
            Err(error) => failed(error),
        };
    }
    poller.closed(fd);
    // SAFETY: the caller's.
    let result = unsafe { next::epoll_ctl(outer, operation, fd, event) };
    if result == 0 {
        poller.note(fd, change);
    }
    result
}

/// Waits where connections are among the descriptors; none where all are the kernel's.
///
/// # Safety
/// As `epoll_pwait`.
unsafe fn wait_for(
    outer: c_int,
    events: *mut epoll_event,
    count: c_int,
    limit: Option<Duration>,
    mask: *const sigset_t,
) -> Option<c_int> {
    let poller = table::poller(outer).filter(|poller| !poller.is_plain())?;
    let Ok(count) = usize::try_from(count) else { return Some(failed(Errno::INVAL)) };
    if count == 0 || events.is_null() {
        return Some(failed(Errno::INVAL));
    }
    // SAFETY: the caller has room for so many events.
    let events = unsafe { from_raw_parts_mut(events, count) };
    let wait_by_kernel = |events: &mut [epoll_event], limit: Option<Duration>| {
        let wait = limit.map(timespec_of);
        let wait = wait.as_ref().map_or(null(), |wait| wait as *const timespec);
        let room = c_int::try_from(events.len()).unwrap_or(c_int::MAX);
        // SAFETY: there is room for so many events, and the mask is the caller's.
        of_c(unsafe { next::epoll_pwait2(outer, events.as_mut_ptr(), room, wait, mask) })
    };
    Some(counted(poller.wait(named(outer), events, limit, &wait_by_kernel)))
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(
    outer: c_int,
    events: *mut epoll_event,
    count: c_int,
    wait_ms: c_int,
) -> c_int {
    // SAFETY: the caller's.
    unsafe { epoll_pwait(outer, events, count, wait_ms, null()) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_pwait(
    outer: c_int,
    events: *mut epoll_event,
    count: c_int,
    wait_ms: c_int,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's.
    unsafe {
        wait_for(outer, events, count, limit_of_ms(wait_ms), mask)
            .unwrap_or_else(|| next::epoll_pwait(outer, events, count, wait_ms, mask))
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_pwait2(
    outer: c_int,
    events: *mut epoll_event,
    count: c_int,
    wait: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's.
    unsafe {
        wait_for(outer, events, count, limit_of(wait), mask)
            .unwrap_or_else(|| next::epoll_pwait2(outer, events, count, wait, mask))
    }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(fds: *mut pollfd, count: nfds_t, wait_ms: c_int) -> c_int {
    let wait = limit_of_ms(wait_ms).map(timespec_of);
    let wait = wait.as_ref().map_or(null(), |wait| wait as *const timespec);
    // SAFETY: the caller's.
    unsafe { ppoll(fds, count, wait, null()) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ppoll(
    fds: *mut pollfd,
    count: nfds_t,
    wait: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's.
    unsafe {
        let set = if count == 0 || fds.is_null() { &mut [] } else { from_raw_parts_mut(fds, count as usize) };
        match poll_set::poll(set, limit_of(wait), &|fds, limit| wait_by_poll(fds, limit, mask)) {
            Some(result) => counted(result),
            None => next::ppoll(fds, count, wait, mask),
        }
    }
}

fn wait_by_poll(fds: &mut [pollfd], limit: Option<Duration>, mask: *const sigset_t) -> Result<usize, Errno> {
    let wait = limit.map(timespec_of);
    let wait = wait.as_ref().map_or(null(), |wait| wait as *const timespec);
    // SAFETY: these are so many descriptors, and the mask is the caller's.
    of_c(unsafe { next::ppoll(fds.as_mut_ptr(), fds.len() as nfds_t, wait, mask) })
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __poll_chk(fds: *mut pollfd, count: nfds_t, wait_ms: c_int, bytes: usize) -> c_int {
    assert!(count as usize <= bytes / size_of::<pollfd>(), "buffer overflow detected");
    // SAFETY: the caller's.
    unsafe { poll(fds, count, wait_ms) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ppoll_chk(
    fds: *mut pollfd,
    count: nfds_t,
    wait: *const timespec,
    mask: *const sigset_t,
    bytes: usize,
) -> c_int {
    assert!(count as usize <= bytes / size_of::<pollfd>(), "buffer overflow detected");
    // SAFETY: the caller's.
    unsafe { ppoll(fds, count, wait, mask) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn select(
    count: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    except: *mut fd_set,
    wait: *mut timeval,
) -> c_int {
    // SAFETY: the caller's.
    let wait = unsafe { wait.as_ref() }
        .map(|wait| timespec { tv_sec: wait.tv_sec, tv_nsec: wait.tv_usec.saturating_mul(1000) });
    let wait = wait.as_ref().map_or(null(), |wait| wait as *const timespec);
    // SAFETY: the caller's.
    unsafe { pselect(count, read, write, except, wait, null()) }
}

/// As that of the C library.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pselect(
    count: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    except: *mut fd_set,
    wait: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    let highest = count.clamp(0, FD_SETSIZE as c_int);
    let sets = [(read, POLLIN), (write, POLLOUT), (except, POLLPRI)];
    // SAFETY: the caller's sets, as far as they are there.
    let is_in = |set: *mut fd_set, fd: c_int| !set.is_null() && unsafe { FD_ISSET(fd, set) };
    let wanted = (0..highest).filter_map(|fd| {
        let events = sets.iter().filter(|(set, _)| is_in(*set, fd)).fold(0, |all, (_, event)| all | event);
        (events != 0).then_some(pollfd { fd, events, revents: 0 })
    });
    let mut fds: Vec<pollfd> = wanted.collect();
    // SAFETY: the caller's time and mask.
    let limit = unsafe { limit_of(wait) };
    match poll_set::poll(&mut fds, limit, &|fds, limit| wait_by_poll(fds, limit, mask)) {
        // SAFETY: the caller's.
        None => unsafe { next::pselect(count, read, write, except, wait, mask) },
        Some(Err(error)) => failed(error),
        Some(Ok(_)) if fds.iter().any(|fd| fd.revents & POLLNVAL != 0) => failed(Errno::BADF),
        Some(Ok(_)) => selected(&fds, sets),
    }
}

/// Puts what was found into the sets; returns how many there are.
fn selected(fds: &[pollfd], sets: [(*mut fd_set, i16); 3]) -> c_int {
    let mut count = 0;
    for (set, event) in sets.into_iter().filter(|(set, _)| !set.is_null()) {
        // An error makes descriptors ready to be read and written, since that does not wait.
        let ready = if event == POLLPRI { POLLPRI } else { event | POLLERR | POLLHUP };
        // SAFETY: a set of zeros is an empty one, and all are the caller's.
        unsafe {
            let mut found: fd_set = zeroed();
            FD_ZERO(&mut found);
            for fd in fds.iter().filter(|fd| fd.events & event != 0 && fd.revents & ready != 0) {
                FD_SET(fd.fd, &mut found);
                count += 1;
            }
            *set = found;
        }
    }
    count
}
