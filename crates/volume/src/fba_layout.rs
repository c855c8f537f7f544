//! Where the blocks of an uncompressed FBA volume lie: one after the other from the start of the file.

use crate::blocks::BLOCK_BYTES;
use crate::ckd_layout::{FileFlaw, read_place, write_place};
use crate::layout::{Layout, LayoutError, Place};
use crate::medium::Medium;
use crate::open_error::{Flaw, ImageError};
use crate::redo::RedoRecord;

/// Blocks of a block group: as many as a compressed FBA image packs together.
pub const GROUP_BLOCKS: u32 = 120;
/// Bytes of a block group.
pub const GROUP_BYTES: u32 = GROUP_BLOCKS * BLOCK_BYTES as u32;

/// The blocks of a volume, in groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FbaLayout {
    blocks: u32,
}

impl FbaLayout {
    /// Takes every whole block of the file.
    ///
    /// # Errors
    /// The file cannot be read, or is no row of blocks.
    pub fn open<M: Medium>(file: &M) -> Result<Self, ImageError> {
        let bytes = file.len().map_err(ImageError::io(0))?;
        let rest = bytes % BLOCK_BYTES as u64;
        let blocks = u32::try_from(bytes / BLOCK_BYTES as u64).ok().filter(|blocks| *blocks > 0);
        let problem = match blocks {
            Some(blocks) if rest == 0 => return Ok(Self { blocks }),
            _ if bytes == 0 => "the file is empty".to_owned(),
            None if rest == 0 => format!("{bytes} bytes"),
            _ => format!("the file ends {rest} bytes into a block"),
        };
        let expected = "an image begins with CKD_ or FBA_, or is a row of 512-byte blocks (FBA)";
        Err(ImageError::Flaw { file: 0, flaw: Flaw::new(bytes - rest, problem, expected) })
    }

    /// Opens a file as [`FbaLayout::open`], but leaves out a rest behind the last whole block.
    ///
    /// # Errors
    /// The file cannot be read, or has no block.
    pub fn examine<M: Medium>(file: &M) -> Result<(Self, Vec<FileFlaw>), ImageError> {
        let bytes = file.len().map_err(ImageError::io(0))?;
        let blocks = u32::try_from(bytes / BLOCK_BYTES as u64).ok().filter(|blocks| *blocks > 0);
        match (Self::open(file), blocks) {
            (Ok(layout), _) => Ok((layout, Vec::new())),
            (Err(ImageError::Flaw { file, flaw }), Some(blocks)) => Ok((Self { blocks }, vec![(file, flaw)])),
            (Err(error), _) => Err(error),
        }
    }

    /// Blocks of the volume.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    fn place_of(&self, group: u32) -> Option<Place> {
        let first = group.checked_mul(GROUP_BLOCKS).filter(|first| *first < self.blocks)?;
        let blocks = (self.blocks - first).min(GROUP_BLOCKS);
        Some(Place {
            file: 0,
            offset: u64::from(first) * BLOCK_BYTES as u64,
            octets: blocks * BLOCK_BYTES as u32,
        })
    }
}

impl<M: Medium> Layout<M> for FbaLayout {
    fn units(&self) -> u32 {
        self.blocks.div_ceil(GROUP_BLOCKS)
    }

    fn unit_bytes(&self) -> u32 {
        GROUP_BYTES
    }

    fn place(&self, unit: u32) -> Option<Place> {
        self.place_of(unit)
    }

    fn read(&self, files: &[M], unit: u32, into: &mut Vec<u8>) -> Result<(), LayoutError> {
        into.clear();
        read_place(self.place_of(unit), files, into)
    }

    fn write(&mut self, _: &[M], unit: u32, octets: &[u8], redo: &mut RedoRecord) -> Result<(), LayoutError> {
        write_place(self.place_of(unit), octets, redo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;

    #[test]
    fn blocks_are_grouped_and_the_last_group_may_be_short() {
        let file = MemoryMedium::new(vec![0; 130 * BLOCK_BYTES]);
        let layout = FbaLayout::open(&file).unwrap();
        assert_eq!((layout.blocks(), Layout::<MemoryMedium>::units(&layout)), (130, 2));
        let places = [0, 1, 2, u32::MAX].map(|unit| layout.place_of(unit).map(|p| (p.offset, p.octets)));
        assert_eq!(places, [Some((0, 61_440)), Some((61_440, 5120)), None, None]);
    }

    #[test]
    fn a_file_that_is_no_row_of_blocks_is_refused() {
        for (bytes, offset) in [(0, 0), (511, 0), (513, 512)] {
            let error = FbaLayout::open(&MemoryMedium::new(vec![0; bytes])).unwrap_err();
            assert!(matches!(error, ImageError::Flaw { flaw, .. } if flaw.offset == offset));
        }
    }
}
