//! The domain of a Locate Record: how many commands of which kind may follow.

use halftrack_program::{DomainOperation, ExtendedOperation, LocateOperation, Orientation, Target};

use crate::access::{Access, Direction};
use crate::extent::WriteKind;
use crate::track_set::TrackSet;

/// Operations that a domain permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DomainKind {
    /// Update writes of records.
    WriteData,
    /// Format writes of records.
    FormatWrite,
    /// Format writes and erasures of a track.
    WriteTrack,
    /// Reads of records. Operations 06 and 16 differ in how the device prepares for them.
    ReadRecords,
    /// Reads of tracks.
    ReadTracks,
    /// Writes of any kind that this control unit has.
    WriteAny,
    /// Reads of any kind.
    ReadAny,
    /// Reads of the tracks of a set.
    ReadTrackSet,
    /// Writes of full tracks.
    WriteFullTrack,
    /// Writes of the data areas of tracks.
    WriteTrackData,
    /// The one Read Count that a suffix announced.
    ReadCountSuffix,
}

impl DomainKind {
    /// Returns the kind of an operation; nothing for Orient, which opens no domain.
    fn of(operation: DomainOperation) -> Option<Self> {
        Some(match operation {
            DomainOperation::Basic(LocateOperation::Orient) => return None,
            DomainOperation::Basic(LocateOperation::WriteData) => Self::WriteData,
            DomainOperation::Basic(LocateOperation::FormatWrite) => Self::FormatWrite,
            DomainOperation::Basic(LocateOperation::WriteTrack) => Self::WriteTrack,
            DomainOperation::Basic(LocateOperation::ReadData | LocateOperation::Read) => Self::ReadRecords,
            DomainOperation::Basic(LocateOperation::ReadTracks) => Self::ReadTracks,
            DomainOperation::Extended(ExtendedOperation::WriteAny) => Self::WriteAny,
            DomainOperation::Extended(ExtendedOperation::ReadAny) => Self::ReadAny,
            DomainOperation::Extended(ExtendedOperation::ReadTrackSet) => Self::ReadTrackSet,
            DomainOperation::Extended(ExtendedOperation::WriteFullTrack) => Self::WriteFullTrack,
            DomainOperation::Extended(ExtendedOperation::WriteTrackData) => Self::WriteTrackData,
        })
    }

    /// Returns the writes that it announces.
    pub(crate) fn write_kind(self) -> Option<WriteKind> {
        match self {
            Self::WriteData | Self::WriteAny | Self::WriteTrackData => Some(WriteKind::Update),
            Self::FormatWrite | Self::WriteTrack => Some(WriteKind::Format),
            // A full track has its record zero.
            Self::WriteFullTrack => Some(WriteKind::HomeAddress),
            Self::ReadRecords
            | Self::ReadTracks
            | Self::ReadAny
            | Self::ReadTrackSet
            | Self::ReadCountSuffix => None,
        }
    }

    /// Returns whether the domain lets this command through: commands must match the operation code.
    fn admits(self, access: Access) -> bool {
        match access {
            Access::ReadRecord { areas, .. } => match self {
                Self::ReadRecords | Self::ReadAny => true,
                Self::ReadCountSuffix => areas.count && !areas.data,
                _ => false,
            },
            Access::ReadRecordZero { .. } | Access::ReadHomeAddress { .. } => {
                matches!(self, Self::ReadRecords | Self::ReadAny)
            }
            Access::WriteRecord { .. } => matches!(self, Self::WriteData | Self::WriteAny),
            Access::ReadTrack => matches!(self, Self::ReadTracks | Self::ReadTrackSet | Self::ReadAny),
            Access::ReadTrackData => matches!(self, Self::ReadTracks | Self::ReadAny),
            Access::WriteTrackData => matches!(self, Self::WriteTrackData | Self::WriteAny),
            Access::WriteFullTrack => self == Self::WriteFullTrack,
            Access::WriteHomeAddress => self == Self::FormatWrite,
            Access::FormatRecord { .. } | Access::WriteRecordZero | Access::Erase => {
                matches!(self, Self::FormatWrite | Self::WriteTrack)
            }
            Access::ReadMultiple
            | Access::ReadIpl
            | Access::ReadSector
            | Access::Search { .. }
            | Access::Device(_) => false,
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

/// Domain and position from a Locate Record or a Locate Record Extended, in one form for both.
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
    /// One Read Count may follow the domain.
    pub read_count_suffix: bool,
    pub imbedded: Option<Imbedded>,
    /// The tracks of the domain, when they are not those that follow each other.
    pub track_set: Option<TrackSet>,
}

/// An open domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Domain {
    kind: DomainKind,
    remaining: u8,
    last_track_bytes: Option<u16>,
    update_bytes: Option<u16>,
    read_count_suffix: bool,
    imbedded: Option<Imbedded>,
}

impl Domain {
    /// Returns the domain that a location opens in an extent of blocks of `block_bytes`; nothing when it only positions.
    #[inline(always)]
    pub(crate) fn new(location: &Location, block_bytes: u16) -> Option<Self> {
        let kind = DomainKind::of(location.operation)?;
        let of_record = location.transfer_length_bytes.filter(|_| !location.last_track_scope);
        Some(Self {
            kind,
            remaining: location.count,
            last_track_bytes: location.transfer_length_bytes.filter(|_| location.last_track_scope),
            update_bytes: match kind {
                DomainKind::WriteData => Some(of_record.unwrap_or(block_bytes)),
                DomainKind::WriteAny => of_record,
                _ => None,
            },
            read_count_suffix: location.read_count_suffix,
            imbedded: location.imbedded,
        })
    }

    pub(crate) fn kind(&self) -> DomainKind {
        self.kind
    }

    pub(crate) fn remaining(&self) -> u8 {
        self.remaining
    }

    /// Returns whether commands of the domain are left over. A Read Count that was announced as its suffix may come or not.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.kind != DomainKind::ReadCountSuffix
    }

    /// Returns whether an update write of a domain may have so many bytes, key and data together. The limit is the
    /// transfer-length factor, or without one the block size of the extent.
    ///
    /// Linux gives the factor of key and data together, and Hercules 3.13 takes the block size in its place. Writes
    /// of any kind (operation 09) are held to a factor that was given; our choice.
    pub(crate) fn lets_update(&self, bytes: u32) -> bool {
        self.update_bytes.is_none_or(|factor| u32::from(factor) == bytes)
    }

    pub(crate) fn admits(&self, access: Access) -> bool {
        self.kind.admits(access)
    }

    pub(crate) fn imbedded(&self) -> Option<Imbedded> {
        self.imbedded
    }

    /// Returns the way that the data of the imbedded command go.
    pub(crate) fn imbedded_direction(&self) -> Option<Direction> {
        self.imbedded.and_then(|imbedded| Access::of(imbedded.command)).map(Access::direction)
    }

    /// Returns the bytes to be moved on the next track, when it is the last and the program specified them.
    #[inline(always)]
    pub(crate) fn bytes_of_next_track(&self) -> Option<u16> {
        self.last_track_bytes.filter(|_| self.remaining == 1)
    }

    /// Returns the domain after one more unit, or nothing when it is at its end.
    #[inline(always)]
    pub(crate) fn after_one(self) -> Option<Self> {
        match self.remaining.saturating_sub(1) {
            0 if self.read_count_suffix => Some(Self {
                kind: DomainKind::ReadCountSuffix,
                remaining: 1,
                read_count_suffix: false,
                ..self
            }),
            0 => None,
            remaining => Some(Self { remaining, ..self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::INVALID_SEQUENCE;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{ChainEnd, Device, ExtendedAuxiliary, FileMask, LocateRecordExtended};

    fn read_data(tracks: &MemoryTracks, head: u8, record: u8, count: u8) -> Unit {
        positioned(tracks, read_extent(), locate(READ_DATA_DOMAIN, head, record, count))
    }

    #[test]
    fn inside_a_domain_only_matching_commands_pass() {
        let unit = read_data(&MemoryTracks::of_4k(), 3, 1, 9);
        for command in [
            READ_TRACK_DATA,
            READ_TRACK,
            WRITE_DATA,
            WRITE_TRACK_DATA,
            SENSE,
            NO_OPERATION,
            SEEK,
            SEARCH_ID_EQUAL,
        ] {
            assert_eq!(reason(unit.clone().run(command)), INVALID_SEQUENCE, "{command:#04x}");
        }
        for command in [READ_DATA, multi_track(READ_DATA), READ_KEY_AND_DATA, READ_COUNT] {
            unit.clone().bytes(command);
        }
    }

    #[test]
    fn every_kind_of_domain_has_its_commands() {
        let tracks = MemoryTracks::of_4k();
        let commands = [
            READ_DATA,
            READ_COUNT,
            READ_RECORD_ZERO,
            READ_TRACK_DATA,
            READ_TRACK,
            WRITE_DATA,
            WRITE_KEY_AND_DATA,
            WRITE_COUNT_KEY_AND_DATA,
            ERASE,
            WRITE_TRACK_DATA,
            WRITE_FULL_TRACK,
        ];
        let passed = |operation| {
            let unit = positioned(&tracks, extent(FileMask::ALL_WRITES), locate(operation, 3, 1, 1));
            commands.map(|command| {
                let mut unit = unit.clone();
                let end = match class(command) {
                    CommandClass::Write => unit.send(command, &[&id(100, 3, 2)[..], &[0, 0, 4]].concat()),
                    _ => unit.run(command),
                };
                end.sense.is_none() || reason(end) != INVALID_SEQUENCE
            })
        };
        let [y, n] = [true, false];
        assert_eq!(passed(READ_DATA_DOMAIN), [y, y, y, n, n, n, n, n, n, n, n]);
        assert_eq!(passed(READ_DOMAIN), [y, y, y, n, n, n, n, n, n, n, n]);
        assert_eq!(passed(READ_TRACKS_DOMAIN), [n, n, n, y, y, n, n, n, n, n, n]);
        assert_eq!(passed(WRITE_DATA_DOMAIN), [n, n, n, n, n, y, y, n, n, n, n]);
        assert_eq!(passed(FORMAT_DOMAIN), [n, n, n, n, n, n, n, y, y, n, n]);
        assert_eq!(passed(WRITE_TRACK_DATA_DOMAIN), [n, n, n, n, n, n, n, n, n, y, n]);
        let extended = |operation| passed(DomainOperation::Extended(operation));
        assert_eq!(extended(ExtendedOperation::ReadAny), [y, y, y, y, y, n, n, n, n, n, n]);
        assert_eq!(extended(ExtendedOperation::WriteAny), [n, n, n, n, n, y, y, n, n, y, n]);
        assert_eq!(extended(ExtendedOperation::ReadTrackSet), [n, n, n, n, y, n, n, n, n, n, n]);
        assert_eq!(extended(ExtendedOperation::WriteFullTrack), [n, n, n, n, n, n, n, n, n, n, y]);
    }

    /// Returns how a chain ends that stops in a domain of two records, behind these commands.
    fn ended(locate: LocateRecordExtended, commands: &[u8], end: ChainEnd) -> Option<[u8; 32]> {
        let tracks = MemoryTracks::of_4k();
        let mut unit = positioned(&tracks, extent(FileMask::ALL_WRITES), locate);
        for &command in commands {
            match class(command) {
                CommandClass::Write => unit.does(command, &[&id(100, 3, 2)[..], &[0; 4091]].concat()),
                _ => drop(unit.bytes(command)),
            }
        }
        unit.end_chain(end).map(|end| {
            assert_eq!(end.status.0, 0x0E);
            end.sense.expect("sense")
        })
    }

    /// Hercules 3.13 ends these chains so too.
    #[test]
    fn a_chain_that_ends_inside_its_domain_ends_with_incomplete_domain() {
        for (operation, command) in [
            (READ_DATA_DOMAIN, READ_DATA),
            (READ_DOMAIN, READ_COUNT),
            (READ_TRACKS_DOMAIN, READ_TRACK),
            (WRITE_DATA_DOMAIN, WRITE_DATA),
            (FORMAT_DOMAIN, WRITE_COUNT_KEY_AND_DATA),
        ] {
            let of_two = || locate(operation, 3, 1, 2);
            let sense = ended(of_two(), &[command], ChainEnd::Unchained).expect("incomplete");
            assert_eq!((sense[0], sense[1], sense[3], sense[7]), (0x81, 0, 0, 0), "{operation:?}");
            assert_eq!(ended(of_two(), &[command], ChainEnd::Broken), None, "{operation:?}");
            assert_eq!(ended(of_two(), &[], ChainEnd::Unchained), None, "only positioned");
            if command != WRITE_COUNT_KEY_AND_DATA {
                assert_eq!(ended(of_two(), &[command; 2], ChainEnd::Unchained), None, "{operation:?}");
            }
        }
    }

    #[test]
    fn a_suffix_lets_one_read_count_follow() {
        let suffixed = LocateRecordExtended {
            auxiliary: ExtendedAuxiliary::READ_COUNT_SUFFIX,
            ..locate(READ_DATA_DOMAIN, 3, 1, 1)
        };
        let mut unit = positioned(&MemoryTracks::of_4k(), read_extent(), suffixed);
        unit.bytes(READ_DATA);
        assert_eq!(unit.clone().end_chain(ChainEnd::Unchained), None, "it need not");
        assert_eq!(reason(unit.clone().run(READ_DATA)), INVALID_SEQUENCE);
        assert_eq!(unit.bytes(READ_COUNT)[4], 2);
        assert!(unit.chain.domain.is_none());
    }
}
