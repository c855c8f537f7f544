//! A ring of buckets with a list of entries each: constant time in, a whole bucket at a time out.

/// End of a list.
const NONE: u32 = u32::MAX;

/// Buckets that one word of the occupancy map covers; the ring has at least so many.
pub(crate) const LEAST_BUCKETS: usize = u64::BITS as usize;

/// An entry and the rest of its list.
#[derive(Clone, Copy, Debug)]
struct Node<K, P> {
    key: K,
    payload: P,
    next: u32,
}

/// A ring of buckets, a power of two many. Entries lie in one arena; taken ones are used again, last taken first.
#[derive(Clone, Debug)]
pub(crate) struct Wheel<K, P> {
    /// First node of each bucket.
    heads: Vec<u32>,
    /// One bit for each bucket that is not empty.
    occupied: Vec<u64>,
    nodes: Vec<Node<K, P>>,
    /// First of the nodes not in use.
    free: u32,
    len: usize,
}

impl<K: Copy + Ord, P: Copy> Wheel<K, P> {
    /// Creates an empty ring of `buckets` (a power of two, at least [`LEAST_BUCKETS`]) with room for `entries`.
    pub(crate) fn new(buckets: usize, entries: usize) -> Self {
        debug_assert!(buckets.is_power_of_two() && buckets >= LEAST_BUCKETS);
        Self {
            heads: vec![NONE; buckets],
            occupied: vec![0; buckets / LEAST_BUCKETS],
            nodes: Vec::with_capacity(entries),
            free: NONE,
            len: 0,
        }
    }

    /// Returns the number of buckets.
    #[inline]
    pub(crate) fn buckets(&self) -> usize {
        self.heads.len()
    }

    /// Returns the number of entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the entries it has had room for.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    /// Puts an entry into `bucket`, counted round the ring.
    #[inline]
    pub(crate) fn insert(&mut self, bucket: u64, key: K, payload: P) {
        let bucket = bucket as usize & (self.heads.len() - 1);
        let next = self.heads[bucket];
        let place = self.free;
        if let Some(unused) = self.nodes.get_mut(place as usize) {
            self.free = unused.next;
            // Field by field: a node put together on the stack is read back wider than it was written there,
            // which stalls the processor for longer than all the rest takes.
            unused.key = key;
            unused.payload = payload;
            unused.next = next;
            self.heads[bucket] = place;
        } else {
            self.heads[bucket] = self.append(Node { key, payload, next });
        }
        self.occupied[bucket / LEAST_BUCKETS] |= 1 << (bucket % LEAST_BUCKETS);
        self.len += 1;
    }

    #[cold]
    fn append(&mut self, node: Node<K, P>) -> u32 {
        assert!(self.nodes.len() < NONE as usize, "more than 2^32 - 1 events are pending");
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Returns the number of buckets from `bucket` to the next one with an entry, if any has one. It is less than the
    /// whole ring, as `bucket` itself is empty.
    #[inline]
    pub(crate) fn distance_to_next(&self, bucket: u64) -> Option<u64> {
        if self.len == 0 {
            return None;
        }
        let mask = self.heads.len() - 1;
        let first = (bucket as usize + 1) & mask;
        let mut word = first / LEAST_BUCKETS;
        let mut bits = self.occupied[word] & (u64::MAX << (first % LEAST_BUCKETS));
        while bits == 0 {
            word = (word + 1) & (self.occupied.len() - 1);
            bits = self.occupied[word];
        }
        let found = word * LEAST_BUCKETS + bits.trailing_zeros() as usize;
        Some((found.wrapping_sub(bucket as usize) & mask) as u64)
    }

    /// Takes all entries of `bucket` in no particular order.
    #[inline]
    pub(crate) fn drain(&mut self, bucket: u64, mut take: impl FnMut(K, P)) {
        let bucket = bucket as usize & (self.heads.len() - 1);
        let mut place = self.heads[bucket];
        self.heads[bucket] = NONE;
        self.occupied[bucket / LEAST_BUCKETS] &= !(1 << (bucket % LEAST_BUCKETS));
        while let Some(node) = self.nodes.get_mut(place as usize) {
            take(node.key, node.payload);
            let next = node.next;
            node.next = self.free;
            self.free = place;
            self.len -= 1;
            place = next;
        }
    }

    /// Returns the nodes of `bucket`.
    #[inline]
    fn nodes_of(&self, bucket: u64) -> impl Iterator<Item = &Node<K, P>> {
        let first = self.heads[bucket as usize & (self.heads.len() - 1)];
        std::iter::successors(self.nodes.get(first as usize), |node| self.nodes.get(node.next as usize))
    }

    /// Returns the least key in `bucket`.
    pub(crate) fn least_of(&self, bucket: u64) -> Option<K> {
        self.nodes_of(bucket).map(|node| node.key).min()
    }

    /// Takes all entries of all buckets in no particular order.
    pub(crate) fn drain_all(&mut self, mut take: impl FnMut(K, P)) {
        for bucket in 0..self.heads.len() as u64 {
            self.drain(bucket, &mut take);
        }
    }
}
