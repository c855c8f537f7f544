//! Command codes of ECKD devices and the generic classes of commands.
//!
//! The 0x80 bit of a read or write data command is the multi-track bit: at the end of a track the device
//! continues with the next head, within the extent.

/// Read Initial Program Load: seeks to cylinder 0 head 0 and reads record 1.
pub const READ_IPL: u8 = 0x02;
/// No operation (control, immediate).
pub const NO_OPERATION: u8 = 0x03;
/// Sense: 32 bytes.
pub const SENSE: u8 = 0x04;
/// Write Data: one record's data, update write.
pub const WRITE_DATA: u8 = 0x05;
/// Read Data: one record's data.
pub const READ_DATA: u8 = 0x06;
/// Seek: 6 bytes, two zeros and CCHH.
pub const SEEK: u8 = 0x07;
/// Seek Cylinder: 6 bytes like Seek.
pub const SEEK_CYLINDER: u8 = 0x0B;
/// Write Key and Data of one record.
pub const WRITE_KEY_AND_DATA: u8 = 0x0D;
/// Read Key and Data of one record.
pub const READ_KEY_AND_DATA: u8 = 0x0E;
/// Erase: takes count, key and data and erases from there to the end of the track.
pub const ERASE: u8 = 0x11;
/// Read Count: the 8-byte count field.
pub const READ_COUNT: u8 = 0x12;
/// Recalibrate: seeks cylinder 0 head 0 (control, immediate).
pub const RECALIBRATE: u8 = 0x13;
/// Unconditional Reserve: 32 bytes of sense.
pub const UNCONDITIONAL_RESERVE: u8 = 0x14;
/// Write record zero.
pub const WRITE_RECORD_ZERO: u8 = 0x15;
/// Read record zero.
pub const READ_RECORD_ZERO: u8 = 0x16;
/// Write Home Address: 5 bytes.
pub const WRITE_HOME_ADDRESS: u8 = 0x19;
/// Read Home Address: 5 bytes.
pub const READ_HOME_ADDRESS: u8 = 0x1A;
/// Read Home Address, the other code that devices accept.
pub const READ_HOME_ADDRESS_ALTERNATE: u8 = 0x0A;
/// Seek Head: 6 bytes like Seek, of which the head counts.
pub const SEEK_HEAD: u8 = 0x1B;
/// Write Count, Key and Data: a format write of 8 + KL + DL bytes.
pub const WRITE_COUNT_KEY_AND_DATA: u8 = 0x1D;
/// Read Count, Key and Data: 8 + KL + DL bytes.
pub const READ_COUNT_KEY_AND_DATA: u8 = 0x1E;
/// Set File Mask: 1 byte.
pub const SET_FILE_MASK: u8 = 0x1F;
/// Read Sector: the sector of the record last worked on, 1 byte.
pub const READ_SECTOR: u8 = 0x22;
/// Set Sector: 1 byte.
pub const SET_SECTOR: u8 = 0x23;
/// Perform Subsystem Function.
pub const PERFORM_SUBSYSTEM_FUNCTION: u8 = 0x27;
/// Search Key Equal.
pub const SEARCH_KEY_EQUAL: u8 = 0x29;
/// Search ID Equal: 5 bytes, CCHHR.
pub const SEARCH_ID_EQUAL: u8 = 0x31;
/// Sense Path Group ID: 12 bytes.
pub const SENSE_PATH_GROUP_ID: u8 = 0x34;
/// Search Home Address Equal: 4 bytes, CCHH.
pub const SEARCH_HOME_ADDRESS_EQUAL: u8 = 0x39;
/// Read Subsystem Data.
pub const READ_SUBSYSTEM_DATA: u8 = 0x3E;
/// Interrogate; only in a DCW of an interrogate TCCB.
pub const INTERROGATE: u8 = 0x40;
/// Locate Record: 16 bytes.
pub const LOCATE_RECORD: u8 = 0x47;
/// Search Key High: the key of the record is higher than the argument.
pub const SEARCH_KEY_HIGH: u8 = 0x49;
/// Locate Record Extended: 20 bytes and parameters.
pub const LOCATE_RECORD_EXTENDED: u8 = 0x4B;
/// Search ID High: the ID of the record is higher than the argument.
pub const SEARCH_ID_HIGH: u8 = 0x51;
/// Suspend Multipath Reconnection (control, immediate).
pub const SUSPEND_MULTIPATH_RECONNECTION: u8 = 0x5B;
/// Read Multiple Count, Key and Data: all that follows on the track.
pub const READ_MULTIPLE_COUNT_KEY_AND_DATA: u8 = 0x5E;
/// Define Extent: 16 bytes, or 32 with extended parameters.
pub const DEFINE_EXTENT: u8 = 0x63;
/// Read Device Characteristics: 64 bytes.
pub const READ_DEVICE_CHARACTERISTICS: u8 = 0x64;
/// Search Key Equal or High.
pub const SEARCH_KEY_EQUAL_OR_HIGH: u8 = 0x69;
/// Search ID Equal or High.
pub const SEARCH_ID_EQUAL_OR_HIGH: u8 = 0x71;
/// Device Release: 32 bytes of sense.
pub const DEVICE_RELEASE: u8 = 0x94;
/// Write Full Track.
pub const WRITE_FULL_TRACK: u8 = 0x95;
/// Write Count, Key and Data Next Track: goes to the next track and writes after its record zero.
pub const WRITE_COUNT_KEY_AND_DATA_NEXT_TRACK: u8 = 0x9D;
/// Read and Reset Buffered Log: 32 bytes.
pub const READ_AND_RESET_BUFFERED_LOG: u8 = 0xA4;
/// Write Track Data: data areas only.
pub const WRITE_TRACK_DATA: u8 = 0xA5;
/// Read Track Data: data areas only, from the start record.
pub const READ_TRACK_DATA: u8 = 0xA6;
/// Set Path Group ID: 12 bytes.
pub const SET_PATH_GROUP_ID: u8 = 0xAF;
/// Device Reserve: 32 bytes of sense.
pub const DEVICE_RESERVE: u8 = 0xB4;
/// Read Track: every record of a track as count, key and data.
pub const READ_TRACK: u8 = 0xDE;
/// Sense Identification.
pub const SENSE_ID: u8 = 0xE4;
/// Prefix: Define Extent and Locate Record Extended in one, 64 bytes.
pub const PREFIX: u8 = 0xE7;
/// Prefix Read: in a DCW only, a Prefix whose own data count is the read.
pub const PREFIX_READ: u8 = 0xEA;
/// Read Configuration Data: 256 bytes.
pub const READ_CONFIGURATION_DATA: u8 = 0xFA;
/// Transfer in Channel, exactly this code in format 1; format 0 accepts any high nibble.
pub const TRANSFER_IN_CHANNEL: u8 = 0x08;
/// The multi-track bit of read and write data commands.
pub const MULTI_TRACK: u8 = 0x80;
/// Generic class of a command code, in its low bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandClass {
    /// xxxxxx01: data to the device.
    Write,
    /// xxxxxx10: data from the device.
    Read,
    /// xxxxxx11: parameters to the device, or none.
    Control,
    /// xxxx0100: status detail from the device.
    Sense,
    /// xxxx1000: transfer in channel, never seen by a device.
    TransferInChannel,
    /// xxxx1100: data from the device, stored from high to low addresses.
    ReadBackward,
    /// xxxx0000: no command.
    Invalid,
}

/// Returns the generic class of `command`.
pub const fn class(command: u8) -> CommandClass {
    match command & 0x03 {
        0x01 => CommandClass::Write,
        0x02 => CommandClass::Read,
        0x03 => CommandClass::Control,
        _ => match command & 0x0F {
            0x04 => CommandClass::Sense,
            0x08 => CommandClass::TransferInChannel,
            0x0C => CommandClass::ReadBackward,
            _ => CommandClass::Invalid,
        },
    }
}

/// Returns `command` with the multi-track bit on.
pub const fn multi_track(command: u8) -> u8 {
    command | MULTI_TRACK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_bits_tell_the_class() {
        for (command, expected) in [
            (multi_track(READ_DATA), CommandClass::Read),
            (READ_TRACK_DATA, CommandClass::Read),
            (WRITE_TRACK_DATA, CommandClass::Write),
            (PREFIX, CommandClass::Control),
            (PREFIX_READ, CommandClass::Read),
            (DEFINE_EXTENT, CommandClass::Control),
            (SENSE, CommandClass::Sense),
            (SENSE_ID, CommandClass::Sense),
            (READ_DEVICE_CHARACTERISTICS, CommandClass::Sense),
            (TRANSFER_IN_CHANNEL, CommandClass::TransferInChannel),
            (0xF8, CommandClass::TransferInChannel),
            (0x0C, CommandClass::ReadBackward),
            (0x40, CommandClass::Invalid),
        ] {
            assert_eq!(class(command), expected, "{command:#04x}");
        }
    }
}
