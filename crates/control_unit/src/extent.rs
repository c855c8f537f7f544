//! The extent of a chain: which tracks it may touch and what it may do there.

use halftrack_program::{
    DefineExtent, ExtendedAttributes, FileMask, Geometry, MAXIMUM_BLOCK_BYTES, SeekControl, TrackAddress,
    WriteControl,
};

/// Kinds of writes that file masks distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteKind {
    /// Key and data of records that are there.
    Update,
    /// Records after others, and erasures.
    Format,
    /// Home address and record zero.
    HomeAddress,
}

/// A checked extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    begin: TrackAddress,
    end: TrackAddress,
    mask: FileMask,
    block_bytes: u16,
    records_per_track: Option<u8>,
}

impl Extent {
    /// Returns the extent of Define Extent parameters, or nothing when it is not on the device or ends before it
    /// begins.
    #[inline(always)]
    pub(crate) fn new(parameters: &DefineExtent, geometry: &Geometry) -> Option<Self> {
        let on_device = geometry.contains(parameters.begin) && geometry.contains(parameters.end);
        if !on_device || parameters.end < parameters.begin {
            return None;
        }
        let regular = parameters.extended_attributes.contains(ExtendedAttributes::REGULAR_DATA_FORMAT);
        let declared = parameters.extension.and_then(|extension| extension.declared_records_per_track());
        Some(Self {
            begin: parameters.begin,
            end: parameters.end,
            mask: parameters.mask,
            block_bytes: parameters.effective_block_bytes(),
            records_per_track: declared.filter(|_| regular),
        })
    }

    /// Returns the whole device, as Read IPL has it and a chain without Define Extent.
    pub(crate) fn whole_device(geometry: &Geometry, mask: FileMask) -> Self {
        let last = TrackAddress::new(geometry.cylinders() - 1, geometry.heads() - 1);
        Self {
            begin: TrackAddress::default(),
            end: last.unwrap_or_default(),
            mask,
            block_bytes: MAXIMUM_BLOCK_BYTES,
            records_per_track: None,
        }
    }

    pub(crate) fn contains(&self, track: TrackAddress) -> bool {
        (self.begin..=self.end).contains(&track)
    }

    /// Returns whether the file mask lets writes of a kind through.
    pub(crate) fn lets_write(&self, kind: WriteKind) -> bool {
        match self.mask.write_control() {
            WriteControl::InhibitAll => false,
            WriteControl::UpdateOnly => kind == WriteKind::Update,
            WriteControl::AllButHomeAddress => kind != WriteKind::HomeAddress,
            WriteControl::All => true,
        }
    }

    /// Returns which seeks the file mask lets through.
    pub(crate) fn seek_control(&self) -> SeekControl {
        self.mask.seek_control()
    }

    pub(crate) fn block_bytes(&self) -> u16 {
        self.block_bytes
    }

    /// Returns whether a track of `records` records, record zero not counted, is what the program declared, if it
    /// declared anything.
    pub(crate) fn agrees_with(&self, records: u8) -> bool {
        self.records_per_track.is_none_or(|declared| declared == records)
    }
}
