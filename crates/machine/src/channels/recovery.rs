//! Exchanges that have lost frames: both halves are live from then on, and their timers run.
//!
//! ```text
//!  frame lost on the way in ──► half.handle_loss ──┐
//!                              (to the sender: lost)├─► watch ─► time-out ─► half.handle_timeout ─► outcome
//!  frame lost on the way out ─► half.leave_plan ───┘      └────► missing interrupt ─► cancel, the start ends
//! ```
//!
//! A SCSI command has no missing-interrupt handler behind it: the time-out of the command is all.
//!
//! What follows a time-out is decided by the machines of the exchange, and what follows its outcome by the subchannel.

use halftrack_base::Span;

use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::events::message::{Body, Message};
use crate::wiring::Wiring;
use crate::wiring::latency::outbound_latency;

impl Channels {
    /// Reports to the control unit that frames of the exchange `slot` were lost on their way here.
    #[cold]
    pub(super) fn report_loss(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let path = &w.paths[self.exchanges[slot].envelope.path as usize];
        let at = out.now() + outbound_latency(w, path).max(Span::from_ps(1));
        let order = self.channels[path.channel as usize].sequencer.next();
        out.send(Message { at, order, body: Body::Lost { exchange: slot } });
    }

    /// Takes the exchange `slot` off its plan, because something that it had sent was lost.
    #[cold]
    pub(crate) fn on_lost(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if !exchange.is_closed() && !exchange.lost {
            exchange.note_loss(w, out.now());
            self.watch(out, slot);
        }
    }

    /// Sets the timers of the exchange `slot`, which has lost a frame, and of its start.
    #[cold]
    pub(super) fn watch(&mut self, out: &mut impl Outside, slot: u32) {
        let exchange = &self.exchanges[slot];
        if exchange.is_closed() {
            return;
        }
        let (channel, io, is_reported) = (exchange.channel as usize, exchange.io, exchange.reported);
        let due = exchange.half.poll_timeout().map(|due| due.max(out.now()));
        if let Some(at) = due.and_then(|due| self.watches.set(slot, due)) {
            let order = self.channels[channel].sequencer.next();
            out.push(at, order, HostEvent::Timeout { exchange: slot });
        }
        if is_reported || self.channels[channel].is_fcp() {
            return;
        }
        let missing = self.subchannels.missing_interrupt_at(io).max(out.now());
        if let Some(at) = self.missing_interrupts.set(io, missing) {
            let order = self.channels[channel].sequencer.next();
            out.push(at, order, HostEvent::MissingInterrupt { io });
        }
    }

    /// Does what a time-out of the exchange `slot` demands, if one is due.
    #[cold]
    pub(crate) fn on_timeout(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let (now, exchange) = (out.now(), &mut self.exchanges[slot]);
        if !self.watches.take(slot, now) || exchange.is_closed() || !exchange.is_watched {
            return;
        }
        if exchange.half.poll_timeout().is_some_and(|due| due <= now) {
            exchange.half.handle_timeout(now);
            self.channels[exchange.channel as usize].recoveries.time_outs += 1;
            self.received(out, w, slot, false);
            self.go_on(out, w, slot);
        }
        self.watch(out, slot);
    }

    /// Ends the start `io`, if it still waits for an exchange that has lost frames and its time is up: the exchange is
    /// cancelled.
    #[cold]
    pub(crate) fn on_missing_interrupt(&mut self, out: &mut impl Outside, w: &Wiring, io: u32) {
        let now = out.now();
        if !self.missing_interrupts.take(io, now) {
            return;
        }
        let waits = |exchange: &&super::exchange::Exchange| {
            exchange.io == io && exchange.is_watched && !exchange.reported && !exchange.lost
        };
        let found = self.exchanges.open_ones().find(|(_, exchange)| waits(exchange));
        let Some(slot) = found.map(|(slot, _)| slot) else { return };
        if self.subchannels.missing_interrupt_at(io) > now {
            // Another start has its slot by now.
            self.watch(out, slot);
            return;
        }
        let exchange = &mut self.exchanges[slot];
        exchange.note_loss(w, now);
        if let Some(machine) = exchange.half.machine_mut() {
            machine.cancel(now);
        }
        exchange.reported = true;
        self.channels[exchange.channel as usize].recoveries.missing_interrupts += 1;
        self.subchannels.interrupt_is_missing(out, w, io);
        self.go_on(out, w, slot);
        self.watch(out, slot);
    }
}
