//! A line of entries in the order of their keys, taken from the front: a place is found by halving, and what comes later moves
//! up at once. For some hundred entries that takes half the instructions of a heap.

/// Entries in the order of their keys, of equal ones in that in which they were put in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SortedLine<K, P> {
    /// In their order from `first` on; those before it have been taken.
    entries: Vec<(K, P)>,
    first: usize,
}

impl<K: Copy + Ord, P: Copy> SortedLine<K, P> {
    /// Creates an empty line with room for `capacity` entries.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), first: 0 }
    }

    /// Returns the number of entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.first
    }

    /// Iterates over the entries in their order.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (K, P)> {
        self.entries[self.first..].iter().copied()
    }

    /// Forgets all entries.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.first = 0;
    }

    /// Puts the first `count` of `entries`, which are in their order, into the line, which is empty.
    #[inline]
    pub(crate) fn append(&mut self, entries: impl Iterator<Item = (K, P)>, count: usize) {
        debug_assert!(self.entries.is_empty(), "what is there already may come later");
        self.entries.extend(entries);
        self.entries.truncate(count);
    }

    /// Returns the entry with the least key.
    #[inline]
    pub(crate) fn first(&self) -> Option<(K, P)> {
        self.entries.get(self.first).copied()
    }

    /// Takes the entry with the least key, which is there.
    #[inline]
    pub(crate) fn take_first(&mut self) {
        self.first += 1;
    }

    /// Puts an entry in.
    #[inline]
    pub(crate) fn insert(&mut self, key: K, payload: P) {
        // Before more than half has been taken room for more is cheaper than moving what is left.
        if self.first * 2 >= self.entries.len() && self.first > 0 {
            self.entries.drain(..self.first);
            self.first = 0;
        }
        if self.entries.last().is_none_or(|(last, _)| *last <= key) {
            self.entries.push((key, payload));
            return;
        }
        let before = self.entries[self.first..].partition_point(|(other, _)| *other <= key);
        self.entries.insert(self.first + before, (key, payload));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    #[test]
    fn entries_come_out_in_the_order_of_their_keys_and_of_their_coming() {
        let mut stream = RandomStream::new(5, "line");
        let (mut line, mut model) = (SortedLine::with_capacity(2), std::collections::BTreeSet::new());
        for payload in 0..4_000_u64 {
            let key = stream.below(64);
            line.insert(key, payload);
            model.insert((key, payload));
            while model.len() > stream.below(60) as usize {
                assert_eq!(line.first(), model.pop_first());
                line.take_first();
            }
            assert_eq!(line.first(), model.first().copied());
        }
    }
}
