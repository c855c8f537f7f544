//! The volume label and the volume table of contents: which data sets lie where on a volume.
//!
//! ```text
//! label (cylinder 0 track 0 record 3) ─> format 4 (extent of the VTOC) ─> every DSCB of that extent
//!                                             format 1, or 8 ─> 9 ─┐
//!                                                       └─> 3 ─> 3 ┴─> extents
//! ```
//!
//! Layout of the data-set control blocks: z/OS DFSMSdfp Advanced Services, "DSCB record formats". Nothing on the
//! volume is trusted: what contradicts itself is a [`VtocFault`] beside everything that could be read.

mod block_cursor;
mod data_set;
mod date;
mod directory;
mod dscb;
mod extent;
mod free_space;
mod label;
mod logical_records;
mod record_format;
#[cfg(test)]
mod rig;

use halftrack_program::{Geometry, RecordAddress, TrackAddress};
use thiserror::Error;

pub use block_cursor::{BlockCursor, ReadError};
pub use data_set::{AllocationUnit, DataSet, DataSetKind, LastBlock, Organization, SecondaryAllocation};
pub use date::Date;
pub use directory::{Directory, Member, RelativeTrack};
pub use extent::{Extent, ExtentKind};
pub use free_space::TrackRun;
pub use label::{LabelKind, VolumeLabel};
pub use logical_records::{LogicalRecords, RECORD_MAXIMUM_BYTES};
pub use record_format::{Blocking, RecordFormat};

use crate::tracks::{TrackFault, Tracks};
use crate::vtoc::dscb::{Dscb, DscbFormat, Dscbs};

/// Why a volume has no table of contents that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum VtocError {
    /// A track that is needed cannot be read.
    #[error("cylinder {cylinder} head {head}: {fault}", cylinder = .at.cylinder(), head = .at.head())]
    Track {
        /// The track.
        at: TrackAddress,
        /// Why.
        fault: TrackFault,
    },
    /// There is no label.
    #[error("the volume has no label: record 3 of cylinder 0 head 0 begins with none of VOL1, LNX1, CMS1")]
    NoLabel,
    /// The label names no VTOC.
    #[error("the label of the volume names no VTOC; the volume was not formatted for data sets")]
    NoVtoc,
    /// The record named by the label is not a format-4 DSCB.
    #[error(
        "the label names cylinder {} head {} record {} as the VTOC, where no format-4 DSCB lies",
        .at.cylinder, .at.head, .at.record
    )]
    NoFormat4 {
        /// Address in the label.
        at: RecordAddress,
    },
}

/// Contradiction in a VTOC.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VtocFault {
    /// A track of the VTOC cannot be read; the data sets described there are missing.
    #[error("a track of the VTOC cannot be read: {fault}")]
    Track {
        /// Why.
        fault: TrackFault,
    },
    /// The device has fewer cylinders than its format-4 DSCB has: the image was cut short.
    #[error("the format-4 DSCB has {said} cylinders and the image {found}: the image may be incomplete")]
    Cylinders {
        /// Number in the DSCB.
        said: u16,
        /// Number in the image.
        found: u32,
    },
    /// A record of the VTOC is not a DSCB.
    #[error(
        "record {record} is not a DSCB: {key_bytes} bytes of key and {data_bytes} of data, 44 and 96 expected"
    )]
    NoDscb {
        /// Its number.
        record: u8,
        /// Bytes of its key area.
        key_bytes: u8,
        /// Bytes of its data area.
        data_bytes: u16,
    },
    /// A DSCB points to one that is not there or of another format.
    #[error("{name}: its chain of DSCBs is broken; only the first {extents} of its extents are listed")]
    Chain {
        /// Data set.
        name: String,
        /// Extents found before.
        extents: usize,
    },
    /// The number of extents differs.
    #[error("{name}: its DSCB counts {counted} extents, {found} are there")]
    ExtentCount {
        /// Data set.
        name: String,
        /// Number in the DSCB.
        counted: u8,
        /// Number found.
        found: usize,
    },
    /// An extent lies outside of the volume or ends before it begins.
    #[error("{name}: extent {number} is not on the volume: cylinder {} head {} to cylinder {} head {}",
        .extent.begin.cylinder(), .extent.begin.head(), .extent.end.cylinder(), .extent.end.head())]
    Extent {
        /// Data set.
        name: String,
        /// From 1.
        number: usize,
        /// The extent.
        extent: Extent,
    },
    /// Two extents share tracks.
    #[error("{name} and {other} both have cylinder {} head {}", .at.cylinder(), .at.head())]
    Overlap {
        /// Data set.
        name: String,
        /// The other.
        other: String,
        /// First track that they share.
        at: TrackAddress,
    },
}

/// A fault and the track of the VTOC where it was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFault {
    /// Track of the VTOC.
    pub at: TrackAddress,
    /// The fault.
    pub fault: VtocFault,
}

/// The table of contents of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vtoc {
    /// Where it lies.
    pub extent: Extent,
    /// DSCBs in it that are free (format 0).
    pub free_dscbs: u32,
    /// DSCBs in it.
    pub dscbs: u32,
    /// The data sets, by name.
    pub data_sets: Vec<DataSet>,
    /// Contradictions.
    pub faults: Vec<PlacedFault>,
}

impl Vtoc {
    /// Reads the table of contents that the label of a volume names.
    ///
    /// # Errors
    /// [`VtocError`] when there is none; whatever is wrong inside is in [`Vtoc::faults`].
    pub fn read<T: Tracks>(tracks: &mut T) -> Result<Self, VtocError> {
        let label = VolumeLabel::read(tracks)?.ok_or(VtocError::NoLabel)?;
        let at = label.vtoc.ok_or(VtocError::NoVtoc)?;
        let geometry = *tracks.geometry();
        let missing = VtocError::NoFormat4 { at };
        let track = TrackAddress::new(at.cylinder, at.head).ok_or(missing)?;
        let first = dscb::read_one(tracks, track, at.record)?.ok_or(missing)?;
        let extent = first.vtoc_extent().filter(|extent| extent.tracks(&geometry) > 0).ok_or(missing)?;
        let mut faults = Vec::new();
        let found = geometry.cylinders();
        if let Some(said) = first.device_cylinders().filter(|said| u32::from(*said) > found) {
            faults.push(PlacedFault { at: track, fault: VtocFault::Cylinders { said, found } });
        }
        let dscbs = Dscbs::read(tracks, &extent, &mut faults);
        let mut data_sets = Vec::new();
        for (at, dscb) in dscbs.iter() {
            if matches!(dscb.format(), DscbFormat::Format1 | DscbFormat::Format8) {
                let data_set = DataSet::read(dscb, at, &dscbs, &geometry, &mut faults);
                data_sets.push(data_set);
            }
        }
        data_sets.sort_by(|one, other| one.name.cmp(&other.name));
        let free = |(_, dscb): &([u8; 5], &Dscb)| dscb.format() == DscbFormat::Free;
        let free_dscbs = dscbs.iter().filter(free).count() as u32;
        let mut vtoc = Self { extent, free_dscbs, dscbs: dscbs.len() as u32, data_sets, faults };
        vtoc.find_overlaps(&geometry);
        Ok(vtoc)
    }

    /// Returns the data set of this name, in upper or lower case.
    pub fn find(&self, name: &str) -> Option<&DataSet> {
        self.data_sets.iter().find(|data_set| data_set.name.eq_ignore_ascii_case(name))
    }

    /// Returns the tracks that no data set, no label and no VTOC has, ascending.
    pub fn free_space(&self, geometry: &Geometry) -> Vec<TrackRun> {
        free_space::free_space(&self.extent, &self.data_sets, geometry)
    }

    fn find_overlaps(&mut self, geometry: &Geometry) {
        let overlaps = free_space::overlaps(&self.extent, &self.data_sets, geometry);
        let at = self.extent.begin;
        self.faults.extend(overlaps.into_iter().map(|fault| PlacedFault { at, fault }));
    }
}

#[cfg(test)]
mod tests;
