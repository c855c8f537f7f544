//! Why a shape has no channel program.

use thiserror::Error;

use crate::address::RecordAddress;
use crate::dcw::DcwListError;

/// A shape cannot be built at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The shape has no records, or records without data.
    #[error("the program moves no data")]
    Empty,
    /// A record of this length does not fit on a track.
    #[error("a record of {record_bytes} bytes does not fit on a track")]
    RecordTooLong {
        /// Bytes of the record.
        record_bytes: u16,
    },
    /// The start is not a record of this length on this volume.
    #[error("the volume has no record of this length at {start:?}; a track holds {records_per_track}")]
    NoSuchStart {
        /// The start.
        start: RecordAddress,
        /// Records of this length on a track.
        records_per_track: u8,
    },
    /// The records go past the end of the volume.
    #[error("{records} records extend beyond the end of the volume")]
    PastVolume {
        /// Records of the shape.
        records: u16,
    },
    /// A domain counts its records or tracks in one byte.
    #[error("a domain of {units} {unit} has no expression: its count is one byte")]
    DomainTooLong {
        /// Units of the domain.
        units: u16,
        /// `records` or `tracks`.
        unit: &'static str,
    },
    /// More MIDAWs than a list holds.
    #[error("{midaws} MIDAWs for one track do not fit a list")]
    TooManyMidaws {
        /// MIDAWs of the track.
        midaws: u32,
    },
    /// The combination of operation, grouping and positioning has no expression.
    #[error("{0}")]
    NoExpression(&'static str),
    /// The DCW list does not fit.
    #[error(transparent)]
    Dcws(#[from] DcwListError),
}
