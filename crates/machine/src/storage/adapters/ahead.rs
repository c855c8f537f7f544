//! Commands and answers that come soon: what they will touch is fetched while other events are handled, as
//! [`ahead`](crate::channels) does it on the host's side.

use super::HostAdapters;
use crate::events::message::ExpressCommand;
use crate::events::pending::MessageLane;
use crate::storage::context::Context;
use crate::wiring::Wiring;

/// Places behind the head of the lane of commands at which exchange and path are fetched, and then the port.
const COMMAND_STAGES: [usize; 2] = [7, 3];
/// Places behind the head of the lane of answers at which the exchange is fetched, then its path, then port and links.
pub(in crate::storage) const SEND_STAGES: [usize; 3] = [10, 6, 3];

impl HostAdapters {
    /// Fetches what `commands` that come soon will touch.
    #[inline(always)]
    pub(in crate::storage) fn fetch_for_command(&self, w: &Wiring, commands: &MessageLane<ExpressCommand>) {
        let [far, near] = COMMAND_STAGES;
        let (far, near) = (&commands.soon(far).envelope, &commands.soon(near).envelope);
        self.exchanges.fetch(far.exchange);
        w.fetch_path(far.path);
        if let Some(port) =
            w.paths.get(near.path as usize).and_then(|path| self.ports.get(path.port as usize))
        {
            port.fetch();
        }
    }

    /// Fetches what will be touched when the exchanges in the slots `soon` answer, which are at the places [`SEND_STAGES`].
    #[inline(always)]
    pub(in crate::storage) fn fetch_for_send(&self, context: &Context, w: &Wiring, soon: [u32; 3]) {
        let [far, middle, near] = soon;
        self.exchanges.fetch(far);
        if let Some(exchange) = self.exchanges.get(middle) {
            w.fetch_path(exchange.envelope.path);
        }
        let path = self.exchanges.get(near).and_then(|exchange| w.paths.get(exchange.envelope.path as usize));
        if let Some(path) = path {
            context.fetch_route(path.short_inbound);
            if let Some(port) = self.ports.get(path.port as usize) {
                port.fetch();
            }
        }
    }
}
