//! What the command codes of data transfers do: which areas, which way, one record or a track.

use halftrack_program::command::{
    MULTI_TRACK, READ_COUNT, READ_COUNT_KEY_AND_DATA, READ_DATA, READ_IPL, READ_KEY_AND_DATA, READ_TRACK,
    READ_TRACK_DATA, SENSE, WRITE_DATA, WRITE_KEY_AND_DATA, WRITE_TRACK_DATA,
};

use crate::data_phase::{Areas, Direction};

const COUNT: Areas = Areas { count: true, key: false, data: false };
const DATA: Areas = Areas { count: false, key: false, data: true };
const KEY_AND_DATA: Areas = Areas { count: false, key: true, data: true };
const COUNT_KEY_AND_DATA: Areas = Areas { count: true, key: true, data: true };

/// What a data-transfer command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    ReadRecord { areas: Areas, multi_track: bool },
    WriteRecord { areas: Areas, multi_track: bool },
    ReadTrackData,
    WriteTrackData,
    ReadTrack,
    ReadIpl,
    Sense,
}

impl Access {
    /// The data transfer of a command code, or nothing when this control unit has no such command.
    pub(crate) const fn of(command: u8) -> Option<Self> {
        Some(match command {
            READ_TRACK_DATA => Self::ReadTrackData,
            WRITE_TRACK_DATA => Self::WriteTrackData,
            READ_TRACK => Self::ReadTrack,
            READ_IPL => Self::ReadIpl,
            SENSE => Self::Sense,
            _ => return Self::of_record(command & !MULTI_TRACK, command & MULTI_TRACK != 0),
        })
    }

    const fn of_record(command: u8, multi_track: bool) -> Option<Self> {
        Some(match command {
            READ_DATA => Self::ReadRecord { areas: DATA, multi_track },
            READ_KEY_AND_DATA => Self::ReadRecord { areas: KEY_AND_DATA, multi_track },
            READ_COUNT => Self::ReadRecord { areas: COUNT, multi_track },
            READ_COUNT_KEY_AND_DATA => Self::ReadRecord { areas: COUNT_KEY_AND_DATA, multi_track },
            WRITE_DATA => Self::WriteRecord { areas: DATA, multi_track },
            WRITE_KEY_AND_DATA => Self::WriteRecord { areas: KEY_AND_DATA, multi_track },
            _ => return None,
        })
    }

    /// The way that the data go.
    pub(crate) const fn direction(self) -> Direction {
        match self {
            Self::WriteRecord { .. } | Self::WriteTrackData => Direction::Write,
            Self::ReadRecord { .. } | Self::ReadTrackData | Self::ReadTrack | Self::ReadIpl | Self::Sense => {
                Direction::Read
            }
        }
    }
}
