//! Instance of epoll among whose descriptors are connections of SMC-R.
//!
//! ```text
//! the program's epoll ─┬─ its other descriptors
//!                      └─ an inner epoll ─┬─ TCP sockets of connections, for their bells
//!                                         └─ an event, for changes while a thread sleeps
//! ```
//!
//! Connections are found ready in memory. A thread that finds nothing spins, arms the bells of all, and sleeps in the program's epoll.

use std::collections::HashMap;
use std::ffi::c_int;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use halftrack_shared_memory::Event as Kick;
use halftrack_smc_host::high;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use crate::descriptor::named;
use crate::own::{Own, Protected};
use crate::patience::Patience;
use crate::socket::Socket;
use crate::watch::Watch;

/// Data of the event that changes ring.
const KICK: u64 = u64::MAX;
/// Events of the inner instance that are taken at once.
const BELLS: usize = 64;
/// Waits that find connections ready, between two waits for other descriptors (our choice).
const WAITS_APART: usize = 8;

/// Wait of the kernel: events that it has found, at most for so long.
pub type KernelWait<'a> = &'a dyn Fn(&mut [libc::epoll_event], Option<Duration>) -> Result<usize, Errno>;

/// Interest of the program in a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interest {
    /// Events and ways to report them.
    pub events: u32,
    /// Data of the program.
    pub data: u64,
}

/// Change of an interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Of a descriptor that has none.
    Add(Interest),
    /// Of one that has.
    Modify(Interest),
    /// The interest ends.
    Delete,
}

#[derive(Debug, Default)]
struct Interests {
    watches: Vec<Watch>,
    /// Interests in descriptors that are none of connections, or not yet.
    others: HashMap<c_int, Interest>,
}

/// Inner instance, and the event that changes ring.
#[derive(Debug)]
struct Inner {
    epoll: Own,
    _protected: Protected,
    kick: Kick,
}

impl Inner {
    fn new() -> io::Result<Self> {
        let epoll = Own::new(high(epoll::create(epoll::CreateFlags::CLOEXEC)?));
        let kick = Kick::new()?;
        epoll::add(&epoll, kick.as_fd(), epoll::EventData::new_u64(KICK), epoll::EventFlags::IN)?;
        Ok(Self { epoll, _protected: Protected::new(&kick.as_fd()), kick })
    }
}

/// Instance of epoll.
#[derive(Debug)]
pub struct Poller {
    inner: OnceLock<Inner>,
    /// Process that made it: a child that closes a descriptor leaves the parent's interest in it.
    owner: u32,
    /// Data by which the inner instance differs from descriptors of the program.
    tag: u64,
    interests: Mutex<Interests>,
    watched: AtomicUsize,
    sleepers: AtomicUsize,
    turns: AtomicUsize,
    patience: Patience,
}

impl Poller {
    /// Makes the part that this library has in an instance.
    ///
    /// # Errors
    /// No random octets.
    pub fn new() -> io::Result<Self> {
        let mut tag = [0; 8];
        rustix::rand::getrandom(&mut tag, rustix::rand::GetRandomFlags::empty())?;
        Ok(Self {
            inner: OnceLock::new(),
            owner: std::process::id(),
            tag: u64::from_ne_bytes(tag),
            interests: Mutex::default(),
            watched: AtomicUsize::new(0),
            sleepers: AtomicUsize::new(0),
            turns: AtomicUsize::new(0),
            patience: Patience::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Interests> {
        self.interests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether all descriptors are the kernel's.
    pub fn is_plain(&self) -> bool {
        self.watched.load(Ordering::Relaxed) == 0
    }

    /// Notes an interest in a descriptor that is none of a connection, once the kernel has taken it.
    pub fn note(&self, fd: c_int, change: Change) {
        let mut interests = self.lock();
        match change {
            Change::Add(interest) | Change::Modify(interest) => interests.others.insert(fd, interest),
            Change::Delete => interests.others.remove(&fd),
        };
    }

    /// Changes the interest in a connection.
    ///
    /// # Errors
    /// Errors of `epoll_ctl`.
    pub fn change(
        &self,
        outer: BorrowedFd<'_>,
        fd: c_int,
        socket: &Arc<Socket>,
        change: Change,
    ) -> Result<(), Errno> {
        let mut interests = self.lock();
        let at = interests.watches.iter().position(|watch| watch.is_of(fd));
        match (change, at) {
            (Change::Add(_), Some(_)) => return Err(Errno::EXIST),
            (Change::Modify(_) | Change::Delete, None) => return Err(Errno::NOENT),
            (Change::Add(interest), None) => self.watch(&mut interests, outer, fd, socket, interest)?,
            (Change::Modify(interest), Some(at)) => interests.watches[at].modify(interest),
            (Change::Delete, Some(at)) => self.forget(&mut interests, at),
        }
        drop(interests);
        if let Some(inner) = self.inner.get().filter(|_| self.sleepers.load(Ordering::Acquire) > 0) {
            inner.kick.set();
        }
        Ok(())
    }

    fn watch(
        &self,
        interests: &mut Interests,
        outer: BorrowedFd<'_>,
        fd: c_int,
        socket: &Arc<Socket>,
        interest: Interest,
    ) -> Result<(), Errno> {
        let watch = Watch::new(fd, Arc::clone(socket), interest);
        let inner = self.inner(outer)?;
        epoll::add(&inner.epoll, named(fd), epoll::EventData::new_u64(fd as u64), watch.bell_events())?;
        interests.watches.push(watch);
        self.watched.store(interests.watches.len(), Ordering::Release);
        Ok(())
    }

    /// Returns the inner instance, which is made for the first connection.
    fn inner(&self, outer: BorrowedFd<'_>) -> Result<&Inner, Errno> {
        if self.inner.get().is_none() {
            let inner = Inner::new().map_err(|_| Errno::NOSPC)?;
            epoll::add(outer, &inner.epoll, epoll::EventData::new_u64(self.tag), epoll::EventFlags::IN)?;
            return Ok(self.inner.get_or_init(|| inner));
        }
        self.inner.get().ok_or(Errno::NOSPC)
    }

    fn forget(&self, interests: &mut Interests, at: usize) {
        let mut watch = interests.watches.swap_remove(at);
        watch.disarm();
        if let Some(inner) = self.inner.get() {
            // One that was closed is not there any more.
            let _ = epoll::delete(&inner.epoll, named(watch.descriptor()));
            if let Some(event) = watch.event() {
                let _ = epoll::delete(&inner.epoll, event);
            }
        }
        self.watched.store(interests.watches.len(), Ordering::Release);
    }

    /// Takes a descriptor that has become one of a connection from the kernel's interests.
    pub fn adopt(&self, outer: BorrowedFd<'_>, fd: c_int, socket: &Arc<Socket>) {
        let mut interests = self.lock();
        let Some(interest) = interests.others.remove(&fd) else { return };
        if epoll::delete(outer, named(fd)).is_ok() {
            let _ = self.watch(&mut interests, outer, fd, socket, interest);
        }
    }

    /// Forgets a descriptor that is closed.
    pub fn closed(&self, fd: c_int) {
        let mut interests = self.lock();
        interests.others.remove(&fd);
        if let Some(at) = interests.watches.iter().position(|watch| watch.is_of(fd)) {
            if self.owner == std::process::id() {
                self.forget(&mut interests, at);
            } else {
                interests.watches.swap_remove(at);
                self.watched.store(interests.watches.len(), Ordering::Release);
            }
        }
    }

    /// Waits for events as `epoll_wait` does; returns how many there are in `events`. `kernel_wait` is the wait of the kernel.
    ///
    /// # Errors
    /// Errors of `epoll_wait`.
    pub fn wait(
        &self,
        outer: BorrowedFd<'_>,
        events: &mut [libc::epoll_event],
        limit: Option<Duration>,
        kernel_wait: KernelWait<'_>,
    ) -> Result<usize, Errno> {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let at_once = Some(Duration::ZERO);
        loop {
            let found = self.collect(outer, events);
            let is_turn = self.turns.fetch_add(1, Ordering::Relaxed).is_multiple_of(WAITS_APART);
            if found > 0 && (!is_turn || found == events.len()) {
                return Ok(found);
            }
            let others = kernel_wait(&mut events[found..], at_once);
            if found > 0 && others.is_err() {
                // Those that were found are reported once only.
                return Ok(found);
            }
            let all = found + self.taken(others?, &mut events[found..]);
            if all > 0 || limit == at_once {
                return Ok(all);
            }
            if self.patience.spin(|| self.has_news() || has_events(outer)) {
                continue;
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(0);
            }
            self.sleepers.fetch_add(1, Ordering::AcqRel);
            let slept = self.sleep(outer, events, left, kernel_wait);
            self.sleepers.fetch_sub(1, Ordering::AcqRel);
            if let count @ 1.. = slept? {
                return Ok(count);
            }
        }
    }

    /// Arms all bells, and sleeps unless that found something; returns how many events there are.
    fn sleep(
        &self,
        outer: BorrowedFd<'_>,
        events: &mut [libc::epoll_event],
        left: Option<Duration>,
        kernel_wait: KernelWait<'_>,
    ) -> Result<usize, Errno> {
        let patience = {
            let mut interests = self.lock();
            interests.watches.iter_mut().for_each(Watch::arm);
            interests.watches.iter().filter_map(Watch::patience_left).min()
        };
        let mut found = self.collect(outer, events);
        if found == 0 {
            let began = Instant::now();
            let limit = [left, patience].into_iter().flatten().min();
            let waited = kernel_wait(events, limit);
            self.patience.waited(began.elapsed());
            self.disarm();
            found = self.taken(waited?, events);
            return Ok(found + self.collect(outer, &mut events[found..]));
        }
        self.disarm();
        Ok(found)
    }

    fn disarm(&self) {
        self.lock().watches.iter_mut().for_each(Watch::disarm);
    }

    /// Takes the event of the inner instance out of those of the kernel; returns how many are left.
    fn taken(&self, count: usize, events: &mut [libc::epoll_event]) -> usize {
        let Some(at) = events[..count].iter().position(|event| event.u64 == self.tag) else { return count };
        events.copy_within(at + 1..count, at);
        self.take_bells();
        count - 1
    }

    fn take_bells(&self) {
        let mut space = [MaybeUninit::<epoll::Event>::uninit(); BELLS];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let Some(inner) = self.inner.get() else { return };
        let Ok((bells, _)) = epoll::wait(&inner.epoll, &mut space, Some(&now)) else { return };
        let mut interests = self.lock();
        for bell in bells {
            let data = bell.data.u64();
            if data == KICK {
                inner.kick.reset();
            } else if let Some(watch) = interests.watches.iter_mut().find(|watch| watch.is_of(data as c_int))
            {
                watch.rung();
            }
        }
    }

    fn has_news(&self) -> bool {
        self.lock().watches.iter().any(Watch::has_news)
    }

    /// Finds connections that are ready; returns how many are in `events`.
    fn collect(&self, outer: BorrowedFd<'_>, events: &mut [libc::epoll_event]) -> usize {
        let mut interests = self.lock();
        let Some(inner) = self.inner.get() else { return 0 };
        let (mut count, mut at) = (0, 0);
        while at < interests.watches.len() && count < events.len() {
            let watch = &mut interests.watches[at];
            match watch.check(inner.epoll.as_fd()) {
                Some(0) => {}
                Some(found) => {
                    events[count] = libc::epoll_event { events: found, u64: watch.interest().data };
                    count += 1;
                }
                None => {
                    self.give_back(&mut interests, outer, at);
                    continue;
                }
            }
            at += 1;
        }
        // Those behind the last one that had room are first at the next time.
        if count == events.len() && at < interests.watches.len() {
            interests.watches.rotate_left(at);
        }
        count
    }

    /// Gives a connection that stays with TCP to the kernel.
    fn give_back(&self, interests: &mut Interests, outer: BorrowedFd<'_>, at: usize) {
        let (fd, interest) = (interests.watches[at].descriptor(), interests.watches[at].interest());
        self.forget(interests, at);
        let events = epoll::EventFlags::from_bits_retain(interest.events);
        let _ = epoll::add(outer, named(fd), epoll::EventData::new_u64(interest.data), events);
        interests.others.insert(fd, interest);
    }
}

/// Returns whether the kernel has events of an instance.
fn has_events(outer: BorrowedFd<'_>) -> bool {
    !crate::socket::kernel_events(outer, rustix::event::PollFlags::IN).is_empty()
}
