//! Events that come soon: what they will touch is brought near the processor while others are handled.
//!
//! A large machine has more state than the caches next to the processor hold, and each I/O is of another device, path
//! and channel. These are hints: nothing that is decided depends on them.

use halftrack_engine::Prefetch;

use super::channel::ChannelState;
use super::exchange::Exchange;
use super::io::Io;
use super::view::LcuView;
use crate::event::HostEvent;
use crate::link::Transmitters;
use crate::message::Transit;
use crate::slab::Slab;
use crate::supervisor::SupervisorState;
use crate::wiring::Wiring;

/// What events touch.
pub(super) struct Ahead<'a> {
    pub w: &'a Wiring,
    pub supervisor: &'a SupervisorState,
    pub ios: &'a Slab<Io>,
    pub exchanges: &'a Slab<Exchange>,
    pub transits: &'a Slab<Transit>,
    pub views: &'a [LcuView],
    pub channels: &'a [ChannelState],
    pub links: &'a Transmitters,
}

impl Ahead<'_> {
    /// Asks for what `event` will touch.
    #[inline(always)]
    pub(super) fn fetch_for(&self, event: HostEvent) {
        match event {
            HostEvent::Started { io } => Prefetch::begin(&self.ios[io]),
            HostEvent::Drive { io } => self.fetch_for_start(&self.ios[io]),
            HostEvent::Visited { exchange } => self.fetch_for_visit(&self.exchanges[exchange]),
            HostEvent::Inbound { transit } => {
                self.fetch_for_answer(&self.exchanges[self.transits[transit].parcel.envelope.exchange]);
            }
            HostEvent::Interrupt { io } | HostEvent::Complete { io } => {
                self.supervisor.fetch_for_interrupt(io)
            }
            HostEvent::Ready { stream, .. } => self.supervisor.fetch_for_request(u32::from(stream)),
            HostEvent::Arrival { stream } => self.supervisor.fetch_for_request(stream),
            _ => {}
        }
    }

    /// The path of a start is that whose turn it is, unless another start of its logical control unit comes before.
    #[inline(always)]
    fn fetch_for_start(&self, io: &Io) {
        Prefetch::whole(io);
        let Some(view) = self.views.get(io.view as usize) else { return };
        let Some(position) = view.group.peek() else { return };
        let path = &self.w.paths[(view.first_path + u32::from(position)) as usize];
        Prefetch::begin(&view.taken[usize::from(position)]);
        let channel = &self.channels[path.channel as usize];
        channel.fetch_counters(io.lpar);
        channel.fetch_processor();
    }

    /// What the visit has prepared goes onto the fibre after it.
    #[inline(always)]
    fn fetch_for_visit(&self, exchange: &Exchange) {
        Prefetch::whole(exchange);
        if let Some(channel) = self.channels.get(exchange.channel as usize) {
            channel.fetch_processor();
        }
        let path = &self.w.paths[exchange.envelope.path as usize];
        for hop in &self.w.hops[path.outbound.range()] {
            self.links.fetch(hop.link);
        }
    }

    /// An answer mostly ends its I/O.
    #[inline(always)]
    fn fetch_for_answer(&self, exchange: &Exchange) {
        Prefetch::whole(exchange);
        let Some(channel) = self.channels.get(exchange.channel as usize) else { return };
        channel.fetch_counters(exchange.lpar);
        let io = &self.ios[exchange.io];
        Prefetch::begin(io);
        self.supervisor.fetch_for_books(exchange.io, io.subchannel);
    }
}
