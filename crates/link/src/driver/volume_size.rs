//! Size of a volume, in tracks or in blocks, and where its records lie.

use halftrack_program::{Geometry, RecordAddress};

use super::region::Place;

/// Bytes of a block.
pub const BLOCK_BYTES: u32 = 512;

/// Size of a volume, as its device reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeSize {
    /// Tracks of records with count, key and data.
    Tracks(Geometry),
    /// So many blocks of 512 bytes. A record of a stream is some of them, and stands for a track with one record.
    Blocks(u32),
}

/// Where a record lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordPlace {
    /// On a track.
    Track(RecordAddress),
    /// From this block on.
    Block(u32),
}

impl From<Geometry> for VolumeSize {
    fn from(geometry: Geometry) -> Self {
        Self::Tracks(geometry)
    }
}

impl VolumeSize {
    /// Returns where a record of `record_bytes` lies.
    pub fn record_place(&self, place: Place, record_bytes: u16) -> RecordPlace {
        match self {
            Self::Tracks(geometry) => RecordPlace::Track(place.address(geometry)),
            Self::Blocks(_) => RecordPlace::Block(first_block(place, record_bytes)),
        }
    }

    /// Returns the last cylinder; nothing for blocks.
    pub fn last_cylinder(&self) -> Option<u32> {
        match self {
            Self::Tracks(geometry) => Some(geometry.cylinders() - 1),
            Self::Blocks(_) => None,
        }
    }
}

/// Returns the first block of a record of `record_bytes`.
pub fn first_block(place: Place, record_bytes: u16) -> u32 {
    place.track * (u32::from(record_bytes) / BLOCK_BYTES)
}
