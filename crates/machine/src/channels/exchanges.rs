//! The exchanges of all channels, by slot: the table that gives slots to them and takes slots back.

use std::ops::{Index, IndexMut, Range};

use halftrack_base::Time;

use super::exchange::{Exchange, Opening};
use super::subchannels::NONE;
use crate::events::slab::Slab;
use crate::wiring::path_wire::PathWire;

/// The table of exchanges; the slot of one is its number on both sides of the fibre.
#[derive(Debug)]
pub(super) struct Exchanges {
    slots: Slab<Exchange>,
}

impl Exchanges {
    /// Makes a table without an exchange.
    pub(super) fn new() -> Self {
        Self { slots: Slab::with_capacity(1024) }
    }

    /// Gives a slot to the exchange for `opening` over `path`; its half is still to be opened.
    #[inline(always)]
    pub(super) fn open(&mut self, path: &PathWire, opening: &Opening, now: Time) -> (u32, &mut Exchange) {
        let slot = self.slots.take();
        let exchange = &mut self.slots[slot];
        exchange.begin(slot, path, opening, now);
        (slot, exchange)
    }

    /// Gives a slot to the visits of `lane` at one of its channels, for the whole run.
    pub(super) fn reserve(&mut self, channel: u32, lpar: u32, lane: u32) -> u32 {
        self.slots.put(Exchange::of_lane(channel, lpar, lane))
    }

    /// Takes the slot of an exchange back that has ended in the express lane.
    #[inline(always)]
    pub(super) fn close_express(&mut self, slot: u32) {
        self.slots.give(slot);
    }

    /// Takes `slot` back when both halves of its exchange are over.
    #[inline]
    pub(super) fn try_close(&mut self, slot: u32) {
        let exchange = &mut self.slots[slot];
        if exchange.released && exchange.peer_over {
            exchange.channel = NONE;
            exchange.half.close();
            self.slots.give(slot);
        }
    }

    /// Returns all slots that there have been.
    pub(super) fn slots(&self) -> Range<u32> {
        0..self.slots.high_water() as u32
    }

    /// Iterates over the exchanges that hold an open exchange of their channel, with their slots.
    pub(super) fn open_ones(&self) -> impl Iterator<Item = (u32, &Exchange)> {
        self.slots().map(|slot| (slot, &self.slots[slot])).filter(|(_, exchange)| exchange.is_open())
    }
}

impl Index<u32> for Exchanges {
    type Output = Exchange;

    #[inline(always)]
    fn index(&self, slot: u32) -> &Exchange {
        &self.slots[slot]
    }
}

impl IndexMut<u32> for Exchanges {
    #[inline(always)]
    fn index_mut(&mut self, slot: u32) -> &mut Exchange {
        &mut self.slots[slot]
    }
}
