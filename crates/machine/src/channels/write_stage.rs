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
    reported_ps: u64,
    bursts: u64,
}

/// Work of a stage for writes in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WriteStageBusy {
    /// Time that it was busy, ps.
    pub busy_ps: u64,
    /// Bursts of written data that entered it.
    pub bursts: u64,
}

impl WriteStage {
    /// Makes a stage that takes so long for a burst.
    pub(super) fn new(service: Span) -> Self {
        Self { server: Fifo::new(), service, reported_ps: 0, bursts: 0 }
    }

    /// Collects what it did since the last collection.
    pub(super) fn collect(&mut self, now: Time) -> WriteStageBusy {
        let busy_ps = self.server.busy_before(now).as_ps();
        WriteStageBusy {
            busy_ps: busy_ps - std::mem::replace(&mut self.reported_ps, busy_ps),
            bursts: std::mem::take(&mut self.bursts),
        }
    }

    fn pass(&mut self, now: Time) -> Time {
        self.bursts += 1;
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
