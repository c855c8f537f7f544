//! Interest of an instance of epoll in one connection.

use std::ffi::c_int;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use halftrack_smc_host::Readiness;
use rustix::event::{PollFlags, epoll};

use crate::descriptor::named;
use crate::poller::Interest;
use crate::socket::{Carried, Phase, Socket};

const EDGE: u32 = libc::EPOLLET as u32;
const ONE_SHOT: u32 = libc::EPOLLONESHOT as u32;
const IN: u32 = libc::EPOLLIN as u32;
const OUT: u32 = libc::EPOLLOUT as u32;
const END: u32 = libc::EPOLLRDHUP as u32;
const UNASKED: u32 = (libc::EPOLLERR | libc::EPOLLHUP) as u32;

/// Numbers of a connection when it was reported last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reported {
    arrivals: u64,
    is_gone: bool,
    refusals: u64,
}

/// Interest in a connection.
#[derive(Debug)]
pub struct Watch {
    fd: c_int,
    socket: Arc<Socket>,
    interest: Interest,
    /// One report was to be made, and was.
    is_spent: bool,
    /// The bell is armed, and this interest takes it.
    takes_bell: bool,
    /// The kernel had an event of the rendezvous, or there was no check yet.
    is_due: bool,
    /// The kernel rings for what a carried connection has.
    is_followed: bool,
    /// Events of the kernel that ring.
    bells: epoll::EventFlags,
    /// Readiness, and the operations of the process when it was found.
    known: Option<(Readiness, u64)>,
    reported: Option<Reported>,
}

impl Watch {
    /// Makes an interest that nothing was reported of.
    pub fn new(fd: c_int, socket: Arc<Socket>, interest: Interest) -> Self {
        let bells = bells_of(&socket);
        Self {
            fd,
            socket,
            interest,
            is_spent: false,
            takes_bell: false,
            is_due: true,
            is_followed: false,
            bells,
            known: None,
            reported: None,
        }
    }

    /// Returns whether it is that in a descriptor.
    pub const fn is_of(&self, fd: c_int) -> bool {
        self.fd == fd
    }

    /// Returns the descriptor.
    pub const fn descriptor(&self) -> c_int {
        self.fd
    }

    /// Returns the program's interest.
    pub const fn interest(&self) -> Interest {
        self.interest
    }

    /// Returns the event that is the bell, where the TCP connection is none.
    pub fn event(&self) -> Option<BorrowedFd<'_>> {
        self.socket.carried().and_then(Carried::event)
    }

    /// Returns the events of the kernel that ring.
    pub const fn bell_events(&self) -> epoll::EventFlags {
        self.bells
    }

    /// Changes the interest: what is ready is reported again.
    pub const fn modify(&mut self, interest: Interest) {
        self.interest = interest;
        self.is_spent = false;
        self.is_due = true;
        self.reported = None;
    }

    /// Takes a bell of the kernel.
    pub fn rung(&mut self) {
        self.is_due = true;
        if self.socket.phase() == Phase::Carried {
            self.socket.drain_unless_slept_on(named(self.fd));
        }
    }

    /// Arms the bell before a sleep.
    pub fn arm(&mut self) {
        self.is_due = true;
        if let Some(carried) = self.socket.carried() {
            self.takes_bell = self.socket.begin_sleep();
            let _ = carried.end().arm();
        }
    }

    /// Takes the bell back behind a sleep.
    pub fn disarm(&mut self) {
        self.socket.end_sleep(named(self.fd), self.takes_bell, false);
        self.takes_bell = false;
    }

    /// Returns how long a sleep may last: as long as the bell is taken, and whoever sends waits for the rendezvous.
    pub fn patience_left(&self) -> Option<Duration> {
        if self.socket.carried().is_some() {
            return self.socket.longest_sleep(self.takes_bell);
        }
        let wants_to_send = self.interest.events & OUT != 0;
        let left = if wants_to_send { self.socket.patience_left_ms() } else { None };
        left.filter(|&left| left > 0).map(Duration::from_millis)
    }

    /// Returns whether the peer has posted something, or the process has done something.
    pub fn has_news(&self) -> bool {
        self.socket.carried().is_some_and(|carried| carried.end().has_news())
    }

    /// Returns the events that are to be reported; none where the connection stays with TCP, and is the kernel's.
    pub fn check(&mut self, inner: BorrowedFd<'_>) -> Option<u32> {
        if self.is_due && self.socket.phase() == Phase::Pending {
            self.socket.step(named(self.fd));
            self.follow(inner);
        }
        match self.socket.phase() {
            Phase::Tcp => None,
            Phase::Pending => Some(self.check_pending()),
            Phase::Carried => {
                if self.bells != bells_of(&self.socket) || !self.is_followed {
                    // Another thread has brought the rendezvous to its end, or the TCP connection has ended.
                    self.follow(inner);
                    self.is_followed = true;
                }
                let socket = Arc::clone(&self.socket);
                socket.carried().map(|carried| self.check_carried(carried))
            }
        }
    }

    /// Has the kernel ring for what is waited for now.
    fn follow(&mut self, inner: BorrowedFd<'_>) {
        let bells = bells_of(&self.socket);
        let data = epoll::EventData::new_u64(self.fd as u64);
        if let Some(event) = self.event() {
            // One that is there already stays.
            let _ = epoll::add(inner, event, data, epoll::EventFlags::IN);
        }
        if bells != self.bells {
            self.bells = bells;
            let _ = epoll::modify(inner, named(self.fd), data, bells);
        }
        self.is_due = false;
    }

    fn check_pending(&mut self) -> u32 {
        if self.is_spent || self.interest.events & OUT == 0 {
            return 0;
        }
        let found = self.socket.pending_events(named(self.fd), PollFlags::OUT);
        let reported = Reported { arrivals: 0, is_gone: false, refusals: self.socket.refusals() };
        let is_seen = self.interest.events & EDGE != 0 && self.reported == Some(reported);
        if found.is_empty() || is_seen {
            return 0;
        }
        self.report(OUT, reported)
    }

    fn check_carried(&mut self, carried: &Carried) -> u32 {
        if self.is_spent {
            return 0;
        }
        let operations = self.socket.operations();
        let readiness = match self.known {
            Some((known, of)) if of == operations && !carried.end().has_news() && !self.is_due => known,
            _ => self.socket.readiness(carried),
        };
        self.is_due = false;
        self.known = Some((readiness, operations));
        let found = events_of(&readiness) & (self.interest.events | UNASKED);
        let (is_gone, refusals) = (self.socket.is_gone(), self.socket.refusals());
        let reported = Reported { arrivals: readiness.arrivals, is_gone, refusals };
        let is_new = self.reported.is_none_or(|before| {
            (before.arrivals, before.is_gone) != (reported.arrivals, is_gone)
                || (before.refusals != refusals && readiness.is_writable)
        });
        if found == 0 || (self.interest.events & EDGE != 0 && !is_new) {
            return 0;
        }
        self.report(found, reported)
    }

    fn report(&mut self, found: u32, reported: Reported) -> u32 {
        self.reported = Some(reported);
        self.is_spent = self.interest.events & ONE_SHOT != 0;
        found
    }
}

fn bells_of(socket: &Socket) -> epoll::EventFlags {
    match socket.phase() {
        // The end of a TCP connection that is no bell is reported once.
        Phase::Carried if socket.has_tcp_ended() => epoll::EventFlags::empty(),
        Phase::Pending if socket.awaited().contains(PollFlags::OUT) => epoll::EventFlags::OUT,
        _ => epoll::EventFlags::IN,
    }
}

/// Returns the events of epoll, which are those of poll as well.
pub fn events_of(readiness: &Readiness) -> u32 {
    let event = |is_set: bool, event: u32| if is_set { event } else { 0 };
    event(readiness.is_readable, IN)
        | event(readiness.is_writable, OUT)
        | event(readiness.is_end, END)
        | event(readiness.is_reset, UNASKED)
        | event(readiness.is_end && readiness.is_shut_down, libc::EPOLLHUP as u32)
}
