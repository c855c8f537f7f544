//! Fixed-block volumes in image files as the blocks of a unit.

use halftrack_volume::medium::Medium;
use halftrack_volume::{BLOCK_BYTES, Blocks, FbaVolume, Mode, TrackFault};

use crate::logical_blocks::{BlockFault, LogicalBlocks};

/// A volume as a unit with blocks of one or several of its own. Nothing is thin: unmapped blocks are written with zeros.
///
/// A write is one chain of the volume: safe at once in its synchronous mode, gathered in write-back mode.
#[derive(Debug)]
pub struct VolumeBlocks<M: Medium> {
    volume: FbaVolume<M>,
    /// Blocks of the volume that are one of the unit.
    group: u32,
}

impl<M: Medium> VolumeBlocks<M> {
    /// Creates a unit with blocks of 512 bytes (`group` 1) or 4096 (`group` 8). Blocks behind the last whole one are left out.
    pub fn new(volume: FbaVolume<M>, group: u32) -> Self {
        Self { volume, group: group.max(1) }
    }

    /// Returns the volume, which is to be called often for its writes that are due.
    pub const fn volume_mut(&mut self) -> &mut FbaVolume<M> {
        &mut self.volume
    }

    /// Gives the volume back.
    pub fn into_volume(self) -> FbaVolume<M> {
        self.volume
    }

    /// Returns the blocks of the volume for so many of the unit, if the unit has them.
    fn own_blocks(&self, first: u64, blocks: u64) -> Result<std::ops::Range<u32>, BlockFault> {
        let end =
            first.checked_add(blocks).filter(|end| *end <= self.blocks()).ok_or(BlockFault::Internal)?;
        let group = u64::from(self.group);
        // Both are within the blocks of the volume, whose number has 32 bits.
        Ok((first * group) as u32..(end * group) as u32)
    }

    fn count(&self, octets: usize) -> u64 {
        octets as u64 / u64::from(self.block_bytes())
    }

    fn fault_of_write(fault: TrackFault) -> BlockFault {
        match fault {
            TrackFault::WriteInhibited => BlockFault::WriteProtected,
            TrackFault::NoTrack | TrackFault::TooLong => BlockFault::Internal,
            TrackFault::Unreadable | TrackFault::Medium => BlockFault::Unwritable,
        }
    }
}

impl<M: Medium> LogicalBlocks for VolumeBlocks<M> {
    fn block_bytes(&self) -> u32 {
        self.group * BLOCK_BYTES as u32
    }

    fn blocks(&self) -> u64 {
        u64::from(self.volume.blocks() / self.group)
    }

    fn is_read_only(&self) -> bool {
        self.volume.write_inhibited()
    }

    fn has_write_cache(&self) -> bool {
        self.volume.mode() == Mode::WriteBack
    }

    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault> {
        let blocks = self.own_blocks(first, self.count(octets.len()))?;
        let group = self.group;
        let fault = |(block, _)| BlockFault::Unreadable(u64::from(block / group));
        self.volume.read_run(blocks.start, octets).map_err(fault)
    }

    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault> {
        let blocks = self.own_blocks(first, self.count(octets.len()))?;
        for (block, octets) in blocks.zip(octets.chunks_exact(BLOCK_BYTES)) {
            self.volume.write(block, octets).map_err(Self::fault_of_write)?;
        }
        self.volume.commit().map_err(Self::fault_of_write)
    }

    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault> {
        for block in self.own_blocks(first, blocks)? {
            self.volume.write(block, &[]).map_err(Self::fault_of_write)?;
        }
        self.volume.commit().map_err(Self::fault_of_write)
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        self.volume.flush().map_err(Self::fault_of_write)
    }
}
