//! Lengths in the place of octets: storage whose pages state how far they shrink, and an engine that reads no more than that.

use halftrack_program::{Storage, StorageFault};
use halftrack_zedc::{
    Engine, EngineFault, Inflated, PAGE_BYTES, Position, Region, SLICE_BYTES_MAX, SpaceId, Spaces,
};

/// Octets of the areas of a stream: input from 0, output behind it.
pub const AREA_BYTES: u64 = 2 << 20;
/// Parts of an octet in which a ratio is stated.
const PARTS: f64 = (1_u32 << 24) as f64;

/// Regions of every address space.
pub const REGIONS: [Region; 2] = [
    Region { address: 0, length_bytes: AREA_BYTES, key: 0, is_in_data_space: false },
    Region { address: AREA_BYTES, length_bytes: AREA_BYTES, key: 0, is_in_data_space: false },
];

/// Storage of a stream.
#[derive(Debug)]
pub struct LengthStorage {
    pages: Box<[u8]>,
    /// Octets that were fetched since the last slice.
    fetched_bytes: u64,
    /// The first of them was the first one of a request.
    is_begun: bool,
}

impl LengthStorage {
    /// Makes storage of data that shrink by `ratio`.
    pub fn new(ratio: f64) -> Self {
        let mut pages = vec![0; SLICE_BYTES_MAX];
        let parts = (PARTS / ratio) as u32;
        for page in pages.chunks_mut(PAGE_BYTES as usize) {
            page[..4].copy_from_slice(&parts.to_be_bytes());
        }
        Self { pages: pages.into(), fetched_bytes: 0, is_begun: false }
    }

    /// Takes the octets that a slice fetched, and whether it was the first one of its request.
    pub fn take_slice(&mut self) -> (u64, bool) {
        (std::mem::take(&mut self.fetched_bytes), std::mem::take(&mut self.is_begun))
    }
}

impl Storage for LengthStorage {
    fn fetch(&mut self, address: u64, limit: u32, _: u8) -> Result<&[u8], StorageFault> {
        let begin = (address % SLICE_BYTES_MAX as u64) as usize;
        let run = &self.pages[begin..][..(limit as usize).min(SLICE_BYTES_MAX - begin)];
        self.is_begun |= address == 0;
        self.fetched_bytes += run.len() as u64;
        Ok(run)
    }

    fn store(&mut self, _: u64, octets: &[u8], _: u8) -> Result<usize, StorageFault> {
        Ok(octets.len())
    }
}

/// Storage of every stream, and the one that was reached last.
#[derive(Debug)]
pub struct LengthSpaces {
    /// By number of the address space.
    pub storages: Vec<LengthStorage>,
    /// Number of the last one.
    pub last: usize,
}

impl Spaces for LengthSpaces {
    type Storage = LengthStorage;

    fn storage(&mut self, space: SpaceId) -> Option<&mut LengthStorage> {
        self.last = space.0 as usize;
        self.storages.get_mut(self.last)
    }
}

/// Engine that counts.
#[derive(Debug)]
pub struct LengthEngine;

impl Engine for LengthEngine {
    fn name(&self) -> &'static str {
        "lengths"
    }

    fn deflate(&mut self, slice: &[u8], _: Position, output: &mut [u8]) -> Result<usize, EngineFault> {
        let stated = slice.first_chunk().map_or(PARTS as u32, |parts| u32::from_be_bytes(*parts));
        let bytes = (slice.len() as f64 * f64::from(stated) / PARTS).ceil() as usize;
        if bytes <= output.len() { Ok(bytes) } else { Err(EngineFault::OutputFull) }
    }

    fn inflate(&mut self, _: &[u8], _: &mut [u8]) -> Result<Inflated, EngineFault> {
        Err(EngineFault::Corrupt)
    }

    fn crc32(&self, before: u32, _: &[u8]) -> u32 {
        before
    }

    fn adler32(&self, before: u32, _: &[u8]) -> u32 {
        before
    }
}
