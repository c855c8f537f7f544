//! The crossings to the side of the images, while this process holds it: its events are among the host's.

use halftrack_engine::{Order, SimTime};
use halftrack_subsystem::Ending;

use super::HostState;
use super::io::Io;
use crate::crossing::{Ended, Start};
use crate::event::HostEvent;
use crate::pending::HostPending;
use crate::slab::Slab;
use crate::supervisor::{Outside, SupervisorEvent, SupervisorState};
use crate::wiring::Wiring;

/// The host as the images' side sees it.
pub(super) struct Beside<'a> {
    pending: &'a mut HostPending,
    ios: &'a mut Slab<Io>,
}

impl Outside for Beside<'_> {
    #[inline(always)]
    fn push(&mut self, at: SimTime, order: Order, event: SupervisorEvent) {
        let event = match event {
            SupervisorEvent::Arrival { stream } => HostEvent::Arrival { stream },
            SupervisorEvent::Row { stream } => HostEvent::Row { stream },
            SupervisorEvent::Ready { stream, job } => HostEvent::Ready { stream, job },
            SupervisorEvent::Complete { io } => HostEvent::Complete { io },
        };
        self.pending.push(at, order, event);
    }

    #[inline(always)]
    fn start(&mut self, at: SimTime, order: Order, start: &Start) {
        self.ios.reach(start.io).begin(start);
        self.pending.push(at, order, HostEvent::Started { io: start.io });
    }
}

impl HostState {
    /// The images' side, and what it sees of the rest.
    #[inline(always)]
    fn supervised(&mut self) -> (&mut SupervisorState, Beside<'_>, SimTime) {
        let outside = Beside { pending: &mut self.pending, ios: &mut self.ios };
        (&mut self.supervisor, outside, self.now)
    }

    pub(super) fn begin_supervisor(&mut self, w: &Wiring) {
        let (supervisor, mut outside, _) = self.supervised();
        supervisor.begin(w, &mut outside);
    }

    #[inline(never)]
    pub(super) fn on_arrival(&mut self, stream: u32) {
        let (supervisor, mut outside, now) = self.supervised();
        supervisor.on_arrival(&mut outside, now, stream);
    }

    #[cold]
    pub(super) fn on_row(&mut self, stream: u32) {
        let (supervisor, mut outside, now) = self.supervised();
        supervisor.on_row(&mut outside, now, stream);
    }

    #[inline(never)]
    pub(super) fn on_ready(&mut self, stream: u32, job: u32) {
        let (supervisor, mut outside, now) = self.supervised();
        supervisor.issue(&mut outside, now, stream, job);
    }

    #[inline(never)]
    pub(super) fn on_interrupt(&mut self, io: u32) {
        let (supervisor, mut outside, now) = self.supervised();
        supervisor.on_interrupt(&mut outside, now, io);
    }

    #[inline(never)]
    pub(super) fn on_complete(&mut self, io: u32) {
        let (supervisor, mut outside, now) = self.supervised();
        supervisor.on_complete(&mut outside, now, io);
    }

    /// The start is over: its one interrupt goes to an IOP. `ended` are its times, where it ended normally.
    #[inline(always)]
    pub(super) fn io_over(&mut self, w: &Wiring, io: u32, ending: Ending, ended: Option<Ended>) {
        let measured = self.ledger.end(io).map(|started| self.now.since(started));
        let normal = ending.is_normal();
        if self.data.is_some() {
            self.release_data(w, io, normal);
        }
        let ended = ended.map(|ended| Ended { measured, ..ended });
        self.interrupt(io, normal, ended.as_ref());
    }

    /// An IOP processes the interrupt of `io`, and its image learns what became of it.
    #[inline(always)]
    pub(super) fn interrupt(&mut self, io: u32, normal: bool, ended: Option<&Ended>) {
        let this = &self.ios[io];
        let iops = &mut self.iops[usize::from(this.cpc)];
        let (thread, done) = iops.interrupt(self.now, this.subchannel);
        let order = iops.sequencer.next();
        self.supervisor.over(self.now, io, normal, ended);
        self.pending.push_interrupt(thread, done, order, io);
    }
}
