//! The names of commands in texts and traces, their codes, and the parameters that go with them.

use halftrack_program::command;

use crate::parameter::blocks::{
    DEFINE_EXTENT, FILE_MASK, FIXED_BLOCK_LOCATE, LOCATE_RECORD, LOCATE_RECORD_EXTENDED, PREFIX,
    SEARCH_HOME_ADDRESS, SEARCH_ID, SECTOR, SEEK,
};
use crate::parameter::channel_blocks::INTERROGATE;
use crate::parameter::field::Block;

/// A command.
pub(crate) struct CommandName {
    pub name: &'static str,
    pub code: u8,
    /// Block of its parameters.
    pub parameters: Option<&'static Block>,
    /// Bytes that it reads where they are always the same: the count that need not be written.
    pub read_bytes: Option<u16>,
}

const fn plain(name: &'static str, code: u8) -> CommandName {
    CommandName { name, code, parameters: None, read_bytes: None }
}

const fn with(name: &'static str, code: u8, parameters: &'static Block) -> CommandName {
    CommandName { name, code, parameters: Some(parameters), read_bytes: None }
}

const fn reads(name: &'static str, code: u8, bytes: u16) -> CommandName {
    CommandName { name, code, parameters: None, read_bytes: Some(bytes) }
}

/// Suffix of a name for the multi-track form of a command.
const MULTI_TRACK: &str = "-mt";

/// The name of transfer in channel.
pub(crate) const TIC: &str = "tic";

static COMMANDS: [CommandName; 66] = [
    plain("write-special-ckd", 0x01),
    plain("read-ipl", command::READ_IPL),
    plain("no-op", command::NO_OPERATION),
    reads("sense", command::SENSE, 32),
    plain("write-data", command::WRITE_DATA),
    plain("read-data", command::READ_DATA),
    with("seek", command::SEEK, &SEEK),
    plain(TIC, command::TRANSFER_IN_CHANNEL),
    plain("read-special-home-address", command::READ_HOME_ADDRESS_ALTERNATE),
    with("seek-cylinder", command::SEEK_CYLINDER, &SEEK),
    plain("write-key-and-data", command::WRITE_KEY_AND_DATA),
    plain("read-key-and-data", command::READ_KEY_AND_DATA),
    plain("space-count", 0x0F),
    plain("erase", command::ERASE),
    reads("read-count", command::READ_COUNT, 8),
    plain("recalibrate", command::RECALIBRATE),
    reads("unconditional-reserve", command::UNCONDITIONAL_RESERVE, 32),
    plain("write-r0", command::WRITE_RECORD_ZERO),
    plain("read-r0", command::READ_RECORD_ZERO),
    plain("restore", 0x17),
    plain("write-home-address", command::WRITE_HOME_ADDRESS),
    reads("read-home-address", command::READ_HOME_ADDRESS, 5),
    with("seek-head", command::SEEK_HEAD, &SEEK),
    plain("write-ckd", command::WRITE_COUNT_KEY_AND_DATA),
    plain("read-ckd", command::READ_COUNT_KEY_AND_DATA),
    with("set-file-mask", command::SET_FILE_MASK, &FILE_MASK),
    reads("read-sector", command::READ_SECTOR, 1),
    with("set-sector", command::SET_SECTOR, &SECTOR),
    plain("sense-subsystem-status", 0x54),
    plain("perform-subsystem-function", command::PERFORM_SUBSYSTEM_FUNCTION),
    plain("search-key-equal", command::SEARCH_KEY_EQUAL),
    with("search-id-equal", command::SEARCH_ID_EQUAL, &SEARCH_ID),
    reads("sense-path-group-id", command::SENSE_PATH_GROUP_ID, 12),
    with("search-home-address", command::SEARCH_HOME_ADDRESS_EQUAL, &SEARCH_HOME_ADDRESS),
    plain("read-subsystem-data", command::READ_SUBSYSTEM_DATA),
    plain("fixed-block-write", 0x41),
    plain("fixed-block-read", 0x42),
    with("fixed-block-locate", 0x43, &FIXED_BLOCK_LOCATE),
    with("locate-record", command::LOCATE_RECORD, &LOCATE_RECORD),
    plain("search-key-high", command::SEARCH_KEY_HIGH),
    with("locate-record-extended", command::LOCATE_RECORD_EXTENDED, &LOCATE_RECORD_EXTENDED),
    plain("read-message-id", 0x4E),
    with("search-id-high", command::SEARCH_ID_HIGH, &SEARCH_ID),
    plain("suspend-multipath-reconnection", command::SUSPEND_MULTIPATH_RECONNECTION),
    plain("read-multiple-ckd", command::READ_MULTIPLE_COUNT_KEY_AND_DATA),
    with("define-extent", command::DEFINE_EXTENT, &DEFINE_EXTENT),
    reads("read-device-characteristics", command::READ_DEVICE_CHARACTERISTICS, 64),
    plain("search-key-equal-or-high", command::SEARCH_KEY_EQUAL_OR_HIGH),
    with("search-id-equal-or-high", command::SEARCH_ID_EQUAL_OR_HIGH, &SEARCH_ID),
    plain("set-subsystem-mode", 0x87),
    reads("device-release", command::DEVICE_RELEASE, 32),
    plain("write-ckd-next-track", command::WRITE_COUNT_KEY_AND_DATA_NEXT_TRACK),
    plain("write-full-track", command::WRITE_FULL_TRACK),
    reads("read-and-reset-buffered-log", command::READ_AND_RESET_BUFFERED_LOG, 32),
    plain("write-track-data", command::WRITE_TRACK_DATA),
    plain("read-track-data", command::READ_TRACK_DATA),
    plain("set-path-group-id", command::SET_PATH_GROUP_ID),
    reads("device-reserve", command::DEVICE_RESERVE, 32),
    plain("diagnostic-sense", 0xC4),
    plain("read-track", command::READ_TRACK),
    plain("sense-id", command::SENSE_ID),
    with("prefix", command::PREFIX, &PREFIX),
    with("prefix-read", command::PREFIX_READ, &PREFIX),
    plain("diagnostic-control", 0xF3),
    reads("read-configuration-data", command::READ_CONFIGURATION_DATA, 256),
    with("interrogate", command::INTERROGATE, &INTERROGATE),
];

/// Returns every command.
pub(crate) fn commands() -> impl Iterator<Item = &'static CommandName> {
    COMMANDS.iter()
}

/// Returns the command of a name, and the code of the name.
pub(crate) fn by_name(name: &str) -> Option<(&'static CommandName, u8)> {
    let find = |name: &str| commands().find(|command| command.name == name);
    if let Some(found) = find(name) {
        return Some((found, found.code));
    }
    let found = find(name.strip_suffix(MULTI_TRACK)?)?;
    has_multi_track(found.code).then_some((found, found.code | command::MULTI_TRACK))
}

/// Returns the command of a code; one of multi-track form is found too.
pub(crate) fn by_code(code: u8) -> Option<&'static CommandName> {
    let find = |code: u8| commands().find(|command| command.code == code);
    find(code).or_else(|| {
        let single = code & !command::MULTI_TRACK;
        (single != code && has_multi_track(single)).then(|| find(single)).flatten()
    })
}

/// Returns the name of a code, or the code itself where it has none.
pub(crate) fn name_of(code: u8) -> String {
    match by_code(code) {
        Some(found) if found.code == code => found.name.to_owned(),
        Some(found) => format!("{}{MULTI_TRACK}", found.name),
        None => format!("0x{code:02X}"),
    }
}

/// Reads, searches and the writes of data have a multi-track form.
fn has_multi_track(code: u8) -> bool {
    matches!(
        code,
        0x05 | 0x06
            | 0x0D
            | 0x0E
            | 0x12
            | 0x16
            | 0x1A
            | 0x1D
            | 0x1E
            | 0x29
            | 0x31
            | 0x39
            | 0x49
            | 0x51
            | 0x69
            | 0x71
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_name_and_every_name_leads_back() {
        for code in 0..=u8::MAX {
            let name = name_of(code);
            match by_code(code) {
                Some(_) => assert_eq!(by_name(&name).map(|(_, found)| found), Some(code), "{name}"),
                None => assert!(name.starts_with("0x")),
            }
        }
        assert!(by_name("sense-mt").is_none());
    }

    #[test]
    fn names_are_unlike() {
        let mut names: Vec<&str> = commands().map(|command| command.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), commands().count());
    }
}
