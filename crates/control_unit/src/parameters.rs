//! How many bytes of parameters a control command takes.

use halftrack_program::command::*;
use halftrack_program::{
    DEFINE_EXTENT_BYTES, DEFINE_EXTENT_EXTENDED_BYTES, DataPort, ExtendedAttributes, LOCATE_RECORD_BYTES,
    LOCATE_RECORD_EXTENDED_BYTES, PREFIX_BYTES,
};

use crate::path_group::SET_PATH_GROUP_BYTES;
use crate::seek::SEEK_BYTES;
use crate::subsystem_function::FUNCTION_BYTES_MAXIMUM;

/// The most bytes that a control command takes: a Prefix with extended parameters. Longer ones have no
/// meaning here.
pub(crate) const PARAMETER_BYTES_MAXIMUM: usize = PREFIX_BYTES + EXTENDED_BYTES_MAXIMUM;
const EXTENDED_BYTES_MAXIMUM: usize = 64;

/// Bytes that a command takes before they say whether more follow; 0 for one that has none or is not known.
fn fixed_bytes(command: u8) -> usize {
    match command {
        PREFIX => PREFIX_BYTES,
        DEFINE_EXTENT => DEFINE_EXTENT_BYTES,
        LOCATE_RECORD => LOCATE_RECORD_BYTES,
        LOCATE_RECORD_EXTENDED => LOCATE_RECORD_EXTENDED_BYTES,
        SEEK | SEEK_CYLINDER | SEEK_HEAD => SEEK_BYTES,
        SET_FILE_MASK | SET_SECTOR => 1,
        SET_PATH_GROUP_ID => SET_PATH_GROUP_BYTES,
        PERFORM_SUBSYSTEM_FUNCTION => FUNCTION_BYTES_MAXIMUM,
        _ => 0,
    }
}

/// Bytes that follow those, by what they say.
fn further_bytes(command: u8, fixed: &[u8]) -> usize {
    let extended_bytes = match (command, fixed) {
        (DEFINE_EXTENT, &[.., _, _, _, _, _, _, _, _, _]) => {
            let announced = ExtendedAttributes::TIME_STAMP_VALID | ExtendedAttributes::EXTENDED_PARAMETERS;
            let announces = fixed.get(7).is_some_and(|&attributes| attributes & announced.0 != 0);
            if announces { DEFINE_EXTENT_EXTENDED_BYTES - DEFINE_EXTENT_BYTES } else { 0 }
        }
        // Format 0 of a Prefix has no Locate Record Extended.
        (PREFIX, &[0, ..]) => 0,
        (PREFIX | LOCATE_RECORD_EXTENDED, &[.., high, low]) => usize::from(u16::from_be_bytes([high, low])),
        _ => 0,
    };
    extended_bytes.min(EXTENDED_BYTES_MAXIMUM)
}

/// Takes the parameters of a control command.
pub(crate) fn take<'a>(
    command: u8,
    port: &mut impl DataPort,
    buffer: &'a mut [u8; PARAMETER_BYTES_MAXIMUM],
) -> &'a [u8] {
    let fixed = fixed_bytes(command).min(PARAMETER_BYTES_MAXIMUM);
    let mut taken = port.take_into(&mut buffer[..fixed]);
    if taken == fixed {
        let further = further_bytes(command, &buffer[..fixed]);
        taken += port.take_into(&mut buffer[fixed..fixed + further]);
    }
    &buffer[..taken]
}

/// Bytes that the command needs, as its parameters say.
pub(crate) fn needed_bytes(command: u8, parameters: &[u8]) -> u32 {
    let fixed = fixed_bytes(command);
    let needed = match parameters.get(..fixed) {
        // The length of a subsystem function is its own affair.
        _ if command == PERFORM_SUBSYSTEM_FUNCTION => parameters.len(),
        Some(start) => fixed + further_bytes(command, start),
        None => fixed,
    };
    needed as u32
}
