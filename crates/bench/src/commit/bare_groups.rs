//! The bare program: random blocks of 4 KiB over a file, some at a time, and one wait until they are on the disk.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use halftrack_engine::RandomStream;

/// Bytes of a block.
const BLOCK_BYTES: usize = 4096;
/// Blocks of the file: 64 MiB, as the volume has.
const BLOCKS: u64 = 16_384;
/// Seed of the places written.
const SEED: u64 = 3;

/// A file that is written over.
#[derive(Debug)]
pub struct BareGroups {
    file: File,
    random: RandomStream,
}

impl BareGroups {
    /// Makes the file in `directory`, and waits until it is on the disk.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn make(directory: &Path) -> io::Result<Self> {
        let path = directory.join("bare");
        let mut file = File::create_new(path)?;
        for _ in 0..BLOCKS {
            file.write_all(&[1; BLOCK_BYTES])?;
        }
        file.sync_all()?;
        Ok(Self { file, random: RandomStream::new(SEED, "bare groups") })
    }

    /// Returns the blocks written a second, of which each `depth` become safe with one fdatasync(2).
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn measure(&mut self, depth: usize, seconds: f64) -> io::Result<f64> {
        let (began, longest) = (Instant::now(), Duration::from_secs_f64(seconds));
        let mut written = 0;
        while began.elapsed() < longest {
            for _ in 0..depth {
                let offset = self.random.below(BLOCKS) * BLOCK_BYTES as u64;
                self.file.write_all_at(&[2; BLOCK_BYTES], offset)?;
            }
            self.file.sync_data()?;
            written += depth;
        }
        Ok(written as f64 / began.elapsed().as_secs_f64())
    }
}
