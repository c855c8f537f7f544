//! Bursts that wait for the bus of a host-adapter port: on their way from the cache, and to it.

use halftrack_base::Time;
use halftrack_engine::Order;

use super::context::Context;
use super::exchange::StorageExchange;
use super::port::Port;
use crate::events::event::StorageEvent;
use crate::events::message::Transit;
use crate::fabric::bus::{BusEvents, BusOwner, Direction};

/// The next burst of what an exchange sends, on its way to the fibre.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fetch {
    pub exchange: u32,
    /// When the port's processor has done its part.
    pub worked: Time,
    /// The processor had other work before it.
    pub is_behind: bool,
}

/// A burst or frame that has come for an exchange, on its way to the cache.
#[derive(Debug)]
pub(super) struct Store {
    pub transit: Transit,
    /// When the port's processor has done its part.
    pub worked: Time,
    /// The order of the credit of its receive buffer, where it came with one.
    pub credit: Option<Order>,
    /// The exchange is refused.
    pub refused: bool,
    /// When the exchange was taken up; an exchange that has its slot later was taken up later.
    pub taken_up: Time,
}

/// A burst that waits for the bus of a port.
#[derive(Debug)]
pub(super) enum Burst {
    /// It leaves.
    Sent(Fetch),
    /// It has come; apart, because few wait.
    Come(Box<Store>),
}

impl Burst {
    /// Returns true when it has come for the exchange in `slot`.
    pub(super) fn is_for(&self, slot: u32) -> bool {
        matches!(self, Burst::Come(store) if store.transit.parcel.envelope.exchange == slot)
    }

    /// Returns the transit that has come, and holds a receive buffer where it took a credit.
    pub(super) fn transit(&self) -> Option<&Transit> {
        match self {
            Burst::Sent(_) => None,
            Burst::Come(store) => Some(&store.transit),
        }
    }
}

impl Store {
    /// Returns true when `exchange` is still that for which it came.
    pub(super) fn is_of(&self, exchange: &StorageExchange) -> bool {
        exchange.open
            && exchange.envelope == self.transit.parcel.envelope
            && exchange.taken_up == self.taken_up
    }
}

impl BusEvents for Context {
    fn push_turn(&mut self, at: Time, order: Order, owner: u32) {
        self.push(at, order, StorageEvent::Bus { port: owner });
    }
}

impl Port {
    /// Has a burst of so many bytes wait for the bus of this port, number `index`.
    #[cold]
    pub(super) fn wait_for_bus(
        &mut self,
        context: &mut Context,
        index: u32,
        direction: Direction,
        burst: (u32, Burst),
    ) {
        let owner = BusOwner { index, sequencer: &mut self.sequencer, now: context.now() };
        self.bus.wait(context, owner, direction, burst);
    }
}
