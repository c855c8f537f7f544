//! The control unit's end: the hosts that are let in at a socket, and their requests.
//!
//! The thread of the control unit polls the slots between its ports. While requests come it stays with them for a few
//! microseconds at a time, and when none has come for a while it sleeps until a host wakes it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use halftrack_base::{Span, Time};
use halftrack_shared_memory::{Event, Pause, SocketPlace};
use halftrack_wire::WorldWideName;
use halftrack_wire::synchronous::{Greeting, GreetingRefusal, RemoteReject, Welcome};

use super::adapter_link::{AdapterLink, Execution};
use super::handover;
use super::shared_area::SharedArea;
use crate::clock::Clock;
use crate::control_unit::{NoticeKind, UnitTable};
use crate::lobby::{LOGIN_TIMEOUT, WAITING_MAX};

/// How long the thread stays with the slots before it turns to the ports. Our choice: a few requests.
const HOLD: Span = Span::from_us(10);
/// How long after a request it still does so.
const RECENT: Span = Span::from_us(50);
/// Polls between two readings of the clock.
const POLLS: u32 = 32;

/// Options of an adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterOptions {
    /// Its name in notices and counts.
    pub id: String,
    /// Functions for all hosts together.
    pub functions: u8,
    /// Reads are enabled.
    pub reads: bool,
    /// Writes are enabled.
    pub writes: bool,
}

/// Counts of an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdapterCounters {
    /// Hosts that were let in.
    pub connections: u64,
    /// Connections that were refused.
    pub refused: u64,
    /// Reads and writes that succeeded.
    pub successes: [u64; 2],
    /// Data that they moved, octets.
    pub bytes: [u64; 2],
    /// Requests without effect, by reason.
    pub rejects: BTreeMap<RemoteReject, u64>,
}

impl AdapterCounters {
    #[inline]
    pub(super) fn count(&mut self, writes: bool, result: Result<u32, RemoteReject>) {
        match result {
            Ok(bytes) => {
                self.successes[usize::from(writes)] += 1;
                self.bytes[usize::from(writes)] += u64::from(bytes);
            }
            Err(reason) => *self.rejects.entry(reason).or_default() += 1,
        }
    }
}

/// A connection without a greeting.
#[derive(Debug)]
struct Arrival {
    stream: UnixStream,
    until: Time,
}

/// An adapter for synchronous I/O.
#[derive(Debug)]
pub struct Adapter {
    options: AdapterOptions,
    place: SocketPlace,
    waker: Event,
    arrivals: Vec<Arrival>,
    links: Vec<AdapterLink>,
    counters: AdapterCounters,
    pause: Pause,
    /// When a request was executed last.
    served: Time,
}

impl Adapter {
    /// Creates an adapter whose hosts connect at `place`.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn new(options: AdapterOptions, place: SocketPlace) -> io::Result<Self> {
        Ok(Self {
            options,
            place,
            waker: Event::new()?,
            arrivals: Vec::new(),
            links: Vec::new(),
            counters: AdapterCounters::default(),
            pause: Pause::default(),
            served: Time::ZERO,
        })
    }

    /// Returns the options.
    #[must_use]
    pub fn options(&self) -> &AdapterOptions {
        &self.options
    }

    /// Returns where hosts connect.
    #[must_use]
    pub fn place(&self) -> &SocketPlace {
        &self.place
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn counters(&self) -> &AdapterCounters {
        &self.counters
    }

    /// Executes requests; true when there was one. With `stays` it waits a little for the next one while they come.
    #[inline]
    pub(crate) fn turn(&mut self, clock: &Clock, now: Time, stays: bool, units: &mut UnitTable) -> bool {
        if self.links.is_empty() {
            return false;
        }
        let mut worked = self.poll(now, units);
        if !stays || self.pause.shares_processor() || now.saturating_since(self.served) > RECENT {
            return worked;
        }
        let until = now.saturating_add(HOLD);
        let mut now = now;
        while now < until {
            for _ in 0..POLLS {
                if self.poll(now, units) {
                    worked = true;
                    break;
                }
                self.pause.wait();
            }
            now = clock.now();
        }
        worked
    }

    #[inline]
    fn poll(&mut self, now: Time, units: &mut UnitTable) -> bool {
        let Self { links, options, counters, .. } = self;
        let mut worked = false;
        for link in links {
            worked |= link.work(&mut Execution { now, units, options, counters });
        }
        if worked {
            self.served = now;
        }
        worked
    }

    /// Lets hosts in, and gives up the memory of those that are gone.
    pub(crate) fn handle_timeout(&mut self, now: Time, notify: &mut dyn FnMut(NoticeKind<'_>)) {
        self.links.retain(|link| {
            let is_gone = link.is_gone();
            if is_gone {
                notify(NoticeKind::FunctionsFree(name_of(link.group())));
            }
            !is_gone
        });
        while let Ok((stream, _)) = self.place.listener().accept() {
            if stream.set_nonblocking(true).is_ok() {
                self.arrivals.push(Arrival { stream, until: now.saturating_add(LOGIN_TIMEOUT) });
            }
            if self.arrivals.len() > WAITING_MAX {
                self.arrivals.remove(0);
            }
        }
        for Arrival { stream, until } in std::mem::take(&mut self.arrivals) {
            let mut octets = [0; Greeting::BYTES];
            match (&stream).read(&mut octets) {
                Ok(0) => {}
                Ok(count) => self.answer(stream, Greeting::from_octets(&octets[..count]), notify),
                Err(error) if error.kind() == ErrorKind::WouldBlock && now < until => {
                    self.arrivals.push(Arrival { stream, until });
                }
                Err(_) => {}
            }
        }
    }

    fn answer(
        &mut self,
        stream: UnixStream,
        greeting: Option<Greeting>,
        notify: &mut dyn FnMut(NoticeKind<'_>),
    ) {
        let group = greeting.map_or_else(Default::default, |greeting| greeting.group);
        let admitted = greeting.ok_or(GreetingRefusal::Version).and_then(|greeting| self.admit(&greeting));
        let name = name_of(&group);
        match admitted {
            Ok((area, memory)) => {
                let functions = area.functions();
                let welcome = Welcome { functions: Ok(functions) };
                if handover::send(&stream, &welcome, &[memory.as_fd(), self.waker.as_fd()]).is_ok() {
                    self.counters.connections += 1;
                    self.links.push(AdapterLink::new(stream, area, group));
                    notify(NoticeKind::FunctionsInUse(name, functions));
                }
            }
            Err(refusal) => {
                self.counters.refused += 1;
                // A host that is gone needs no reason.
                let _ = handover::send(&stream, &Welcome { functions: Err(refusal) }, &[]);
                notify(NoticeKind::FunctionsRefused(name, refusal));
            }
        }
    }

    /// Makes the memory for a host. An earlier connection of the same host is over.
    fn admit(&mut self, greeting: &Greeting) -> Result<(SharedArea, std::os::fd::OwnedFd), GreetingRefusal> {
        self.links.retain(|link| *link.group() != greeting.group);
        let in_use: u8 = self.links.iter().map(|link| link.area().functions()).sum();
        match greeting.functions.min(self.options.functions.saturating_sub(in_use)) {
            0 => Err(GreetingRefusal::NoFunction),
            functions => SharedArea::create(functions).map_err(|_| GreetingRefusal::NoRoom),
        }
    }

    /// Notes that the control unit is about to sleep; false when a request has come before.
    pub(crate) fn before_sleep(&self) -> bool {
        self.links.iter().for_each(|link| link.area().set_asleep(true));
        !self.links.iter().any(AdapterLink::has_posted)
    }

    /// Notes that the control unit is awake.
    pub(crate) fn after_sleep(&self) {
        self.links.iter().for_each(|link| link.area().set_asleep(false));
        if !self.links.is_empty() {
            self.waker.reset();
        }
    }

    /// Returns what becomes readable when a host wakes the control unit, comes or goes.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let streams = self.links.iter().map(|link| link.stream().as_fd());
        let arrivals = self.arrivals.iter().map(|arrival| arrival.stream.as_fd());
        [self.waker.as_fd(), self.place.listener().as_fd()].into_iter().chain(streams).chain(arrivals)
    }

    /// Returns when [`Adapter::handle_timeout`] is to be called at the latest.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.arrivals.iter().map(|arrival| arrival.until).min()
    }
}

/// Returns the node that a path group is named after.
fn name_of(group: &halftrack_control_unit::PathGroupId) -> WorldWideName {
    WorldWideName(group.first_chunk().map_or(0, |octets| u64::from_be_bytes(*octets)))
}
