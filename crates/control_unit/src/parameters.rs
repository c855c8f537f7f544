//! The parameters of a control command: how many bytes they are, and how they come.

use halftrack_program::command::*;
use halftrack_program::{
    DEFINE_EXTENT_BYTES, DEFINE_EXTENT_EXTENDED_BYTES, DataPort, ExtendedAttributes, LOCATE_RECORD_BYTES,
    LOCATE_RECORD_EXTENDED_BYTES, Octets, PREFIX_BYTES,
};

use crate::path_group::SET_PATH_GROUP_BYTES;
use crate::seek::SEEK_BYTES;
use crate::subsystem_function::FUNCTION_BYTES_MAXIMUM;

/// The most bytes that a control command takes: a Prefix with extended parameters. Longer ones have no
/// meaning here.
const PARAMETER_BYTES_MAXIMUM: usize = PREFIX_BYTES + EXTENDED_BYTES_MAXIMUM;
const EXTENDED_BYTES_MAXIMUM: usize = 64;

/// Returns the number of bytes in the fixed part of a command's parameters, 0 for a command that has none or is
/// unknown. A subsystem function takes at most these.
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

/// Returns the number of bytes behind the fixed part, from its contents.
fn further_bytes(command: u8, fixed: &[u8]) -> usize {
    match (command, fixed) {
        (DEFINE_EXTENT, &[_, _, _, _, _, _, _, attributes, ..]) => {
            let announced = ExtendedAttributes::TIME_STAMP_VALID | ExtendedAttributes::EXTENDED_PARAMETERS;
            let announces = attributes & announced.0 != 0;
            if announces { DEFINE_EXTENT_EXTENDED_BYTES - DEFINE_EXTENT_BYTES } else { 0 }
        }
        // Format 0 of a Prefix has no Locate Record Extended.
        (PREFIX, &[0, ..]) => 0,
        (PREFIX | LOCATE_RECORD_EXTENDED, &[.., high, low]) => {
            usize::from(u16::from_be_bytes([high, low])).min(EXTENDED_BYTES_MAXIMUM)
        }
        _ => 0,
    }
}

/// Takes the parameters of a control command and hands them to `then`: without a copy when they come in one
/// run.
pub(crate) fn take<R>(command: u8, port: &mut impl DataPort, then: impl FnOnce(&[u8]) -> R) -> R {
    let fixed = fixed_bytes(command);
    let first = if fixed == 0 { Octets::NONE } else { port.take(fixed as u32) };
    match first {
        Octets::Bytes(bytes) if bytes.len() == fixed && further_bytes(command, bytes) == 0 => then(bytes),
        first if first.is_empty() => then(&[]),
        first => {
            let mut buffer = [0; PARAMETER_BYTES_MAXIMUM];
            let mut taken = (first.len() as usize).min(fixed);
            if let Some(bytes) = first.bytes() {
                buffer[..taken].copy_from_slice(&bytes[..taken]);
            }
            taken += port.take_into(&mut buffer[taken..fixed]);
            if taken == fixed {
                let further = further_bytes(command, &buffer[..fixed]);
                taken += port.take_into(&mut buffer[fixed..fixed + further]);
            }
            then(&buffer[..taken])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Port;

    /// Returns the parameters that come of octets that are sent in runs of some of them.
    fn taken(command: u8, octets: &[u8], run: usize) -> Vec<u8> {
        take(command, &mut Port::sending(octets).in_runs_of(run), <[u8]>::to_vec)
    }

    #[test]
    fn parameters_come_in_any_runs() {
        let octets: Vec<u8> = (0..100).collect();
        for run in [1, 7, 64, 1000] {
            assert_eq!(taken(SEEK, &octets, run), octets[..6]);
            assert_eq!(taken(LOCATE_RECORD, &octets, run), octets[..16]);
            assert_eq!(taken(LOCATE_RECORD, &octets[..9], run), octets[..9]);
            assert_eq!(taken(PERFORM_SUBSYSTEM_FUNCTION, &octets, run), octets[..66]);
            assert_eq!(taken(NO_OPERATION, &octets, run), [0; 0]);
        }
        assert_eq!(take(SEEK, &mut Port::counting(6), <[u8]>::to_vec), [0; 6], "octets that nobody keeps");
    }

    #[test]
    fn some_say_how_many_follow() {
        let mut octets = [0; 200];
        (octets[0], octets[63]) = (1, 3);
        (octets[7], octets[19]) = (0x02, 200);
        for run in [5, 1000] {
            assert_eq!(taken(PREFIX, &octets, run).len(), 67);
            assert_eq!(taken(PREFIX, &[&[0], &octets[1..]].concat(), run).len(), 64, "an extent alone");
            assert_eq!(taken(DEFINE_EXTENT, &octets, run).len(), 32);
            assert_eq!(taken(LOCATE_RECORD_EXTENDED, &octets, run).len(), 20 + EXTENDED_BYTES_MAXIMUM);
        }
    }
}
