//! A short line of entries in the order of their keys: for a handful of them cheaper than any heap.

/// Most entries in a line; a power of two, so that places wrap round by a mask.
pub(crate) const MOST_ENTRIES: usize = 64;
const MASK: usize = MOST_ENTRIES - 1;

/// One entry, or an unused place.
#[derive(Clone, Copy, Debug)]
struct Entry<K, P> {
    key: K,
    payload: Option<P>,
}

/// At most [`MOST_ENTRIES`] entries, sorted, in a ring. A new one moves those before it, or those after it, by one
/// place, whichever are fewer: what is scheduled now mostly happens first or last of all.
#[derive(Clone, Debug)]
pub(crate) struct ShortLine<K, P> {
    entries: [Entry<K, P>; MOST_ENTRIES],
    /// Place of the first entry and the place after the last, counted round the ring without end.
    first: usize,
    end: usize,
}

impl<K: Copy + Ord + Default, P: Copy> ShortLine<K, P> {
    /// An empty line.
    pub(crate) fn new() -> Self {
        let unused = Entry { key: K::default(), payload: None };
        Self { entries: [unused; MOST_ENTRIES], first: 0, end: 0 }
    }

    /// Number of entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.end.wrapping_sub(self.first)
    }

    /// Puts an entry in; false, and nothing happens, if the line is full.
    #[inline(never)]
    pub(crate) fn push(&mut self, key: K, payload: P) -> bool {
        if self.len() == MOST_ENTRIES {
            return false;
        }
        let middle = self.first.wrapping_add(self.len() / 2);
        // An empty line has an unused place as its middle: both ways then end where they begin.
        if key < self.entries[middle & MASK].key {
            self.push_among_first(key, payload);
        } else {
            self.push_among_last(key, payload);
        }
        true
    }

    /// Puts an entry in before the middle one.
    #[inline]
    fn push_among_first(&mut self, key: K, payload: P) {
        self.first = self.first.wrapping_sub(1);
        let mut place = self.first;
        loop {
            let after = self.entries[place.wrapping_add(1) & MASK];
            if key < after.key {
                break;
            }
            self.entries[place & MASK] = after;
            place = place.wrapping_add(1);
        }
        self.entries[place & MASK] = Entry { key, payload: Some(payload) };
    }

    /// Puts an entry in after the middle one.
    #[inline]
    fn push_among_last(&mut self, key: K, payload: P) {
        let mut place = self.end;
        while place != self.first {
            let before = self.entries[place.wrapping_sub(1) & MASK];
            if before.key < key {
                break;
            }
            self.entries[place & MASK] = before;
            place = place.wrapping_sub(1);
        }
        self.entries[place & MASK] = Entry { key, payload: Some(payload) };
        self.end = self.end.wrapping_add(1);
    }

    /// The least key.
    #[inline]
    pub(crate) fn first_key(&self) -> Option<K> {
        (self.first != self.end).then(|| self.entries[self.first & MASK].key)
    }

    /// Takes the entry with the least key, if that is accepted by `accept`.
    #[inline]
    pub(crate) fn pop_if(&mut self, accept: impl FnOnce(K) -> bool) -> Option<(K, P)> {
        if self.first == self.end {
            return None;
        }
        let Entry { key, payload } = self.entries[self.first & MASK];
        if !accept(key) {
            return None;
        }
        self.first = self.first.wrapping_add(1);
        payload.map(|payload| (key, payload))
    }

    /// Takes all entries.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(K, P)) {
        while let Some((key, payload)) = self.pop_if(|_| true) {
            take(key, payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_out_in_the_order_of_their_keys_round_and_round() {
        let mut line = ShortLine::new();
        for turn in 0..20_u32 {
            let keys = [5, 9, 7, 1, 12, 6, 3].map(|key| key + turn * 100);
            keys.into_iter().for_each(|key| assert!(line.push(key, key * 2)));
            assert_eq!((line.len(), line.first_key()), (7, Some(1 + turn * 100)));
            assert_eq!(line.pop_if(|key| key > 1 + turn * 100), None);
            let mut taken = Vec::new();
            line.drain(|key, payload| taken.push((key, payload)));
            let expected = [1, 3, 5, 6, 7, 9, 12].map(|key| key + turn * 100).map(|key| (key, key * 2));
            assert_eq!(taken, expected);
        }
        assert_eq!((line.len(), line.first_key()), (0, None));
    }

    #[test]
    fn a_full_line_takes_no_more() {
        let mut line = ShortLine::new();
        for key in (0..MOST_ENTRIES as u32).rev() {
            assert!(line.push(key, ()));
        }
        assert!(!line.push(7, ()));
        assert_eq!((line.len(), line.pop_if(|_| true)), (MOST_ENTRIES, Some((0, ()))));
        assert!(line.push(7, ()));
    }
}
