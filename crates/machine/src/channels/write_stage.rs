//! The stage of an FCP channel that only writes pass, before their data are fetched.

use halftrack_base::{Span, Time};
use halftrack_engine::Fifo;

use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::wiring::Wiring;

/// A stage beside the processor, which serves one write at a time: once, before the first burst of its data.
#[derive(Debug)]
pub(super) struct WriteStage {
    server: Fifo,
    service: Span,
    reported_ps: u64,
    writes: u64,
}

/// Work of a stage for writes in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WriteStageBusy {
    /// Time that it was busy, ps.
    pub busy_ps: u64,
    /// Writes that entered it.
    pub writes: u64,
}

impl WriteStage {
    /// Makes a stage that takes so long for a write.
    pub(super) fn new(service: Span) -> Self {
        Self { server: Fifo::new(), service, reported_ps: 0, writes: 0 }
    }

    /// Collects what it did since the last collection.
    pub(super) fn collect(&mut self, now: Time) -> WriteStageBusy {
        let busy_ps = self.server.busy_before(now).as_ps();
        WriteStageBusy {
            busy_ps: busy_ps - std::mem::replace(&mut self.reported_ps, busy_ps),
            writes: std::mem::take(&mut self.writes),
        }
    }

    fn pass(&mut self, now: Time) -> Time {
        self.writes += 1;
        self.server.arrive(now, self.service)
    }
}

impl Channels {
    /// Sends the group of an exchange whose visit is over; where the channel has a stage for writes, the first data pass that
    /// before.
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
        let exchange = &mut self.exchanges[slot];
        let channel = &mut self.channels[exchange.channel as usize];
        let has_data = exchange.group.has_more() && exchange.group.next_fetched_bytes(w) > 0;
        let enters = has_data && !exchange.is_staged;
        exchange.is_staged |= has_data;
        let Some(stage) = channel.write_stage.as_mut().filter(|_| enters) else {
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
