//! The rooms upstream of the channels, in the order in which a start comes by: images and SAPs, unless another process holds
//! them. What crosses an edge is a direct call here where both rooms are of this process.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Order};

use crate::channels::{self, Channels};
use crate::ctc::Adapters;
use crate::events::crossing::RetryCause;
use crate::events::crossing::{Interrupt, Start};
use crate::events::ended::Ended;
use crate::events::event::HostEvent;
use crate::events::event::ImageEvent;
use crate::events::host_context::Context;
use crate::events::message::{Body, Long, Message, Transit};
use crate::events::outlet::Destination;
use crate::events::pending::HostPending;
use crate::events::slab::Slab;
use crate::images::{self, Images};
use crate::saps::{ImageEdge, Saps};
use crate::wiring::Wiring;

/// Images and SAPs with the context of the process.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub context: Context,
    /// The SAPs, unless another process holds them.
    pub saps: Option<Saps>,
    /// Starts that have ended, where another process holds the SAPs.
    pub reported_ends: u64,
    /// The side of the images, unless another process holds it.
    pub images: Option<Images>,
    /// Channel-to-channel adapters; `None` where there are none.
    pub adapters: Option<Box<Adapters>>,
}

/// The SAPs as the images reach them.
struct Below<'a> {
    pending: &'a mut HostPending,
    saps: &'a mut Saps,
    channels: &'a mut Channels,
}

impl images::Outside for Below<'_> {
    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: ImageEvent) {
        let HostPending { heads, images: lines, .. } = &mut *self.pending;
        lines.push(heads, at, order, event);
    }

    #[inline(always)]
    fn start(&mut self, at: Time, order: Order, start: &Start) {
        self.saps.receive_start(start);
        self.channels.receive_start(start);
        self.pending.push(at, order, HostEvent::Started { io: start.io });
    }
}

/// The images as the SAPs reach them.
struct Above<'a> {
    context: &'a mut Context,
    images: &'a mut Option<Images>,
}

impl ImageEdge for Above<'_> {
    #[inline(always)]
    fn interrupt(&mut self, at: Time, order: Order, interrupt: &Interrupt) {
        if let Some(images) = &mut self.images {
            images.over(interrupt);
            let HostPending { heads, images: lines, .. } = &mut *self.context.pending;
            lines.push_interrupt(heads, interrupt.thread.into(), EventKey { at, order }, interrupt.io);
        } else {
            let body = match interrupt.brief(at) {
                Some(brief) => Body::Interrupt(brief),
                None => Body::Long(Box::new(Long::Interrupt(*interrupt))),
            };
            self.context.send(Message { at, order, body });
        }
    }

    #[cold]
    fn response(&mut self, now: Time, order: Order, over: &Interrupt) {
        let images = self.images.as_mut().expect("a run with SCSI commands has its images with the channels");
        images.over(over);
        let HostPending { heads, images: lines, .. } = &mut *self.context.pending;
        lines.push(heads, now, order, ImageEvent::Response { io: over.io });
    }
}

impl channels::SapEdge for Upstream {
    #[inline(always)]
    fn retry(&mut self, io: u32, cause: RetryCause) {
        match &mut self.saps {
            Some(saps) => saps.retry(self.context.now, io, cause, &mut self.context),
            None => self.context.report(Body::Retry { io, cause }),
        }
    }

    #[inline(always)]
    fn end(&mut self, ended: &Ended) {
        let Self { context, saps, images, .. } = self;
        let Some(saps) = saps else { return self.report_end(ended) };
        saps.end(context.now, ended, &mut Above { context, images });
    }
}

impl channels::Outside for Upstream {
    #[inline(always)]
    fn now(&self) -> Time {
        self.context.now
    }

    #[inline(always)]
    fn pending(&mut self) -> (&mut HostPending, EventKey) {
        let Context { pending, now, reached, .. } = &mut self.context;
        (pending, EventKey { at: *now, order: *reached })
    }

    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        self.context.push(at, order, event);
    }

    #[inline(always)]
    fn set_processor(&mut self, channel: u32, at: Time, order: Order) {
        self.context.pending.set_processor(channel, at, order);
    }

    #[inline(always)]
    fn forget_event(&mut self) {
        self.context.events -= 1;
    }

    #[inline(always)]
    fn transits(&mut self) -> &mut Slab<Transit> {
        &mut self.context.transits
    }

    #[inline(always)]
    fn send(&mut self, message: Message) {
        self.context.send(message);
    }

    #[inline(always)]
    fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit) {
        self.context.to_storage.send_frames(at, order, to, transit);
    }
}

impl Upstream {
    /// Has this process hold the SAPs, which report to it.
    pub(crate) fn hold_saps(&mut self, mut saps: Saps) {
        saps.begin(&mut self.context);
        self.saps = Some(saps);
    }

    /// Has this process hold the images' side, whose starts go to its own SAPs and `channels`.
    pub(crate) fn hold(&mut self, w: &Wiring, mut images: Images, channels: &mut Channels) {
        let Self { context, saps, .. } = self;
        let Some(saps) = saps else { return };
        images.begin(w, &mut Below { pending: &mut context.pending, saps, channels });
        self.images = Some(images);
    }

    /// Reports an end to the SAPs in another process.
    #[inline(always)]
    fn report_end(&mut self, ended: &Ended) {
        self.reported_ends += 1;
        self.context.report(match ended.brief() {
            Some(brief) => Body::Ended(brief),
            None => Body::Long(Box::new(Long::Ended(*ended))),
        });
    }

    /// Takes `io` over from the SAPs, of which a thread has done its part, at its drive. Returns when it was started.
    #[inline(always)]
    pub(crate) fn take_over(&mut self, channels: &Channels, io: u32) -> Time {
        match &mut self.saps {
            Some(saps) => saps.hand_over(io),
            None => channels.started(io),
        }
    }

    /// Takes `start`, which a CP will have executed at `at`, from the images' side in another process.
    #[inline(always)]
    pub(crate) fn receive_start(&mut self, at: Time, order: Order, start: &Start, channels: &mut Channels) {
        let Self { context, saps, .. } = self;
        let Some(saps) = saps else { return };
        images::Outside::start(
            &mut Below { pending: &mut context.pending, saps, channels },
            at,
            order,
            start,
        );
    }

    /// Returns the images' side, the edge below it and the instant.
    #[inline(always)]
    fn held<'a>(&'a mut self, channels: &'a mut Channels) -> Option<(&'a mut Images, Below<'a>, Time)> {
        let Self { context, saps, images, .. } = self;
        let below = Below { pending: &mut context.pending, saps: saps.as_mut()?, channels };
        Some((images.as_mut()?, below, context.now))
    }

    /// Handles the first of the images' side's events that are in no lane.
    #[inline(never)]
    pub(crate) fn handle_images_event(&mut self, channels: &mut Channels) {
        let HostPending { heads, images: lines, .. } = &mut *self.context.pending;
        let Some(event) = lines.take_other(heads) else { return };
        let Some((images, mut below, now)) = self.held(channels) else { return };
        images.handle(&mut below, now, event);
    }

    /// Fetches what the interrupt of `io` will touch, where this process holds the images' side.
    #[inline(always)]
    pub(crate) fn fetch_for_interrupt(&self, w: &Wiring, io: u32) {
        if let Some(images) = self.images.as_ref().filter(|_| w.fetches_ahead) {
            images.fetch_for_interrupt(io);
        }
    }

    /// Fetches what the ends of two I/Os will touch upstream, if any are near: records of the first, books of the second.
    #[inline(always)]
    pub(crate) fn fetch_for_end(&self, ios: Option<[u32; 2]>) {
        let Some([far, near]) = ios else { return };
        let Some(saps) = &self.saps else { return };
        saps.fetch(far);
        if let Some(images) = &self.images {
            images.fetch_request(far);
            images.fetch_books(saps.subchannel(near));
        }
    }

    /// Hands the interrupt of `io`, which a thread has processed, to its image.
    #[inline(never)]
    pub(crate) fn on_interrupt(&mut self, channels: &mut Channels, io: u32) {
        let Some((images, mut below, now)) = self.held(channels) else { return };
        images.on_interrupt(&mut below, now, io);
    }
}
