//! The blocks of a data set, one after the other over its extents.

use halftrack_program::{Geometry, TrackAddress};
use thiserror::Error;

use crate::tracks::{Track, TrackFault, Tracks};
use crate::vtoc::data_set::{DataSet, DataSetKind, Organization};
use crate::vtoc::directory::RelativeTrack;
use crate::vtoc::extent::{Extent, track_at, track_number};

/// Why a data set cannot be read further.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Its content has a form that is not read here.
    #[error("{0}")]
    Form(&'static str),
    /// A track cannot be read.
    #[error("cylinder {} head {}: {fault}", .at.cylinder(), .at.head())]
    Track {
        /// The track.
        at: TrackAddress,
        /// Why.
        fault: TrackFault,
    },
    /// A block contradicts the record format.
    #[error("cylinder {} head {} record {record}: {reason}", .at.cylinder(), .at.head())]
    Block {
        /// The track.
        at: TrackAddress,
        /// Record number.
        record: u8,
        /// Description of the fault.
        reason: &'static str,
    },
    /// A place in the data set that it does not have.
    #[error("track {track} record {record} of the data set, which has {tracks} tracks, is missing")]
    NoPlace {
        /// Track of the data set, from 0.
        track: u32,
        /// Record.
        record: u8,
        /// Tracks that the data set has.
        tracks: u32,
    },
}

/// Where a data set begins.
const FIRST_BLOCK: RelativeTrack = RelativeTrack { track: 0, record: 1 };

/// A place among the blocks of a data set. It ends at an end-of-file record, or behind the last extent; where a
/// data set continues on another volume and has no end-of-file record here, behind the last block written.
#[derive(Debug, Clone)]
pub struct BlockCursor {
    extents: Vec<Extent>,
    geometry: Geometry,
    /// Last block, when no end-of-file record is to be expected.
    last: Option<RelativeTrack>,
    /// Track of the data set, from 0.
    track: u32,
    /// Record to begin with on the first track; its number, not its place.
    from: u8,
    /// Place on the track of the next block; 0 before the first.
    place: u8,
    /// Where the block that was read last is.
    at: (TrackAddress, u8),
    key_bytes: usize,
    block: Vec<u8>,
}

impl BlockCursor {
    /// Returns the before the first block.
    ///
    /// # Errors
    /// [`ReadError::Form`] for libraries and other data sets that have no blocks of records.
    pub fn new(data_set: &DataSet, geometry: &Geometry) -> Result<Self, ReadError> {
        Self::at(data_set, geometry, FIRST_BLOCK)
    }

    /// Returns the before a block in the middle: a member, as the directory has it.
    ///
    /// # Errors
    /// [`ReadError::Form`] for libraries and other data sets that have no blocks of records,
    /// [`ReadError::NoPlace`] outside of the data set.
    pub fn at(data_set: &DataSet, geometry: &Geometry, begin: RelativeTrack) -> Result<Self, ReadError> {
        check_form(data_set)?;
        let extents: Vec<Extent> =
            data_set.extents.iter().filter(|extent| extent.kind.is_data()).copied().collect();
        let last = data_set.last_block.filter(|_| !data_set.ends_here);
        let cursor = Self {
            extents,
            geometry: *geometry,
            last: last.map(|last| RelativeTrack { track: last.track, record: last.record }),
            track: begin.track,
            from: begin.record,
            place: 0,
            at: (TrackAddress::default(), 0),
            key_bytes: 0,
            block: Vec::new(),
        };
        // A data set without tracks has no block either, and that is no fault.
        if cursor.track_address().is_none() && begin != FIRST_BLOCK {
            return Err(cursor.no_place(begin.record));
        }
        Ok(cursor)
    }

    /// Reads the next block: its data area, or nothing behind the last.
    ///
    /// # Errors
    /// [`ReadError::Track`]; on the next call the cursor continues with the next track.
    pub fn next<T: Tracks>(&mut self, tracks: &mut T) -> Result<Option<&[u8]>, ReadError> {
        while let Some(at) = self.track_address() {
            let track = match tracks.track(at) {
                Ok(track) => track,
                Err(fault) => {
                    self.next_track();
                    return Err(ReadError::Track { at, fault });
                }
            };
            if let Err(error) = self.orient(&track) {
                // There is nothing to go on with.
                self.track = u32::MAX;
                return Err(error);
            }
            let Some(count) = track.count(self.place) else {
                self.next_track();
                continue;
            };
            let here = RelativeTrack { track: self.track, record: count.record };
            if count.area_bytes() == 0 || self.last.is_some_and(|last| here > last) {
                return Ok(None);
            }
            self.block.clear();
            self.block.extend_from_slice(track.key(self.place).bytes().unwrap_or_default());
            self.key_bytes = self.block.len();
            self.block.extend_from_slice(track.data(self.place).bytes().unwrap_or_default());
            self.at = (at, count.record);
            self.place = self.place.saturating_add(1);
            return Ok(self.block.get(self.key_bytes..));
        }
        Ok(None)
    }

    /// Returns the data area of the block that was read last.
    pub fn data(&self) -> &[u8] {
        self.block.get(self.key_bytes..).unwrap_or_default()
    }

    /// Returns the key area of the block that was read last.
    pub fn key(&self) -> &[u8] {
        self.block.get(..self.key_bytes).unwrap_or_default()
    }

    /// Returns the track and record number of the block that was read last.
    pub fn address(&self) -> (TrackAddress, u8) {
        self.at
    }

    /// Describes the fault of the block that was read last.
    pub(super) fn fault(&self, reason: &'static str) -> ReadError {
        ReadError::Block { at: self.at.0, record: self.at.1, reason }
    }

    /// Selects the first record at the begin of a track.
    fn orient(&mut self, track: &impl Track) -> Result<(), ReadError> {
        if self.place > 0 {
            return Ok(());
        }
        let begins = |place: &u8| track.count(*place).is_some_and(|count| count.record == self.from);
        self.place = match self.from {
            1 => 1,
            record => (1..track.records()).find(begins).ok_or_else(|| self.no_place(record))?,
        };
        Ok(())
    }

    fn no_place(&self, record: u8) -> ReadError {
        let tracks = self.extents.iter().map(|extent| extent.tracks(&self.geometry));
        ReadError::NoPlace { track: self.track, record, tracks: tracks.fold(0, u32::saturating_add) }
    }

    fn next_track(&mut self) {
        (self.track, self.from, self.place) = (self.track.saturating_add(1), 1, 0);
    }

    fn track_address(&self) -> Option<TrackAddress> {
        let mut before = self.track;
        for extent in &self.extents {
            let tracks = extent.tracks(&self.geometry);
            if before < tracks {
                return track_at(track_number(extent.begin, &self.geometry) + before, &self.geometry);
            }
            before -= tracks;
        }
        None
    }
}

/// Refuses a data set whose extents hold something else than blocks of records.
fn check_form(data_set: &DataSet) -> Result<(), ReadError> {
    let reason = match (data_set.kind, data_set.organization) {
        (DataSetKind::Pdse, _) => {
            "it is a PDSE, whose pages are not documented; copy it into a PDS on the system that made it"
        }
        (DataSetKind::Hfs, _) => "it is a hierarchical file system, not records",
        (DataSetKind::Extended, _) => {
            "it is in extended format, whose blocks may be striped or compressed; copy it into a basic or large \
             data set on the system that made it"
        }
        (DataSetKind::Plain, Organization::Vsam) => {
            "it is a VSAM cluster; export it with IDCAMS REPRO on the system that made it"
        }
        (DataSetKind::Plain, Organization::Indexed) => "it is an indexed sequential data set (ISAM)",
        (DataSetKind::Plain, _) => return Ok(()),
    };
    Err(ReadError::Form(reason))
}
