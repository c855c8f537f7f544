//! Bursts that wait for the bus of a channel.

use halftrack_engine::Order;

use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::fabric::bus::{Direction, Turn};
use crate::wiring::Wiring;

/// A burst that waits for the bus.
#[derive(Debug)]
pub(super) struct Burst {
    /// The exchange.
    pub exchange: u32,
    /// IUs that are complete with it.
    pub steps: u16,
    /// The order of the credit of its receive buffer, where it came with one, and its path.
    pub credit: Option<(Order, u32)>,
}

impl Channels {
    /// `burst` of `bytes` waits for the bus of `channel`.
    #[cold]
    pub(super) fn wait_for_bus(
        &mut self,
        out: &mut impl Outside,
        channel: u32,
        direction: Direction,
        bytes: u32,
        burst: Burst,
    ) {
        self.channels[channel as usize].bus.wait(direction, bytes, burst);
        self.look_at_bus(out, channel);
    }

    /// Has the bus of `channel` looked at when the first of those that wait can begin.
    fn look_at_bus(&mut self, out: &mut impl Outside, channel: u32) {
        let state = &mut self.channels[channel as usize];
        if let Some(at) = state.bus.next_look(out.now()) {
            out.push(at, state.sequencer.next(), HostEvent::Bus { channel });
        }
    }

    /// The bus of `channel` may be free for the next of those that wait.
    #[inline(never)]
    pub(crate) fn on_bus(&mut self, out: &mut impl Outside, w: &Wiring, channel: u32) {
        let state = &mut self.channels[channel as usize];
        if let Some(Turn { direction, bytes, burst }) = state.bus.look(out.now()) {
            let moved = match bytes {
                0 => out.now(),
                bytes => state.bus.move_burst(direction, out.now(), bytes, (&mut self.shares, state.share)),
            };
            let Burst { exchange, steps, credit } = burst;
            let event = match direction {
                Direction::Read => HostEvent::Stored { exchange, steps },
                Direction::Write => HostEvent::Fetched { exchange },
            };
            out.push(moved, state.sequencer.next(), event);
            if let Some((order, path)) = credit {
                self.return_credit(out, w, path, moved, order);
            }
        }
        self.look_at_bus(out, channel);
    }
}
