//! Locate Record parameters (16 bytes): where a domain starts, what it does and for how many units.

use crate::address::TrackAddress;
use crate::parse_error::{Fault, ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{array_at, put, u16_at};

const LOCATE_RECORD: Structure = Structure("Locate Record");

/// Bytes of the parameters.
pub const LOCATE_RECORD_BYTES: usize = 16;
/// Sector field: no sector is given.
pub const NO_SECTOR: u8 = 0xFF;
/// Rotational sectors of a track; the highest sector number is one less.
pub const SECTORS: u8 = 224;
/// Mask of the operation in byte 0.
pub(crate) const OPERATION: u8 = 0x3F;

/// Orientation of the device before the first command of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// The count area of the record searched for.
    Count,
    /// The home address.
    Home,
    /// The data area of the record searched for.
    Data,
    /// The index point.
    Index,
}

impl Orientation {
    /// Returns the top two bits of byte 0.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Count => 0x00,
            Self::Home => 0x40,
            Self::Data => 0x80,
            Self::Index => 0xC0,
        }
    }

    /// Decodes the orientation in the top two bits of `byte`.
    pub const fn from_bits(byte: u8) -> Self {
        match byte & 0xC0 {
            0x00 => Self::Count,
            0x40 => Self::Home,
            0x80 => Self::Data,
            _ => Self::Index,
        }
    }
}

/// Operation of the commands of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocateOperation {
    /// 00: position only.
    Orient,
    /// 01: update writes of data.
    WriteData,
    /// 03: format writes.
    FormatWrite,
    /// 06: reads of data.
    ReadData,
    /// 0B: format writes of a whole track.
    WriteTrack,
    /// 0C: reads of whole tracks.
    ReadTracks,
    /// 16: reads of any kind.
    Read,
}

impl LocateOperation {
    /// Returns the low six bits of byte 0.
    pub const fn code(self) -> u8 {
        match self {
            Self::Orient => 0x00,
            Self::WriteData => 0x01,
            Self::FormatWrite => 0x03,
            Self::ReadData => 0x06,
            Self::WriteTrack => 0x0B,
            Self::ReadTracks => 0x0C,
            Self::Read => 0x16,
        }
    }

    /// Returns the operation of a code, or nothing for a code without a meaning here.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0x00 => Self::Orient,
            0x01 => Self::WriteData,
            0x03 => Self::FormatWrite,
            0x06 => Self::ReadData,
            0x0B => Self::WriteTrack,
            0x0C => Self::ReadTracks,
            0x16 => Self::Read,
            _ => return None,
        })
    }

    /// Returns whether a domain of this operation may begin at `orientation`.
    ///
    /// Public sources agree about the operations that Locate Record Extended has too. Those of Orient and Read Data
    /// are known from one emulator only (Hercules 3.13).
    pub const fn takes(self, orientation: Orientation) -> bool {
        use Orientation::{Count, Data, Home, Index};
        match self {
            Self::WriteData => matches!(orientation, Count | Data),
            Self::FormatWrite => matches!(orientation, Count | Home | Index),
            Self::WriteTrack => matches!(orientation, Count),
            Self::ReadTracks => matches!(orientation, Count | Home),
            Self::Read => true,
            Self::Orient | Self::ReadData => matches!(orientation, Count | Home | Data),
        }
    }
}

bit_set! {
    /// Byte 1: auxiliary bits.
    LocateAuxiliary: u8 {
        /// The transfer-length factor is valid.
        TRANSFER_LENGTH_VALID = 0x80;
        /// One Read Count follows the domain.
        READ_COUNT_SUFFIX = 0x01;
    }
}

/// Seek address, search argument and sector, the same in Locate Record and Locate Record Extended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// Bytes 4-7: the track to seek.
    pub seek: TrackAddress,
    /// Bytes 8-11: the track part of the search argument.
    pub search: TrackAddress,
    /// Byte 12: the record to search for.
    pub record: u8,
    /// Byte 13: sector, 0-223, or [`NO_SECTOR`].
    pub sector: u8,
}

impl Target {
    pub(crate) fn parse(structure: Structure, bytes: &[u8; 16]) -> Result<Self, ParseError> {
        let sector = bytes[13];
        structure.check(sector < SECTORS || sector == NO_SECTOR, "sector", 13, sector)?;
        Ok(Self {
            seek: TrackAddress::from_cchh(array_at(bytes, 4)),
            search: TrackAddress::from_cchh(array_at(bytes, 8)),
            record: bytes[12],
            sector,
        })
    }

    pub(crate) fn emit(&self, bytes: &mut [u8]) {
        put(bytes, 4, &self.seek.to_cchh());
        put(bytes, 8, &self.search.to_cchh());
        bytes[12] = self.record;
        bytes[13] = self.sector;
    }
}

/// Locate Record parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocateRecord {
    /// Byte 0, top two bits.
    pub orientation: Orientation,
    /// Byte 0, low six bits.
    pub operation: LocateOperation,
    /// Byte 1.
    pub auxiliary: LocateAuxiliary,
    /// Byte 3: units of the domain, records or tracks; 0 exactly with [`LocateOperation::Orient`].
    pub count: u8,
    /// Bytes 4-13.
    pub target: Target,
    /// Bytes 14-15: transfer-length factor in bytes; 0 exactly when not valid.
    pub transfer_length_bytes: u16,
}

impl LocateRecord {
    /// Parses the first 16 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; an undefined operation, or an orientation that it does not take; reserved bits on; count zero
    /// with an operation that needs units, or not zero with Orient; a sector out of range; a transfer-length factor that contradicts its
    /// validity bit.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; LOCATE_RECORD_BYTES] = LOCATE_RECORD.fixed(bytes)?;
        let operation = LocateOperation::from_code(fixed[0] & OPERATION).ok_or(LOCATE_RECORD.error(
            "operation",
            0,
            Fault::Value { value: u64::from(fixed[0]) },
        ))?;
        let orientation = Orientation::from_bits(fixed[0]);
        LOCATE_RECORD.check(operation.takes(orientation), "orientation", 0, fixed[0])?;
        let known = LocateAuxiliary::TRANSFER_LENGTH_VALID | LocateAuxiliary::READ_COUNT_SUFFIX;
        LOCATE_RECORD.zero("auxiliary", 1, fixed[1] & !known.0)?;
        LOCATE_RECORD.zero("byte 2", 2, fixed[2])?;
        let count = fixed[3];
        LOCATE_RECORD.check((count == 0) == (operation == LocateOperation::Orient), "count", 3, count)?;
        let auxiliary = LocateAuxiliary(fixed[1]);
        let transfer_length_bytes = u16_at(fixed, 14);
        let valid = auxiliary.contains(LocateAuxiliary::TRANSFER_LENGTH_VALID);
        let factor = "transfer-length factor";
        LOCATE_RECORD.check(valid == (transfer_length_bytes != 0), factor, 14, transfer_length_bytes)?;
        Ok(Self {
            orientation,
            operation,
            auxiliary,
            count,
            target: Target::parse(LOCATE_RECORD, fixed)?,
            transfer_length_bytes,
        })
    }

    /// Emits the 16 bytes.
    pub fn emit(&self) -> [u8; LOCATE_RECORD_BYTES] {
        let mut bytes = [0; LOCATE_RECORD_BYTES];
        bytes[0] = self.orientation.bits() | self.operation.code();
        bytes[1] = self.auxiliary.0;
        bytes[3] = self.count;
        self.target.emit(&mut bytes);
        put(&mut bytes, 14, &self.transfer_length_bytes.to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate_record_extended::LocateRecordExtended;
    use proptest::prelude::*;

    const OCTETS: [u8; 16] = [0x06, 0x80, 0, 1, 0, 100, 0, 3, 0, 100, 0, 3, 5, 77, 0x10, 0];

    #[test]
    fn a_4k_read_to_the_octet() {
        let track = TrackAddress::new(100, 3).unwrap();
        let locate = LocateRecord {
            orientation: Orientation::Count,
            operation: LocateOperation::ReadData,
            auxiliary: LocateAuxiliary::TRANSFER_LENGTH_VALID,
            count: 1,
            target: Target { seek: track, search: track, record: 5, sector: 77 },
            transfer_length_bytes: 4096,
        };
        assert_eq!(locate.emit(), OCTETS);
        assert_eq!(LocateRecord::parse(&OCTETS).unwrap(), locate);
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = OCTETS;
            octets[offset] = value;
            let error = LocateRecord::parse(&octets).unwrap_err();
            (error.field, error.offset)
        };
        assert_eq!(fault(0, 0x07), ("operation", 0));
        assert_eq!(fault(0, 0x3F), ("operation", 0), "extended operations need the extended command");
        assert_eq!(fault(1, 0xC0), ("auxiliary", 1));
        assert_eq!(fault(1, 0x00), ("transfer-length factor", 14));
        assert_eq!(fault(2, 1), ("byte 2", 2));
        assert_eq!(fault(3, 0), ("count", 3));
        assert_eq!(fault(0, 0x00), ("count", 3));
        assert_eq!(fault(13, 224), ("sector", 13));
        assert_eq!(fault(14, 0), ("transfer-length factor", 14));
    }

    /// Byte 0 of every pair of orientation and operation, operation by operation: whether Locate Record takes it,
    /// whether Locate Record Extended does, and whether it does at the end of a Prefix.
    const PAIRS: [(u8, bool, bool, bool); 28] = {
        let (y, n) = (true, false);
        [
            (0x00, y, n, n),
            (0x40, y, n, n),
            (0x80, y, n, n),
            (0xC0, n, n, n),
            (0x01, y, y, y),
            (0x41, n, n, n),
            (0x81, y, y, y),
            (0xC1, n, n, n),
            (0x03, y, y, y),
            (0x43, y, y, y),
            (0x83, n, n, n),
            (0xC3, y, y, y),
            (0x06, y, n, y),
            (0x46, y, n, n),
            (0x86, y, n, n),
            (0xC6, n, n, n),
            (0x0B, y, y, y),
            (0x4B, n, n, n),
            (0x8B, n, n, n),
            (0xCB, n, n, n),
            (0x0C, y, y, y),
            (0x4C, y, y, y),
            (0x8C, n, n, n),
            (0xCC, n, n, n),
            (0x16, y, y, y),
            (0x56, y, y, y),
            (0x96, y, y, y),
            (0xD6, y, y, y),
        ]
    };

    #[test]
    fn an_operation_takes_its_orientations_and_no_other() {
        for (pair, plain, extended, in_prefix) in PAIRS {
            let mut octets = [0; 20];
            octets[..16].copy_from_slice(&OCTETS);
            (octets[0], octets[3]) = (pair, u8::from(pair & OPERATION != 0));
            let parsed = LocateRecord::parse(&octets);
            assert_eq!(parsed.is_ok(), plain, "{pair:02X}: {parsed:?}");
            if let Err(error) = parsed {
                assert_eq!((error.field, error.offset), ("orientation", 0), "{pair:02X}");
            }
            assert_eq!(LocateRecordExtended::parse(&octets).is_ok(), extended, "{pair:02X}");
            assert_eq!(LocateRecordExtended::parse_in_prefix(&octets).is_ok(), in_prefix, "{pair:02X}");
        }
        assert_eq!(PAIRS.iter().filter(|(_, plain, ..)| !plain).count(), 10);
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..20), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 13 {
                bytes[0] = bytes[0] & 0xC0 | 0x16;
                bytes[1] = 0x80;
                bytes[2] = 0;
                bytes[13] = 0xFF;
            }
            if let Ok(parsed) = LocateRecord::parse(&bytes) {
                prop_assert_eq!(LocateRecord::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
