//! A 4-ary min-heap with replace-top: taking the first entry leaves a hole that the next entry put in fills.

/// Children of a node. Four shorten the way to half that of a binary heap, and lie side by side in memory.
const ARITY: usize = 4;

/// One entry: the key and what it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry<K, P> {
    key: K,
    payload: P,
}

/// A min-heap on `K`. Keys are distinct in every use here, so the order of removal does not depend on the shape.
///
/// Equality is equality of the stored shape: two heaps with the same history are equal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuaternaryHeap<K, P> {
    entries: Vec<Entry<K, P>>,
    /// The root was taken and nothing has filled its place.
    hole: bool,
}

impl<K: Copy + Ord, P: Copy> QuaternaryHeap<K, P> {
    /// Creates an empty heap with room for `capacity` entries.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), hole: false }
    }

    /// Returns the number of entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - usize::from(self.hole)
    }

    /// Puts an entry in.
    #[inline]
    pub(crate) fn push(&mut self, key: K, payload: P) {
        let entry = Entry { key, payload };
        if self.hole {
            self.hole = false;
            sift_down(&mut self.entries, entry);
        } else {
            self.entries.push(entry);
            sift_up(&mut self.entries, entry);
        }
    }

    /// Takes the entry with the least key, if that is accepted by `accept`, and leaves a hole in its place.
    #[inline]
    pub(crate) fn pop_if(&mut self, accept: impl FnOnce(K) -> bool) -> Option<(K, P)> {
        self.close_hole();
        let root = self.entries.first().filter(|root| accept(root.key))?;
        self.hole = true;
        Some((root.key, root.payload))
    }

    /// Returns the entry with the least key.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(K, P)> {
        if self.hole {
            let children = &self.entries[1..self.entries.len().min(1 + ARITY)];
            children.iter().min_by_key(|child| child.key).map(|child| (child.key, child.payload))
        } else {
            self.entries.first().map(|root| (root.key, root.payload))
        }
    }

    /// Takes all entries in no particular order.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(K, P)) {
        let entries = self.entries.drain(..).skip(usize::from(self.hole));
        entries.for_each(|entry| take(entry.key, entry.payload));
        self.hole = false;
    }

    /// Fills the hole with the last entry.
    #[inline]
    fn close_hole(&mut self) {
        if self.hole {
            self.hole = false;
            if let Some(last) = self.entries.pop()
                && !self.entries.is_empty()
            {
                sift_down(&mut self.entries, last);
            }
        }
    }
}

/// Fills the root with `entry` and moves it down to its place.
#[inline]
fn sift_down<K: Copy + Ord, P: Copy>(entries: &mut [Entry<K, P>], entry: Entry<K, P>) {
    let mut at = 0;
    loop {
        let first = ARITY * at + 1;
        let least = if let Some([a, b, c, d]) = entries.get(first..first + ARITY) {
            let (left, left_key) = if b.key < a.key { (1, b.key) } else { (0, a.key) };
            let (right, right_key) = if d.key < c.key { (3, d.key) } else { (2, c.key) };
            first + if right_key < left_key { right } else { left }
        } else {
            match (first..entries.len()).min_by_key(|&child| entries[child].key) {
                Some(child) => child,
                None => break,
            }
        };
        if entry.key <= entries[least].key {
            break;
        }
        entries[at] = entries[least];
        at = least;
    }
    entries[at] = entry;
}

/// Moves `entry`, which stands last, up to its place.
#[inline]
fn sift_up<K: Copy + Ord, P: Copy>(entries: &mut [Entry<K, P>], entry: Entry<K, P>) {
    let mut at = entries.len() - 1;
    while at > 0 {
        let parent = (at - 1) / ARITY;
        if entries[parent].key <= entry.key {
            break;
        }
        entries[at] = entries[parent];
        at = parent;
    }
    entries[at] = entry;
}
