//! What the tests of several modules share: tracks of any layout, and parameters of positioning commands.

use std::collections::BTreeMap;

use halftrack_program::command::PREFIX;
use halftrack_program::{
    DefineExtent, DomainOperation, ExtendedAttributes, ExtendedAuxiliary, ExtendedOperation, FileMask,
    Geometry, GlobalAttributes, LocateOperation, LocateRecordExtended, Model, NO_SECTOR, Orientation, Prefix,
    PrefixAuxiliary, PrefixValidity, Target, TrackAddress,
};

use crate::chain::Chain;
use crate::data_phase::CommandOutcome;
use crate::sense::UnitCheck;
use crate::tracks::{RECORD_ZERO, RecordLengths, Tracks, UniformTracks};

/// A 3390-3 of 4 KiB records, some tracks of which are laid out otherwise.
pub(crate) struct MixedTracks {
    uniform: UniformTracks,
    other: BTreeMap<(u32, u8), Vec<RecordLengths>>,
    write_inhibited: bool,
}

impl MixedTracks {
    pub(crate) fn of_4k() -> Self {
        Self {
            uniform: UniformTracks::new(Geometry::of(Model::Model3), 4096),
            other: BTreeMap::new(),
            write_inhibited: false,
        }
    }

    /// Makes the device refuse writes.
    pub(crate) fn write_inhibited(mut self) -> Self {
        self.write_inhibited = true;
        self
    }

    /// Lays out one track with these keys and data lengths.
    pub(crate) fn with(mut self, cylinder: u32, head: u8, records: &[(u8, u16)]) -> Self {
        let records = records.iter().map(|&(key, data)| RecordLengths { key, data }).collect();
        self.other.insert((cylinder, head), records);
        self
    }
}

impl Tracks for MixedTracks {
    fn geometry(&self) -> &Geometry {
        self.uniform.geometry()
    }

    fn record(&self, cylinder: u32, head: u8, record: u8) -> Option<RecordLengths> {
        match (self.other.get(&(cylinder, head)), record) {
            (None, _) => self.uniform.record(cylinder, head, record),
            (Some(_), 0) => Some(RECORD_ZERO),
            (Some(records), _) => records.get(usize::from(record) - 1).copied(),
        }
    }

    fn records_on_track(&self, cylinder: u32, head: u8) -> u8 {
        match self.other.get(&(cylinder, head)) {
            None => self.uniform.records_on_track(cylinder, head),
            Some(records) => records.len() as u8,
        }
    }

    fn write_inhibited(&self) -> bool {
        self.write_inhibited
    }
}

pub(crate) fn track(cylinder: u32, head: u8) -> TrackAddress {
    TrackAddress::new(cylinder, head).unwrap()
}

/// An extent over cylinders 100 to 101, reads only or updates too.
pub(crate) fn extent(mask: FileMask) -> DefineExtent {
    DefineExtent {
        mask,
        attributes: GlobalAttributes::ECKD,
        block_size_bytes: 4096,
        fast_write_id: 0,
        extended_attributes: ExtendedAttributes::REGULAR_DATA_FORMAT,
        begin: track(100, 0),
        end: track(101, 14),
        extension: None,
    }
}

pub(crate) fn read_extent() -> DefineExtent {
    extent(FileMask::INHIBIT_WRITES)
}

/// A domain of `count` units from record `record` of track 100, `head`.
pub(crate) fn locate(operation: DomainOperation, head: u8, record: u8, count: u8) -> LocateRecordExtended {
    LocateRecordExtended {
        orientation: Orientation::Count,
        operation,
        auxiliary: ExtendedAuxiliary(0),
        imbedded_command: 0,
        count,
        target: Target { seek: track(100, head), search: track(100, head), record, sector: NO_SECTOR },
        transfer_length_bytes: 0,
        imbedded_count: 0,
        extended_parameters: Vec::new(),
    }
}

pub(crate) const READ_DATA_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::ReadData);
pub(crate) const READ_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::Read);
pub(crate) const READ_TRACKS_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::ReadTracks);
pub(crate) const WRITE_DATA_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::WriteData);
pub(crate) const WRITE_TRACK_DATA_DOMAIN: DomainOperation =
    DomainOperation::Extended(ExtendedOperation::WriteTrackData);

pub(crate) fn prefix(define_extent: DefineExtent, locate_record: LocateRecordExtended) -> Vec<u8> {
    Prefix {
        validity: PrefixValidity::DEFINE_EXTENT,
        base_address: 0,
        auxiliary: PrefixAuxiliary(0),
        base_lcu: 0,
        define_extent: Some(define_extent),
        locate_record: Some(locate_record),
    }
    .emit()
}

/// A chain after a Prefix that was accepted.
pub(crate) fn positioned(
    tracks: &MixedTracks,
    define_extent: DefineExtent,
    locate_record: LocateRecordExtended,
) -> Chain {
    let mut chain = Chain::new();
    let outcome = chain.execute(tracks, PREFIX, 64, &prefix(define_extent, locate_record));
    assert!(outcome.ending.is_normal(), "{outcome:?}");
    chain
}

/// Why a command was refused; panics when it was not.
pub(crate) fn reason(outcome: CommandOutcome) -> UnitCheck {
    outcome.ending.sense().unwrap_or_else(|| panic!("not refused: {outcome:?}")).reason()
}
