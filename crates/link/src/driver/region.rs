//! Where the records lie that a stream goes to: consecutive tracks of a volume, full of records of one length.

use halftrack_program::{Geometry, ProgramShape, RecordAddress, TrackAddress};
use thiserror::Error;

use super::volume_size::{BLOCK_BYTES, VolumeSize};

/// Bytes that one CCW moves at most, in whole blocks.
const CCW_BLOCKS_BYTES: u32 = 65_535 / BLOCK_BYTES * BLOCK_BYTES;
/// Blocks of a volume of fixed blocks before the first record: IPL record and volume label.
const LABEL_BLOCKS: u32 = 2;

/// Why a stream has no place on a volume.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegionError {
    /// No record of this length fits a track.
    #[error("a track of unit {unit:02X} has no room for a record of {record_bytes} bytes")]
    RecordTooLong {
        /// Unit address.
        unit: u8,
        /// Data bytes of a record.
        record_bytes: u16,
    },
    /// The volume ends before the cylinders do.
    #[error("unit {unit:02X} has {cylinders} cylinders, the last of them is {}", cylinders - 1)]
    PastVolume {
        /// Unit address.
        unit: u8,
        /// Cylinders of the volume.
        cylinders: u32,
    },
    /// Records of a volume with fixed blocks are whole blocks.
    #[error("unit {unit:02X} has blocks of 512 bytes, of which no record of {record_bytes} bytes is made")]
    NoBlocks {
        /// Unit address.
        unit: u8,
        /// Data bytes of a record.
        record_bytes: u16,
    },
    /// A volume with fixed blocks has no cylinders.
    #[error("unit {unit:02X} has blocks and no cylinders: leave \"cylinders\" out")]
    NoCylinders {
        /// Unit address.
        unit: u8,
    },
    /// One CCW moves all blocks of a program.
    #[error("a program of {bytes} bytes is longer than the 65,024 that one CCW of unit {unit:02X} moves")]
    LongProgram {
        /// Unit address.
        unit: u8,
        /// Bytes of the program.
        bytes: u32,
    },
    /// The program touches more tracks than the cylinders have.
    #[error("a program of {records} records does not fit {tracks} tracks of unit {unit:02X}")]
    TooFewTracks {
        /// Unit address.
        unit: u8,
        /// Records of the program.
        records: u16,
        /// Tracks of the cylinders.
        tracks: u32,
    },
}

/// Consecutive tracks full of records of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Data bytes of every record.
    pub record_bytes: u16,
    /// Records of every track.
    pub records_per_track: u8,
    /// Number of the first track.
    pub first_track: u32,
    /// Tracks.
    pub tracks: u32,
}

impl Region {
    /// Returns the records of `record_bytes` on the volume of this size at `unit`: those of `cylinders`, or of all blocks
    /// behind the label.
    ///
    /// # Errors
    /// [`RegionError`].
    pub fn on(
        unit: u8,
        size: &VolumeSize,
        record_bytes: u16,
        cylinders: Option<(u32, u32)>,
    ) -> Result<Self, RegionError> {
        match size {
            VolumeSize::Tracks(geometry) => Self::new(unit, geometry, record_bytes, cylinders),
            VolumeSize::Blocks(_) if cylinders.is_some() => Err(RegionError::NoCylinders { unit }),
            VolumeSize::Blocks(blocks) => Self::of_blocks(unit, *blocks, record_bytes),
        }
    }

    fn of_blocks(unit: u8, blocks: u32, record_bytes: u16) -> Result<Self, RegionError> {
        let record_blocks = u32::from(record_bytes) / BLOCK_BYTES;
        if record_blocks == 0 || !u32::from(record_bytes).is_multiple_of(BLOCK_BYTES) {
            return Err(RegionError::NoBlocks { unit, record_bytes });
        }
        let first_track = LABEL_BLOCKS.div_ceil(record_blocks);
        let tracks = (blocks / record_blocks).saturating_sub(first_track);
        Ok(Self { record_bytes, records_per_track: 1, first_track, tracks })
    }

    /// Returns the records of the whole volume of which this region is a part.
    ///
    /// # Errors
    /// [`RegionError`].
    pub fn whole(&self, unit: u8, size: &VolumeSize) -> Result<Self, RegionError> {
        match size.last_cylinder() {
            Some(last) => Self::on(unit, size, self.record_bytes, Some((0, last))),
            None => Ok(*self),
        }
    }

    /// Returns the cylinders `first..=last` of the volume at `unit`, for records of `record_bytes`. Without cylinders all
    /// behind cylinder 0, which holds label and table of contents.
    ///
    /// # Errors
    /// [`RegionError`]: a length that fits no track; cylinders that the volume does not have.
    pub fn new(
        unit: u8,
        geometry: &Geometry,
        record_bytes: u16,
        cylinders: Option<(u32, u32)>,
    ) -> Result<Self, RegionError> {
        let last_cylinder = geometry.cylinders() - 1;
        let (first, last) = cylinders.unwrap_or((1.min(last_cylinder), last_cylinder));
        if last > last_cylinder || first > last {
            return Err(RegionError::PastVolume { unit, cylinders: geometry.cylinders() });
        }
        let records_per_track = geometry.records_per_track(record_bytes, 0);
        if records_per_track == 0 {
            return Err(RegionError::RecordTooLong { unit, record_bytes });
        }
        let heads = u32::from(geometry.heads());
        let (first_track, tracks) = (first * heads, (last - first + 1) * heads);
        Ok(Self { record_bytes, records_per_track, first_track, tracks })
    }

    /// Returns that a program of `shape` finds a place.
    ///
    /// # Errors
    /// [`RegionError::TooFewTracks`]; [`RegionError::LongProgram`].
    pub fn check(&self, unit: u8, size: &VolumeSize, shape: &ProgramShape) -> Result<(), RegionError> {
        let bytes = shape.data_bytes();
        if matches!(size, VolumeSize::Blocks(_)) && bytes > CCW_BLOCKS_BYTES {
            return Err(RegionError::LongProgram { unit, bytes });
        }
        let (records, tracks) = (shape.records, self.tracks);
        if self.starts(records) == 0 {
            return Err(RegionError::TooFewTracks { unit, records, tracks });
        }
        Ok(())
    }

    /// Returns the number of the track behind the last.
    pub fn end(&self) -> u32 {
        self.first_track + self.tracks
    }

    /// Returns whether both have a track in common.
    pub fn overlaps(&self, other: &Region) -> bool {
        self.first_track < other.end() && other.first_track < self.end()
    }

    /// Returns the tracks that `records` records take from the first of a track.
    pub fn tracks_of(&self, records: u16) -> u32 {
        u32::from(records).div_ceil(u32::from(self.records_per_track))
    }

    /// Returns the places where a program of `records` records may begin: any record for one, the first of a track for more.
    #[inline]
    pub fn starts(&self, records: u16) -> u32 {
        if records == 1 {
            self.tracks.saturating_mul(u32::from(self.records_per_track))
        } else {
            (self.tracks + 1).saturating_sub(self.tracks_of(records))
        }
    }

    /// Returns the place numbered `start`.
    #[inline]
    pub fn start(&self, records: u16, start: u32) -> Place {
        let per_track = u32::from(self.records_per_track);
        if records == 1 {
            Place { track: self.first_track + start / per_track, record: (start % per_track) as u8 + 1 }
        } else {
            Place { track: self.first_track + start, record: 1 }
        }
    }

    /// Returns the places of `records` records from `place` on.
    #[inline]
    pub fn places(&self, place: Place, records: u16) -> impl Iterator<Item = Place> + use<> {
        let per_track = self.records_per_track;
        let mut next = place;
        (0..records).map(move |_| {
            let this = next;
            next = if this.record < per_track {
                Place { record: this.record + 1, ..this }
            } else {
                Place { track: this.track + 1, record: 1 }
            };
            this
        })
    }
}

/// A record of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Number of the track.
    pub track: u32,
    /// Number of the record.
    pub record: u8,
}

impl Place {
    /// Returns the track's address on a volume of `geometry`; that of the first track when the volume has no such track.
    #[inline]
    pub fn track_address(&self, geometry: &Geometry) -> TrackAddress {
        let heads = u32::from(geometry.heads());
        TrackAddress::new(self.track / heads, (self.track % heads) as u8).unwrap_or_default()
    }

    /// Returns the record's address on a volume of `geometry`.
    pub fn address(&self, geometry: &Geometry) -> RecordAddress {
        let track = self.track_address(geometry);
        RecordAddress { cylinder: track.cylinder(), head: track.head(), record: self.record }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::{Grouping, Operation, Positioning};

    fn geometry() -> Geometry {
        Geometry::with_cylinders(10).unwrap()
    }

    fn shape(records: u16) -> ProgramShape {
        let (operation, grouping, positioning) = (Operation::Read, Grouping::Records, Positioning::Prefix);
        ProgramShape { operation, record_bytes: 4096, records, grouping, positioning }
    }

    #[test]
    fn all_cylinders_but_the_first_unless_said() {
        let all = Region::new(0, &geometry(), 4096, None).unwrap();
        assert_eq!((all.first_track, all.tracks, all.records_per_track), (15, 135, 12));
        let some = Region::new(0, &geometry(), 27_998, Some((2, 3))).unwrap();
        assert_eq!((some.first_track, some.tracks, some.records_per_track), (30, 30, 2));
        assert!(all.overlaps(&some) && some.overlaps(&all));
        let rest = Region::new(0, &geometry(), 4096, Some((4, 9))).unwrap();
        assert!(!some.overlaps(&rest) && !rest.overlaps(&some));
        let tiny = Geometry::with_cylinders(1).unwrap();
        assert_eq!(Region::new(0, &tiny, 4096, None).unwrap().first_track, 0);
    }

    #[test]
    fn what_has_no_place_is_refused() {
        let past = RegionError::PastVolume { unit: 7, cylinders: 10 };
        assert_eq!(past.to_string(), "unit 07 has 10 cylinders, the last of them is 9");
        assert_eq!(Region::new(7, &geometry(), 4096, Some((9, 10))), Err(past));
        let long = Err(RegionError::RecordTooLong { unit: 7, record_bytes: 56_665 });
        assert_eq!(Region::new(7, &geometry(), 56_665, None), long);
        let one = Region::new(7, &geometry(), 4096, Some((1, 1))).unwrap();
        assert_eq!(one.check(7, &geometry().into(), &shape(180)), Ok(()));
        let few = Err(RegionError::TooFewTracks { unit: 7, records: 181, tracks: 15 });
        assert_eq!(one.check(7, &geometry().into(), &shape(181)), few);
    }

    #[test]
    fn records_of_blocks_lie_behind_the_label() {
        let size = VolumeSize::Blocks(1000);
        let region = Region::on(5, &size, 4096, None).unwrap();
        assert_eq!((region.first_track, region.tracks, region.records_per_track), (1, 124, 1));
        assert_eq!(Region::on(5, &size, 512, None).unwrap().first_track, 2);
        assert_eq!((region.starts(1), region.starts(15)), (124, 110));
        assert_eq!(region.whole(5, &size), Ok(region));
        assert_eq!(
            Region::on(5, &size, 4095, None),
            Err(RegionError::NoBlocks { unit: 5, record_bytes: 4095 })
        );
        assert_eq!(Region::on(5, &size, 4096, Some((0, 1))), Err(RegionError::NoCylinders { unit: 5 }));
        assert_eq!(region.check(5, &size, &shape(15)), Ok(()));
        let long = RegionError::LongProgram { unit: 5, bytes: 65_536 };
        assert_eq!(region.check(5, &size, &shape(16)), Err(long));
        let tiny = VolumeSize::Blocks(3);
        assert!(Region::on(5, &tiny, 4096, None).unwrap().check(5, &tiny, &shape(1)).is_err());
    }

    #[test]
    fn one_record_begins_anywhere_and_more_at_a_track() {
        let region = Region::new(0, &geometry(), 4096, Some((1, 1))).unwrap();
        assert_eq!((region.starts(1), region.starts(32)), (180, 13));
        assert_eq!(region.start(1, 179), Place { track: 29, record: 12 });
        assert_eq!(region.start(32, 12), Place { track: 27, record: 1 });
        let places: Vec<_> = region.places(Place { track: 15, record: 12 }, 2).collect();
        assert_eq!(places, [Place { track: 15, record: 12 }, Place { track: 16, record: 1 }]);
    }

    #[test]
    fn places_have_addresses() {
        let address = Place { track: 31, record: 4 }.address(&geometry());
        assert_eq!((address.cylinder, address.head, address.record), (2, 1, 4));
    }
}
