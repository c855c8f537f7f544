//! The context that the host's process hands to its rooms: the instant, its pending events and the way to the storage.

use halftrack_base::Time;
use halftrack_engine::Order;

use crate::events::event::HostEvent;
use crate::events::message::{Message, Transit};
use crate::events::outlet::Outlet;
use crate::events::outlet::STORAGE;
use crate::events::pending::{HostPending, StoragePending};
use crate::events::slab::Slab;

/// The instant, events to come and messages to the storage, of the host's process.
#[derive(Debug)]
pub(crate) struct Context {
    pub now: Time,
    /// Place of the event that is being handled in that instant.
    pub order: Order,
    pub pending: Box<HostPending>,
    pub to_storage: Outlet<StoragePending>,
    /// Bursts and frames that come, or wait for a link.
    pub transits: Box<Slab<Transit>>,
    /// Events handled so far.
    pub events: u64,
}

impl Context {
    /// Makes the context at the start of a run with so many channels: nothing is pending.
    pub(crate) fn new(channels: usize) -> Self {
        Self {
            now: Time::ZERO,
            order: Order::default(),
            pending: Box::new(HostPending::new(channels)),
            to_storage: Outlet::to(STORAGE),
            transits: Box::new(Slab::with_capacity(1024)),
            events: 0,
        }
    }

    /// Goes on to the instant of the next event, if that comes before `horizon`.
    #[inline(always)]
    pub(crate) fn try_begin_event(&mut self, horizon: Time) -> bool {
        let at = self.pending.heads.first_at();
        if at >= horizon {
            return false;
        }
        (self.now, self.order, self.events) = (at, self.pending.heads.first_order(), self.events + 1);
        true
    }

    /// Puts an event in, as [`HostPending::push`] does.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        self.pending.push(at, order, event);
    }

    /// Sends `message` to the storage.
    #[inline(always)]
    pub(crate) fn send(&mut self, message: Message) {
        self.to_storage.send(message);
    }
}
