//! The images' side in another process than the channel subsystem: starts and interrupts are messages then.
//!
//! Nothing passes between it and the storage, so both can be of one process, and either may run before the other.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Heads, Order};

use super::{Images, Outside};
use crate::events::crossing::{Interrupt, Start};
use crate::events::event::ImageEvent;
use crate::events::message::{Body, Message};
use crate::events::outlet::HOST;
use crate::events::pending::{ImageLines, leaf};
use crate::wiring::Wiring;

/// The images' side, with its own events.
#[derive(Debug)]
pub(crate) struct SeparateImages {
    pub images: Images,
    heads: Heads,
    lines: ImageLines,
    events: u64,
}

/// Messages to other processes, each with the index of its destination.
type Outbox = Vec<(usize, Message)>;

/// The destinations of its events and starts.
struct SeparateEdge<'a> {
    heads: &'a mut Heads,
    lines: &'a mut ImageLines,
    outbox: &'a mut Outbox,
}

impl Outside for SeparateEdge<'_> {
    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: ImageEvent) {
        self.lines.push(self.heads, at, order, event);
    }

    #[inline(always)]
    fn start(&mut self, at: Time, order: Order, start: &Start) {
        self.outbox.push((HOST, Message { at, order, body: Body::Start(*start) }));
    }
}

impl SeparateImages {
    /// Makes `images` a side of its own, its first events in its event set. No start is sent before the first of them.
    pub(crate) fn new(w: &Wiring, mut images: Images) -> Self {
        let (mut heads, mut lines, mut outbox) = (Heads::new(), ImageLines::new(), Vec::new());
        images.begin(w, &mut SeparateEdge { heads: &mut heads, lines: &mut lines, outbox: &mut outbox });
        debug_assert!(outbox.is_empty());
        Self { images, heads, lines, events: 0 }
    }

    /// Returns the time of the next event; [`Time::MAX`] if none is pending.
    #[inline]
    pub(crate) fn next_time(&self) -> Time {
        self.heads.first_at()
    }

    /// Counts the events handled so far.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Handles every event before `horizon`; what it sends goes to `outbox`.
    pub(crate) fn run_until(&mut self, horizon: Time, outbox: &mut Outbox) {
        loop {
            let now = self.heads.first_at();
            if now >= horizon {
                return;
            }
            self.events += 1;
            let Self { images, heads, lines, .. } = self;
            if heads.first() == leaf::INTERRUPT {
                let (io, next) = lines.interrupts.take(heads, leaf::INTERRUPT);
                images.fetch_for_interrupt(next);
                images.on_interrupt(&mut SeparateEdge { heads, lines, outbox }, now, io);
                continue;
            }
            let Some(event) = lines.take_other(heads) else { return };
            images.handle(&mut SeparateEdge { heads, lines, outbox }, now, event);
        }
    }

    /// Takes an interrupt that an IOP will have processed at `at`. Its I/O is booked at once: it ended before, and who
    /// reads the books at an instant has all interrupts of what ended before it.
    #[inline(always)]
    pub(crate) fn receive(&mut self, at: Time, order: Order, interrupt: &Interrupt) {
        self.images.over(interrupt);
        let key = EventKey { at, order };
        self.lines.push_interrupt(&mut self.heads, interrupt.thread.into(), key, interrupt.io);
    }
}
