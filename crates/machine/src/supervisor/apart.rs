//! The images' side in another process than the channel subsystem: starts and interrupts are messages then.
//!
//! Nothing passes between it and the storage, so both can be of one process, and either may run before the other.

use halftrack_engine::{Order, SimTime};

use super::{Outside, SupervisorEvent, SupervisorState};
use crate::crossing::{Interrupt, Start};
use crate::message::{Body, Message};
use crate::pending::{SupervisorPending, leaf};
use crate::process::HOST;
use crate::wiring::Wiring;

/// The images' side, with its own events.
#[derive(Debug)]
pub(crate) struct Apart {
    pub supervisor: SupervisorState,
    pending: SupervisorPending,
    events: u64,
}

/// Messages to other processes, each with the index of its destination.
type Outbox = Vec<(usize, Message)>;

/// Where its events and starts go.
struct Beyond<'a> {
    pending: &'a mut SupervisorPending,
    outbox: &'a mut Outbox,
}

impl Outside for Beyond<'_> {
    #[inline(always)]
    fn push(&mut self, at: SimTime, order: Order, event: SupervisorEvent) {
        self.pending.push(at, order, event);
    }

    #[inline(always)]
    fn start(&mut self, at: SimTime, order: Order, start: &Start) {
        self.outbox.push((HOST, Message { at, order, body: Body::Start(*start) }));
    }
}

impl Apart {
    /// `supervisor` apart from the rest, its first events in its event set. No start is sent before the first of them.
    pub(crate) fn new(w: &Wiring, mut supervisor: SupervisorState) -> Self {
        let (mut pending, mut outbox) = (SupervisorPending::new(), Vec::new());
        supervisor.begin(w, &mut Beyond { pending: &mut pending, outbox: &mut outbox });
        debug_assert!(outbox.is_empty());
        Self { supervisor, pending, events: 0 }
    }

    /// When the next event happens; [`SimTime::MAX`] if none is pending.
    #[inline]
    pub(crate) fn next_time(&self) -> SimTime {
        self.pending.heads.first_at()
    }

    /// Events handled so far.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Handles every event before `horizon`; what it sends goes to `outbox`.
    pub(crate) fn run_until(&mut self, horizon: SimTime, outbox: &mut Outbox) {
        loop {
            let SupervisorPending { heads, interrupts, .. } = &mut self.pending;
            let now = heads.first_at();
            if now >= horizon {
                return;
            }
            self.events += 1;
            let supervisor = &mut self.supervisor;
            if heads.first() == leaf::INTERRUPT {
                let (io, next) = interrupts.take(heads, leaf::INTERRUPT);
                supervisor.fetch_for_interrupt(next);
                supervisor.on_interrupt(&mut Beyond { pending: &mut self.pending, outbox }, now, io);
                continue;
            }
            let Some(event) = self.pending.take_other() else { return };
            let mut outside = Beyond { pending: &mut self.pending, outbox };
            match event {
                SupervisorEvent::Interrupt { io } => supervisor.on_interrupt(&mut outside, now, io),
                SupervisorEvent::Complete { io } => supervisor.on_complete(&mut outside, now, io),
                SupervisorEvent::Ready { stream, job } => {
                    supervisor.issue(&mut outside, now, u32::from(stream), job);
                }
                SupervisorEvent::Arrival { stream } => supervisor.on_arrival(&mut outside, now, stream),
                SupervisorEvent::Row { stream } => supervisor.on_row(&mut outside, now, stream),
            }
        }
    }

    /// Takes an interrupt that an IOP will have processed at `at`. Its I/O is booked at once: it ended before, and whoever
    /// asks for the books at an instant has all interrupts of what ended before it.
    #[inline(always)]
    pub(crate) fn receive(&mut self, at: SimTime, order: Order, interrupt: &Interrupt) {
        self.supervisor.over(interrupt);
        self.pending.push_interrupt(interrupt.thread.into(), at, order, interrupt.io);
    }
}
