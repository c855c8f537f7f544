//! Images and SAPs in another process than the channels: drives, ends and retries are messages then.
//!
//! A thread of an IOP takes one request after the other, so that the drive of a start or retry is fixed when it comes. It is sent
//! when no other can come due before it, so that all drives are in order. Ends and retries take effect at the instant at which
//! they are sent.

use halftrack_base::{Span, Time};
use halftrack_engine::{EventKey, Order};

use super::drives::{Drives, Outbox};
use crate::events::crossing::{Interrupt, Start};
use crate::events::ended::Ended;
use crate::events::event::{HostEvent, ImageEvent};
use crate::events::message::{Body, Long, Message};
use crate::events::pending::{ImageLines, SapsPending, leaf};
use crate::images::{self, Images};
use crate::saps::{self, ChannelEdge, ImageEdge, Saps};
use crate::wiring::Wiring;

/// Places behind the first report at which the records of an I/O are fetched, and its books.
const REPORT_STAGES: [usize; 2] = [9, 4];

/// Images and SAPs, with their own events.
#[derive(Debug)]
pub(crate) struct SeparateSaps {
    pub images: Images,
    pub saps: Saps,
    pending: Box<SapsPending>,
    drives: Drives,
    pub outbox: Outbox,
    events: u64,
}

/// SAPs as the images reach them.
struct Below<'a> {
    pending: &'a mut SapsPending,
    saps: &'a mut Saps,
    drives: &'a mut Drives,
}

impl images::Outside for Below<'_> {
    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: ImageEvent) {
        let SapsPending { heads, images, .. } = &mut *self.pending;
        images.push(heads, at, order, event);
    }

    #[inline(always)]
    fn start(&mut self, at: Time, order: Order, start: &Start) {
        self.saps.receive_start(start);
        self.drives.receive_start(start);
        self.pending.push(at, order, HostEvent::Started { io: start.io });
    }
}

/// Channels and context as the SAPs reach them.
struct Surroundings<'a> {
    instant: EventKey,
    pending: &'a mut SapsPending,
    drives: &'a mut Drives,
    outbox: &'a mut Outbox,
}

impl ChannelEdge for Surroundings<'_> {
    #[inline(always)]
    fn drive(&mut self, due: EventKey, thread: u32, io: u32, started: Time) {
        self.drives.expect(due, thread, (io, Some(started)), self.outbox);
    }

    #[inline(always)]
    fn redrive(&mut self, due: EventKey, thread: u32, io: u32) {
        self.drives.expect(due, thread, (io, None), self.outbox);
    }
}

impl saps::Outside for Surroundings<'_> {
    #[inline(always)]
    fn now(&self) -> Time {
        self.instant.at
    }

    #[inline(always)]
    fn order(&self) -> Order {
        self.instant.order
    }

    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        self.pending.push(at, order, event);
    }
}

/// Images as the SAPs reach them.
struct Above<'a> {
    images: &'a mut Images,
    pending: &'a mut SapsPending,
}

impl ImageEdge for Above<'_> {
    #[inline(always)]
    fn interrupt(&mut self, at: Time, order: Order, interrupt: &Interrupt) {
        self.images.over(interrupt);
        let SapsPending { heads, images, .. } = &mut *self.pending;
        images.push_interrupt(heads, interrupt.thread.into(), EventKey { at, order }, interrupt.io);
    }

    #[cold]
    fn response(&mut self, now: Time, order: Order, over: &Interrupt) {
        self.images.over(over);
        let SapsPending { heads, images, .. } = &mut *self.pending;
        images.push(heads, now, order, ImageEvent::Response { io: over.io });
    }
}

impl SeparateSaps {
    /// Makes `images` and `saps` a process of their own, their first events in its event set.
    pub(crate) fn new(w: &Wiring, mut images: Images, mut saps: Saps) -> Self {
        let (mut pending, mut drives, mut outbox) = (Box::new(SapsPending::new()), Drives::new(), Vec::new());
        saps.part_from_channels();
        let instant = EventKey::before(Time::ZERO);
        saps.begin(&mut Surroundings {
            instant,
            pending: &mut pending,
            drives: &mut drives,
            outbox: &mut outbox,
        });
        images.begin(w, &mut Below { pending: &mut pending, saps: &mut saps, drives: &mut drives });
        Self { images, saps, pending, drives, outbox, events: 0 }
    }

    /// Returns the time of the next event; [`Time::MAX`] if none is pending.
    #[inline]
    pub(crate) fn next_at(&self) -> Time {
        self.pending.heads.first_at()
    }

    /// Returns the time from `next`, its first event, on in which no drive can come due that is not on its way.
    #[inline]
    pub(crate) fn lookahead(&self, next: Time) -> Span {
        self.saps.drive_lookahead(next)
    }

    /// Counts the events handled so far; reports are of the channels' events.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Takes a report of the channels.
    #[inline(always)]
    pub(crate) fn receive(&mut self, report: Message) {
        self.pending.push_report(report);
    }

    /// Handles every event before `horizon`.
    pub(crate) fn run_until(&mut self, w: &Wiring, horizon: Time) {
        loop {
            let instant = self.pending.first_key();
            if instant.at >= horizon {
                break;
            }
            let line = self.pending.heads.first();
            self.events += u64::from(line != leaf::REPORT);
            match line {
                leaf::STARTED => {
                    let SapsPending { heads, started, .. } = &mut *self.pending;
                    let start = started.take(heads, leaf::STARTED);
                    let (saps, mut surroundings) = self.surroundings(instant);
                    saps.on_start(&mut surroundings, start);
                }
                leaf::REPORT => {
                    let Some(report) = self.pending.take_report() else { return };
                    if w.fetches_ahead {
                        self.fetch_for_reports();
                    }
                    self.on_report(report);
                }
                leaf::INTERRUPT => {
                    let SapsPending { heads, images: ImageLines { interrupts, .. }, .. } = &mut *self.pending;
                    let (io, next) = interrupts.take(heads, leaf::INTERRUPT);
                    if w.fetches_ahead {
                        self.images.fetch_for_interrupt(next);
                    }
                    let (images, mut below) = self.below();
                    images.on_interrupt(&mut below, instant.at, io);
                }
                leaf::IMAGE_OTHERS => self.handle_images_event(instant.at),
                _ => {
                    let Some(event) = self.pending.take_other() else { return };
                    let (saps, mut surroundings) = self.surroundings(instant);
                    saps.handle(&mut surroundings, event);
                }
            }
        }
        let next = self.next_at();
        self.drives.send_before(next.saturating_add(self.lookahead(next)), &mut self.outbox);
    }

    /// Handles the first of the images' side's events that are in no lane.
    #[inline(never)]
    fn handle_images_event(&mut self, now: Time) {
        let SapsPending { heads, images: lines, .. } = &mut *self.pending;
        let Some(event) = lines.take_other(heads) else { return };
        let (images, mut below) = self.below();
        images.handle(&mut below, now, event);
    }

    /// Takes an end, or a request to try again, which takes effect now.
    #[inline(never)]
    fn on_report(&mut self, Message { at, order, body }: Message) {
        match body {
            Body::Ended(brief) => self.end(at, &brief.whole(at)),
            Body::Retry { io, cause } => {
                let (saps, mut surroundings) = self.surroundings(EventKey { at, order });
                saps.retry(at, io, cause, &mut surroundings);
            }
            Body::Long(long) => {
                if let Long::Ended(ended) = *long {
                    self.end(at, &ended);
                }
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn end(&mut self, now: Time, ended: &Ended) {
        let Self { images, saps, pending, .. } = self;
        saps.end(now, ended, &mut Above { images, pending });
    }

    /// Fetches what the ends that come soon will touch.
    #[inline(always)]
    fn fetch_for_reports(&self) {
        let [far, near] = REPORT_STAGES.map(|place| match self.pending.report_soon(place)?.body {
            Body::Ended(brief) => Some(brief.io()),
            _ => None,
        });
        if let Some(io) = far {
            self.saps.fetch(io);
            self.images.fetch_request(io);
        }
        if let Some(io) = near {
            self.images.fetch_books(self.saps.subchannel(io));
        }
    }

    /// Returns the SAPs and what is beyond them.
    #[inline(always)]
    fn surroundings(&mut self, instant: EventKey) -> (&mut Saps, Surroundings<'_>) {
        let Self { saps, pending, drives, outbox, .. } = self;
        (saps, Surroundings { instant, pending, drives, outbox })
    }

    /// Returns the images and what is below them.
    #[inline(always)]
    fn below(&mut self) -> (&mut Images, Below<'_>) {
        let Self { images, saps, pending, drives, .. } = self;
        (images, Below { pending, saps, drives })
    }
}
