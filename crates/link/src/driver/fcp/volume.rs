//! A logical unit as the driver sees it: its blocks, in records that are compared.

use halftrack_config::channel_file::DriveRun;
use halftrack_wire::fcp::Lun;

use super::finding::LunSize;
use crate::driver::contents::Contents;
use crate::driver::region::{Place, Region};
use crate::driver::volume_size::VolumeSize;

/// Bytes in which places of records are counted.
const PLACE_BYTES: u64 = 512;

/// A logical unit.
#[derive(Debug)]
pub struct LunVolume {
    /// Its number in commands.
    pub lun: Lun,
    /// Its blocks.
    pub size: LunSize,
    /// Contents of its records.
    pub contents: Contents,
}

impl LunVolume {
    /// Returns a unit whose records have so many bytes; `records` of them are used at most.
    pub fn new(number: u8, size: LunSize, record_bytes: u16, records: u32, run: &DriveRun) -> Self {
        let region = Region { record_bytes, records_per_track: 1, first_track: 0, tracks: records };
        let places = (size.blocks * u64::from(size.block_bytes) / PLACE_BYTES).min(u32::MAX.into()) as u32;
        let contents =
            Contents::new(number, VolumeSize::Blocks(places), u64::from(number), run.contents, region);
        Self { lun: Lun::of_number(number.into()).unwrap_or_default(), size, contents }
    }

    /// Returns the first logical block of a record, and the blocks of so many bytes.
    #[inline]
    pub fn extent(&self, place: Place, record_bytes: u16, bytes: u32) -> (u64, u32) {
        let block_bytes = self.size.block_bytes;
        let first = u64::from(place.track) * u64::from(record_bytes) / u64::from(block_bytes);
        (first, bytes / block_bytes)
    }
}
