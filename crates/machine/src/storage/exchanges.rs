//! The control unit's ends of all exchanges, by the host's slot.

use std::ops::{Index, IndexMut};

use halftrack_engine::Prefetch;

use super::exchange::StorageExchange;
use crate::fabric::group::Group;

/// The ends, and beside each what it sends.
#[derive(Debug)]
pub(super) struct Exchanges {
    ends: Vec<StorageExchange>,
    groups: Vec<Group>,
}

impl Exchanges {
    /// Makes a table without an exchange.
    pub(super) fn new() -> Self {
        Self { ends: Vec::with_capacity(1024), groups: Vec::with_capacity(1024) }
    }

    /// Makes room for the host's exchange `slot`.
    #[inline]
    pub(super) fn reach(&mut self, slot: u32) {
        if slot as usize >= self.ends.len() {
            self.ends.resize_with(slot as usize + 1, StorageExchange::default);
            self.groups.resize_with(slot as usize + 1, Group::default);
        }
    }

    /// Returns the exchange in `slot` and what it sends.
    #[inline(always)]
    pub(super) fn with_group(&mut self, slot: u32) -> (&mut StorageExchange, &mut Group) {
        (&mut self.ends[slot as usize], &mut self.groups[slot as usize])
    }

    /// Asks for the end in `slot`, where there has been one.
    #[inline(always)]
    pub(super) fn fetch(&self, slot: u32) {
        if let Some(end) = self.get(slot) {
            Prefetch::begin(end);
        }
    }

    /// Returns the end in `slot`, where there has been one.
    #[inline(always)]
    pub(super) fn get(&self, slot: u32) -> Option<&StorageExchange> {
        self.ends.get(slot as usize)
    }

    /// Returns all slots that there have been.
    pub(super) fn slots(&self) -> std::ops::Range<u32> {
        0..self.ends.len() as u32
    }
}

impl Index<u32> for Exchanges {
    type Output = StorageExchange;

    #[inline(always)]
    fn index(&self, slot: u32) -> &StorageExchange {
        &self.ends[slot as usize]
    }
}

impl IndexMut<u32> for Exchanges {
    #[inline(always)]
    fn index_mut(&mut self, slot: u32) -> &mut StorageExchange {
        &mut self.ends[slot as usize]
    }
}
