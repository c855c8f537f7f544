//! Thin blocks in a file, with a write cache that a loss of power empties.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use halftrack_scsi::{BlockFault, LogicalBlocks, Space};

/// Bytes that have space or have none.
const GRANULE_BYTES: usize = 4096;

/// Thin blocks. Writes lie in memory until they are flushed; dropping the blocks loses the others.
#[derive(Debug)]
pub struct ThinFile {
    file: File,
    block_bytes: u32,
    blocks: u64,
    is_read_only: bool,
    /// Granules that have space.
    mapped: BTreeSet<u64>,
    /// Granules that are not in the file yet.
    cache: BTreeMap<u64, Vec<u8>>,
}

impl ThinFile {
    /// Creates the file, of zeros without space.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn create(path: &Path, bytes: u64) -> io::Result<PathBuf> {
        File::create_new(path)?.set_len(bytes)?;
        Ok(path.to_owned())
    }

    /// Opens the file; granules of zeros have no space.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path, block_bytes: u32) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        let bytes = file.metadata()?.len();
        let mut mapped = BTreeSet::new();
        let mut granule = vec![0; GRANULE_BYTES];
        for at in 0..bytes / GRANULE_BYTES as u64 {
            file.read_exact_at(&mut granule, at * GRANULE_BYTES as u64)?;
            if granule.iter().any(|octet| *octet != 0) {
                mapped.insert(at);
            }
        }
        let blocks = bytes / u64::from(block_bytes);
        Ok(Self { file, block_bytes, blocks, is_read_only: false, mapped, cache: BTreeMap::new() })
    }

    /// Returns the blocks with writes refused.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    fn granule(&self, at: u64) -> Result<Vec<u8>, BlockFault> {
        if let Some(cached) = self.cache.get(&at) {
            return Ok(cached.clone());
        }
        let mut granule = vec![0; GRANULE_BYTES];
        if self.mapped.contains(&at) {
            let read = self.file.read_exact_at(&mut granule, at * GRANULE_BYTES as u64);
            read.map_err(|_| BlockFault::Internal)?;
        }
        Ok(granule)
    }

    /// Returns the pieces of a range: granule, place in it, place in the range, bytes.
    fn pieces(&self, first: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, usize, usize)> + use<> {
        let (begin, granule) = (first * u64::from(self.block_bytes), GRANULE_BYTES as u64);
        let mut done = 0;
        std::iter::from_fn(move || {
            let (at, within) = ((begin + done) / granule, (begin + done) % granule);
            let piece = (granule - within).min(bytes - done);
            let place = done as usize;
            done += piece;
            (piece > 0).then_some((at, within as usize, place, piece as usize))
        })
    }

    fn check(&self, first: u64, bytes: u64) -> Result<(), BlockFault> {
        let (block, end) =
            (u64::from(self.block_bytes), first.checked_add(bytes / u64::from(self.block_bytes)));
        let is_within = bytes.is_multiple_of(block) && end.is_some_and(|end| end <= self.blocks);
        if is_within { Ok(()) } else { Err(BlockFault::Internal) }
    }

    fn granule_of(&self, block: u64) -> u64 {
        block * u64::from(self.block_bytes) / GRANULE_BYTES as u64
    }
}

impl LogicalBlocks for ThinFile {
    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    fn blocks(&self) -> u64 {
        self.blocks
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    fn has_write_cache(&self) -> bool {
        true
    }

    fn space(&self) -> Option<Space> {
        let blocks = GRANULE_BYTES as u64 / u64::from(self.block_bytes);
        let used = self.mapped.len() as u64 * blocks;
        Some(Space { used, available: self.blocks - used })
    }

    fn mapped_run(&self, first: u64) -> (bool, u64) {
        let is_mapped = |block| self.mapped.contains(&self.granule_of(block));
        let like = is_mapped(first);
        (like, (first..self.blocks).take_while(|block| is_mapped(*block) == like).count() as u64)
    }

    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault> {
        self.check(first, octets.len() as u64)?;
        for (at, within, place, bytes) in self.pieces(first, octets.len() as u64) {
            octets[place..place + bytes].copy_from_slice(&self.granule(at)?[within..within + bytes]);
        }
        Ok(())
    }

    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault> {
        self.check(first, octets.len() as u64)?;
        for (at, within, place, bytes) in self.pieces(first, octets.len() as u64) {
            let mut granule = self.granule(at)?;
            granule[within..within + bytes].copy_from_slice(&octets[place..place + bytes]);
            self.cache.insert(at, granule);
            self.mapped.insert(at);
        }
        Ok(())
    }

    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault> {
        let bytes = blocks.saturating_mul(u64::from(self.block_bytes));
        self.check(first, bytes)?;
        for (at, within, _, bytes) in self.pieces(first, bytes) {
            if !self.mapped.contains(&at) {
                continue;
            }
            let mut granule = self.granule(at)?;
            granule[within..within + bytes].fill(0);
            self.cache.insert(at, granule);
            if bytes == GRANULE_BYTES {
                self.mapped.remove(&at);
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        for (at, granule) in &self.cache {
            let written = self.file.write_all_at(granule, at * GRANULE_BYTES as u64);
            written.map_err(|_| BlockFault::Unwritable)?;
        }
        self.cache.clear();
        self.file.sync_data().map_err(|_| BlockFault::Unwritable)
    }
}

#[test]
fn a_loss_of_power_loses_what_was_not_flushed_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = ThinFile::create(&directory.path().join("thin"), 1 << 16).unwrap();
    let mut blocks = ThinFile::open(&path, 512).unwrap();
    blocks.write(7, &[1; 1024]).unwrap();
    blocks.flush().unwrap();
    blocks.write(7, &[2; 512]).unwrap();
    blocks.unmap(8, 8).unwrap();
    assert_eq!((blocks.mapped_run(0), blocks.mapped_run(8)), ((true, 8), (false, 120)));
    let mut found = [9; 1024];
    blocks.read(7, &mut found).unwrap();
    assert_eq!((found[0], found[512]), (2, 0));
    let mut blocks = ThinFile::open(&path, 512).unwrap();
    blocks.read(7, &mut found).unwrap();
    assert_eq!((found[0], found[512]), (1, 1));
    assert_eq!(blocks.write(127, &[0; 1024]), Err(BlockFault::Internal));
}
