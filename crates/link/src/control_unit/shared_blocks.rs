//! The blocks of a shared volume, as a device with fixed blocks has them.

use halftrack_volume::{Blocks, TrackFault};

use super::served_volume::ServedVolume;
use super::shared_volume::SharedVolume;

/// Blocks of a volume, there while it is here.
#[derive(Debug)]
pub struct SharedBlocks {
    /// The volume.
    pub volume: SharedVolume,
    /// How many.
    pub blocks: u32,
}

impl Blocks for SharedBlocks {
    fn blocks(&self) -> u32 {
        self.blocks
    }

    fn write_inhibited(&self) -> bool {
        match self.volume.here() {
            Some(ServedVolume::Fba(volume)) => volume.write_inhibited(),
            _ => true,
        }
    }

    fn read(&mut self, block: u32) -> Result<&[u8], TrackFault> {
        self.volume.blocks()?.read(block)
    }

    fn write(&mut self, block: u32, octets: &[u8]) -> Result<(), TrackFault> {
        self.volume.blocks()?.write(block, octets)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        self.volume.blocks()?.commit()
    }
}
