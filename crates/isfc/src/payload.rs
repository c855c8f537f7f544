//! Data of blocks and streams: octets, or their number only.

use std::ops::Range;

use halftrack_base::SharedOctets;

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
        assert_eq!(Payload::Count(7).slice(2..6), Payload::Count(4));
        assert_eq!(Payload::Bytes(whole).slice(9..10), Payload::from(vec![9]));
    }
}
