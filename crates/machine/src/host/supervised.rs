//! The crossings to the side of the images, while this process holds it: its events are among the host's.

use halftrack_engine::{EventKey, Order, SimTime};
use halftrack_subsystem::Ending;

use super::HostState;
use super::io::Io;
use crate::events::crossing::{Interrupt, Start};
use crate::events::event::HostEvent;
use crate::events::message::{Body, Long, Message};
use crate::events::pending::HostPending;
use crate::events::slab::Slab;
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
        let HostPending { heads, supervisor, .. } = &mut *self.pending;
        supervisor.push(heads, at, order, event);
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
    fn supervised(&mut self) -> Option<(&mut SupervisorState, Beside<'_>, SimTime)> {
        let outside = Beside { pending: &mut self.pending, ios: &mut self.ios };
        Some((self.supervisor.as_mut()?, outside, self.now))
    }

    /// Has this process hold the images' side.
    pub(crate) fn hold(&mut self, w: &Wiring, mut supervisor: SupervisorState) {
        supervisor.begin(w, &mut Beside { pending: &mut self.pending, ios: &mut self.ios });
        self.supervisor = Some(supervisor);
    }

    /// A CP will have executed START SUBCHANNEL at `at`, in another process.
    #[inline(always)]
    pub(crate) fn receive_start(&mut self, at: SimTime, order: Order, start: &Start) {
        Beside { pending: &mut self.pending, ios: &mut self.ios }.start(at, order, start);
    }

    /// Handles the first of the images' side's events that are in no lane.
    #[inline(never)]
    pub(super) fn handle_supervisor_event(&mut self) {
        let HostPending { heads, supervisor, .. } = &mut *self.pending;
        let Some(event) = supervisor.take_other(heads) else { return };
        let Some((supervisor, mut outside, now)) = self.supervised() else { return };
        supervisor.handle(&mut outside, now, event);
    }

    /// Fetches what the interrupt of `io` will touch, where this process holds the images' side.
    #[inline(always)]
    pub(super) fn fetch_for_interrupt(&self, io: u32) {
        if let Some(supervisor) = &self.supervisor {
            supervisor.fetch_for_interrupt(io);
        }
    }

    #[inline(never)]
    pub(super) fn on_interrupt(&mut self, io: u32) {
        let Some((supervisor, mut outside, now)) = self.supervised() else { return };
        supervisor.on_interrupt(&mut outside, now, io);
    }

    /// The start is over: its one interrupt goes to an IOP, with its times where they are known.
    #[inline(always)]
    pub(super) fn io_over(&mut self, w: &Wiring, io: u32, ending: Ending, times: Option<Interrupt>) {
        let opened = self.ledger.end(io).unwrap_or(SimTime::MAX);
        debug_assert_eq!(ending.is_normal(), times.is_some());
        if self.data.is_some() {
            self.release_data(w, io, ending.is_normal());
        }
        let interrupt = times.unwrap_or_else(|| Interrupt::of_failed(io, self.now));
        self.interrupt(&Interrupt { opened, ..interrupt });
    }

    /// An IOP processes `interrupt`, and the image learns what became of its I/O.
    #[inline(always)]
    pub(super) fn interrupt(&mut self, interrupt: &Interrupt) {
        let io = interrupt.io;
        let this = &self.ios[io];
        let iops = &mut self.iops[usize::from(this.cpc)];
        let (thread, done) = iops.interrupt(self.now, this.subchannel);
        let order = iops.sequencer.next();
        if let Some(supervisor) = &mut self.supervisor {
            supervisor.over(interrupt);
            let HostPending { heads, supervisor, .. } = &mut *self.pending;
            supervisor.push_interrupt(heads, thread, EventKey { at: done, order }, io);
        } else {
            let interrupt = Interrupt { thread: thread as u16, ..*interrupt };
            let body = match interrupt.brief(done) {
                Some(brief) => Body::Interrupt(brief),
                None => Body::Long(Box::new(Long::Interrupt(interrupt))),
            };
            self.to_storage.send(Message { at: done, order, body });
        }
    }
}
