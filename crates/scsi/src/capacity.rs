//! READ CAPACITY (SBC-3, 5.15 and 5.16).

use halftrack_base::fields::put;

use crate::limits::GRANULE_BYTES;
use crate::logical_blocks::LogicalBlocks;

/// Returns the data of READ CAPACITY(10).
pub(crate) fn short<B: LogicalBlocks>(blocks: &B) -> Vec<u8> {
    let last = blocks.blocks().saturating_sub(1);
    let mut data = u32::try_from(last).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    data.extend(blocks.block_bytes().to_be_bytes());
    data
}

/// Returns the data of READ CAPACITY(16).
pub(crate) fn long<B: LogicalBlocks>(blocks: &B) -> Vec<u8> {
    let mut data = vec![0; 32];
    put(&mut data, 0, &blocks.blocks().saturating_sub(1).to_be_bytes());
    put(&mut data, 8, &blocks.block_bytes().to_be_bytes());
    data[13] = (GRANULE_BYTES / blocks.block_bytes()).max(1).ilog2() as u8;
    // LBPME and LBPRZ.
    data[14] = if blocks.space().is_some() { 0xC0 } else { 0 };
    data
}
