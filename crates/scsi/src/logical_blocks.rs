//! Logical blocks of a unit: the trait that volumes implement.

use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// Reason for which blocks cannot be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockFault {
    /// This block cannot be read.
    Unreadable(u64),
    /// A block cannot be written.
    Unwritable,
    /// No space is left behind a thin unit.
    NoSpace,
    /// The medium refuses writes.
    WriteProtected,
    /// The range leaves the unit, or the unit failed.
    Internal,
}

impl From<BlockFault> for Refusal {
    fn from(fault: BlockFault) -> Self {
        match fault {
            BlockFault::Unreadable(block) => {
                Sense::with_information(SenseCode::UNRECOVERED_READ_ERROR, block).into()
            }
            BlockFault::Unwritable => SenseCode::WRITE_ERROR.into(),
            BlockFault::NoSpace => SenseCode::SPACE_EXHAUSTED.into(),
            BlockFault::WriteProtected => SenseCode::WRITE_PROTECTED.into(),
            BlockFault::Internal => SenseCode::INTERNAL_FAILURE.into(),
        }
    }
}

/// Space behind a thin unit, in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Space {
    /// Blocks that have space.
    pub used: u64,
    /// Blocks for which there is space yet.
    pub available: u64,
}

/// The blocks of a unit, numbered from 0. Reads see the writes before them. The target calls with whole blocks within
/// the unit only; a range of no blocks is never passed.
pub trait LogicalBlocks {
    /// Returns the bytes of a block: 512 or 4096.
    fn block_bytes(&self) -> u32;

    /// Returns the number of blocks.
    fn blocks(&self) -> u64;

    /// Returns whether the medium refuses writes.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Returns whether writes are gathered in a volatile cache until [`LogicalBlocks::flush`].
    fn has_write_cache(&self) -> bool {
        false
    }

    /// Returns the space behind a thin unit; nothing where each block has its space.
    fn space(&self) -> Option<Space> {
        None
    }

    /// Returns whether the block has space, and how many blocks from it on are like it.
    fn mapped_run(&self, first: u64) -> (bool, u64) {
        (true, self.blocks().saturating_sub(first))
    }

    /// Reads the blocks from `first` that fill `octets`.
    ///
    /// # Errors
    /// Any fault; `octets` is then undefined.
    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault>;

    /// Writes whole blocks from `first`.
    ///
    /// # Errors
    /// Any fault; a block is then old or new, never mixed.
    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault>;

    /// Makes blocks read as zeros, and gives back their space where it can be.
    ///
    /// # Errors
    /// Any fault.
    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault>;

    /// Brings all writes before it to stable storage.
    ///
    /// # Errors
    /// Any fault; which writes are safe is then undefined.
    fn flush(&mut self) -> Result<(), BlockFault>;
}
