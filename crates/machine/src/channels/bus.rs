//! Bursts that wait for the bus of a channel.

use halftrack_base::Time;
use halftrack_engine::Order;

use super::channel::ChannelState;
use super::outbound;
use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::fabric::bus::{BusEvents, BusOwner, Direction, Turn};
use crate::wiring::Wiring;

/// A burst that waits for the bus.
#[derive(Debug)]
pub(super) struct Burst {
    /// The event that follows when it has been moved.
    pub event: HostEvent,
    /// The order of the credit of its receive buffer, where it came with one, and its path.
    pub credit: Option<(Order, u32)>,
}

impl<O: Outside> BusEvents for O {
    #[inline(always)]
    fn push_turn(&mut self, at: Time, order: Order, owner: u32) {
        self.push(at, order, HostEvent::Bus { channel: owner });
    }
}

impl ChannelState {
    /// Has a burst of so many bytes wait for the bus of this channel, number `index`.
    #[cold]
    pub(super) fn wait_for_bus(
        &mut self,
        out: &mut impl Outside,
        index: u32,
        direction: Direction,
        burst: (u32, Burst),
    ) {
        let owner = BusOwner { index, sequencer: &mut self.sequencer, now: out.now() };
        self.bus.wait(out, owner, direction, burst);
    }
}

impl Channels {
    /// Moves the burst of `channel` whose turn it is, if the bus is free for one that waits.
    #[inline(never)]
    pub(crate) fn on_bus(&mut self, out: &mut impl Outside, w: &Wiring, channel: u32) {
        let state = &mut self.channels[channel as usize];
        if let Some(Turn { direction, bytes, burst }) = state.bus.take_turn(out.now()) {
            let moved = match bytes {
                0 => out.now(),
                bytes => state.bus.move_burst(direction, out.now(), bytes, (&mut self.shares, state.share)),
            };
            let Burst { event, credit } = burst;
            out.push(moved, state.sequencer.next(), event);
            if let Some((order, path)) = credit {
                outbound::return_credit(out, w, &w.paths[path as usize], moved, order);
            }
        }
        let state = &mut self.channels[channel as usize];
        let owner = BusOwner { index: channel, sequencer: &mut state.sequencer, now: out.now() };
        state.bus.schedule_turn(out, owner);
    }
}
