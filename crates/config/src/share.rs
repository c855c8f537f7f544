//! Bandwidth that several channels share: the tree of cards, domains and fanouts.

/// A limit that all below it share. It is a card with its channels, the interconnect of a domain with its cards, a
/// fanout with its interconnects, or each direction of one channel's bus. A limit that is `None` binds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Share {
    /// Canonical name: `bus PCHID 100`, `card PCHID 100` by its first port, `domain D1`, `fanout F1`.
    pub name: String,
    /// Reads, bytes per second.
    pub read_bytes_per_s: Option<u64>,
    /// Writes, bytes per second.
    pub write_bytes_per_s: Option<u64>,
    /// Both directions together, bytes per second.
    pub bytes_per_s: Option<u64>,
    /// Index of the share that this one's data go through too.
    pub parent: Option<u32>,
    /// The share in its place while that one is lost (redundant I/O interconnect).
    pub standby_parent: Option<u32>,
}

impl Share {
    /// Returns the share with the narrower of its rates and those of `other`.
    pub(crate) fn within(self, other: &Self) -> Self {
        let narrower = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self {
            read_bytes_per_s: narrower(self.read_bytes_per_s, other.read_bytes_per_s),
            write_bytes_per_s: narrower(self.write_bytes_per_s, other.write_bytes_per_s),
            bytes_per_s: narrower(self.bytes_per_s, other.bytes_per_s),
            ..self
        }
    }
}
