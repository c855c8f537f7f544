//! Starts come from the images: through the serial part of their image, then onto an IOP's initiative queue.

use halftrack_config::{Cpc, Lpar};
use halftrack_engine::{Fifo, Sequencer, SimDuration};

use super::HostState;
use crate::events::event::HostEvent;
use crate::events::pending::Turn;

/// What the channel subsystem knows of an image.
#[derive(Debug)]
pub(super) struct ImageWire {
    /// Its machine, whose IOPs it uses.
    pub cpc: u8,
    /// What the image does for one start at a time, and how long; zero sets no limit.
    pub serial: Fifo,
    pub serial_service: SimDuration,
    sequencer: Sequencer,
    pub serial_reported_ps: u64,
}

impl ImageWire {
    /// That of `lpar` of `cpc`; `sequencer` is of the image's own rank.
    pub(super) fn new(cpc: &Cpc, lpar: &Lpar, sequencer: Sequencer) -> Self {
        Self {
            cpc: lpar.cpc,
            serial: Fifo::new(),
            serial_service: cpc.image_serial,
            sequencer,
            serial_reported_ps: 0,
        }
    }
}

impl HostState {
    /// A start comes to the serial part of its image, or has its turn there.
    #[inline(always)]
    pub(super) fn on_start(&mut self, (io, turn): (u32, Turn)) {
        match turn {
            Turn::Asks => self.on_started(io),
            Turn::Comes => self.on_admitted(io),
        }
    }

    /// A CP has done its work for the start. The serial part of its image (locks of the I/O supervisor) lets one through
    /// in each such time: who comes while it is free goes on at once, another when its turn comes.
    #[inline(never)]
    pub(super) fn on_started(&mut self, io: u32) {
        let lpar = &mut self.lpars[self.ios[io].lpar as usize];
        if !lpar.serial_service.is_zero() {
            let turn = lpar.serial.free_at().max(self.now);
            lpar.serial.arrive(self.now, lpar.serial_service);
            if turn > self.now {
                self.pending.push(turn, lpar.sequencer.next(), HostEvent::Admitted { io });
                return;
            }
        }
        self.start_subchannel(io);
    }

    /// The turn of `io` in the serial part of its image has come.
    #[inline(never)]
    pub(super) fn on_admitted(&mut self, io: u32) {
        self.start_subchannel(io);
    }

    /// START SUBCHANNEL has been executed: the start is on an IOP's initiative queue.
    #[inline(always)]
    fn start_subchannel(&mut self, io: u32) {
        self.ledger.start(io, self.now);
        let this = &mut self.ios[io];
        this.started = self.now;
        this.cpc = self.lpars[this.lpar as usize].cpc;
        let iops = &mut self.iops[usize::from(this.cpc)];
        let (iop, done) = iops.start(self.now);
        this.iop = iop;
        self.pending.push(done, iops.sequencer.next(), HostEvent::Drive { io });
    }
}
