//! Blocks in memory, thin or not, for tests and volatile units.

use std::collections::BTreeMap;

use crate::logical_blocks::{BlockFault, LogicalBlocks, Space};

/// Blocks in memory.
#[derive(Debug, Clone)]
pub struct MemoryBlocks {
    block_bytes: u32,
    blocks: u64,
    /// Blocks for which there is space, of a thin unit.
    space: Option<u64>,
    written: BTreeMap<u64, Vec<u8>>,
}

impl MemoryBlocks {
    /// Creates blocks of zeros, each with its space.
    pub const fn new(block_bytes: u32, blocks: u64) -> Self {
        Self { block_bytes, blocks, space: None, written: BTreeMap::new() }
    }

    /// Creates blocks of zeros of which `space` can be written.
    pub const fn thin(block_bytes: u32, blocks: u64, space: u64) -> Self {
        Self { block_bytes, blocks, space: Some(space), written: BTreeMap::new() }
    }

    /// Returns how many blocks `octets` are, if they lie within the unit.
    fn count(&self, first: u64, octets: usize) -> Result<u64, BlockFault> {
        let count = octets as u64 / u64::from(self.block_bytes);
        let is_whole = (octets as u64).is_multiple_of(self.block_bytes.into());
        let is_within = first.checked_add(count).is_some_and(|end| end <= self.blocks);
        if is_whole && is_within { Ok(count) } else { Err(BlockFault::Internal) }
    }
}

impl LogicalBlocks for MemoryBlocks {
    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    fn blocks(&self) -> u64 {
        self.blocks
    }

    fn space(&self) -> Option<Space> {
        let used = self.written.len() as u64;
        self.space.map(|space| Space { used, available: space.saturating_sub(used) })
    }

    fn mapped_run(&self, first: u64) -> (bool, u64) {
        let to_end = self.blocks.saturating_sub(first);
        if self.space.is_none() {
            return (true, to_end);
        }
        let mut mapped = self.written.range(first..).map(|(block, _)| *block);
        match mapped.next() {
            None => (false, to_end),
            Some(next) if next > first => (false, next - first),
            Some(_) => {
                let more = mapped.zip(first + 1..).take_while(|(block, expected)| block == expected);
                (true, 1 + more.count() as u64)
            }
        }
    }

    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault> {
        self.count(first, octets.len())?;
        for (block, into) in (first..).zip(octets.chunks_exact_mut(self.block_bytes as usize)) {
            match self.written.get(&block) {
                Some(written) => into.copy_from_slice(written),
                None => into.fill(0),
            }
        }
        Ok(())
    }

    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault> {
        let count = self.count(first, octets.len())?;
        let present = self.written.range(first..first + count).count() as u64;
        if self.space().is_some_and(|space| count - present > space.available) {
            return Err(BlockFault::NoSpace);
        }
        for (block, written) in (first..).zip(octets.chunks_exact(self.block_bytes as usize)) {
            self.written.insert(block, written.to_vec());
        }
        Ok(())
    }

    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault> {
        let end = first.checked_add(blocks).filter(|end| *end <= self.blocks).ok_or(BlockFault::Internal)?;
        let mut rest = self.written.split_off(&first);
        self.written.append(&mut rest.split_off(&end));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_given_back_and_runs_out() {
        let mut blocks = MemoryBlocks::thin(512, 100, 2);
        assert_eq!(blocks.write(10, &[1; 1024]), Ok(()));
        assert_eq!(blocks.write(12, &[1; 512]), Err(BlockFault::NoSpace));
        assert_eq!([9, 10, 12].map(|block| blocks.mapped_run(block)), [(false, 1), (true, 2), (false, 88)]);
        assert_eq!(blocks.unmap(11, 1), Ok(()));
        assert_eq!(blocks.write(12, &[1; 512]), Ok(()));
        assert_eq!(blocks.mapped_run(10), (true, 1));
    }

    #[test]
    fn nothing_lies_outside() {
        let mut blocks = MemoryBlocks::new(512, 10);
        assert_eq!(blocks.write(9, &[0; 1024]), Err(BlockFault::Internal));
        assert_eq!(blocks.read(u64::MAX, &mut [0; 512]), Err(BlockFault::Internal));
        assert_eq!(blocks.unmap(u64::MAX, 2), Err(BlockFault::Internal));
    }
}
