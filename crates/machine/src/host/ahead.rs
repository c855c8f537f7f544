//! Events that come soon: what they will touch is brought near the processor while others are handled.
//!
//! A large machine has more state than the caches next to the processor hold, and each I/O is of another device, path
//! and channel. These are hints: nothing that is decided depends on them.

use halftrack_engine::Prefetch;

use super::HostState;
use crate::fabric::route::Between;
use crate::wiring::Wiring;

/// How many places behind the head of its lane an event's data are asked for: some tens of events before its turn,
/// which is longer than the memory takes.
pub(super) const SOON: usize = 4;

impl HostState {
    /// The path of a start is that whose turn it is, unless another start of its logical control unit comes before.
    #[inline(always)]
    pub(super) fn fetch_for_start(&self, w: &Wiring, io: u32) {
        let io = &self.ios[io];
        Prefetch::whole(io);
        let Some(view) = self.views.get(io.view as usize) else { return };
        let Some(position) = view.group.peek() else { return };
        let path = &w.paths[(view.first_path + u32::from(position)) as usize];
        Prefetch::begin(&view.taken[usize::from(position)]);
        let channel = &self.channels[path.channel as usize];
        channel.fetch_counters(io.lpar);
        channel.fetch_processor();
    }

    /// What the visit has prepared goes onto the fibre after it.
    #[inline(always)]
    pub(super) fn fetch_for_visit(&self, w: &Wiring, exchange: u32) {
        let exchange = &self.exchanges[exchange];
        Prefetch::whole(exchange);
        if let Some(channel) = self.channels.get(exchange.channel as usize) {
            channel.fetch_processor();
        }
        let route = w.paths[exchange.envelope.path as usize].short_outbound;
        self.links.fetch(route.first);
        if route.between == Between::Fused {
            self.links.fetch(route.second);
        }
    }

    /// An answer mostly ends its I/O.
    #[inline(always)]
    pub(super) fn fetch_for_answer(&self, exchange: u32) {
        let exchange = &self.exchanges[exchange];
        Prefetch::whole(exchange);
        let Some(channel) = self.channels.get(exchange.channel as usize) else { return };
        channel.fetch_counters(exchange.lpar);
        let io = &self.ios[exchange.io];
        Prefetch::begin(io);
        if let Some(supervisor) = &self.supervisor {
            supervisor.fetch_for_books(exchange.io, io.subchannel);
        }
    }
}
