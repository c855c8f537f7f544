//! A count of the frames under way, from pending events and queues, never from a counter of the model.

use crate::events::event::{HostEvent, StorageEvent};
use crate::events::message::Transit;
use crate::events::pending::{HostPending, StoragePending};
use crate::events::slab::Slab;
use crate::wiring::Wiring;
use crate::wiring::lanes::NO_PATH;

/// Frames and data bytes under way in each direction, and credits out by link.
#[derive(Debug)]
pub(crate) struct Census {
    /// Frames and data bytes from channels to control units.
    pub outbound: (u64, u64),
    /// And back.
    pub inbound: (u64, u64),
    /// And between channels.
    pub units: (u64, u64),
    /// By link: buffers in use at its far end, and credits on their way back.
    pub credits: Vec<u32>,
}

impl Census {
    /// Makes a census that has counted nothing yet.
    pub(crate) fn new(w: &Wiring) -> Self {
        Self {
            outbound: (0, 0),
            inbound: (0, 0),
            units: (0, 0),
            credits: vec![0; w.configuration.links.len()],
        }
    }

    /// Counts the pending events of the host's process, whose frames are in `transits`.
    pub(crate) fn host(&mut self, w: &Wiring, pending: &HostPending, transits: &Slab<Transit>) {
        for (_, _, event) in pending.events() {
            match event {
                HostEvent::Inbound { transit } | HostEvent::UnitArrived { transit } => {
                    self.transit(w, &transits[transit], true);
                }
                HostEvent::Hop { transit } => self.transit(w, &transits[transit], false),
                HostEvent::Credit { link } => self.credits[link as usize] += 1,
                // The request of a circuit, which a director has refused and its channel counts with the notice.
                HostEvent::Circuit { exchange, .. } if w.lanes.are_of_device(exchange) => self.units.0 += 1,
                _ => {}
            }
        }
    }

    /// Counts the pending events of the storage's process, whose frames are in `transits`.
    pub(crate) fn storage(&mut self, w: &Wiring, pending: &StoragePending, transits: &Slab<Transit>) {
        for (_, _, event) in pending.events() {
            match event {
                StorageEvent::Arrived { transit } => self.transit(w, &transits[transit], true),
                StorageEvent::Hop { transit } => self.transit(w, &transits[transit], false),
                StorageEvent::Credit { link } => self.credits[link as usize] += 1,
                _ => {}
            }
        }
    }

    /// Counts the receive buffer that a transit holds which has arrived.
    pub(crate) fn buffer(&mut self, w: &Wiring, Transit { parcel, .. }: &Transit) {
        let hop = &w.hops[parcel.hop as usize];
        if hop.frame_by_frame {
            self.credits[hop.link as usize] += 1;
        }
    }

    /// Counts a transit, which has left for the far end of its link if it is `sent`, and is still before it otherwise.
    pub(crate) fn transit(&mut self, w: &Wiring, Transit { parcel, cargo }: &Transit, sent: bool) {
        let chunk = cargo.chunk(w);
        let (frames, bytes) = match parcel.envelope.path {
            NO_PATH => &mut self.units,
            _ if parcel.inbound => &mut self.inbound,
            _ => &mut self.outbound,
        };
        *frames += u64::from(chunk.frames);
        *bytes += u64::from(chunk.data_bytes);
        let hop = &w.hops[parcel.hop as usize];
        let buffer = if sent { Some(hop.link) } else { hop.before };
        if let Some(link) = buffer.filter(|_| hop.frame_by_frame) {
            self.credits[link as usize] += 1;
        }
    }
}
