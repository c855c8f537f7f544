//! The context that the host's process hands to its rooms: the instant, its pending events and the way to the storage.

use halftrack_base::Time;
use halftrack_engine::Order;

use crate::events::event::HostEvent;
use crate::events::message::{Body, Message, Transit};
use crate::events::outlet::{Inbox, Outlet, SAPS, STORAGE};
use crate::events::pending::{HostPending, StoragePending};
use crate::events::reached::reached;
use crate::events::slab::Slab;

/// The instant, events to come and messages to the storage, of the host's process.
#[derive(Debug)]
pub(crate) struct Context {
    pub now: Time,
    /// Last place in that instant of the events handled at it.
    pub reached: Order,
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
            reached: Order::default(),
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
        self.reached = reached((self.now, self.reached), at, self.pending.heads.first_order());
        (self.now, self.events) = (at, self.events + 1);
        true
    }

    /// Sends a report to the SAPs in another process, which takes effect now.
    #[inline(always)]
    pub(crate) fn report(&mut self, body: Body) {
        self.to_storage.outbox.push((SAPS, Message { at: self.now, order: self.reached, body }));
    }

    /// Returns the inbox, where messages of the storage come.
    #[inline(always)]
    pub(crate) fn inbox(&mut self) -> Inbox<'_, HostPending> {
        (&mut self.pending, &mut self.transits)
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

#[cfg(test)]
mod tests {
    use halftrack_engine::Rank;

    use super::*;

    #[test]
    fn an_event_of_the_instant_that_made_it_is_behind_its_maker() {
        let mut context = Context::new(0);
        let (soon, late) = (Time::from_ps(5), Time::from_ps(6));
        let order = |rank| Order::new(Rank::from_position(rank), 0);
        context.push(soon, order(3), HostEvent::Drive { io: 0 });
        context.push(late, order(2), HostEvent::Drive { io: 1 });
        let mut begin = |made: Option<Order>| {
            assert!(context.try_begin_event(Time::MAX));
            context.pending.drive.take(&mut context.pending.heads, crate::events::pending::leaf::DRIVE);
            made.inspect(|order| context.push(soon, *order, HostEvent::Drive { io: 2 }));
            (context.now, context.reached)
        };
        assert_eq!(begin(Some(order(1))), (soon, order(3)));
        assert_eq!(begin(None), (soon, order(3)));
        assert_eq!(begin(None), (late, order(2)));
    }
}
