//! Events that come soon: what they will touch is brought near the processor while others are handled.
//!
//! A large machine has more state than the caches next to the processor hold, and each I/O is of another device, path
//! and channel. These are hints: nothing that is decided depends on them.

use halftrack_engine::Prefetch;

use super::Channels;
use crate::wiring::Wiring;

/// Places behind the head of its lane at which an event's data are fetched: some tens of events before its turn,
/// which is longer than the memory takes.
pub(crate) const SOON: usize = 4;

impl Channels {
    /// Fetches the record of a start.
    #[inline(always)]
    pub(crate) fn fetch_io(&self, io: u32) {
        self.subchannels.fetch_io(io);
    }

    /// Fetches what a start will touch: its path is the one whose turn it is, unless another start of its logical control unit comes before.
    #[inline(always)]
    pub(crate) fn fetch_for_start(&self, w: &Wiring, io: u32) {
        let Some((path, lpar)) = self.subchannels.fetch_for_start(io) else { return };
        let channel = &self.channels[w.paths[path as usize].channel as usize];
        channel.fetch_counters(lpar);
        channel.fetch_processor();
    }

    /// Fetches what a visit will touch; after it goes onto the fibre what it has prepared.
    #[inline(always)]
    pub(crate) fn fetch_for_visit(&self, w: &Wiring, exchange: u32) {
        let exchange = &self.exchanges[exchange];
        Prefetch::whole(exchange);
        if let Some(channel) = self.channels.get(exchange.channel as usize) {
            channel.fetch_processor();
        }
        // Without disks there is no path.
        if let Some(path) = w.paths.get(exchange.envelope.path as usize) {
            self.outbound.fetch(path.short_outbound);
        }
    }

    /// Fetches what the answer of an exchange will touch: its I/O, which it mostly ends.
    #[inline(always)]
    pub(crate) fn fetch_for_answer(&self, exchange: u32) -> Option<u32> {
        let exchange = &self.exchanges[exchange];
        Prefetch::whole(exchange);
        let channel = self.channels.get(exchange.channel as usize)?;
        channel.fetch_counters(exchange.lpar);
        self.subchannels.fetch_io(exchange.io);
        Some(exchange.io)
    }
}
