//! A count of what is under way, from outside: from pending events and queues, never from a counter of the model.

use crate::events::event::{HostEvent, StorageEvent};
use crate::events::message::Transit;
use crate::events::pending::{HostPending, StoragePending};
use crate::events::slab::Slab;
use crate::fabric::link::Transmitters;
use crate::wiring::Wiring;

/// Frames and data bytes under way in each direction, and credits out by link.
#[derive(Debug)]
pub(crate) struct Census {
    /// Frames and data bytes from channels to control units.
    pub outbound: (u64, u64),
    /// And back.
    pub inbound: (u64, u64),
    /// By link: buffers in use at its far end, and credits on their way back.
    pub credits: Vec<u32>,
}

impl Census {
    /// Nothing counted yet.
    pub(crate) fn new(w: &Wiring) -> Self {
        Self { outbound: (0, 0), inbound: (0, 0), credits: vec![0; w.configuration.links.len()] }
    }

    /// Counts what the host's process has.
    pub(crate) fn host(
        &mut self,
        w: &Wiring,
        pending: &HostPending,
        transits: &Slab<Transit>,
        links: &Transmitters,
    ) {
        for (_, _, event) in pending.events() {
            match event {
                HostEvent::Inbound { transit } => self.transit(w, &transits[transit], true),
                HostEvent::Hop { transit } => self.transit(w, &transits[transit], false),
                HostEvent::Credit { link } => self.credits[link as usize] += 1,
                _ => {}
            }
        }
        self.waiting(w, transits, links);
    }

    /// Counts what the storage's process has.
    pub(crate) fn storage(
        &mut self,
        w: &Wiring,
        pending: &StoragePending,
        transits: &Slab<Transit>,
        links: &Transmitters,
    ) {
        for (_, _, event) in pending.events() {
            match event {
                StorageEvent::Arrived { transit } => self.transit(w, &transits[transit], true),
                StorageEvent::Hop { transit } => self.transit(w, &transits[transit], false),
                StorageEvent::Credit { link } => self.credits[link as usize] += 1,
                _ => {}
            }
        }
        self.waiting(w, transits, links);
    }

    fn waiting(&mut self, w: &Wiring, transits: &Slab<Transit>, links: &Transmitters) {
        for (slot, _) in links.iter().flat_map(|(_, transmitter)| &transmitter.line.waiting) {
            self.transit(w, &transits[*slot], false);
        }
    }

    /// Counts the receive buffer that a transit holds which has arrived.
    pub(crate) fn buffer(&mut self, w: &Wiring, Transit { parcel, .. }: &Transit) {
        let hop = &w.hops[parcel.hop as usize];
        if hop.frame_by_frame {
            self.credits[hop.link as usize] += 1;
        }
    }

    /// `sent` says whether it has left for the far end of its link or is still before it.
    pub(crate) fn transit(&mut self, w: &Wiring, Transit { parcel, cargo }: &Transit, sent: bool) {
        let chunk = cargo.chunk(w);
        let (frames, bytes) = if parcel.inbound { &mut self.inbound } else { &mut self.outbound };
        *frames += u64::from(chunk.frames);
        *bytes += u64::from(chunk.data_bytes);
        let hop = &w.hops[parcel.hop as usize];
        let buffer = if sent { Some(hop.link) } else { hop.before };
        if let Some(link) = buffer.filter(|_| hop.frame_by_frame) {
            self.credits[link as usize] += 1;
        }
    }
}
