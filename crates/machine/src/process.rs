//! The two logical processes, cut at the fibre, and how far ahead each talks.

use std::sync::Arc;

use halftrack_config::Configuration;
use halftrack_engine::{LogicalProcess, SimDuration, SimTime, for_bytes};
use halftrack_wire::FRAMING_BYTES;

use crate::host::HostState;
use crate::message::Message;
use crate::outlet::Receives;
use crate::storage::StorageState;
use crate::wiring::{PathWire, Wiring};

/// Index of the host's process.
pub(crate) const HOST: usize = 0;
/// Index of the storage's process.
pub(crate) const STORAGE: usize = 1;

/// One of the two sides of the fibre.
#[derive(Debug)]
pub(crate) struct Process {
    wiring: Arc<Wiring>,
    lookahead: SimDuration,
    pub(crate) side: Side,
}

/// The state of a side.
#[derive(Debug)]
pub(crate) enum Side {
    Host(Box<HostState>),
    Storage(Box<StorageState>),
}

impl Process {
    /// Both processes, at their indices.
    pub(crate) fn both(wiring: &Arc<Wiring>) -> [Process; 2] {
        let process = |lookahead, side| Process { wiring: Arc::clone(wiring), lookahead, side };
        [
            process(host_lookahead(wiring), Side::Host(Box::new(HostState::new(wiring)))),
            process(storage_lookahead(wiring), Side::Storage(Box::new(StorageState::new(wiring)))),
        ]
    }
}

impl LogicalProcess for Process {
    type Message = Message;

    #[inline]
    fn next_time(&mut self) -> Option<SimTime> {
        let heads = match &self.side {
            Side::Host(host) => &host.pending.heads,
            Side::Storage(storage) => &storage.pending.heads,
        };
        Some(heads.first_at()).filter(|next| *next < SimTime::MAX)
    }

    #[inline]
    fn lookahead(&self) -> SimDuration {
        self.lookahead
    }

    #[inline]
    fn run_until(&mut self, horizon: SimTime) {
        match &mut self.side {
            Side::Host(host) => host.run_until(&self.wiring, horizon),
            Side::Storage(storage) => storage.run_until(&self.wiring, horizon),
        }
    }

    #[inline]
    fn outbox(&mut self) -> &mut Vec<(usize, Message)> {
        match &mut self.side {
            Side::Host(host) => &mut host.to_storage.outbox,
            Side::Storage(storage) => &mut storage.to_host.outbox,
        }
    }

    #[inline(always)]
    fn deliver(&mut self, message: Message) {
        match &mut self.side {
            Side::Host(host) => host.pending.receive(&mut host.transits, message),
            Side::Storage(storage) => storage.pending.receive(&mut storage.transits, message),
        }
    }

    #[inline]
    fn lend(&mut self, other: &mut Self) {
        match (&mut self.side, &mut other.side) {
            (Side::Host(host), Side::Storage(to)) => to.to_host.lend(&mut host.pending, &mut host.transits),
            (Side::Storage(storage), Side::Host(to)) => {
                to.to_storage.lend(&mut storage.pending, &mut storage.transits);
            }
            _ => {}
        }
    }

    #[inline]
    fn take_back(&mut self, other: &mut Self) {
        match (&mut self.side, &mut other.side) {
            (Side::Host(host), Side::Storage(to)) => {
                to.to_host.give_back(&mut host.pending, &mut host.transits);
            }
            (Side::Storage(storage), Side::Host(to)) => {
                to.to_storage.give_back(&mut storage.pending, &mut storage.transits);
            }
            _ => {}
        }
    }
}

/// The shortest time from an event at a channel to its effect beyond the fibre: propagation and the time that
/// a director takes to begin to send on; a returning credit takes the propagation alone.
fn host_lookahead(w: &Wiring) -> SimDuration {
    let links = &w.configuration.links;
    let frames = w.paths.iter().map(|path| {
        let first = &links[w.hops[path.outbound.range()][0].link as usize];
        first.propagation + first.forward_latency
    });
    let credits = w
        .paths
        .iter()
        .filter(|path| path.frame_by_frame)
        .map(|path| links[w.last_link(path.inbound) as usize].propagation);
    at_least_a_tick(frames.chain(credits).min())
}

/// The shortest time from an event at a director to its effect at a channel: the least frame and propagation.
fn storage_lookahead(w: &Wiring) -> SimDuration {
    let links = &w.configuration.links;
    let frames = w.paths.iter().map(|path| {
        let last = &links[w.last_link(path.inbound) as usize];
        // The last piece of data on a circuit can be shorter than any frame.
        let least = if path.is_circuit { 1 } else { u64::from(FRAMING_BYTES) };
        last.propagation + for_bytes(least, last.bytes_per_s)
    });
    let credits = w
        .paths
        .iter()
        .filter(|path| path.frame_by_frame)
        .map(|path| links[w.hops[path.outbound.range()][0].link as usize].propagation);
    at_least_a_tick(frames.chain(credits).min())
}

/// A fibre of no length still takes a picosecond: without any lookahead no window could be opened.
fn at_least_a_tick(lookahead: Option<SimDuration>) -> SimDuration {
    lookahead.unwrap_or(SimDuration::from_ms(1)).max(SimDuration::from_ps(1))
}

/// Time that a frame without data takes from the port to the channel of `path` when nothing is in its way.
pub(crate) fn status_latency(w: &Wiring, path: &PathWire) -> SimDuration {
    w.hops[path.inbound.range()]
        .iter()
        .map(|hop| {
            let link = &w.configuration.links[hop.link as usize];
            let frame = for_bytes(u64::from(FRAMING_BYTES), link.bytes_per_s);
            frame + link.propagation + link.forward_latency
        })
        .sum()
}

/// Asserts what wiring relies on: every path has links in both directions.
pub(crate) fn assert_routed(configuration: &Configuration) {
    for group in configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups) {
        for path in &group.paths {
            assert!(!path.outbound.is_empty() && !path.inbound.is_empty(), "a checked path has links");
        }
    }
}
