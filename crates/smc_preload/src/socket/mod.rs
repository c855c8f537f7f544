//! Connection: a TCP socket, until the rendezvous is over, and then the end of SMC-R whose bell it is.

mod carried;
mod flow;
mod offer;
mod rendezvous;
mod take_over;

use std::ffi::c_int;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use halftrack_smc_host::Readiness;
use rustix::event::PollFlags;
use rustix::io::Errno;

pub use carried::Carried;
pub use flow::Flow;
use rendezvous::{Outcome, Rendezvous};
pub use take_over::taken_over;

use crate::patience::Patience;

/// Longest sleep where another thread or process may take the bell (our choice).
const SHARED_SLEEP: Duration = Duration::from_millis(1);

/// Time for octets that were on their way over links when the TCP connection ended (our choice: a link tries again for so long).
const LINGER: Duration = Duration::from_secs(3);

/// Part of a connection's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// The rendezvous goes on.
    Pending,
    /// The connection has SMC-R.
    Carried,
    /// The connection is one of TCP, as any other.
    Tcp,
}

/// Connection.
#[derive(Debug)]
pub struct Socket {
    phase: AtomicU8,
    rendezvous: Mutex<Rendezvous>,
    carried: OnceLock<Carried>,
    /// Descriptors of this process.
    descriptors: AtomicUsize,
    is_nonblocking: AtomicBool,
    is_reading_shut: AtomicBool,
    /// End of the TCP connection: the peer's processes are gone, or have closed it.
    tcp_end: OnceLock<Instant>,
    /// Operations of this process, and writes that found no room.
    operations: AtomicU64,
    refusals: AtomicU64,
    /// A thread sleeps until the bell is rung.
    has_sleeper: AtomicBool,
    patience: Patience,
}

impl Socket {
    fn new(rendezvous: Rendezvous, is_nonblocking: bool) -> Self {
        Self {
            phase: AtomicU8::new(Phase::Pending as u8),
            rendezvous: Mutex::new(rendezvous),
            carried: OnceLock::new(),
            descriptors: AtomicUsize::new(1),
            is_nonblocking: AtomicBool::new(is_nonblocking),
            is_reading_shut: AtomicBool::new(false),
            tcp_end: OnceLock::new(),
            operations: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            has_sleeper: AtomicBool::new(false),
            patience: Patience::new(),
        }
    }

    /// Makes the end that connects.
    pub fn connecting(is_nonblocking: bool) -> Self {
        Self::new(Rendezvous::connecting(), is_nonblocking)
    }

    /// Makes the end that was accepted.
    pub fn accepted(is_nonblocking: bool) -> Self {
        Self::new(Rendezvous::accepted(), is_nonblocking)
    }

    /// Makes an end that was carried before an `exec`.
    fn carried_before(carried: Carried, is_nonblocking: bool) -> Self {
        let socket = Self::new(Rendezvous::over(), is_nonblocking);
        let is_set = socket.carried.set(carried).is_ok();
        assert!(is_set, "nobody has set it");
        socket.set_phase(Phase::Carried);
        socket
    }

    /// Returns the part of its life that it is in.
    #[inline]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Pending,
            1 => Phase::Carried,
            _ => Phase::Tcp,
        }
    }

    fn set_phase(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
    }

    /// Returns the end of SMC-R.
    pub fn carried(&self) -> Option<&Carried> {
        if self.phase() == Phase::Carried { self.carried.get() } else { None }
    }

    /// Goes on with the rendezvous as far as nobody has to be waited for.
    pub fn step(&self, fd: BorrowedFd<'_>) -> Phase {
        if self.phase() == Phase::Pending {
            let mut rendezvous = self.lock();
            let outcome = rendezvous.step(fd);
            self.settle(outcome);
        }
        self.phase()
    }

    fn settle(&self, outcome: Outcome) {
        match outcome {
            Outcome::Pending => {}
            Outcome::Carried(carried) => {
                self.carried.get_or_init(|| *carried);
                self.set_phase(Phase::Carried);
            }
            Outcome::Tcp => self.set_phase(Phase::Tcp),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Rendezvous> {
        self.rendezvous.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the connection one of TCP from here on where that can be done still; returns whether it is one.
    pub fn stay_with_tcp(&self, fd: BorrowedFd<'_>) -> bool {
        loop {
            match self.step(fd) {
                Phase::Carried => return false,
                Phase::Tcp => return true,
                Phase::Pending => {
                    let mut rendezvous = self.lock();
                    if rendezvous.give_up(fd) || rendezvous.is_unconnected() {
                        return true;
                    }
                }
            }
            // The client has confirmed, or is about to: its message is on its way, or the end of the connection.
            std::thread::sleep(SHARED_SLEEP);
        }
    }

    /// Goes on with the rendezvous before octets are sent; returns whether they go over TCP, and none where the peer has to be waited for.
    fn step_before_sending(&self, fd: BorrowedFd<'_>) -> Option<bool> {
        if crate::fabrics::is_roce() && self.phase() == Phase::Pending {
            self.lock().give_up_unproposed(fd);
        }
        match self.step(fd) {
            Phase::Carried => Some(false),
            Phase::Tcp => Some(true),
            Phase::Pending => {
                let mut rendezvous = self.lock();
                rendezvous.may_send(fd).then_some(true)
            }
        }
    }

    /// Returns the events of the kernel that the rendezvous waits for, where it goes on.
    pub fn awaited(&self) -> PollFlags {
        self.lock().awaited()
    }

    /// Returns the milliseconds until the peer is not waited for any more by whoever sends.
    pub fn patience_left_ms(&self) -> Option<u64> {
        if self.phase() == Phase::Pending { self.lock().patience_left_ms() } else { None }
    }

    /// Returns events that a pending connection is ready for, among `wanted`.
    pub fn pending_events(&self, fd: BorrowedFd<'_>, wanted: PollFlags) -> PollFlags {
        let can_send = wanted.contains(PollFlags::OUT) && self.lock().can_send();
        if can_send { kernel_events(fd, PollFlags::OUT) } else { PollFlags::empty() }
    }

    /// Ends a direction, or both; false where that is for the kernel to do.
    pub fn shut_down(&self, fd: BorrowedFd<'_>, is_sending: bool, is_reading: bool) -> bool {
        if self.stay_with_tcp(fd) {
            return false;
        }
        if let Some(carried) = self.carried().filter(|_| is_sending) {
            carried.shut_down_sending(fd);
        }
        if is_reading {
            self.is_reading_shut.store(true, Ordering::Relaxed);
        }
        self.operations.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Sets whether calls that find nothing return at once.
    pub fn set_nonblocking(&self, is_nonblocking: bool) {
        self.is_nonblocking.store(is_nonblocking, Ordering::Relaxed);
    }

    /// Returns whether nothing comes any more: the TCP connection has ended, and over links the time is over for what was on its way.
    pub fn is_gone(&self) -> bool {
        let Some(end) = self.tcp_end.get() else { return false };
        !self.is_relayed() || end.elapsed() > LINGER
    }

    /// Returns whether octets go over links, on which some are on their way when the TCP connection has ended.
    pub fn is_relayed(&self) -> bool {
        self.carried().is_some_and(|carried| carried.event().is_some())
    }

    /// Returns a number that is another one after an operation of this process.
    pub fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Returns the number of writes that found no room.
    pub fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Relaxed)
    }

    /// Begins a sleep; returns whether this one takes the bell. The others of the process sleep a short while only.
    pub fn begin_sleep(&self) -> bool {
        !self.has_sleeper.swap(true, Ordering::AcqRel)
    }

    /// Forgets sleeps of threads that a child has not.
    pub fn forget_sleepers(&self) {
        self.has_sleeper.store(false, Ordering::Release);
    }

    /// Ends a sleep: the one that takes the bell takes it back, and the octets that rang it where `is_rung`.
    pub fn end_sleep(&self, fd: BorrowedFd<'_>, takes_bell: bool, is_rung: bool) {
        if takes_bell {
            if let Some(carried) = self.carried() {
                carried.end().disarm();
            }
            if is_rung {
                self.drain(fd);
            }
            self.has_sleeper.store(false, Ordering::Release);
        }
    }

    /// Takes the octets that rang the bell, unless a thread sleeps that they are for.
    pub fn drain_unless_slept_on(&self, fd: BorrowedFd<'_>) {
        if !self.has_sleeper.load(Ordering::Acquire) {
            self.drain(fd);
        }
    }

    /// Returns the longest sleep, where another one may take the bell.
    pub fn longest_sleep(&self, takes_bell: bool) -> Option<Duration> {
        let is_shared = self.carried().is_some_and(|carried| carried.end().is_shared());
        let is_ending = self.has_tcp_ended() && !self.is_gone();
        (is_shared || !takes_bell || is_ending).then_some(SHARED_SLEEP)
    }

    /// Takes the octets that rang the bell; notices the end of the TCP connection.
    pub fn drain(&self, fd: BorrowedFd<'_>) {
        if let Some(carried) = self.carried() {
            carried.reset_event();
        }
        let mut octets = [0; 256];
        loop {
            match rustix::net::recv(fd, &mut octets, rustix::net::RecvFlags::DONTWAIT) {
                Ok((_, length)) if length == octets.len() => {}
                Ok((_, 0)) => break self.notice_end(),
                Ok(_) | Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => break self.notice_end(),
            }
        }
    }

    fn notice_end(&self) {
        let now = Instant::now();
        self.tcp_end.get_or_init(|| now);
        self.operations.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether the TCP connection has ended.
    pub fn has_tcp_ended(&self) -> bool {
        self.tcp_end.get().is_some()
    }

    /// Counts another descriptor of this process.
    pub fn add_descriptor(&self) {
        self.descriptors.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a descriptor less, which is closed behind this; ends the connection with the last one of the last process.
    pub fn remove_descriptor(&self, fd: c_int) {
        if self.descriptors.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        if let Some(carried) = self.carried() {
            carried.close(crate::descriptor::named(fd).as_fd());
        }
    }

    /// Returns what a carried connection is ready for.
    pub fn readiness(&self, carried: &Carried) -> Readiness {
        let is_gone = self.is_gone();
        let mut readiness = carried.end().readiness();
        if is_gone || self.is_reading_shut.load(Ordering::Relaxed) {
            readiness.is_readable = true;
            readiness.is_end = readiness.readable_bytes == 0;
        }
        readiness.is_writable |= is_gone;
        readiness
    }
}

/// Returns events that the kernel has for a descriptor now.
pub fn kernel_events(fd: BorrowedFd<'_>, wanted: PollFlags) -> PollFlags {
    let mut fds = [rustix::event::PollFd::from_borrowed_fd(fd, wanted)];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut fds, Some(&now)).map_or(PollFlags::empty(), |_| fds[0].revents())
}
