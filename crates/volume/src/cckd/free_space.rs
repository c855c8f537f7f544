//! The space of an image that nothing uses, and its chain in the file.

use std::collections::{BTreeMap, BTreeSet};

use super::header::{ByteOrder, Counters};
use crate::redo::RedoRecord;

/// Octets that a free space needs for its place in the chain: offset of the next one, own length.
pub(super) const NODE_BYTES: u32 = 8;

/// Spaces, none next to another.
#[derive(Debug, Clone, Default)]
struct Spaces {
    by_position: BTreeMap<u32, u32>,
    by_length: BTreeSet<(u32, u32)>,
    total: u64,
}

impl Spaces {
    fn put(&mut self, position: u32, length: u32) {
        self.by_position.insert(position, length);
        self.by_length.insert((length, position));
        self.total += u64::from(length);
    }

    fn remove(&mut self, position: u32) -> Option<u32> {
        let length = self.by_position.remove(&position)?;
        self.by_length.remove(&(length, position));
        self.total -= u64::from(length);
        Some(length)
    }

    /// Returns the last space that begins at `position` or before.
    fn before(&self, position: u32) -> Option<(u32, u32)> {
        self.by_position.range(..=position).next_back().map(|(&position, &length)| (position, length))
    }

    /// Adds a space, grown together with its neighbours, and returns its position.
    fn add(&mut self, position: u32, length: u32) -> u32 {
        let (mut begin, mut whole) = (position, length);
        if let Some((before, octets)) = self.before(position)
            && before + octets == position
        {
            self.remove(before);
            (begin, whole) = (before, whole + octets);
        }
        if let Some(octets) = self.remove(position + length) {
            whole += octets;
        }
        self.put(begin, whole);
        begin
    }

    /// Takes a piece out of the space around it, and returns the positions of what is left.
    fn take(&mut self, position: u32, length: u32) -> [Option<u32>; 2] {
        let Some((begin, whole)) = self.before(position) else { return [None; 2] };
        self.remove(begin);
        let (before, behind) = (position - begin, begin + whole - (position + length));
        if before > 0 {
            self.put(begin, before);
        }
        if behind > 0 {
            self.put(position + length, behind);
        }
        [(before > 0).then_some(begin), (behind > 0).then_some(position + length)]
    }

    /// Returns the smallest space that holds `length` and leaves nothing, or enough for a node.
    fn best(&self, length: u32) -> Option<u32> {
        let exact = self.by_length.range((length, 0)..).next().filter(|(octets, _)| *octets == length);
        let larger = || self.by_length.range((length + NODE_BYTES, 0)..).next();
        exact.or_else(larger).map(|&(_, position)| position)
    }
}

/// Free space as the chain in the file has it, and the part of it that may be used at once. Space that a transaction
/// frees is chained at once, but used only when the transaction is on the disk for good.
///
/// The node of a freed space lies over the octets that were freed. That is safe because it is a piece of the redo
/// transaction that frees them: it is applied only when the whole transaction is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeSpace {
    chained: Spaces,
    ready: Spaces,
    pending: Vec<(u32, u32)>,
    /// Spaces whose node in the file is not what it has to be.
    stale: BTreeSet<u32>,
}

impl FreeSpace {
    /// Returns the free space of `spaces`, none next to another; `stale` when the file has another chain.
    pub(super) fn new(spaces: &[(u32, u32)], stale: bool) -> Self {
        let mut free = Self::default();
        for &(position, length) in spaces.iter().filter(|(_, length)| *length >= NODE_BYTES) {
            free.chained.put(position, length);
            free.ready.put(position, length);
            if stale {
                free.stale.insert(position);
            }
        }
        free
    }

    /// Adds a space that may be used once [`FreeSpace::settled`] was called. One that is too short for a node
    /// and has no free neighbour is lost until the image is compacted.
    pub(super) fn free(&mut self, position: u32, length: u32) {
        let begin = self.chained.add(position, length);
        if self.chained.by_position.get(&begin).is_some_and(|&length| length < NODE_BYTES) {
            self.chained.remove(begin);
            return;
        }
        self.pending.push((position, length));
        self.changed(begin);
    }

    /// Takes a space of `length`, if one is there that may be used.
    pub(super) fn take(&mut self, length: u32) -> Option<u32> {
        let position = self.ready.best(length)?;
        self.ready.take(position, length);
        let left = self.chained.take(position, length);
        left.into_iter().flatten().for_each(|position| self.changed(position));
        self.changed(position);
        Some(position)
    }

    /// Releases the space that was freed so far for use.
    pub(super) fn settled(&mut self) {
        for (position, length) in std::mem::take(&mut self.pending) {
            self.ready.add(position, length);
        }
    }

    /// Marks the node at `position` and the one before it, which leads to it, as different from the file.
    fn changed(&mut self, position: u32) {
        self.stale.insert(position);
        if let Some((before, _)) = position.checked_sub(1).and_then(|before| self.chained.before(before)) {
            self.stale.insert(before);
        }
    }

    /// Puts the nodes that changed into `redo`.
    pub(super) fn write_chain(&mut self, order: ByteOrder, redo: &mut RedoRecord) {
        for position in std::mem::take(&mut self.stale) {
            let Some(&length) = self.chained.by_position.get(&position) else { continue };
            let next = self.chained.by_position.range(position + 1..).next().map_or(0, |(&next, _)| next);
            let mut node = [0; NODE_BYTES as usize];
            node[..4].copy_from_slice(&order.u32_bytes(next));
            node[4..].copy_from_slice(&order.u32_bytes(length));
            redo.push(0, u64::from(position), &node);
        }
    }

    /// Returns the counters of an image of `size` bytes, of which `imbedded` lie unused behind units.
    pub(super) fn counters(&self, size: u32, imbedded: u32) -> Counters {
        let free_total = u32::try_from(self.chained.total).unwrap_or(u32::MAX).saturating_add(imbedded);
        Counters {
            size,
            used: size.saturating_sub(free_total),
            free_first: self.chained.by_position.first_key_value().map_or(0, |(&position, _)| position),
            free_total,
            free_largest: self.chained.by_length.last().map_or(0, |&(length, _)| length),
            free_spaces: self.chained.by_position.len() as u32,
            free_imbedded: imbedded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn freed_space_waits_until_it_is_settled() {
        let mut free = FreeSpace::new(&[(1000, 50)], false);
        free.free(1050, 100);
        assert_eq!(free.take(120), None);
        assert_eq!(free.take(45), None, "five octets cannot be chained");
        free.settled();
        assert_eq!(free.take(120), Some(1000));
        let counters = free.counters(5000, 7);
        assert_eq!((counters.free_first, counters.free_total, counters.free_largest), (1120, 37, 30));
        assert_eq!((counters.free_spaces, counters.used, counters.free_imbedded), (1, 4963, 7));
    }

    proptest! {
        /// The chain that the pieces write is always the spaces, in order, none next to another.
        #[test]
        fn the_chain_in_the_file_is_the_free_space(
            steps in prop::collection::vec((0_u32..100, 1_u32..6, 0..3), 1..60),
        ) {
            let mut file = vec![0_u8; 4000];
            let mut used = [true; 120];
            let mut free = FreeSpace::default();
            for (cell, cells, what) in steps {
                let range = cell as usize..(cell + cells) as usize;
                match what {
                    0 if used[range.clone()].iter().all(|&used| used) => {
                        used[range].fill(false);
                        free.free(cell * 16 + 1024, cells * 16);
                    }
                    1 => {
                        if let Some(position) = free.take(cells * 16) {
                            let cell = (position as usize - 1024) / 16;
                            prop_assert!(used[cell..cell + cells as usize].iter().all(|&used| !used));
                            used[cell..cell + cells as usize].fill(true);
                        }
                    }
                    _ => free.settled(),
                }
                let mut redo = RedoRecord::new();
                free.write_chain(ByteOrder::Big, &mut redo);
                for piece in redo.pieces() {
                    file[piece.offset as usize..][..8].copy_from_slice(piece.octets);
                }
                let counters = free.counters(4000, 0);
                let (mut at, mut found) = (counters.free_first as usize, [true; 120]);
                for _ in 0..counters.free_spaces {
                    let length = ByteOrder::Big.u32(&file[at + 4..]) as usize;
                    found[(at - 1024) / 16..][..length / 16].fill(false);
                    let next = ByteOrder::Big.u32(&file[at..]) as usize;
                    prop_assert!(next == 0 || next > at + length);
                    at = next;
                }
                prop_assert_eq!(at, 0);
                prop_assert_eq!(found, used);
            }
        }
    }
}
