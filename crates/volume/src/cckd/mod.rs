//! Compressed images of the Hercules emulator: `CKD_C370` for count-key-data devices, `FBA_C370` for fixed-block
//! devices. The layout is that of the manual page cckd(4) of Hercules 3.13; points that it leaves open were taken
//! from images that `dasdinit`, `dasdload` and `cckdswap` make and from the messages of `cckdcdsk` and `cckd2ckd`
//! about them.
//!
//! ```text
//! 0     device header, 512 octets
//! 512   compressed-device header, 512 octets: counters, first free space, null format, compression
//! 1024  level-1 table: offset of the level-2 table of each 256 units; 0 for none
//!       level-2 tables: position, length and size of each unit; position 0 for a null track
//!       units: 5-octet header (compression, CCHH or block group), packed octets
//!       free spaces, each with the offset of the next one and its own length
//! ```

mod check;
mod compact;
mod compression;
mod device;
mod fault;
mod free_space;
mod header;
mod image;
mod image_writer;
mod level_tables;
mod null_track;
mod packed_unit;
mod repair;
mod scan;
mod space_map;
#[cfg(test)]
mod tests;

pub use check::{CheckDepth, check};
pub use compact::compact;
pub use compression::Compression;
pub use device::{BLOCKS_PER_GROUP, CckdDevice, GROUP_BYTES};
pub use fault::{CckdFault, Finding};
pub use image::CckdImage;
pub use image_writer::CckdWriter;
pub use null_track::NullFormat;
pub use repair::{Repair, repair};

/// Entries of a level-2 table.
const LEVEL2_ENTRIES: u32 = 256;
/// Octets of a level-2 table.
const LEVEL2_BYTES: u32 = LEVEL2_ENTRIES * 8;
/// Offset of the level-1 table.
const LEVEL1_OFFSET: u64 = 1024;
/// Most octets of an image: its offsets have 32 bits, and all ones is no offset.
const MOST_IMAGE_BYTES: u64 = u32::MAX as u64 - 1;
