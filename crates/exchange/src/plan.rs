//! Plans: the causal graph of one fault-free exchange, recorded from the two live machines.
//!
//! Each machine sends as soon as it is allowed to and each direction is first in, first out, so the graph has
//! a compact form: step `k` of a direction may be sent once steps `0..k` of the same direction have been sent
//! and the first [`Step::after_received`] steps of the other direction have been received. Pacing and
//! transfer-ready appear as edges of that kind and are written down nowhere else.

use halftrack_wire::IuKind;

/// An end of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The channel.
    Channel,
    /// The control unit.
    ControlUnit,
}

/// What an end does for one information unit, as counts; the catalog's prices turn it into time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Channel programs begun (1 on the IU that opens the exchange, else 0).
    pub programs: u16,
    /// CCWs or DCWs fetched or decoded.
    pub commands: u16,
    /// Information units handled.
    pub units: u16,
    /// Data bytes moved.
    pub data_bytes: u32,
}

impl Work {
    /// Both works together.
    #[must_use]
    pub fn plus(self, other: Work) -> Work {
        Work {
            programs: self.programs + other.programs,
            commands: self.commands + other.commands,
            units: self.units + other.units,
            data_bytes: self.data_bytes + other.data_bytes,
        }
    }
}

/// A wait of the sender before it may send, whose length belongs to the hardware and not to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delay {
    /// None.
    #[default]
    None,
    /// Access to data that is in cache, or to cache space for a write.
    Cache,
    /// Staging from the back end after a cache miss; reported as disconnect time.
    Staging,
}

/// One information unit of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Kind of IU.
    pub kind: IuKind,
    /// Bytes of the whole IU: headers, data, padding and check words, without FC-2 framing.
    pub payload_bytes: u32,
    /// Bytes of user data in it.
    pub data_bytes: u32,
    /// FC-2 frames it takes.
    pub frames: u16,
    /// Payload bytes of its last frame.
    pub last_frame_bytes: u16,
    /// Work of the sender.
    pub send: Work,
    /// Work of the receiver.
    pub receive: Work,
    /// Wait of the sender before it may send.
    pub delay: Delay,
    /// How many steps of the other direction the sender must have received.
    pub after_received: u16,
}
