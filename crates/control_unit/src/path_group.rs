//! Path group of a device, as one of its paths keeps it.

use crate::chain::{COUNT_TOO_SMALL, INVALID_PARAMETER};
use crate::sense::UnitCheck;

/// Bytes of a path-group identifier.
const IDENTIFIER_BYTES: usize = 11;

/// Identifier of a path group, as Set Path Group ID gives it.
pub type PathGroupId = [u8; IDENTIFIER_BYTES];
/// Bytes of Set Path Group ID: function control and identifier.
pub(crate) const SET_PATH_GROUP_BYTES: usize = 1 + IDENTIFIER_BYTES;

/// Function control: the function bits; establish is none of them.
const FUNCTION: u8 = 0x60;
const ESTABLISH: u8 = 0x00;
const DISBAND: u8 = 0x20;
const RESIGN: u8 = 0x40;
/// Function control: multipath mode.
const MULTIPATH: u8 = 0x80;

/// Path state of Sense Path Group ID: never grouped since the device came up; ungrouped; grouped.
const STATE_RESET: u8 = 0x00;
const STATE_UNGROUPED: u8 = 0x80;
const STATE_GROUPED: u8 = 0xC0;
/// Path state: the device is reserved to this path's group.
const STATE_RESERVED: u8 = 0x30;
/// Path state: multipath mode.
const STATE_MULTIPATH: u8 = 0x08;

/// The path group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PathGroup {
    grouped: bool,
    multipath: bool,
    identifier: Option<[u8; IDENTIFIER_BYTES]>,
}

impl PathGroup {
    /// Returns the set Path Group ID.
    ///
    /// An identifier other than the one established is refused until the group is disbanded: it would come
    /// from another host.
    pub(crate) fn set(&mut self, parameters: &[u8]) -> Result<(), UnitCheck> {
        let Some(&[control, ref identifier @ ..]) = parameters.first_chunk::<SET_PATH_GROUP_BYTES>() else {
            return Err(COUNT_TOO_SMALL);
        };
        if self.identifier.is_some_and(|established| established != *identifier) && self.grouped {
            return Err(INVALID_PARAMETER);
        }
        match control & FUNCTION {
            ESTABLISH => {
                let multipath = control & MULTIPATH != 0;
                *self = Self { grouped: true, multipath, identifier: Some(*identifier) };
            }
            DISBAND | RESIGN => {
                *self = Self { grouped: false, multipath: false, identifier: Some(*identifier) };
            }
            _ => return Err(INVALID_PARAMETER),
        }
        Ok(())
    }

    /// Returns the identifier, when there is a group.
    pub(crate) fn identifier(&self) -> Option<PathGroupId> {
        self.identifier.filter(|_| self.grouped)
    }

    /// Returns the data of Sense Path Group ID.
    pub(crate) fn sense(&self, reserved: bool) -> [u8; SET_PATH_GROUP_BYTES] {
        let mut bytes = [0; SET_PATH_GROUP_BYTES];
        bytes[0] = match (self.grouped, self.identifier) {
            (true, _) => STATE_GROUPED,
            (false, Some(_)) => STATE_UNGROUPED,
            (false, None) => STATE_RESET,
        };
        if reserved {
            bytes[0] |= STATE_RESERVED;
        }
        if self.multipath {
            bytes[0] |= STATE_MULTIPATH;
        }
        bytes[1..].copy_from_slice(&self.identifier.unwrap_or_default());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::INVALID_SEQUENCE;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{ChainEnd, Device};

    fn set(control: u8, identifier: u8) -> [u8; SET_PATH_GROUP_BYTES] {
        std::array::from_fn(|at| if at == 0 { control } else { identifier })
    }

    #[test]
    fn a_group_is_established_and_disbanded() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        assert_eq!(unit.bytes(SENSE_PATH_GROUP_ID), [0; SET_PATH_GROUP_BYTES]);
        unit.does(SET_PATH_GROUP_ID, &set(0x80, 7));
        assert_eq!(unit.end_chain(ChainEnd::Unchained), None);
        assert_eq!(unit.bytes(SENSE_PATH_GROUP_ID), set(0xC8, 7), "outlives the chain");
        assert_eq!(reason(unit.send(SET_PATH_GROUP_ID, &set(0x80, 8))), INVALID_PARAMETER);
        unit.does(SET_PATH_GROUP_ID, &set(0x20, 7));
        assert_eq!(unit.bytes(SENSE_PATH_GROUP_ID), set(0x80, 7));
        unit.does(SET_PATH_GROUP_ID, &set(0x00, 8));
        assert_eq!(unit.bytes(SENSE_PATH_GROUP_ID), set(0xC0, 8));
    }

    #[test]
    fn wrong_parameters_are_rejected() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        assert_eq!(reason(unit.send(SET_PATH_GROUP_ID, &[0; 11])), COUNT_TOO_SMALL);
        assert_eq!(reason(unit.send(SET_PATH_GROUP_ID, &set(0x60, 1))), INVALID_PARAMETER);
    }

    #[test]
    fn a_reservation_outlives_its_chain() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        for (command, reserved) in
            [(DEVICE_RESERVE, true), (DEVICE_RELEASE, false), (UNCONDITIONAL_RESERVE, true)]
        {
            assert_eq!(unit.bytes(command), [0; 32], "no sense");
            assert_eq!(unit.end_chain(ChainEnd::Unchained), None);
            assert_eq!(unit.bytes(SENSE_PATH_GROUP_ID)[0] & STATE_RESERVED != 0, reserved);
            assert_eq!(unit.end_chain(ChainEnd::Unchained), None);
        }
    }

    /// Commands with what they send.
    type Before<'a> = &'a [(u8, &'a [u8])];

    /// Returns whether a command is let in behind these; what it was refused for is its place.
    fn stands_behind(command: u8, before: Before<'_>) -> bool {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        for &(command, octets) in before {
            let end = if octets.is_empty() { unit.run(command) } else { unit.send(command, octets) };
            assert_eq!(end.status.0, 0x0C, "{command:#04x}: {end:?}");
        }
        let end = unit.run(command);
        let is_in_place = end.sense.is_none();
        if !is_in_place {
            assert_eq!(reason(end), INVALID_SEQUENCE);
            assert!(!unit.is_reserved() || before.iter().any(|(before, _)| *before == DEVICE_RESERVE));
        }
        is_in_place
    }

    /// Hercules 3.13 lets them stand in these places too.
    #[test]
    fn a_reservation_begins_its_chain() {
        let extent = read_extent().emit();
        let locate = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        let suspend = (SUSPEND_MULTIPATH_RECONNECTION, &[][..]);
        let no_operation = (NO_OPERATION, &[][..]);
        let places: [(Before<'_>, bool, bool); 12] = [
            (&[], true, true),
            (&[suspend], true, true),
            (&[suspend, suspend], false, true),
            (&[no_operation], false, true),
            (&[no_operation, suspend], false, true),
            (&[(SENSE, &[])], false, true),
            (&[(SENSE_PATH_GROUP_ID, &[])], false, true),
            (&[(DEVICE_RESERVE, &[])], false, true),
            (&[(SEEK, &[0; 6])], false, true),
            (&[(SET_FILE_MASK, &[0])], false, false),
            (&[(DEFINE_EXTENT, &extent)], false, false),
            (&[(PREFIX, &locate)], false, false),
        ];
        for (before, reserves, releases) in places {
            for command in [DEVICE_RESERVE, UNCONDITIONAL_RESERVE] {
                assert_eq!(stands_behind(command, before), reserves, "{command:#04x} behind {before:02X?}");
            }
            assert_eq!(stands_behind(DEVICE_RELEASE, before), releases, "release behind {before:02X?}");
        }
    }
}
