//! A raw file or a block device as the blocks of a unit, without a journal.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::Path;

use halftrack_scsi::{BlockFault, LogicalBlocks, Space};
use halftrack_volume::Mode;
use rustix::fs::{FallocateFlags, fallocate};

/// Bytes in which a file counts its space.
const SPACE_BYTES: u64 = 512;

/// A raw file, or a block device. A write is in the operating system when it has ended, and on the medium after a flush.
#[derive(Debug)]
pub struct RawBlocks {
    file: File,
    bytes: u64,
    block_bytes: u32,
    mode: Mode,
    is_thin: bool,
    /// Writes have not been flushed.
    is_dirty: bool,
    /// A flush failed, for this reason: the operating system may have dropped what was written, and the next flush would
    /// succeed without it. Nothing is written, flushed or read any more.
    failed: Option<io::Error>,
}

impl RawBlocks {
    /// Opens a file alone, or a block device. A thin one gives the space of unmapped blocks back.
    ///
    /// # Errors
    /// An error of the operating system; [`io::ErrorKind::WouldBlock`] while another process has the file; a file without a
    /// whole block, or whose size is no multiple of the block.
    pub fn open(path: &Path, mode: Mode, block_bytes: u32, is_thin: bool) -> io::Result<Self> {
        let is_writable = mode != Mode::ReadOnly;
        let mut file = OpenOptions::new().read(true).write(is_writable).open(path)?;
        let is_device = file.metadata()?.file_type().is_block_device();
        if is_writable {
            file.try_lock()?;
        } else {
            file.try_lock_shared()?;
        }
        let bytes = file.seek(SeekFrom::End(0))?;
        let is_whole = bytes > 0 && bytes.is_multiple_of(block_bytes.into());
        if !is_whole {
            let message = format!("its {bytes} bytes are no multiple of {block_bytes}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let is_thin = is_thin && !is_device && is_writable;
        Ok(Self { file, bytes, block_bytes, mode, is_thin, is_dirty: false, failed: None })
    }

    /// Returns why the file is not used any more.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }

    fn offset(&self, first: u64, octets: usize) -> Result<u64, BlockFault> {
        let offset = first.checked_mul(self.block_bytes.into()).ok_or(BlockFault::Internal)?;
        let end = offset.checked_add(octets as u64).ok_or(BlockFault::Internal)?;
        if end <= self.bytes { Ok(offset) } else { Err(BlockFault::Internal) }
    }

    fn fault_of_write(error: &io::Error) -> BlockFault {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => BlockFault::NoSpace,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => BlockFault::WriteProtected,
            _ => BlockFault::Unwritable,
        }
    }

    /// Returns the first byte of data, or of a hole, from `offset` on.
    fn seek(&self, offset: u64, hole: bool) -> Option<u64> {
        let from = if hole { rustix::fs::SeekFrom::Hole(offset) } else { rustix::fs::SeekFrom::Data(offset) };
        rustix::fs::seek(&self.file, from).ok()
    }
}

impl LogicalBlocks for RawBlocks {
    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    fn blocks(&self) -> u64 {
        self.bytes / u64::from(self.block_bytes)
    }

    fn is_read_only(&self) -> bool {
        self.mode == Mode::ReadOnly
    }

    fn has_write_cache(&self) -> bool {
        self.mode == Mode::WriteBack
    }

    fn space(&self) -> Option<Space> {
        if !self.is_thin {
            return None;
        }
        let used = self.file.metadata().map_or(0, |found| found.blocks() * SPACE_BYTES);
        let block_bytes = u64::from(self.block_bytes);
        let used = used.min(self.bytes).div_ceil(block_bytes);
        Some(Space { used, available: self.blocks() - used })
    }

    fn mapped_run(&self, first: u64) -> (bool, u64) {
        let (blocks, block_bytes) = (self.blocks(), u64::from(self.block_bytes));
        let rest = blocks.saturating_sub(first);
        if !self.is_thin {
            return (true, rest);
        }
        let offset = first * block_bytes;
        // Behind the last data there are none: everything is a hole.
        let data = self.seek(offset, false).unwrap_or(self.bytes);
        if data >= offset + block_bytes {
            return (false, (data / block_bytes - first).min(rest));
        }
        let hole = self.seek(data, true).unwrap_or(self.bytes);
        (true, (hole.div_ceil(block_bytes) - first).clamp(1, rest.max(1)))
    }

    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault> {
        let offset = self.offset(first, octets.len())?;
        if self.failed.is_some() {
            return Err(BlockFault::Unreadable(first));
        }
        self.file.read_exact_at(octets, offset).map_err(|_| BlockFault::Unreadable(first))
    }

    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault> {
        let offset = self.offset(first, octets.len())?;
        if self.failed.is_some() {
            return Err(BlockFault::Unwritable);
        }
        self.is_dirty = true;
        self.file.write_all_at(octets, offset).map_err(|error| Self::fault_of_write(&error))
    }

    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault> {
        let block_bytes = u64::from(self.block_bytes);
        let bytes = blocks.checked_mul(block_bytes).ok_or(BlockFault::Internal)?;
        let offset = self.offset(first, usize::try_from(bytes).map_err(|_| BlockFault::Internal)?)?;
        if self.failed.is_some() {
            return Err(BlockFault::Unwritable);
        }
        self.is_dirty = true;
        let hole = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);
        if self.is_thin && fallocate(&self.file, hole, offset, bytes).is_ok() {
            return Ok(());
        }
        let zeros = vec![0; block_bytes as usize];
        (first..first + blocks).try_for_each(|block| self.write(block, &zeros))
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        if self.failed.is_none() && std::mem::take(&mut self.is_dirty) {
            self.failed = self.file.sync_data().err();
        }
        if self.failed.is_some() { Err(BlockFault::Unwritable) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_file_has_holes_where_blocks_are_unmapped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("raw");
        File::create(&path).unwrap().set_len(64 * 4096).unwrap();
        let mut blocks = RawBlocks::open(&path, Mode::WriteBack, 4096, true).unwrap();
        assert_eq!((blocks.blocks(), blocks.mapped_run(0)), (64, (false, 64)));
        blocks.write(8, &[7; 16384]).unwrap();
        assert_eq!((blocks.mapped_run(0), blocks.mapped_run(8)), ((false, 8), (true, 4)));
        assert_eq!(blocks.space().map(|space| space.used), Some(4));
        blocks.unmap(9, 2).unwrap();
        let mut octets = vec![9; 16384];
        blocks.read(8, &mut octets).unwrap();
        assert!(octets[..4096].iter().all(|octet| *octet == 7) && octets[4096..12288] == [0; 8192]);
        assert_eq!((blocks.mapped_run(8), blocks.mapped_run(9)), ((true, 1), (false, 2)));
        assert_eq!(blocks.flush(), Ok(()));
        assert_eq!(blocks.write(64, &[0; 4096]), Err(BlockFault::Internal));
    }

    /// A second fdatasync succeeds where the first has failed, though the data may be gone.
    #[test]
    fn a_file_whose_flush_failed_is_not_used_any_more() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("raw");
        File::create(&path).unwrap().set_len(64 * 4096).unwrap();
        let mut blocks = RawBlocks::open(&path, Mode::WriteBack, 4096, true).unwrap();
        blocks.write(8, &[7; 4096]).unwrap();
        // No file that can be flushed.
        let whole = std::mem::replace(&mut blocks.file, File::open("/dev/null").unwrap());
        assert_eq!(blocks.flush(), Err(BlockFault::Unwritable));
        blocks.file = whole;
        assert_eq!(blocks.flush(), Err(BlockFault::Unwritable));
        assert_eq!(blocks.write(9, &[7; 4096]), Err(BlockFault::Unwritable));
        assert_eq!(blocks.unmap(9, 1), Err(BlockFault::Unwritable));
        assert_eq!(blocks.read(8, &mut [0; 4096]), Err(BlockFault::Unreadable(8)));
        assert!(blocks.failure().is_some());
    }

    #[test]
    fn a_size_that_is_no_multiple_and_a_file_in_use_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("raw");
        File::create(&path).unwrap().set_len(4096 + 512).unwrap();
        let odd = RawBlocks::open(&path, Mode::Sync, 4096, false).unwrap_err();
        assert_eq!(odd.to_string(), "its 4608 bytes are no multiple of 4096");
        let _held = RawBlocks::open(&path, Mode::Sync, 512, false).unwrap();
        let held = RawBlocks::open(&path, Mode::Sync, 512, false).unwrap_err();
        assert_eq!(held.kind(), io::ErrorKind::WouldBlock);
    }
}
