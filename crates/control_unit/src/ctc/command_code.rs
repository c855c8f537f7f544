//! Codes of the adapter's commands that programs of systems have. Modifier bits are zero.

/// Write: gives data to the other side's Read.
pub const WRITE: u8 = 0x01;
/// Read: takes the data of the other side's Write.
pub const READ: u8 = 0x02;
/// Sense Command Byte: returns the code of the command in which the other side waits.
pub const SENSE_COMMAND_BYTE: u8 = 0x14;
/// Set Extended Mode.
pub const SET_EXTENDED_MODE: u8 = 0xC3;
