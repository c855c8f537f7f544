//! Where the records of a shape lie: how many on which track.

use crate::address::{RecordAddress, TrackAddress};
use crate::build_error::BuildError;
use crate::define_extent::{
    DefineExtent, DefineExtentExtension, ExtendedAttributes, FileMask, GlobalAttributes,
};
use crate::geometry::Geometry;
use crate::locate_record::{NO_SECTOR, Target};
use crate::shape::{Operation, ProgramShape};

/// A shape at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    pub shape: ProgramShape,
    pub start: RecordAddress,
    pub first_track: TrackAddress,
    pub last_track: TrackAddress,
    /// Tracks touched.
    pub tracks: u16,
    /// Records of this length on a track.
    pub records_per_track: u8,
    /// Sector of the first record.
    pub sector: u8,
}

impl Placement {
    /// Returns the places `shape` at `start`.
    pub(crate) fn new(
        shape: &ProgramShape,
        start: &RecordAddress,
        geometry: &Geometry,
    ) -> Result<Self, BuildError> {
        if shape.records == 0 || shape.record_bytes == 0 {
            return Err(BuildError::Empty);
        }
        let records_per_track = geometry.records_per_track(shape.record_bytes, 0);
        if records_per_track == 0 {
            return Err(BuildError::RecordTooLong { record_bytes: shape.record_bytes });
        }
        let no_start = BuildError::NoSuchStart { start: *start, records_per_track };
        let first_track = TrackAddress::new(start.cylinder, start.head)
            .filter(|track| geometry.contains(*track))
            .filter(|_| (1..=records_per_track).contains(&start.record))
            .ok_or(no_start)?;
        let past = u32::from(start.record) - 1 + u32::from(shape.records);
        let tracks = past.div_ceil(u32::from(records_per_track));
        let last_track = geometry
            .advance(first_track, tracks - 1)
            .ok_or(BuildError::PastVolume { records: shape.records })?;
        Ok(Self {
            shape: *shape,
            start: *start,
            first_track,
            last_track,
            tracks: tracks as u16,
            records_per_track,
            sector: geometry.sector(start.record, shape.record_bytes).unwrap_or(NO_SECTOR),
        })
    }

    /// Returns the records of the program on each of its tracks, in order.
    pub(crate) fn records_by_track(&self) -> impl Iterator<Item = u8> + use<> {
        let per_track = u16::from(self.records_per_track);
        let mut left = self.shape.records;
        let mut room = per_track + 1 - u16::from(self.start.record);
        std::iter::from_fn(move || {
            let records = left.min(room);
            left -= records;
            room = per_track;
            (records > 0).then_some(records as u8)
        })
    }

    /// Returns the bytes of data of `records` records. A track holds less than 65,536 bytes.
    pub(crate) fn data_bytes(&self, records: u8) -> u16 {
        u16::from(records) * self.shape.record_bytes
    }

    /// Returns the transfer-length factor of a domain of tracks: the bytes of the program on its last track.
    pub(crate) fn last_track_bytes(&self) -> u16 {
        self.records_by_track().last().map_or(0, |records| self.data_bytes(records))
    }

    /// Returns the units of a domain as its one-byte count.
    pub(crate) fn domain_count(&self, units: u16, unit: &'static str) -> Result<u8, BuildError> {
        u8::try_from(units).map_err(|_| BuildError::DomainTooLong { units, unit })
    }

    /// Returns the Define Extent parameters over exactly the tracks touched.
    pub(crate) fn define_extent(&self) -> DefineExtent {
        let mask = match self.shape.operation {
            Operation::Read => FileMask::INHIBIT_WRITES,
            Operation::UpdateWrite => FileMask::UPDATE_WRITES_ONLY,
        };
        DefineExtent {
            mask,
            attributes: GlobalAttributes::ECKD,
            block_size_bytes: self.shape.record_bytes,
            fast_write_id: 0,
            extended_attributes: ExtendedAttributes::REGULAR_DATA_FORMAT,
            begin: self.first_track,
            end: self.last_track,
            extension: None,
        }
    }

    /// Returns the Define Extent parameters with the number of records on a track, as transport mode needs.
    pub(crate) fn define_extent_with_records(&self) -> DefineExtent {
        let plain = self.define_extent();
        DefineExtent {
            extended_attributes: plain.extended_attributes | ExtendedAttributes::EXTENDED_PARAMETERS,
            extension: Some(DefineExtentExtension {
                format: DefineExtentExtension::RECORDS_PER_TRACK_VALID,
                records_per_track: self.records_per_track,
                ..DefineExtentExtension::default()
            }),
            ..plain
        }
    }

    /// Returns where the domain starts.
    pub(crate) fn target(&self) -> Target {
        Target {
            seek: self.first_track,
            search: self.first_track,
            record: self.start.record,
            sector: self.sector,
        }
    }
}
