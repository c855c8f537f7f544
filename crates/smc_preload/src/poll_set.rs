//! Set of descriptors that `poll` or `select` waits for, with connections of SMC-R among them.

use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libc::{POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, POLLRDNORM, POLLWRNORM, c_short, pollfd};
use rustix::event::PollFlags;
use rustix::io::Errno;

use crate::descriptor::named;
use crate::patience::Patience;
use crate::socket::{Carried, Phase, Socket};
use crate::table;
use crate::watch::events_of;

/// Descriptor that the kernel skips.
const NONE: i32 = -1;

static PATIENCE: Patience = Patience::new();

/// Wait of the kernel.
pub type KernelWait<'a> = &'a dyn Fn(&mut [pollfd], Option<Duration>) -> Result<usize, Errno>;

/// Set of descriptors.
struct PollSet<'a> {
    fds: &'a mut [pollfd],
    sockets: Vec<Option<Arc<Socket>>>,
    /// As the kernel gets them.
    of_kernel: Vec<pollfd>,
}

/// Waits as `poll` does; none where all descriptors are the kernel's.
pub fn poll(
    fds: &mut [pollfd],
    limit: Option<Duration>,
    kernel_wait: KernelWait<'_>,
) -> Option<Result<usize, Errno>> {
    let is_ours = |fd: &pollfd| fd.fd >= 0 && table::socket(fd.fd).is_some();
    if !fds.iter().any(is_ours) {
        return None;
    }
    let sockets = fds.iter().map(|fd| if fd.fd >= 0 { table::socket(fd.fd) } else { None }).collect();
    let of_kernel = fds.to_vec();
    Some(PollSet { fds, sockets, of_kernel }.wait(limit, kernel_wait))
}

impl PollSet<'_> {
    fn wait(&mut self, limit: Option<Duration>, kernel_wait: KernelWait<'_>) -> Result<usize, Errno> {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        loop {
            self.find();
            self.find_others(kernel_wait)?;
            let count = self.count();
            if count > 0 || limit == Some(Duration::ZERO) {
                return Ok(count);
            }
            if PATIENCE.spin(|| self.has_news() || self.find_others(kernel_wait).is_ok_and(|count| count > 0))
            {
                continue;
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(0);
            }
            self.sleep(left, kernel_wait)?;
        }
    }

    fn count(&self) -> usize {
        self.fds.iter().filter(|fd| fd.revents != 0).count()
    }

    /// Finds connections that are ready.
    fn find(&mut self) {
        for (fd, socket) in self.fds.iter_mut().zip(&mut self.sockets) {
            fd.revents = 0;
            let Some(of) = socket else { continue };
            let found = match of.step(named(fd.fd)) {
                Phase::Tcp => {
                    *socket = None;
                    continue;
                }
                Phase::Pending => pending(of, fd),
                Phase::Carried => {
                    of.carried().map_or(0, |carried| events_of(&of.readiness(carried)) as c_short)
                }
            };
            fd.revents = wide(found) & (fd.events | POLLERR | POLLHUP | POLLNVAL);
        }
    }

    /// Has the kernel find descriptors that are its own; returns how many are ready.
    fn find_others(&mut self, kernel_wait: KernelWait<'_>) -> Result<usize, Errno> {
        if self.sockets.iter().all(Option::is_some) {
            return Ok(0);
        }
        for ((fd, of_kernel), socket) in self.fds.iter().zip(&mut self.of_kernel).zip(&self.sockets) {
            *of_kernel =
                pollfd { fd: if socket.is_some() { NONE } else { fd.fd }, events: fd.events, revents: 0 };
        }
        let count = kernel_wait(&mut self.of_kernel, Some(Duration::ZERO))?;
        self.take_of_others();
        Ok(count)
    }

    fn take_of_others(&mut self) {
        for ((fd, of_kernel), socket) in self.fds.iter_mut().zip(&self.of_kernel).zip(&self.sockets) {
            if socket.is_none() {
                fd.revents = of_kernel.revents;
            }
        }
    }

    fn has_news(&self) -> bool {
        let has_news = |(socket, fd): (&Option<Arc<Socket>>, &pollfd)| {
            socket.as_ref().is_some_and(|socket| match socket.carried() {
                Some(carried) => carried.end().has_news(),
                None => !crate::socket::kernel_events(named(fd.fd), socket.awaited()).is_empty(),
            })
        };
        self.sockets.iter().zip(&*self.fds).any(has_news)
    }

    /// Arms all bells, and sleeps unless that found something.
    fn sleep(&mut self, left: Option<Duration>, kernel_wait: KernelWait<'_>) -> Result<(), Errno> {
        let mut limit = left;
        let mut bells = vec![false; self.fds.len()];
        for (((fd, socket), of_kernel), takes_bell) in
            self.fds.iter().zip(&self.sockets).zip(&mut self.of_kernel).zip(&mut bells)
        {
            *of_kernel = pollfd { fd: fd.fd, events: fd.events, revents: 0 };
            let Some(socket) = socket else { continue };
            of_kernel.events = POLLIN;
            match socket.carried() {
                Some(carried) => {
                    *takes_bell = socket.begin_sleep();
                    limit = [limit, socket.longest_sleep(*takes_bell)].into_iter().flatten().min();
                    let _ = carried.end().arm();
                }
                None => {
                    of_kernel.events = socket.awaited().bits() as c_short;
                    let wants_to_send = fd.events & (POLLOUT | POLLWRNORM) != 0;
                    let left = socket.patience_left_ms().filter(|&left| wants_to_send && left > 0);
                    limit = [limit, left.map(Duration::from_millis)].into_iter().flatten().min();
                }
            }
        }
        self.add_events();
        self.find();
        let slept = if self.count() > 0 { Ok(0) } else { self.sleep_in_kernel(limit, kernel_wait) };
        for (((fd, socket), of_kernel), takes_bell) in
            self.fds.iter().zip(&self.sockets).zip(&self.of_kernel).zip(bells)
        {
            if let Some(socket) = socket {
                let event = socket.carried().and_then(Carried::event).is_some();
                socket.end_sleep(named(fd.fd), takes_bell, event || of_kernel.revents != 0);
            }
        }
        self.of_kernel.truncate(self.fds.len());
        slept.map(drop)
    }

    /// Adds the events that are bells where the TCP connections are none.
    fn add_events(&mut self) {
        for (at, socket) in self.sockets.iter().enumerate() {
            let Some(socket) = socket else { continue };
            if let Some(event) = socket.carried().and_then(Carried::event) {
                if socket.has_tcp_ended() {
                    self.of_kernel[at].fd = NONE;
                }
                self.of_kernel.push(pollfd { fd: event.as_raw_fd(), events: POLLIN, revents: 0 });
            }
        }
    }

    fn sleep_in_kernel(
        &mut self,
        limit: Option<Duration>,
        kernel_wait: KernelWait<'_>,
    ) -> Result<usize, Errno> {
        let began = Instant::now();
        let slept = kernel_wait(&mut self.of_kernel, limit);
        PATIENCE.waited(began.elapsed());
        slept
    }
}

fn pending(socket: &Socket, fd: &pollfd) -> c_short {
    let wants_to_send = fd.events & (POLLOUT | POLLWRNORM) != 0;
    let wanted = if wants_to_send { PollFlags::OUT } else { PollFlags::empty() };
    socket.pending_events(named(fd.fd), wanted).bits() as c_short
}

/// Adds the second names of events.
const fn wide(events: c_short) -> c_short {
    let read = if events & POLLIN != 0 { POLLRDNORM } else { 0 };
    let write = if events & POLLOUT != 0 { POLLWRNORM } else { 0 };
    events | read | write
}
