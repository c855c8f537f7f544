//! Command codes of ECKD devices and the generic classes of commands.
//!
//! The 0x80 bit of a read or write data command is the multi-track bit: at the end of a track the device
//! goes on with the next head, within the extent.

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
/// Write Key and Data of one record.
pub const WRITE_KEY_AND_DATA: u8 = 0x0D;
/// Read Key and Data of one record.
pub const READ_KEY_AND_DATA: u8 = 0x0E;
/// Read Count: the 8-byte count field.
pub const READ_COUNT: u8 = 0x12;
/// Write record zero.
pub const WRITE_RECORD_ZERO: u8 = 0x15;
/// Read record zero.
pub const READ_RECORD_ZERO: u8 = 0x16;
/// Read Home Address: 5 bytes.
pub const READ_HOME_ADDRESS: u8 = 0x1A;
/// Read Home Address, the other code that devices accept.
pub const READ_HOME_ADDRESS_ALTERNATE: u8 = 0x0A;
/// Write Count, Key and Data: a format write of 8 + KL + DL bytes.
pub const WRITE_COUNT_KEY_AND_DATA: u8 = 0x1D;
/// Read Count, Key and Data: 8 + KL + DL bytes.
pub const READ_COUNT_KEY_AND_DATA: u8 = 0x1E;
/// Perform Subsystem Function.
pub const PERFORM_SUBSYSTEM_FUNCTION: u8 = 0x27;
/// Read Subsystem Data.
pub const READ_SUBSYSTEM_DATA: u8 = 0x3E;
/// Interrogate; only in a DCW of an interrogate TCCB.
pub const INTERROGATE: u8 = 0x40;
/// Locate Record: 16 bytes.
pub const LOCATE_RECORD: u8 = 0x47;
/// Locate Record Extended: 20 bytes and parameters.
pub const LOCATE_RECORD_EXTENDED: u8 = 0x4B;
/// Define Extent: 16 bytes, or 32 with extended parameters.
pub const DEFINE_EXTENT: u8 = 0x63;
/// Read Device Characteristics: 64 bytes.
pub const READ_DEVICE_CHARACTERISTICS: u8 = 0x64;
/// Write Full Track.
pub const WRITE_FULL_TRACK: u8 = 0x95;
/// Write Track Data: data areas only.
pub const WRITE_TRACK_DATA: u8 = 0xA5;
/// Read Track Data: data areas only, from the start record.
pub const READ_TRACK_DATA: u8 = 0xA6;
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

/// The generic class of a command code, told by its low bits.
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

/// The generic class of `command`.
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

/// `command` with the multi-track bit on.
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
