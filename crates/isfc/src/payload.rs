//! Data of blocks and streams: octets, or their number only.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A run of octets that are shared and never copied.
#[derive(Clone, Default)]
pub struct SharedOctets {
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedOctets {
    /// Returns the octets of a range of these.
    ///
    /// # Panics
    /// When the range is not within them.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "a range is within its octets");
        let start = self.range.start;
        Self { whole: Arc::clone(&self.whole), range: start + range.start..start + range.end }
    }
}

impl From<Vec<u8>> for SharedOctets {
    fn from(octets: Vec<u8>) -> Self {
        let range = 0..octets.len();
        Self { whole: Arc::new(octets), range }
    }
}

impl From<Arc<Vec<u8>>> for SharedOctets {
    fn from(whole: Arc<Vec<u8>>) -> Self {
        let range = 0..whole.len();
        Self { whole, range }
    }
}

impl Deref for SharedOctets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

impl PartialEq for SharedOctets {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedOctets {}

impl Hash for SharedOctets {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for SharedOctets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} octets", self.len())
    }
}

/// Data of a block or of a part of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Payload {
    /// The octets themselves.
    Bytes(SharedOctets),
    /// This many octets, not kept.
    Count(u32),
}

impl Payload {
    /// No data.
    pub const NONE: Self = Self::Count(0);

    /// Returns how many octets there are.
    ///
    /// # Panics
    /// When there are 4 GiB or more.
    pub fn len_bytes(&self) -> u32 {
        match self {
            Self::Bytes(octets) => u32::try_from(octets.len()).expect("a payload has less than 4 GiB"),
            Self::Count(count) => *count,
        }
    }

    /// Returns the data of a range of these.
    ///
    /// # Panics
    /// When the range is not within them.
    #[must_use]
    pub fn slice(&self, range: Range<u32>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len_bytes(), "a range is within its payload");
        match self {
            Self::Bytes(octets) => Self::Bytes(octets.slice(range.start as usize..range.end as usize)),
            Self::Count(_) => Self::Count(range.end - range.start),
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(octets: Vec<u8>) -> Self {
        Self::Bytes(octets.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_octets_of_the_whole() {
        let whole = SharedOctets::from((0..10).collect::<Vec<u8>>());
        let part = whole.slice(2..8).slice(1..4);
        assert_eq!(*part, [3, 4, 5]);
        assert_eq!(part.as_ptr(), whole[3..].as_ptr());
        assert_eq!(Payload::Count(7).slice(2..6), Payload::Count(4));
        assert_eq!(Payload::Bytes(whole).slice(9..10), Payload::from(vec![9]));
    }
}
