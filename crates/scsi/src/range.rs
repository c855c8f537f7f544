//! A range of logical blocks, as a CDB names it.

use halftrack_base::fields::{u16_at, u32_at, u64_at};

use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// A range of logical blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlockRange {
    /// The first block.
    pub first: u64,
    /// Blocks of the range.
    pub blocks: u64,
}

impl BlockRange {
    /// Returns the range of a CDB, whose length the caller has checked; the group of the opcode has the layout.
    pub fn of_cdb(cdb: &[u8]) -> Self {
        let (first, blocks) = match cdb[0] >> 5 {
            // A length of 0 is 256 blocks.
            0 => (u32_at(cdb, 0) & 0x001F_FFFF, u32::from(cdb[4].wrapping_sub(1)) + 1),
            1 | 2 => (u32_at(cdb, 2), u32::from(u16_at(cdb, 7))),
            5 => (u32_at(cdb, 2), u32_at(cdb, 6)),
            _ => return Self { first: u64_at(cdb, 2), blocks: u64::from(u32_at(cdb, 10)) },
        };
        Self { first: u64::from(first), blocks: u64::from(blocks) }
    }

    /// Makes sure that the range lies within so many blocks. A range of none may begin right behind the last.
    pub fn check(self, capacity: u64) -> Result<(), Refusal> {
        if self.first > capacity || self.blocks > capacity - self.first {
            return Err(Sense::with_information(SenseCode::LBA_OUT_OF_RANGE, self.first.max(capacity)).into());
        }
        Ok(())
    }

    /// Returns the bytes of the range.
    pub const fn bytes(self, block_bytes: u32) -> u64 {
        self.blocks.saturating_mul(block_bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_of_opcodes_has_its_layout() {
        let of = |cdb: &[u8]| {
            let range = BlockRange::of_cdb(cdb);
            (range.first, range.blocks)
        };
        assert_eq!(of(&[0x08, 0xFF, 1, 2, 0, 0]), (0x1F_0102, 256));
        assert_eq!(of(&[0x08, 0, 1, 2, 255, 0]), (0x0102, 255));
        assert_eq!(of(&[0x28, 0, 1, 2, 3, 4, 0, 5, 6, 0]), (0x0102_0304, 0x0506));
        assert_eq!(of(&[0xA8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0]), (0x0102_0304, 0x0506_0708));
        let long = [0x88, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0];
        assert_eq!(of(&long), (0x0102_0304_0506_0708, 0x090A_0B0C));
    }

    #[test]
    fn a_range_ends_within_the_capacity_without_an_overflow() {
        let is_within = |first, blocks| BlockRange { first, blocks }.check(100).is_ok();
        assert!(is_within(0, 100) && is_within(100, 0) && is_within(99, 1));
        assert!(!is_within(101, 0) && !is_within(100, 1) && !is_within(1, 100));
        assert!(!is_within(u64::MAX, 1) && !is_within(1, u64::MAX) && !is_within(1 << 63, 0));
    }
}
