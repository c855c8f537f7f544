//! Latencies of a path when nothing is in the way.

use halftrack_base::{Span, for_bytes};
use halftrack_wire::FRAMING_BYTES;

use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// Returns the time that a frame without data takes from the port to the channel of `path` when nothing is in its way.
pub(crate) fn status_latency(w: &Wiring, path: &PathWire) -> Span {
    w.hops[path.inbound.range()]
        .iter()
        .map(|hop| {
            let link = &w.configuration.links[hop.link as usize];
            let frame = for_bytes(u64::from(FRAMING_BYTES), link.bytes_per_s);
            frame + link.propagation + link.forward_latency
        })
        .sum()
}

/// Returns the time that an answer without data takes from the channel to the port of `path`.
pub(crate) fn outbound_latency(w: &Wiring, path: &PathWire) -> Span {
    w.hops[path.outbound.range()]
        .iter()
        .map(|hop| {
            let link = &w.configuration.links[hop.link as usize];
            link.propagation + link.forward_latency
        })
        .sum()
}
