//! The two logical processes, cut at the fibre and perhaps between CPs and IOPs, and how far ahead each talks.

use std::sync::Arc;

use halftrack_base::{Span, Time, for_bytes};
use halftrack_config::Configuration;
use halftrack_engine::{EventKey, LogicalProcess};
use halftrack_wire::FRAMING_BYTES;

use crate::events::host_context::Context;
use crate::events::message::{Body, Long, Message};
use crate::events::outlet::Receives;
use crate::host::HostState;
use crate::images::{Images, SeparateImages};
use crate::run::thread_count::thread_count;
use crate::storage::StorageState;
use crate::wiring::Wiring;

/// One of the two sides of the fibre.
#[derive(Debug)]
pub(crate) struct Process {
    wiring: Arc<Wiring>,
    /// Least time from an event to its effect in the other process, but for interrupts.
    lookahead: Span,
    /// The images' side is in the other process, which interrupts are messages to.
    sends_interrupts: bool,
    pub(crate) side: Side,
    /// The images' side, where this process holds it for the host.
    pub(crate) separate_images: Option<Box<SeparateImages>>,
}

/// The state of a side.
#[derive(Debug)]
pub(crate) enum Side {
    Host(Box<HostState>),
    Storage(Box<StorageState>),
}

impl Process {
    /// Makes both processes, at their indices, and returns the number of threads to run them on.
    pub(crate) fn both(wiring: &Arc<Wiring>) -> ([Process; 2], usize) {
        let process = |lookahead, sends_interrupts, side, separate_images| Process {
            wiring: Arc::clone(wiring),
            lookahead,
            sends_interrupts,
            side,
            separate_images,
        };
        let images = Images::new(wiring);
        let mut host = HostState::new(wiring, &images);
        let together = [host_lookahead(wiring), storage_lookahead(wiring)];
        let of_images = separate_lookaheads(wiring);
        let apart = of_images
            .map_or(together, |of_images| std::array::from_fn(|side| together[side].min(of_images[side])));
        let threads = thread_count(wiring, apart);
        let mut separate = None;
        let of_storage = if threads > 1 && of_images.is_some() {
            separate = Some(Box::new(SeparateImages::new(wiring, images)));
            apart[1]
        } else {
            host.hold(wiring, images);
            together[1]
        };
        let both = [
            process(together[0], separate.is_some(), Side::Host(Box::new(host)), None),
            process(of_storage, false, Side::Storage(Box::new(StorageState::new(wiring))), separate),
        ];
        (both, threads)
    }
}

impl Process {
    /// Returns the lookahead where interrupts are messages too.
    #[cold]
    #[inline(never)]
    fn lookahead_of_interrupts(&self, next: Time) -> Span {
        match &self.side {
            Side::Host(host) => self.lookahead.min(host.interrupt_lookahead(next)),
            Side::Storage(_) => self.lookahead,
        }
    }

    /// Counts the I/Os ended so far; only the host's process has any.
    pub(crate) fn ios_ended(&self) -> u64 {
        match &self.side {
            Side::Host(host) => host.ios_ended(),
            Side::Storage(_) => 0,
        }
    }

    /// Counts the events that this process has handled so far.
    pub(crate) fn events(&self) -> u64 {
        match &self.side {
            Side::Host(host) => host.events(),
            Side::Storage(storage) => storage.events(),
        }
    }
}

impl LogicalProcess for Process {
    type Message = Message;

    #[inline]
    fn next_time(&mut self) -> Option<Time> {
        let own = match &self.side {
            Side::Host(host) => host.next_at(),
            Side::Storage(storage) => storage.next_at(),
        };
        let of_images = self.separate_images.as_ref().map_or(Time::MAX, |images| images.next_time());
        let next = of_images.min(own);
        Some(next).filter(|next| *next < Time::MAX)
    }

    #[inline]
    fn lookahead(&self, next: Time) -> Span {
        if self.sends_interrupts { self.lookahead_of_interrupts(next) } else { self.lookahead }
    }

    #[inline]
    fn run_until(&mut self, horizon: Time) {
        match &mut self.side {
            Side::Host(host) => host.run_until(&self.wiring, horizon),
            Side::Storage(storage) => {
                if let Some(images) = &mut self.separate_images {
                    images.run_until(horizon, &mut storage.outlet().outbox);
                }
                storage.run_until(&self.wiring, horizon);
            }
        }
    }

    #[inline]
    fn outbox(&mut self) -> &mut Vec<(usize, Message)> {
        match &mut self.side {
            Side::Host(host) => &mut host.context().to_storage.outbox,
            Side::Storage(storage) => &mut storage.outlet().outbox,
        }
    }

    #[inline(always)]
    fn deliver(&mut self, message: Message) {
        let Message { at, order, body } = message;
        match &mut self.side {
            Side::Host(host) => match body {
                Body::Start(start) => host.receive_start(at, order, &start),
                body => {
                    let Context { pending, transits, .. } = host.context();
                    pending.receive(transits, Message { at, order, body });
                }
            },
            Side::Storage(storage) => match (&mut self.separate_images, body) {
                (Some(images), Body::Interrupt(brief)) => images.receive(at, order, &brief.whole(at)),
                (Some(images), Body::Long(long)) => match *long {
                    Long::Interrupt(interrupt) => images.receive(at, order, &interrupt),
                    Long::Frames(to, transit) => {
                        let (pending, transits) = storage.inbox();
                        pending.receive_frames(transits, EventKey { at, order }, to, transit);
                    }
                },
                (_, body) => storage.receive(Message { at, order, body }),
            },
        }
    }

    #[inline]
    fn lend(&mut self, other: &mut Self) {
        if self.separate_images.is_some() || other.separate_images.is_some() {
            // What passes between the images and the channel subsystem is more than an event.
            return;
        }
        match (&mut self.side, &mut other.side) {
            (Side::Host(host), Side::Storage(to)) => {
                let Context { pending, transits, .. } = host.context();
                to.outlet().lend((pending, transits))
            }
            (Side::Storage(storage), Side::Host(to)) => {
                to.context().to_storage.lend(storage.inbox());
            }
            _ => {}
        }
    }

    #[inline]
    fn take_back(&mut self, other: &mut Self) {
        match (&mut self.side, &mut other.side) {
            (Side::Host(host), Side::Storage(to)) => {
                let Context { pending, transits, .. } = host.context();
                to.outlet().give_back((pending, transits));
            }
            (Side::Storage(storage), Side::Host(to)) => {
                to.context().to_storage.give_back(storage.inbox());
            }
            _ => {}
        }
    }
}

/// Returns the lookaheads between the channel subsystem and the images, if the images' side can be with the storage. A CP
/// works for a start before it is executed, and an IOP for an interrupt before a CP may take it. That deals the work to two
/// threads more evenly than the cut at the fibre. It cannot be where either takes no time, or where both sides use the same
/// data.
fn separate_lookaheads(w: &Wiring) -> Option<[Span; 2]> {
    let cpcs = &w.configuration.cpcs;
    let interrupt = cpcs.iter().map(|cpc| w.service.saps().shortest(cpc.iop_interrupt)).min()?;
    let start = cpcs.iter().map(|cpc| cpc.cp_start).min()?;
    // What passes the IOPs by has no time between its end and its interrupt.
    let by_queue = w.configuration.lcus.iter().any(|lcu| lcu.luns.is_some());
    let can_be = w.data.is_none() && !by_queue && !interrupt.is_zero() && !start.is_zero();
    can_be.then_some([interrupt, start])
}

/// Returns the shortest time from an event at a channel to its effect beyond the fibre. It is the propagation and the time
/// that a director takes to begin to send on; a returning credit takes the propagation alone.
fn host_lookahead(w: &Wiring) -> Span {
    let links = &w.configuration.links;
    let frames = w.paths.iter().map(|path| {
        let first = &links[w.hops[path.outbound.range()][0].link as usize];
        first.propagation + first.forward_latency
    });
    let units = w.lanes.lanes.iter().map(|lane| {
        let first = &links[w.hops[lane.route.range()][0].link as usize];
        first.propagation + first.forward_latency
    });
    let credits = w
        .paths
        .iter()
        .filter(|path| path.frame_by_frame)
        .map(|path| links[w.last_link(path.inbound) as usize].propagation);
    at_least_a_tick(frames.chain(units).chain(credits).min())
}

/// Returns the shortest time from an event at a director to its effect at a channel: the least frame and propagation.
fn storage_lookahead(w: &Wiring) -> Span {
    let links = &w.configuration.links;
    let frames = w.paths.iter().map(|path| {
        let last = &links[w.last_link(path.inbound) as usize];
        // The last piece of data on a circuit can be shorter than any frame.
        let least = if path.is_circuit { 1 } else { u64::from(FRAMING_BYTES) };
        last.propagation + for_bytes(least, last.bytes_per_s)
    });
    let units = w.lanes.lanes.iter().map(|lane| {
        let last = &links[w.last_link(lane.route) as usize];
        let least = if lane.circuit.is_some() { 1 } else { u64::from(FRAMING_BYTES) };
        last.propagation + for_bytes(least, last.bytes_per_s)
    });
    let credits = w
        .paths
        .iter()
        .filter(|path| path.frame_by_frame)
        .map(|path| links[w.hops[path.outbound.range()][0].link as usize].propagation);
    at_least_a_tick(frames.chain(units).chain(credits).min())
}

/// Returns `lookahead`, or a picosecond for a fibre of no length: without any lookahead no window could be opened.
fn at_least_a_tick(lookahead: Option<Span>) -> Span {
    lookahead.unwrap_or(Span::from_ms(1)).max(Span::from_ps(1))
}

/// Asserts what wiring relies on: every path has links in both directions.
pub(crate) fn assert_routed(configuration: &Configuration) {
    for group in configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups) {
        for path in &group.paths {
            assert!(!path.outbound.is_empty() && !path.inbound.is_empty(), "a checked path has links");
        }
    }
}
