//! The block that every I/O of a study reads.

use std::fmt;
use std::str::FromStr;

/// Most bytes of a record: what fits a 3390 track.
const RECORD_BYTES_MAX: u16 = 56_664;

/// A block by its name, or a record by its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// A name that `program` of a workload accepts.
    Named(&'static str),
    /// So many bytes.
    Bytes(u16),
}

impl Block {
    const NAMES: [&'static str; 3] = ["4K", "27K", "half-track"];

    /// Returns the key and value of a workload's `program`.
    pub(crate) fn program(self) -> String {
        match self {
            Self::Named(name) => format!("block = \"{name}\""),
            Self::Bytes(bytes) => format!("record_bytes = {bytes}"),
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

impl FromStr for Block {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(name) = Self::NAMES.into_iter().find(|name| *name == text) {
            return Ok(Self::Named(name));
        }
        let bytes = text.parse().ok().filter(|bytes| (1..=RECORD_BYTES_MAX).contains(bytes));
        let known = Self::NAMES.join(", ");
        bytes.map(Self::Bytes).ok_or_else(|| format!("expected {known} or 1 to {RECORD_BYTES_MAX} bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_name_or_a_number_of_bytes_that_fits_a_track() {
        assert_eq!("half-track".parse(), Ok(Block::Named("half-track")));
        assert_eq!("8192".parse(), Ok(Block::Bytes(8192)));
        for wrong in ["4k", "0", "56665", "-1", ""] {
            assert!(wrong.parse::<Block>().is_err(), "{wrong}");
        }
    }
}
