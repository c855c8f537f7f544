//! Sense: the 32 bytes with the reason for which a device ended with unit check.

use halftrack_program::{Geometry, SENSE_BYTES, TrackAddress};
use halftrack_volume::TrackFault;

/// Byte 0: incomplete domain.
pub const INCOMPLETE_DOMAIN: u8 = 0x01;
/// Byte 0: command reject.
pub const COMMAND_REJECT: u8 = 0x80;
/// Byte 0: equipment check.
pub const EQUIPMENT_CHECK: u8 = 0x10;
/// Byte 0: data check.
pub const DATA_CHECK: u8 = 0x08;
/// Byte 1: permanent error.
pub const PERMANENT_ERROR: u8 = 0x80;
/// Byte 1: invalid track format.
pub const INVALID_TRACK_FORMAT: u8 = 0x40;
/// Byte 1: end of cylinder.
pub const END_OF_CYLINDER: u8 = 0x20;
/// Byte 1: no record found.
pub const NO_RECORD_FOUND: u8 = 0x08;
/// Byte 1: file protected.
pub const FILE_PROTECTED: u8 = 0x04;
/// Byte 1: write inhibited.
pub const WRITE_INHIBITED: u8 = 0x02;
/// Byte 1: imprecise ending; byte 3 is what remained of the domain.
pub const IMPRECISE_ENDING: u8 = 0x01;

/// Byte 27 of sense. One emulator shows this value, whose meaning is not public; our choice.
const BYTE_27: u8 = 0x80;
/// Bytes 5 and 6 of volumes whose cylinders do not fit them.
const LARGE_VOLUME: [u8; 2] = [0xFF, 0xFF];
/// Cylinders that bytes 5 and 6 can name.
const SMALL_VOLUME_CYLINDERS: u32 = 4096;
/// Format of byte 7 for write inhibited. Not public; our choice.
const WRITE_INHIBITED_FORMAT: u8 = 1;
/// Format of byte 7 for a track or file that failed. Not public; our choice.
const EQUIPMENT_FORMAT: u8 = 1;
/// Format of byte 7 for a track that cannot be read. Not public; our choice.
const DATA_CHECK_FORMAT: u8 = 4;

/// Message of byte 7 for a reset notification: format 0, message 8 (recovery reference 2.3).
pub(crate) const RESET_NOTIFICATION: u8 = 0x08;
/// Byte 25 of the 32-byte format for a state change that is pending (recovery reference 2.3).
pub(crate) const STATE_CHANGE_ACTION: u8 = 0x1D;
/// Bit 0 of byte 27: the 24-byte format, without a program action code in byte 25.
pub(crate) const SHORT_FORMAT: u8 = 0x80;

/// Message of a command reject: format 0 in byte 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Message {
    /// 1: the device has no such command.
    InvalidCommand,
    /// 2: the command may not stand here in the chain.
    InvalidSequence,
    /// 3: the CCW count is less than the parameters need.
    CountTooSmall,
    /// 4: a parameter is invalid.
    InvalidParameter,
    /// 5: the file mask does not let it through.
    NotPermitted,
}

impl Message {
    /// Returns the low four bits of byte 7.
    pub const fn code(self) -> u8 {
        match self {
            Self::InvalidCommand => 1,
            Self::InvalidSequence => 2,
            Self::CountTooSmall => 3,
            Self::InvalidParameter => 4,
            Self::NotPermitted => 5,
        }
    }
}

/// Why a command ends with unit check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitCheck {
    /// The command is refused.
    CommandReject(Message),
    /// The program ended before the domain of its Locate Record did.
    IncompleteDomain,
    /// The seek or the advance leaves the extent.
    FileProtected,
    /// The record searched for is not on the track.
    NoRecordFound,
    /// A multi-track command outside a domain reached the end of the cylinder.
    EndOfCylinder,
    /// The device refuses writes.
    WriteInhibited,
    /// The track is not laid out as the command needs.
    InvalidTrackFormat,
    /// The record is not as long as the transfer-length factor of its update write.
    UnlikeTransferLength,
    /// The track cannot be read.
    DataCheck,
    /// Failure of the medium under the device.
    EquipmentCheck,
    /// The device was reset for this path: allegiance and path group are gone. Nothing of the chain was executed.
    ResettingEvent,
    /// The device changes its state and is not ready yet. Nothing of the chain was executed.
    StateChangePending,
}

impl UnitCheck {
    /// Maps a fault of a track to the unit check that the program gets. Public sources do not define it for images in
    /// files; our choice.
    pub const fn from_fault(fault: TrackFault) -> Self {
        match fault {
            TrackFault::NoTrack => Self::CommandReject(Message::InvalidParameter),
            TrackFault::Unreadable => Self::DataCheck,
            TrackFault::TooLong => Self::InvalidTrackFormat,
            TrackFault::WriteInhibited => Self::WriteInhibited,
            TrackFault::Medium => Self::EquipmentCheck,
        }
    }

    /// Returns whether it belongs to the command in progress and nothing of it was carried out. The ending of any other write
    /// in a domain is imprecise.
    pub const fn is_precise(self) -> bool {
        matches!(
            self,
            Self::CommandReject(_)
                | Self::UnlikeTransferLength
                | Self::ResettingEvent
                | Self::StateChangePending
        )
    }

    /// Returns the bytes 0, 1 and 7.
    const fn bytes(self) -> (u8, u8, u8) {
        match self {
            Self::CommandReject(message) => (COMMAND_REJECT, 0, message.code()),
            // As Hercules 3.13 has it: a command reject with the bit of the domain, and no message.
            Self::IncompleteDomain => (COMMAND_REJECT | INCOMPLETE_DOMAIN, 0, 0),
            Self::FileProtected => (0, FILE_PROTECTED, 0),
            Self::NoRecordFound => (0, NO_RECORD_FOUND, 0),
            Self::EndOfCylinder => (0, END_OF_CYLINDER, 0),
            Self::WriteInhibited => (EQUIPMENT_CHECK, WRITE_INHIBITED, WRITE_INHIBITED_FORMAT << 4),
            Self::InvalidTrackFormat | Self::UnlikeTransferLength => (0, INVALID_TRACK_FORMAT, 0),
            Self::DataCheck => (DATA_CHECK, PERMANENT_ERROR, DATA_CHECK_FORMAT << 4),
            Self::EquipmentCheck => (EQUIPMENT_CHECK, PERMANENT_ERROR, EQUIPMENT_FORMAT << 4),
            Self::ResettingEvent => (0, 0, RESET_NOTIFICATION),
            Self::StateChangePending => (0, 0, 0),
        }
    }
}

/// Sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sense {
    bytes: [u8; SENSE_BYTES],
}

impl Sense {
    /// Builds the sense of `reason` for a device of `geometry` that stands at `track`.
    pub fn new(reason: UnitCheck, track: TrackAddress, geometry: &Geometry) -> Self {
        let mut bytes = [0; SENSE_BYTES];
        (bytes[0], bytes[1], bytes[7]) = reason.bytes();
        let cchh = track.to_cchh();
        let [low, high] = if geometry.cylinders() > SMALL_VOLUME_CYLINDERS - 1 {
            LARGE_VOLUME
        } else {
            let cylinder = track.cylinder() as u16;
            [cylinder as u8, (cylinder >> 4) as u8 & 0xF0 | track.head()]
        };
        (bytes[5], bytes[6]) = (low, high);
        if matches!(reason, UnitCheck::StateChangePending) {
            bytes[25] = STATE_CHANGE_ACTION;
        } else {
            bytes[27] = BYTE_27;
        }
        (bytes[29], bytes[30], bytes[31]) = (cchh[0], cchh[1], cchh[3]);
        Self { bytes }
    }

    /// Returns the sense of `reason` for a fixed-block device, which has no tracks.
    pub fn of_blocks(reason: UnitCheck) -> Self {
        let mut bytes = [0; SENSE_BYTES];
        (bytes[0], bytes[1], bytes[7]) = reason.bytes();
        if matches!(reason, UnitCheck::StateChangePending) {
            bytes[25] = STATE_CHANGE_ACTION;
        }
        Self { bytes }
    }

    /// Returns the same for a write of a domain of which `remaining` units were left.
    #[must_use]
    pub const fn imprecise(mut self, remaining: u8) -> Self {
        self.bytes[1] |= IMPRECISE_ENDING;
        self.bytes[3] = remaining;
        self
    }

    /// Returns the 32 bytes.
    pub const fn bytes(&self) -> &[u8; SENSE_BYTES] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::Model;

    fn sense(reason: UnitCheck, model: Model) -> [u8; SENSE_BYTES] {
        *Sense::new(reason, TrackAddress::new(0x123, 5).unwrap(), &Geometry::of(model)).bytes()
    }

    #[test]
    fn reasons_have_their_bits() {
        let bytes = |reason| {
            let sense = sense(reason, Model::Model3);
            (sense[0], sense[1], sense[7])
        };
        assert_eq!(bytes(UnitCheck::CommandReject(Message::InvalidCommand)), (0x80, 0x00, 0x01));
        assert_eq!(bytes(UnitCheck::CommandReject(Message::InvalidSequence)), (0x80, 0x00, 0x02));
        assert_eq!(bytes(UnitCheck::CommandReject(Message::CountTooSmall)), (0x80, 0x00, 0x03));
        assert_eq!(bytes(UnitCheck::CommandReject(Message::InvalidParameter)), (0x80, 0x00, 0x04));
        assert_eq!(bytes(UnitCheck::CommandReject(Message::NotPermitted)), (0x80, 0x00, 0x05));
        assert_eq!(bytes(UnitCheck::IncompleteDomain), (0x81, 0x00, 0x00));
        assert_eq!(bytes(UnitCheck::FileProtected), (0x00, 0x04, 0x00));
        assert_eq!(bytes(UnitCheck::NoRecordFound), (0x00, 0x08, 0x00));
        assert_eq!(bytes(UnitCheck::EndOfCylinder), (0x00, 0x20, 0x00));
        assert_eq!(bytes(UnitCheck::WriteInhibited), (0x10, 0x02, 0x10));
        assert_eq!(bytes(UnitCheck::InvalidTrackFormat), (0x00, 0x40, 0x00));
        assert_eq!(bytes(UnitCheck::UnlikeTransferLength), (0x00, 0x40, 0x00));
        assert_eq!(bytes(UnitCheck::DataCheck), (0x08, 0x80, 0x40));
        assert_eq!(bytes(UnitCheck::EquipmentCheck), (0x10, 0x80, 0x10));
        assert_eq!(bytes(UnitCheck::ResettingEvent), (0x00, 0x00, 0x08));
        assert_eq!(bytes(UnitCheck::StateChangePending), (0x00, 0x00, 0x00));
    }

    #[test]
    fn an_imprecise_ending_tells_what_remained() {
        let track = TrackAddress::default();
        let precise = Sense::new(UnitCheck::InvalidTrackFormat, track, &Geometry::of(Model::Model3));
        assert_eq!((precise.bytes()[1], precise.bytes()[3]), (0x40, 0));
        assert_eq!((precise.imprecise(7).bytes()[1], precise.imprecise(7).bytes()[3]), (0x41, 7));
    }

    #[test]
    fn the_place_stands_twice_on_small_volumes() {
        let small = sense(UnitCheck::NoRecordFound, Model::Model3);
        assert_eq!(small[5..7], [0x23, 0x15]);
        assert_eq!(small[29..], [0x01, 0x23, 0x05]);
        let large = sense(UnitCheck::NoRecordFound, Model::Model9);
        assert_eq!(large[5..7], [0xFF, 0xFF]);
        assert_eq!(large[29..], [0x01, 0x23, 0x05]);
    }
}
