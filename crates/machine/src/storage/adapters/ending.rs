//! Ends of exchanges at the control unit: closed, abandoned, lost with the fibre.

use halftrack_config::Part;

use super::HostAdapters;
use crate::storage::context::Context;
use crate::wiring::Wiring;

impl HostAdapters {
    /// Closes an exchange whose half has nothing to send, if it is over.
    #[cold]
    pub(super) fn close_if_over(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if exchange.half.outcome(&w.plans).is_some() {
            let path = exchange.envelope.path;
            exchange.close(context.now(), &mut self.ports[w.paths[path as usize].port as usize]);
            self.release_circuit(context, w, path, slot);
            self.send_closed(context, w, slot, path);
        }
    }

    /// Frees the slot of an exchange that was abandoned, whose pending event has come.
    #[cold]
    pub(super) fn abandoned(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        exchange.sending = false;
        let path = exchange.envelope.path;
        self.send_closed(context, w, slot, path);
    }

    /// Ends every exchange over `part`, which is lost, as the state machines have it.
    pub(in crate::storage) fn lose_exchanges(&mut self, context: &mut Context, w: &Wiring, part: Part) {
        for slot in self.exchanges.slots() {
            let (exchange, group) = self.exchanges.with_group(slot);
            if !exchange.open || !w.leads_over(&w.paths[exchange.envelope.path as usize], part) {
                continue;
            }
            let identity = exchange.envelope.identity(w);
            exchange.half.handle_link_down(&w.plans, identity, context.now());
            group.abandon();
            let (path, tell) = (exchange.envelope.path, !exchange.sending);
            exchange.close(context.now(), &mut self.ports[w.paths[path as usize].port as usize]);
            self.release_circuit(context, w, path, slot);
            if tell {
                self.send_closed(context, w, slot, path);
            }
        }
    }
}
