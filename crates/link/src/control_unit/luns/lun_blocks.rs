//! The blocks of a logical unit: those of an image with its journal, or of a raw file.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_scsi::{BlockFault, LogicalBlocks, Space, VolumeBlocks};
use halftrack_volume::{Disk, FileMedium};

use super::raw_blocks::RawBlocks;

/// The blocks of a logical unit.
#[derive(Debug)]
pub enum LunBlocks {
    /// Fixed-block image.
    Volume(Box<VolumeBlocks<FileMedium>>),
    /// Raw file or block device.
    Raw(RawBlocks),
}

/// Evaluates `$body` with `$blocks` bound to the blocks of either kind.
macro_rules! with_blocks {
    ($lun:expr, $blocks:ident => $body:expr) => {
        match $lun {
            LunBlocks::Volume($blocks) => $body,
            LunBlocks::Raw($blocks) => $body,
        }
    };
}

impl LunBlocks {
    /// Makes safe what write-back mode has gathered for too long. Returns when it is to be called at the latest, if something
    /// waits.
    pub fn flush_due(&mut self, now: Time) -> Option<Time> {
        match self {
            Self::Volume(blocks) => blocks.volume_mut().flush_due(now).unwrap_or(None),
            Self::Raw(_) => None,
        }
    }

    /// Puts the files of an image on a disk that admits each change.
    pub fn set_disk(&mut self, disk: &Arc<dyn Disk>) {
        if let Self::Volume(blocks) = self {
            blocks.volume_mut().store_mut().media_mut().for_each(|medium| medium.set_disk(disk));
        }
    }

    /// Returns the cause of the last fault, when it was a failure of the files.
    pub fn take_failure(&mut self) -> Option<String> {
        match self {
            Self::Volume(blocks) => blocks.volume_mut().take_failure().map(|error| error.to_string()),
            Self::Raw(blocks) => blocks.failure().map(|error| format!("it cannot be made safe: {error}")),
        }
    }

    /// Makes everything safe in the files themselves and gives them up.
    ///
    /// # Errors
    /// Journal or files failed.
    pub fn close(self) -> Result<(), String> {
        match self {
            Self::Volume(blocks) => blocks.into_volume().close().map_err(|error| error.to_string()),
            Self::Raw(mut blocks) => blocks.flush().map_err(|_| "the file cannot be flushed".to_owned()),
        }
    }
}

impl LogicalBlocks for LunBlocks {
    fn block_bytes(&self) -> u32 {
        with_blocks!(self, blocks => blocks.block_bytes())
    }

    fn blocks(&self) -> u64 {
        with_blocks!(self, blocks => blocks.blocks())
    }

    fn is_read_only(&self) -> bool {
        with_blocks!(self, blocks => blocks.is_read_only())
    }

    fn has_write_cache(&self) -> bool {
        with_blocks!(self, blocks => blocks.has_write_cache())
    }

    fn space(&self) -> Option<Space> {
        with_blocks!(self, blocks => blocks.space())
    }

    fn mapped_run(&self, first: u64) -> (bool, u64) {
        with_blocks!(self, blocks => blocks.mapped_run(first))
    }

    #[inline]
    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault> {
        with_blocks!(self, blocks => blocks.read(first, octets))
    }

    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault> {
        with_blocks!(self, blocks => blocks.write(first, octets))
    }

    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault> {
        with_blocks!(self, own => own.unmap(first, blocks))
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        with_blocks!(self, blocks => blocks.flush())
    }
}
