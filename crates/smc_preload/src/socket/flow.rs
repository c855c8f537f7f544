//! Octets of a connection in the program's calls, which wait as those of TCP do.

use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, socket_timeout};
use rustix::net::{RecvFlags, recv};

use super::{Carried, Phase, SHARED_SLEEP, Socket};

/// Event that a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Octets,
    Room,
}

/// Calls on a connection by a descriptor.
#[derive(Debug, Clone, Copy)]
pub struct Flow<'a> {
    socket: &'a Socket,
    fd: BorrowedFd<'a>,
    is_nonblocking: bool,
}

impl<'a> Flow<'a> {
    /// Makes calls that return at once where the connection is set so, or this call.
    pub fn new(socket: &'a Socket, fd: BorrowedFd<'a>, is_nonblocking: bool) -> Self {
        let is_nonblocking = is_nonblocking || socket.is_nonblocking.load(Ordering::Relaxed);
        Self { socket, fd, is_nonblocking }
    }

    /// Receives octets into `parts`; returns how many, and none where they come over TCP.
    ///
    /// # Errors
    /// Errors of `recv`.
    pub fn receive(
        &self,
        parts: &mut [&mut [u8]],
        is_peek: bool,
        is_all: bool,
    ) -> Result<Option<usize>, Errno> {
        self.wait_for_rendezvous(Wanted::Octets, || self.socket.step(self.fd) != Phase::Pending)?;
        let Some(carried) = self.socket.carried() else { return Ok(None) };
        let mut received = 0;
        for part in parts.iter_mut().filter(|part| !part.is_empty()) {
            let mut rest = &mut part[..];
            while !rest.is_empty() {
                let is_waiting = received == 0 || (is_all && !is_peek);
                match self.receive_part(carried, rest, is_peek, is_waiting) {
                    Ok(0) => return Ok(Some(received)),
                    Ok(bytes) => {
                        received += bytes;
                        rest = &mut rest[bytes..];
                    }
                    Err(_) if received > 0 => return Ok(Some(received)),
                    Err(error) => return Err(error),
                }
                if is_peek {
                    return Ok(Some(received));
                }
            }
        }
        Ok(Some(received))
    }

    /// Receives octets into one part; none stand for the end of the stream, or for nothing where `is_waiting` is not set.
    fn receive_part(
        &self,
        carried: &Carried,
        into: &mut [u8],
        is_peek: bool,
        is_waiting: bool,
    ) -> Result<usize, Errno> {
        let socket = self.socket;
        loop {
            // Octets that were posted before the end are there when the end is seen.
            let (is_gone, is_shut) = (socket.is_gone(), socket.is_reading_shut.load(Ordering::Relaxed));
            let bytes = carried.receive(self.fd, into, is_peek)?;
            if bytes > 0 {
                socket.operations.fetch_add(1, Ordering::Relaxed);
                return Ok(bytes);
            }
            let is_end = is_shut || carried.end().readiness().is_end;
            if is_gone && !is_end && socket.is_relayed() {
                // Octets that were on their way did not come: no end of a stream.
                return Err(Errno::CONNRESET);
            }
            if is_gone || is_end || !is_waiting {
                return Ok(0);
            }
            if self.is_nonblocking {
                self.notice_the_end();
                if !socket.is_gone() {
                    return Err(Errno::AGAIN);
                }
            } else {
                self.wait(carried, Wanted::Octets)?;
            }
        }
    }

    /// Finds the end of the TCP connection now and then, for programs that never sleep.
    fn notice_the_end(&self) {
        const EVERY: u64 = 16;
        if self.socket.operations.fetch_add(1, Ordering::Relaxed).is_multiple_of(EVERY) {
            self.socket.drain(self.fd);
        }
    }

    /// Sends the octets of `parts`; returns how many, and none where they go over TCP.
    ///
    /// # Errors
    /// Errors of `send`.
    pub fn send(&self, parts: &[&[u8]]) -> Result<Option<usize>, Errno> {
        let mut is_tcp = false;
        let is_over = || match self.socket.step_before_sending(self.fd) {
            Some(over_tcp) => {
                is_tcp = over_tcp;
                true
            }
            None => false,
        };
        if !self.wait_for_rendezvous(Wanted::Room, is_over)? || is_tcp {
            return Ok(None);
        }
        let Some(carried) = self.socket.carried() else { return Ok(None) };
        let mut sent = 0;
        for part in parts {
            let mut rest = *part;
            while !rest.is_empty() {
                match self.send_part(carried, rest) {
                    Ok(bytes) => {
                        sent += bytes;
                        rest = &rest[bytes..];
                    }
                    Err(_) if sent > 0 => return Ok(Some(sent)),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Some(sent))
    }

    fn send_part(&self, carried: &Carried, octets: &[u8]) -> Result<usize, Errno> {
        let socket = self.socket;
        loop {
            if socket.is_gone() {
                return Err(Errno::PIPE);
            }
            let bytes = carried.send(self.fd, octets)?;
            socket.operations.fetch_add(1, Ordering::Relaxed);
            if bytes < octets.len() {
                socket.refusals.fetch_add(1, Ordering::Relaxed);
            }
            if bytes > 0 {
                return Ok(bytes);
            }
            if self.is_nonblocking {
                self.notice_the_end();
                return Err(Errno::AGAIN);
            }
            self.wait(carried, Wanted::Room)?;
        }
    }

    /// Waits until the rendezvous is over for what is to be done; false where the connection is one of TCP.
    ///
    /// One thread at a time goes on with it: what another one took would not wake one that sleeps.
    fn wait_for_rendezvous(&self, wanted: Wanted, mut is_over: impl FnMut() -> bool) -> Result<bool, Errno> {
        let mut end = None;
        loop {
            match self.socket.phase() {
                Phase::Carried => return Ok(is_over()),
                Phase::Tcp => {
                    is_over();
                    return Ok(false);
                }
                Phase::Pending => {}
            }
            if self.socket.begin_sleep() {
                let waited = self.wait_for_step(wanted, &mut is_over, &mut end);
                self.socket.end_sleep(self.fd, true, false);
                if waited? {
                    return Ok(self.socket.phase() != Phase::Tcp);
                }
            } else if self.is_nonblocking {
                return Err(Errno::AGAIN);
            } else {
                thread::sleep(SHARED_SLEEP);
            }
        }
    }

    /// Goes on with the rendezvous, and waits once for the peer; returns whether it is over.
    fn wait_for_step(
        &self,
        wanted: Wanted,
        is_over: &mut impl FnMut() -> bool,
        end: &mut Option<Option<Instant>>,
    ) -> Result<bool, Errno> {
        if is_over() {
            return Ok(true);
        }
        if self.is_nonblocking {
            return Err(Errno::AGAIN);
        }
        if self.socket.patience.spin(|| self.has_come()) {
            return Ok(false);
        }
        let end = *end.get_or_insert_with(|| self.limit(wanted).map(|limit| Instant::now() + limit));
        let until_end = end.map(|end| end.saturating_duration_since(Instant::now()));
        let patience = self.socket.patience_left_ms().filter(|&left| wanted == Wanted::Room && left > 0);
        let left = [until_end, patience.map(Duration::from_millis)].into_iter().flatten().min();
        match self.sleep(self.socket.awaited(), left) {
            Err(Errno::AGAIN) if end.is_none_or(|end| end > Instant::now()) => Ok(false),
            slept => slept.map(|()| false),
        }
    }

    /// Returns the longest wait that the program has set.
    fn limit(&self, wanted: Wanted) -> Option<Duration> {
        let which = if wanted == Wanted::Octets { Timeout::Recv } else { Timeout::Send };
        socket_timeout(self.fd, which).ok().flatten()
    }

    fn has_come(&self) -> bool {
        !super::kernel_events(self.fd, self.socket.awaited()).is_empty()
    }

    /// Waits once for octets or for room.
    fn wait(&self, carried: &Carried, wanted: Wanted) -> Result<(), Errno> {
        let (socket, end) = (self.socket, carried.end());
        if socket.patience.spin(|| end.has_news()) {
            return Ok(());
        }
        let takes_bell = socket.begin_sleep();
        let readiness = end.arm();
        let is_there = match wanted {
            Wanted::Octets => readiness.is_readable,
            Wanted::Room => readiness.is_writable,
        };
        let began = Instant::now();
        let slept = if is_there { Ok(()) } else { self.sleep_for(wanted, takes_bell) };
        if !is_there {
            socket.patience.waited(began.elapsed());
        }
        socket.end_sleep(self.fd, takes_bell, !is_there);
        slept
    }

    fn sleep_for(&self, wanted: Wanted, takes_bell: bool) -> Result<(), Errno> {
        let limit = self.limit(wanted);
        let Some(longest) = self.socket.longest_sleep(takes_bell) else {
            return self.sleep(PollFlags::IN, limit);
        };
        match self.sleep(PollFlags::IN, Some(limit.map_or(longest, |limit| limit.min(longest)))) {
            Err(Errno::AGAIN) if limit.is_none_or(|limit| limit > longest) => Ok(()),
            slept => slept,
        }
    }

    /// Sleeps in a `recv` of the kernel, which goes on behind handlers of signals that are set so; `poll` never does. None where the
    /// kernel does not wait: another process has set the socket so, or the time is over that octets are waited for, while room is.
    fn sleep_in_recv(&self) -> Option<Result<(), Errno>> {
        match recv(self.fd, &mut [0; 1], RecvFlags::PEEK) {
            Err(Errno::AGAIN) => None,
            Err(Errno::INTR) => Some(Err(Errno::INTR)),
            // Errors are found when the bell is taken.
            _ => Some(Ok(())),
        }
    }

    /// Sleeps until the kernel has an event; `AGAIN` stands for the end of the time.
    fn sleep(&self, events: PollFlags, limit: Option<Duration>) -> Result<(), Errno> {
        let event = self.socket.carried().and_then(Carried::event);
        if (event.is_none(), events, limit) == (true, PollFlags::IN, None)
            && let Some(slept) = self.sleep_in_recv()
        {
            return slept;
        }
        let tcp = if event.is_some() && self.socket.has_tcp_ended() { PollFlags::empty() } else { events };
        let tcp = PollFd::from_borrowed_fd(self.fd, tcp);
        let event = PollFd::from_borrowed_fd(
            event.unwrap_or(self.fd),
            if event.is_some() { events } else { PollFlags::empty() },
        );
        let mut fds = [tcp, event];
        let limit = limit
            .map(|limit| Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() });
        match poll(&mut fds, limit.as_ref())? {
            0 => Err(Errno::AGAIN),
            _ => Ok(()),
        }
    }
}
