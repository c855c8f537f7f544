//! The SAPs: the serial part of each image, the threads of the IOPs with their queues, and what else keeps those busy.
//!
//! ```text
//!  images ── start ──► serial part ──► initiative queue ─► thread ── drive ──► channels
//!     ▲                                                      ▲                    │
//!     └───── interrupt ◄──────────── thread ◄──── ended ─────┼────────────────────┤
//!                                                            └────── retry ◄──────┘
//! ```
//!
//! Paths, exchanges and what channels do are not of this room: it gives a start to the channels when a thread has done its
//! part, and gets it back to be tried again or because it is over. Values that cross are in [`crate::events`].

mod admission;
mod carried;
mod collect;
mod core_of;
mod eadm;
#[cfg(test)]
mod faults;
mod iop_choice;
mod iops;
mod leaving;

use halftrack_base::{Span, Time};
use halftrack_config::{Cpc, Lpar};
use halftrack_engine::{EventKey, Order, Prefetch};
use halftrack_record::CheckerReport;

use self::admission::Image;
use self::carried::Carried;
pub(crate) use self::collect::SapCounters;
use self::eadm::EadmFlow;
use self::iops::Iops;
use crate::events::crossing::{Interrupt, RetryCause, Start};
use crate::events::ended::Ended;
use crate::events::event::HostEvent;
use crate::events::host_context::Context;
use crate::events::slab::Slab;
use crate::laws::law::Law;
use crate::laws::ledger::Ledger;
use crate::wiring::{ComponentKind, Wiring};

/// In place of a thread where an interruption comes from no IOP.
const NO_THREAD: u16 = u16::MAX;

/// The edge to the channels.
pub(crate) trait ChannelEdge {
    /// Drives the path of the start `io`, executed at `started`, when `thread`, counted over all machines, will have done its part of
    /// it.
    fn drive(&mut self, due: EventKey, thread: u32, io: u32, started: Time);

    /// Drives the path of the retry of `io`, when `thread` will have done its part of that.
    fn redrive(&mut self, due: EventKey, thread: u32, io: u32);
}

/// The edge to the channels and the context.
pub(crate) trait Outside: ChannelEdge {
    /// Returns the instant.
    fn now(&self) -> Time;

    /// Returns the place of the event that is handled in its instant, where channels are in another process.
    fn order(&self) -> Order;

    /// Schedules `event` for `at`.
    fn push(&mut self, at: Time, order: Order, event: HostEvent);
}

/// The edge to the images.
pub(crate) trait ImageEdge {
    /// Hands `interrupt` over, which a thread will have processed at `at`.
    fn interrupt(&mut self, at: Time, order: Order, interrupt: &Interrupt);

    /// Puts the response of a SCSI command, which is over now, before the image.
    fn response(&mut self, now: Time, order: Order, over: &Interrupt);
}

/// All SAPs of all machines.
#[derive(Debug)]
pub(crate) struct Saps {
    /// By partition.
    images: Vec<Image>,
    /// By machine.
    iops: Vec<Iops>,
    eadm: Vec<EadmFlow>,
    /// By I/O.
    carried: Slab<Carried>,
    ledger: Ledger,
}

impl ChannelEdge for Context {
    #[inline(always)]
    fn drive(&mut self, due: EventKey, _thread: u32, io: u32, _started: Time) {
        self.pending.push(due.at, due.order, HostEvent::Drive { io });
    }

    #[inline(always)]
    fn redrive(&mut self, due: EventKey, _thread: u32, io: u32) {
        self.pending.push(due.at, due.order, HostEvent::Drive { io });
    }
}

impl Outside for Context {
    #[inline(always)]
    fn now(&self) -> Time {
        self.now
    }

    #[inline(always)]
    fn order(&self) -> Order {
        Order::default()
    }

    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        Context::push(self, at, order, event);
    }
}

impl Saps {
    /// Makes the SAPs before any start.
    pub(crate) fn new(w: &Wiring) -> Self {
        let configuration = &w.configuration;
        let image = |(index, lpar): (usize, &Lpar)| {
            let cpc = &configuration.cpcs[usize::from(lpar.cpc)];
            Image::new(cpc, lpar, w.second_sequencer(ComponentKind::Lpar, index))
        };
        let mut threads = 0;
        let mut iops = |(index, cpc): (usize, &Cpc)| {
            let first_thread = threads;
            threads += u32::from(cpc.iop_threads);
            let service = w.service.of_saps(&cpc.name.to_string());
            Iops::new(index, cpc, first_thread, (w.sequencer(ComponentKind::Iop, index), service))
        };
        let eadm = |(index, work)| EadmFlow::new(w, index, work);
        Self {
            images: configuration.lpars.iter().enumerate().map(image).collect(),
            iops: configuration.cpcs.iter().enumerate().map(&mut iops).collect(),
            eadm: configuration.eadm.iter().enumerate().map(eadm).collect(),
            carried: Slab::with_capacity(1024),
            ledger: Ledger::default(),
        }
    }

    /// Handles `event`, which is of the SAPs.
    pub(crate) fn handle(&mut self, out: &mut impl Outside, event: HostEvent) {
        match event {
            HostEvent::Started { io } => self.on_started(out, io),
            HostEvent::Admitted { io } => self.on_admitted(out, io),
            HostEvent::Eadm { flow } => self.on_eadm(out, flow),
            _ => {}
        }
    }

    /// Takes `start`, which a CP will have executed when its event comes.
    #[inline(always)]
    pub(crate) fn receive_start(&mut self, start: &Start) {
        self.carried.reach(start.io).begin(start);
    }

    /// Hands `io`, or its retry, over to the channels, of which the thread has done its part. Returns when it was started.
    #[inline(always)]
    pub(crate) fn hand_over(&mut self, io: u32) -> Time {
        let carried = &mut self.carried[io];
        if std::mem::take(&mut carried.is_queued) {
            self.iops[usize::from(carried.cpc)].started(carried.thread);
        }
        carried.started
    }

    /// Has the thread of `io` try it again over another path, or the same.
    #[cold]
    pub(crate) fn retry(&mut self, now: Time, io: u32, cause: RetryCause, channels: &mut impl ChannelEdge) {
        let Carried { cpc, thread, by_queue, lpar, .. } = self.carried[io];
        if by_queue {
            let due = EventKey { at: now, order: self.images[lpar as usize].next_order() };
            channels.redrive(due, NO_THREAD.into(), io);
            return;
        }
        let iops = &mut self.iops[usize::from(cpc)];
        let done = iops.retry(now, thread, cause);
        let due = EventKey { at: done, order: iops.sequencer.next() };
        channels.redrive(due, iops.of_all_machines(thread), io);
    }

    /// Has channels in another process: a start leaves the line of its thread when its drive is due, of which no news comes.
    pub(crate) fn part_from_channels(&mut self) {
        self.iops.iter_mut().for_each(Iops::part_from_channels);
    }

    /// Returns the time from `next` on in which no drive can come due of a start or retry that comes at `next` or later.
    #[inline]
    pub(crate) fn drive_lookahead(&self, next: Time) -> Span {
        let lookaheads = self.iops.iter().map(|iops| iops.drive_lookahead(next));
        lookaheads.min().unwrap_or(Span::from_ps(u64::MAX))
    }

    /// Returns the time from `next` on in which no interrupt can have been processed whose I/O ends at `next` or later.
    #[inline]
    pub(crate) fn interrupt_lookahead(&self, next: Time) -> Span {
        let lookaheads = self.iops.iter().map(|iops| iops.interrupt_lookahead(next));
        lookaheads.min().unwrap_or(Span::from_ps(u64::MAX))
    }

    /// Ends a start: a thread processes its one interrupt.
    #[inline(always)]
    pub(crate) fn end(&mut self, now: Time, ended: &Ended, images: &mut impl ImageEdge) {
        let opened = self.ledger.end(ended.io).unwrap_or(Time::MAX);
        let carried = &self.carried[ended.io];
        if carried.by_queue {
            // The adapter interruption is the channel's own.
            let order = self.images[carried.lpar as usize].next_order();
            images.response(now, order, &ended.interrupt(carried.started, opened, NO_THREAD));
            return;
        }
        let iops = &mut self.iops[usize::from(carried.cpc)];
        let (thread, done) = iops.interrupt(now, carried.subchannel);
        let order = iops.sequencer.next();
        images.interrupt(done, order, &ended.interrupt(carried.started, opened, thread as u16));
    }

    /// Asks for the record of `io`.
    #[inline(always)]
    pub(crate) fn fetch(&self, io: u32) {
        Prefetch::begin(&self.carried[io]);
    }

    /// Returns the number of the unit control block of `io`.
    #[inline(always)]
    pub(crate) fn subchannel(&self, io: u32) -> u32 {
        self.carried[io].subchannel
    }

    /// Checks the utilisation law of the IOPs.
    pub(crate) fn check_utilisation(&self, now: Time, law: &mut Law) {
        self.iops.iter().for_each(|iops| iops.check_utilisation(now, law));
    }

    /// Returns the verdict of the ledger: every start ends exactly once.
    pub(crate) fn check_starts(&mut self) -> CheckerReport {
        self.ledger.report()
    }

    /// Starts that have ended so far.
    pub(crate) fn ends(&self) -> u64 {
        self.ledger.ends()
    }
}
