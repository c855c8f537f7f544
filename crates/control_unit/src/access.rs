//! Effects of the command codes other than controls: areas, direction, and unit (record, track or device).

use halftrack_program::command::*;

const COUNT: Areas = Areas { count: true, key: false, data: false };
const DATA: Areas = Areas { count: false, key: false, data: true };
const KEY_AND_DATA: Areas = Areas { count: false, key: true, data: true };
const COUNT_KEY_AND_DATA: Areas = Areas { count: true, key: true, data: true };

/// Mover of bytes in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    None,
    /// Data come from the device.
    Read,
    /// Data go to the device.
    Write,
}

/// Which areas of a record a command moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Areas {
    pub count: bool,
    pub key: bool,
    pub data: bool,
}

/// Field with which a search compares its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SearchField {
    Id,
    Key,
    HomeAddress,
}

/// When a search is satisfied: how what is on the track has to compare with the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    Equal,
    High,
    EqualOrHigh,
}

/// Data of a read that needs no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DeviceRead {
    Sense,
    SenseId,
    Characteristics,
    ConfigurationData,
    SubsystemData,
    PathGroupId,
    BufferedLog,
    Reserve,
    Release,
    UnconditionalReserve,
}

/// Effects of the command codes: every command of every chain is looked up here.
static ACCESSES: [Option<Access>; 256] = {
    let mut accesses = [None; 256];
    let mut command = 0;
    while command < accesses.len() {
        accesses[command] = Access::of_code(command as u8);
        command += 1;
    }
    accesses
};

/// Effect of a command other than a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    ReadRecord { areas: Areas, multi_track: bool },
    ReadRecordZero { multi_track: bool },
    ReadHomeAddress { multi_track: bool },
    ReadMultiple,
    ReadTrackData,
    ReadTrack,
    ReadIpl,
    ReadSector,
    WriteRecord { areas: Areas, multi_track: bool },
    WriteTrackData,
    WriteFullTrack,
    WriteHomeAddress,
    WriteRecordZero,
    FormatRecord { next_track: bool },
    Erase,
    Search { field: SearchField, relation: Relation, multi_track: bool },
    Device(DeviceRead),
}

impl Access {
    /// Returns what a command code does, or nothing when this control unit has no such command, or it is a control.
    pub(crate) fn of(command: u8) -> Option<Self> {
        ACCESSES[usize::from(command)]
    }

    const fn of_code(command: u8) -> Option<Self> {
        Some(match command {
            READ_TRACK_DATA => Self::ReadTrackData,
            READ_TRACK => Self::ReadTrack,
            READ_IPL => Self::ReadIpl,
            READ_SECTOR => Self::ReadSector,
            READ_MULTIPLE_COUNT_KEY_AND_DATA => Self::ReadMultiple,
            READ_HOME_ADDRESS_ALTERNATE => Self::ReadHomeAddress { multi_track: false },
            WRITE_TRACK_DATA => Self::WriteTrackData,
            WRITE_FULL_TRACK => Self::WriteFullTrack,
            WRITE_HOME_ADDRESS => Self::WriteHomeAddress,
            WRITE_RECORD_ZERO => Self::WriteRecordZero,
            WRITE_COUNT_KEY_AND_DATA => Self::FormatRecord { next_track: false },
            WRITE_COUNT_KEY_AND_DATA_NEXT_TRACK => Self::FormatRecord { next_track: true },
            ERASE => Self::Erase,
            _ => match DeviceRead::of(command) {
                Some(read) => Self::Device(read),
                None => return Self::of_record(command & !MULTI_TRACK, command & MULTI_TRACK != 0),
            },
        })
    }

    const fn of_record(command: u8, multi_track: bool) -> Option<Self> {
        Some(match command {
            READ_DATA => Self::ReadRecord { areas: DATA, multi_track },
            READ_KEY_AND_DATA => Self::ReadRecord { areas: KEY_AND_DATA, multi_track },
            READ_COUNT => Self::ReadRecord { areas: COUNT, multi_track },
            READ_COUNT_KEY_AND_DATA => Self::ReadRecord { areas: COUNT_KEY_AND_DATA, multi_track },
            READ_RECORD_ZERO => Self::ReadRecordZero { multi_track },
            READ_HOME_ADDRESS => Self::ReadHomeAddress { multi_track },
            WRITE_DATA => Self::WriteRecord { areas: DATA, multi_track },
            WRITE_KEY_AND_DATA => Self::WriteRecord { areas: KEY_AND_DATA, multi_track },
            _ => return Self::of_search(command, multi_track),
        })
    }

    const fn of_search(command: u8, multi_track: bool) -> Option<Self> {
        let (field, relation) = match command {
            SEARCH_ID_EQUAL => (SearchField::Id, Relation::Equal),
            SEARCH_ID_HIGH => (SearchField::Id, Relation::High),
            SEARCH_ID_EQUAL_OR_HIGH => (SearchField::Id, Relation::EqualOrHigh),
            SEARCH_KEY_EQUAL => (SearchField::Key, Relation::Equal),
            SEARCH_KEY_HIGH => (SearchField::Key, Relation::High),
            SEARCH_KEY_EQUAL_OR_HIGH => (SearchField::Key, Relation::EqualOrHigh),
            SEARCH_HOME_ADDRESS_EQUAL => (SearchField::HomeAddress, Relation::Equal),
            _ => return None,
        };
        Some(Self::Search { field, relation, multi_track })
    }

    /// Returns the way that the data go.
    pub(crate) const fn direction(self) -> Direction {
        match self {
            Self::WriteRecord { .. }
            | Self::WriteTrackData
            | Self::WriteFullTrack
            | Self::WriteHomeAddress
            | Self::WriteRecordZero
            | Self::FormatRecord { .. }
            | Self::Erase
            | Self::Search { .. } => Direction::Write,
            Self::ReadRecord { .. }
            | Self::ReadRecordZero { .. }
            | Self::ReadHomeAddress { .. }
            | Self::ReadMultiple
            | Self::ReadTrackData
            | Self::ReadTrack
            | Self::ReadIpl
            | Self::ReadSector
            | Self::Device(_) => Direction::Read,
        }
    }

    /// Returns whether it changes what is on the tracks.
    pub(crate) const fn writes(self) -> bool {
        matches!(self.direction(), Direction::Write) && !matches!(self, Self::Search { .. })
    }
}

impl DeviceRead {
    const fn of(command: u8) -> Option<Self> {
        Some(match command {
            SENSE => Self::Sense,
            SENSE_ID => Self::SenseId,
            READ_DEVICE_CHARACTERISTICS => Self::Characteristics,
            READ_CONFIGURATION_DATA => Self::ConfigurationData,
            READ_SUBSYSTEM_DATA => Self::SubsystemData,
            SENSE_PATH_GROUP_ID => Self::PathGroupId,
            READ_AND_RESET_BUFFERED_LOG => Self::BufferedLog,
            DEVICE_RESERVE => Self::Reserve,
            DEVICE_RELEASE => Self::Release,
            UNCONDITIONAL_RESERVE => Self::UnconditionalReserve,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_a_code_is_the_way_of_its_data() {
        for command in 0..=u8::MAX {
            if let Some(access) = Access::of(command) {
                let expected = match class(command) {
                    CommandClass::Write => Direction::Write,
                    _ => Direction::Read,
                };
                assert_eq!(access.direction(), expected, "{command:#04x}");
                assert_ne!(class(command), CommandClass::Control, "{command:#04x}");
            }
        }
    }

    #[test]
    fn multi_track_is_a_bit_of_record_commands_only() {
        assert_eq!(Access::of(0x86), Some(Access::ReadRecord { areas: DATA, multi_track: true }));
        assert!(matches!(Access::of(0xB1), Some(Access::Search { multi_track: true, .. })));
        for command in [0x82, 0x25, 0x26, 0x5F, 0x91, 0x00, 0x0C, 0x08] {
            assert_eq!(Access::of(command), None, "{command:#04x}");
        }
    }
}
