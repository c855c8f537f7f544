//! Bare writes beside which synchronous writes stand: 4 KiB over a file, and a wait until they are on the disk.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use halftrack_engine::RandomStream;

use super::content::BLOCK_BYTES;

/// Blocks of the file: 64 MiB.
const BLOCKS: u64 = 16_384;
/// Seed of the places written.
const SEED: u64 = 2;

/// A file that is written over.
#[derive(Debug)]
pub struct BareWrites {
    file: File,
    random: RandomStream,
}

impl BareWrites {
    /// Takes an empty file and gives it its size, on the disk.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn new(mut file: File) -> io::Result<Self> {
        for _ in 0..BLOCKS {
            file.write_all(&[1; BLOCK_BYTES])?;
        }
        file.sync_all()?;
        Ok(Self { file, random: RandomStream::new(SEED, "bare writes") })
    }

    /// Writes one block over another and makes it safe (fdatasync(2)).
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn write(&mut self) -> io::Result<()> {
        let offset = self.random.below(BLOCKS) * BLOCK_BYTES as u64;
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.write_all(&[2; BLOCK_BYTES])?;
        self.file.sync_data()
    }
}
