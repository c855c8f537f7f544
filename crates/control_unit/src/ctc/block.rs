//! Data of a Write.

use halftrack_base::SharedOctets;

/// Data of a Write while the adapter has them: the octets, or their number only, where they are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Block {
    /// The octets themselves. They are moved from side to side and never copied.
    Bytes(SharedOctets),
    /// This many octets, not kept.
    Count(u32),
}

impl Block {
    /// No data.
    pub const NONE: Self = Self::Count(0);

    /// Returns the octets of the block.
    pub fn len_bytes(&self) -> u32 {
        match self {
            Self::Bytes(octets) => octets.len() as u32,
            Self::Count(count) => *count,
        }
    }

    /// Keeps at most the first `limit_bytes` octets.
    pub fn truncate(&mut self, limit_bytes: u32) {
        match self {
            Self::Bytes(octets) => *octets = octets.slice(0..octets.len().min(limit_bytes as usize)),
            Self::Count(count) => *count = (*count).min(limit_bytes),
        }
    }
}
