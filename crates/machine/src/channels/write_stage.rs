//! The stage of an FCP channel that only writes pass, before their data are fetched.

use halftrack_base::{Span, Time};
use halftrack_engine::Fifo;

use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::wiring::Wiring;

/// A stage beside the processor, which serves one burst of written data at a time.
#[derive(Debug)]
pub(super) struct WriteStage {
    server: Fifo,
    service: Span,
    /// Busy time and visits that were collected.
    reported: (u64, u64),
}

impl WriteStage {
    /// Makes a stage that takes so long for a burst.
    pub(super) fn new(service: Span) -> Self {
        Self { server: Fifo::new(), service, reported: (0, 0) }
    }

    /// Collects its busy time, ps, and its visits since the last collection.
    pub(super) fn collect(&mut self, now: Time) -> (u64, u64) {
        let all = (self.server.busy_before(now).as_ps(), self.server.completions());
        let before = std::mem::replace(&mut self.reported, all);
        (all.0 - before.0, all.1 - before.1)
    }

    fn pass(&mut self, now: Time) -> Time {
        self.server.arrive(now, self.service)
    }
}

impl Channels {
    /// Sends the group of an exchange whose visit is over; where the channel has a stage for writes, data pass that first.
    #[inline(always)]
    pub(super) fn send_group(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let channel = &self.channels[self.exchanges[slot].channel as usize];
        if channel.write_stage.is_some() {
            self.pass_write_stage(out, w, slot);
        } else {
            self.send_chunk(out, w, slot);
        }
    }

    #[cold]
    fn pass_write_stage(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &self.exchanges[slot];
        let channel = &mut self.channels[exchange.channel as usize];
        let writes = exchange.group.has_more() && exchange.group.next_fetched_bytes(w) > 0;
        let Some(stage) = channel.write_stage.as_mut().filter(|_| writes) else {
            return self.send_chunk(out, w, slot);
        };
        let passed = stage.pass(out.now());
        out.push(passed, channel.sequencer.next(), HostEvent::Staged { exchange: slot });
    }

    /// Sends the data of a write that has passed the stage for writes.
    #[cold]
    pub(crate) fn on_staged(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.send_chunk(out, w, slot);
        if !self.exchanges[slot].sending {
            // The link was lost meanwhile.
            self.advance(out, w, slot);
        }
    }
}
