//! Starts come from the images: through the serial part of their image, then onto an IOP's initiative queue.

use halftrack_base::{Span, Time};
use halftrack_config::{Cpc, Lpar};
use halftrack_engine::{EventKey, Fifo, Order, Sequencer};

use super::{NO_THREAD, Outside, Saps};
use crate::events::event::HostEvent;
use crate::events::pending::Turn;

/// An image as the SAPs serve it.
#[derive(Debug)]
pub(super) struct Image {
    /// Its machine, whose IOPs it uses.
    cpc: u8,
    /// The part of a start that the image does for one at a time, and its time; zero sets no limit.
    serial: Fifo,
    serial_service: Span,
    sequencer: Sequencer,
    serial_reported_ps: u64,
}

impl Image {
    /// Makes the image `lpar` of `cpc`; `sequencer` is of its own rank.
    pub(super) fn new(cpc: &Cpc, lpar: &Lpar, sequencer: Sequencer) -> Self {
        Self {
            cpc: lpar.cpc,
            serial: Fifo::new(),
            serial_service: cpc.image_serial,
            sequencer,
            serial_reported_ps: 0,
        }
    }

    /// Returns the order of its next event.
    pub(super) fn next_order(&mut self) -> Order {
        self.sequencer.next()
    }

    /// Collects the time that its serial part was busy since the last collection, ps; `None` where it has none.
    pub(super) fn collect(&mut self, now: Time) -> Option<u64> {
        if self.serial_service.is_zero() {
            return None;
        }
        let busy_ps = self.serial.busy_before(now).as_ps();
        Some(busy_ps - std::mem::replace(&mut self.serial_reported_ps, busy_ps))
    }
}

impl Saps {
    /// Takes a start to the serial part of its image, or lets it through whose turn has come.
    #[inline(always)]
    pub(crate) fn on_start(&mut self, out: &mut impl Outside, (io, turn): (u32, Turn)) {
        match turn {
            Turn::Requested => self.on_started(out, io),
            Turn::Granted => self.on_admitted(out, io),
        }
    }

    /// Takes a start for which a CP has done its work. The serial part of its image (locks of the I/O supervisor) lets one
    /// through in each such time: a start that comes while it is free goes on at once, another when its turn comes.
    #[inline(never)]
    pub(crate) fn on_started(&mut self, out: &mut impl Outside, io: u32) {
        let carried = &self.carried[io];
        let image = &mut self.images[carried.lpar as usize];
        if carried.by_queue {
            self.queue(io, out);
            return;
        }
        if !image.serial_service.is_zero() {
            let turn = image.serial.free_at().max(out.now());
            image.serial.arrive(out.now(), image.serial_service);
            if turn > out.now() {
                out.push(turn, image.sequencer.next(), HostEvent::Admitted { io });
                return;
            }
        }
        self.start_subchannel(io, out);
    }

    /// Lets `io` through, whose turn in the serial part of its image has come.
    #[inline(never)]
    pub(crate) fn on_admitted(&mut self, out: &mut impl Outside, io: u32) {
        self.start_subchannel(io, out);
    }

    /// Has the channel take `io` from its queue: the adapter polls it, and no IOP has a part in that.
    #[cold]
    fn queue(&mut self, io: u32, out: &mut impl Outside) {
        let now = out.now();
        self.ledger.start(io, now);
        let carried = &mut self.carried[io];
        let image = &mut self.images[carried.lpar as usize];
        (carried.started, carried.is_queued, carried.cpc) = (now, false, image.cpc);
        let due = EventKey { at: now, order: image.sequencer.next() };
        out.drive(due, NO_THREAD.into(), io, now);
    }

    /// Puts a start on an IOP's initiative queue, for which START SUBCHANNEL has been executed.
    #[inline(always)]
    fn start_subchannel(&mut self, io: u32, out: &mut impl Outside) {
        let now = out.now();
        self.ledger.start(io, now);
        let carried = &mut self.carried[io];
        let cpc = self.images[carried.lpar as usize].cpc;
        let iops = &mut self.iops[usize::from(cpc)];
        let (thread, due) = iops.start(EventKey { at: now, order: out.order() });
        (carried.started, carried.is_queued) = (now, true);
        (carried.cpc, carried.thread) = (cpc, thread);
        out.drive(due, iops.of_all_machines(thread), io, now);
    }
}
