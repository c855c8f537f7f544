//! The two logical processes of a run, as the division that is chosen deals the rooms to them.
//!
//! | division | host's process | the other |
//! | --- | --- | --- |
//! | at the fibre | images, SAPs, channels | storage |
//! | images with the storage | SAPs, channels | images, storage |
//! | at the SAPs | channels, storage | images, SAPs |

use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_config::Configuration;
use halftrack_engine::{EventKey, LogicalProcess};

use crate::events::message::{Body, Long, Message};
use crate::events::outlet::Receives;
use crate::host::{HostState, SeparateSaps};
use crate::images::{Images, SeparateImages};
use crate::run::both_sides::BothSides;
use crate::run::lookaheads::{can_part_saps, host_lookahead, separate_lookaheads, storage_lookahead};
use crate::run::thread_count::thread_count;
use crate::saps::Saps;
use crate::storage::StorageState;
use crate::wiring::Wiring;

/// One of the two processes.
#[derive(Debug)]
pub(crate) struct Process {
    wiring: Arc<Wiring>,
    /// Least time from an event to its effect in the other process, but for what hangs on the queues of the SAPs.
    lookahead: Span,
    /// The images' side is in the other process, which interrupts are messages to.
    sends_interrupts: bool,
    pub(crate) side: Side,
    /// The images' side, where this process holds it for the host.
    pub(crate) separate_images: Option<Box<SeparateImages>>,
}

/// The state of a process.
#[derive(Debug)]
pub(crate) enum Side {
    Host(Box<HostState>),
    Storage(Box<StorageState>),
    /// Channels and storage.
    Both(Box<BothSides>),
    Saps(Box<SeparateSaps>),
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
        let (images, saps) = (Images::new(wiring), Saps::new(wiring));
        let mut host = Box::new(HostState::new(wiring, &images));
        let storage = Box::new(StorageState::new(wiring));
        let together = [host_lookahead(wiring), storage_lookahead(wiring)];
        let of_images = separate_lookaheads(wiring);
        let apart = of_images
            .map_or(together, |of_images| std::array::from_fn(|side| together[side].min(of_images[side])));
        let threads = thread_count(wiring, apart);
        if threads > 1 && can_part_saps(wiring) {
            let propagation = together[0].min(together[1]);
            let both = Side::Both(Box::new(BothSides::new(host, storage, propagation)));
            let saps = Side::Saps(Box::new(SeparateSaps::new(wiring, images, saps)));
            let processes = [both, saps].map(|side| process(Span::ZERO, false, side, None));
            return (processes, threads);
        }
        host.hold_saps(saps);
        let mut separate = None;
        let of_storage = if threads > 1 && of_images.is_some() {
            separate = Some(Box::new(SeparateImages::new(wiring, images)));
            apart[1]
        } else {
            host.hold(wiring, images);
            together[1]
        };
        let both = [
            process(together[0], separate.is_some(), Side::Host(host), None),
            process(of_storage, false, Side::Storage(storage), separate),
        ];
        (both, threads)
    }

    /// Returns the lookahead that hangs on the queues of the SAPs: where interrupts are messages too, or drives.
    #[cold]
    #[inline(never)]
    fn lookahead_of_queues(&self, next: Time) -> Span {
        match &self.side {
            Side::Host(host) => self.lookahead.min(host.interrupt_lookahead(next)),
            Side::Saps(saps) => saps.lookahead(next),
            Side::Storage(_) | Side::Both(_) => self.lookahead,
        }
    }

    /// Counts the I/Os ended so far; only the host's process has any.
    pub(crate) fn ios_ended(&self) -> u64 {
        match &self.side {
            Side::Host(host) => host.ios_ended(),
            Side::Both(both) => both.host.ios_ended(),
            Side::Storage(_) | Side::Saps(_) => 0,
        }
    }

    /// Counts the events that this process has handled so far.
    pub(crate) fn events(&self) -> u64 {
        match &self.side {
            Side::Host(host) => host.events(),
            Side::Storage(storage) => storage.events(),
            Side::Both(both) => both.host.events() + both.storage.events(),
            Side::Saps(saps) => saps.events(),
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
            Side::Both(both) => both.next_at(),
            Side::Saps(saps) => saps.next_at(),
        };
        let of_images = self.separate_images.as_ref().map_or(Time::MAX, |images| images.next_time());
        let next = of_images.min(own);
        Some(next).filter(|next| *next < Time::MAX)
    }

    #[inline]
    fn lookahead(&self, next: Time) -> Span {
        let is_of_queues = self.sends_interrupts || matches!(self.side, Side::Saps(_));
        if is_of_queues { self.lookahead_of_queues(next) } else { self.lookahead }
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
            Side::Both(both) => both.run_until(&self.wiring, horizon),
            Side::Saps(saps) => saps.run_until(&self.wiring, horizon),
        }
    }

    #[inline]
    fn outbox(&mut self) -> &mut Vec<(usize, Message)> {
        match &mut self.side {
            Side::Host(host) => &mut host.context().to_storage.outbox,
            Side::Storage(storage) => &mut storage.outlet().outbox,
            Side::Both(both) => &mut both.host.context().to_storage.outbox,
            Side::Saps(saps) => &mut saps.outbox,
        }
    }

    #[inline(always)]
    fn deliver(&mut self, message: Message) {
        match &mut self.side {
            Side::Host(host) => host.receive(message),
            Side::Both(both) => both.host.receive(message),
            Side::Saps(saps) => saps.receive(message),
            Side::Storage(storage) => {
                receive_beside_images(storage, self.separate_images.as_deref_mut(), message)
            }
        }
    }

    #[inline]
    fn lend(&mut self, other: &mut Self) {
        if self.separate_images.is_some() || other.separate_images.is_some() {
            // What passes between the images and the channel subsystem is more than an event.
            return;
        }
        match (&mut self.side, &mut other.side) {
            (Side::Host(host), Side::Storage(to)) => to.outlet().lend(host.context().inbox()),
            (Side::Storage(storage), Side::Host(to)) => {
                to.context().to_storage.lend(storage.inbox());
            }
            _ => {}
        }
    }

    #[inline]
    fn take_back(&mut self, other: &mut Self) {
        match (&mut self.side, &mut other.side) {
            (Side::Host(host), Side::Storage(to)) => to.outlet().give_back(host.context().inbox()),
            (Side::Storage(storage), Side::Host(to)) => {
                to.context().to_storage.give_back(storage.inbox());
            }
            _ => {}
        }
    }
}

/// Hands `message` of the host to the storage, or to `images` where those are with it.
#[inline(always)]
fn receive_beside_images(storage: &mut StorageState, images: Option<&mut SeparateImages>, message: Message) {
    let Message { at, order, body } = message;
    match (images, body) {
        (Some(images), Body::Interrupt(brief)) => images.receive(at, order, &brief.whole(at)),
        (Some(images), Body::Long(long)) => match *long {
            Long::Interrupt(interrupt) => images.receive(at, order, &interrupt),
            Long::Frames(to, transit) => {
                let (pending, transits) = storage.inbox();
                pending.receive_frames(transits, EventKey { at, order }, to, transit);
            }
            Long::Drive(_) | Long::Ended(_) => {}
        },
        (_, body) => storage.receive(Message { at, order, body }),
    }
}

/// Asserts what wiring relies on: every path has links in both directions.
pub(crate) fn assert_routed(configuration: &Configuration) {
    for group in configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups) {
        for path in &group.paths {
            assert!(!path.outbound.is_empty() && !path.inbound.is_empty(), "a checked path has links");
        }
    }
}
