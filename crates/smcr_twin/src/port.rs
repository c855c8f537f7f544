//! Port of an adapter, full duplex.

use halftrack_base::{Span, Time, for_bytes};
use halftrack_engine::Fifo;

use crate::conversation_plan::PortPlan;

/// Port in a run.
#[derive(Debug)]
pub(crate) struct Port {
    bytes_per_s: u64,
    /// Directions out and in.
    out: Fifo,
    into: Fifo,
}

impl Port {
    pub(crate) fn new(plan: PortPlan) -> Self {
        Self { bytes_per_s: plan.bytes_per_s.max(1), out: Fifo::new(), into: Fifo::new() }
    }

    /// Sends a chunk; returns when its first octet leaves.
    pub(crate) fn send(&mut self, bytes: u32, now: Time) -> Time {
        let length = self.time_of(bytes);
        self.out.arrive(now, length) - length
    }

    /// Takes a chunk whose first octet is there; returns when the last one is.
    pub(crate) fn receive(&mut self, bytes: u32, now: Time) -> Time {
        self.into.arrive(now, self.time_of(bytes))
    }

    /// Returns how long each direction has been busy up to `now`: out and in.
    pub(crate) fn busy(&self, now: Time) -> [Span; 2] {
        [self.out.busy_before(now), self.into.busy_before(now)]
    }

    /// Returns the chunks that it has sent and taken.
    pub(crate) fn chunks(&self) -> u64 {
        self.out.completions() + self.into.completions()
    }

    fn time_of(&self, bytes: u32) -> Span {
        for_bytes(u64::from(bytes), self.bytes_per_s)
    }
}
