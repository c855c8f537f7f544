//! Exchanges that have lost frames, at the control unit: the half is live from then on, and its timer runs.

use super::HostAdapters;
use crate::events::event::StorageEvent;
use crate::storage::context::Context;
use crate::wiring::Wiring;
use crate::wiring::lost_steps::LostSteps;

impl HostAdapters {
    /// Reports to the channel what was `lost` on its way to the exchange `slot`, if anything, and sets its timer.
    #[cold]
    pub(super) fn follow_loss(&mut self, context: &mut Context, w: &Wiring, slot: u32, lost: LostSteps) {
        if lost.any() {
            let path = &w.paths[self.exchanges[slot].path() as usize];
            self.ports[path.port as usize].send_loss(context, w, path, slot);
        }
        self.watch(context, w, slot);
    }

    /// Takes the exchange `slot` off its plan, because something that it had sent was lost.
    #[cold]
    pub(in crate::storage) fn on_lost(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if exchange.open {
            exchange.note_loss(w, context.now());
            self.watch(context, w, slot);
        }
    }

    /// Sets the timer of the exchange `slot`, which has lost a frame.
    fn watch(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &self.exchanges[slot];
        let due = exchange.half.poll_timeout().filter(|_| exchange.open).map(|due| due.max(context.now()));
        if let Some(at) = due.and_then(|due| self.watches.set(slot, due)) {
            let port = &mut self.ports[w.paths[exchange.path() as usize].port as usize];
            context.push(at, port.sequencer.next(), StorageEvent::Timeout { exchange: slot });
        }
    }

    /// Does what a time-out of the exchange `slot` demands, if one is due.
    #[cold]
    pub(in crate::storage) fn on_timeout(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let (now, exchange) = (context.now(), &mut self.exchanges[slot]);
        if !self.watches.take(slot, now) || !exchange.open || !exchange.losses.is_watched() {
            return;
        }
        if exchange.half.poll_timeout().is_some_and(|due| due <= now) {
            exchange.half.handle_timeout(now);
            if !exchange.sending {
                let path = &w.paths[exchange.path() as usize];
                let port = &mut self.ports[path.port as usize];
                if !exchange.try_schedule_next(context, w, path, port, now) {
                    self.close_if_over(context, w, slot);
                }
            }
        }
        self.watch(context, w, slot);
    }
}
