//! Lookaheads of the processes of a run, and the divisions into processes that there can be.

use halftrack_base::{Span, for_bytes};
use halftrack_wire::FRAMING_BYTES;

use crate::run::thread_count::are_saps_full;
use crate::wiring::Wiring;

/// Returns the lookaheads between the channel subsystem and the images, if the images' side can be with the storage. A CP
/// works for a start before it is executed, and an IOP for an interrupt before a CP may take it. That deals the work to two
/// threads more evenly than the cut at the fibre. It cannot be where either takes no time, or where both sides use the same
/// data.
pub(super) fn separate_lookaheads(w: &Wiring) -> Option<[Span; 2]> {
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
pub(super) fn host_lookahead(w: &Wiring) -> Span {
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
pub(super) fn storage_lookahead(w: &Wiring) -> Span {
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
pub(super) fn at_least_a_tick(lookahead: Option<Span>) -> Span {
    lookahead.unwrap_or(Span::from_ms(1)).max(Span::from_ps(1))
}

/// Returns whether images and SAPs can be a process, channels and storage the other. Drives have the lookahead of the SAPs' queues,
/// ends and retries none. It is where images can be apart from SAPs, as it needs the same, and no start or retry passes an IOP in
/// no time. The work of two threads is more even then, but windows are long only where the SAPs are full.
pub(super) fn can_part_saps(w: &Wiring) -> bool {
    let cpcs = &w.configuration.cpcs;
    let drives = cpcs.iter().map(|cpc| w.service.saps().shortest(cpc.iop_start.min(cpc.iop_retry)));
    let has_lookahead = drives.min().is_some_and(|drive| !drive.is_zero());
    has_lookahead && separate_lookaheads(w).is_some() && are_saps_full(w)
}
