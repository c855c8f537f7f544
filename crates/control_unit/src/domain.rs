//! The domain of a Locate Record: how many commands of which kind may follow.

use halftrack_program::{DomainOperation, ExtendedOperation, LocateOperation, Orientation, Target};

use crate::access::Access;
use crate::data_phase::Direction;

/// What a domain lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DomainKind {
    /// Update writes of records.
    WriteData,
    /// Reads of data, with or without key.
    ReadData,
    /// Reads of tracks.
    ReadTracks,
    /// Reads of any area of records.
    Read,
    /// Writes of any kind that this control unit has.
    WriteAny,
    /// Reads of any kind.
    ReadAny,
    /// Writes of the data areas of tracks.
    WriteTrackData,
}

impl DomainKind {
    /// The kind of an operation; nothing for Orient, which opens no domain, and for operations that this
    /// control unit does not have.
    fn of(operation: DomainOperation) -> Option<Self> {
        Some(match operation {
            DomainOperation::Basic(LocateOperation::WriteData) => Self::WriteData,
            DomainOperation::Basic(LocateOperation::ReadData) => Self::ReadData,
            DomainOperation::Basic(LocateOperation::ReadTracks) => Self::ReadTracks,
            DomainOperation::Basic(LocateOperation::Read) => Self::Read,
            DomainOperation::Extended(ExtendedOperation::WriteAny) => Self::WriteAny,
            DomainOperation::Extended(ExtendedOperation::ReadAny) => Self::ReadAny,
            DomainOperation::Extended(ExtendedOperation::WriteTrackData) => Self::WriteTrackData,
            DomainOperation::Basic(
                LocateOperation::Orient | LocateOperation::FormatWrite | LocateOperation::WriteTrack,
            )
            | DomainOperation::Extended(
                ExtendedOperation::ReadTrackSet | ExtendedOperation::WriteFullTrack,
            ) => return None,
        })
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::WriteData | Self::WriteAny | Self::WriteTrackData)
    }

    /// Whether the domain lets this transfer through: commands must match the operation code.
    fn admits(self, access: Access) -> bool {
        match access {
            Access::ReadRecord { areas, .. } => match self {
                Self::ReadData => areas.data && !areas.count,
                Self::Read | Self::ReadAny => true,
                _ => false,
            },
            Access::WriteRecord { .. } => matches!(self, Self::WriteData | Self::WriteAny),
            Access::ReadTrack | Access::ReadTrackData => matches!(self, Self::ReadTracks | Self::ReadAny),
            Access::WriteTrackData => matches!(self, Self::WriteTrackData | Self::WriteAny),
            Access::ReadIpl | Access::Sense => false,
        }
    }
}

/// The imbedded command of a domain, which transport mode runs by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Imbedded {
    pub command: u8,
    /// Units that it runs for.
    pub units: u8,
    /// A check word follows the data of each track but the last.
    pub check_words: bool,
}

/// What a Locate Record or Locate Record Extended asks for, the same for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub orientation: Orientation,
    pub operation: DomainOperation,
    pub target: Target,
    pub count: u8,
    /// Transfer-length factor in bytes, when valid.
    pub transfer_length_bytes: Option<u16>,
    /// The factor counts the bytes of the last track.
    pub last_track_scope: bool,
    pub imbedded: Option<Imbedded>,
}

impl Location {
    /// Whether it only positions.
    pub(crate) fn orients(&self) -> bool {
        self.operation == DomainOperation::Basic(LocateOperation::Orient)
    }
}

/// An open domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Domain {
    kind: DomainKind,
    remaining: u8,
    last_track_bytes: Option<u16>,
    imbedded: Option<Imbedded>,
}

impl Domain {
    /// The domain that a location opens, or nothing when this control unit has no such operation.
    pub(crate) fn new(location: &Location) -> Option<Self> {
        Some(Self {
            kind: DomainKind::of(location.operation)?,
            remaining: location.count,
            last_track_bytes: location.transfer_length_bytes.filter(|_| location.last_track_scope),
            imbedded: location.imbedded,
        })
    }

    pub(crate) fn kind(&self) -> DomainKind {
        self.kind
    }

    pub(crate) fn admits(&self, access: Access) -> bool {
        self.kind.admits(access)
    }

    pub(crate) fn imbedded(&self) -> Option<Imbedded> {
        self.imbedded
    }

    /// The way that the data of the imbedded command go.
    pub(crate) fn imbedded_direction(&self) -> Option<Direction> {
        self.imbedded.and_then(|imbedded| Access::of(imbedded.command)).map(Access::direction)
    }

    /// Bytes to be moved on the track that comes next, when it is the last and the program said.
    pub(crate) fn bytes_of_next_track(&self) -> Option<u16> {
        self.last_track_bytes.filter(|_| self.remaining == 1)
    }

    /// The domain after one more unit, or nothing when it is at its end.
    pub(crate) fn after_one(self) -> Option<Self> {
        let remaining = self.remaining.checked_sub(1).filter(|&remaining| remaining > 0)?;
        Some(Self { remaining, ..self })
    }
}
