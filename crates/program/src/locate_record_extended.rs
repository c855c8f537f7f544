//! Locate Record Extended parameters (20 bytes and extended parameters).
//!
//! Bytes 0 and 3-15 are those of Locate Record; the extension adds operations, an imbedded command for
//! transport mode and a transfer-length factor that can count the bytes of the last track only.

use crate::locate_record::{LocateOperation, OPERATION, Orientation, Target};
use crate::parse_error::{Fault, ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u16_at};

const LRE: Structure = Structure("Locate Record Extended");

/// Bytes of the parameters without extended parameters.
pub const LOCATE_RECORD_EXTENDED_BYTES: usize = 20;
/// Operation code for an operation in byte 17.
const SEE_EXTENDED_OPERATION: u8 = 0x3F;
/// Value of byte 0 that is accepted inside a Prefix only: a read of data, oriented to the count area.
const VALID_IN_PREFIX: u8 = 0x06;

/// Operations of byte 17.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtendedOperation {
    /// 09: writes of any kind.
    WriteAny,
    /// 0A: reads of any kind.
    ReadAny,
    /// 0E: reads of a set of tracks.
    ReadTrackSet,
    /// 11: writes of full tracks.
    WriteFullTrack,
    /// 23: writes of the data areas of tracks.
    WriteTrackData,
}

impl ExtendedOperation {
    /// Returns the value of byte 17.
    pub const fn code(self) -> u8 {
        match self {
            Self::WriteAny => 0x09,
            Self::ReadAny => 0x0A,
            Self::ReadTrackSet => 0x0E,
            Self::WriteFullTrack => 0x11,
            Self::WriteTrackData => 0x23,
        }
    }

    /// Returns the operation of a code, or nothing for a code without a meaning here.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0x09 => Self::WriteAny,
            0x0A => Self::ReadAny,
            0x0E => Self::ReadTrackSet,
            0x11 => Self::WriteFullTrack,
            0x23 => Self::WriteTrackData,
            _ => return None,
        })
    }
}

/// Operation of the commands of the domain: in byte 0 or in byte 17.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DomainOperation {
    /// In byte 0.
    Basic(LocateOperation),
    /// In byte 17, byte 0 being 3F.
    Extended(ExtendedOperation),
}

bit_set! {
    /// Byte 1: auxiliary bits.
    ExtendedAuxiliary: u8 {
        /// The transfer-length factor is valid.
        TRANSFER_LENGTH_VALID = 0x80;
        /// The transfer-length factor counts the bytes of the last track of the domain.
        TRANSFER_LENGTH_LAST_TRACK = 0x40;
        /// The imbedded command is valid.
        IMBEDDED_COMMAND_VALID = 0x20;
        /// Check bytes after each track: a write.
        CHECK_BYTES_EACH_TRACK = 0x10;
        /// Check bytes at the end of the data: a read.
        CHECK_BYTES_AT_END = 0x08;
        /// The imbedded count is valid.
        IMBEDDED_COUNT_VALID = 0x04;
        /// One Read Count follows the domain.
        READ_COUNT_SUFFIX = 0x01;
    }
}

impl ExtendedAuxiliary {
    const RESERVED: u8 = 0x02;
    const CHECK_BYTES: Self = Self(0x18);
}

/// Locate Record Extended parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocateRecordExtended {
    /// Byte 0, top two bits; always [`Orientation::Count`] with an extended operation.
    pub orientation: Orientation,
    /// Byte 0, low six bits, or byte 17.
    pub operation: DomainOperation,
    /// Byte 1.
    pub auxiliary: ExtendedAuxiliary,
    /// Byte 2: imbedded command.
    pub imbedded_command: u8,
    /// Byte 3: units of the domain, records or tracks, from 1.
    pub count: u8,
    /// Bytes 4-13.
    pub target: Target,
    /// Bytes 14-15: transfer-length factor in bytes; 0 exactly when not valid.
    pub transfer_length_bytes: u16,
    /// Byte 16: imbedded count.
    pub imbedded_count: u8,
    /// Bytes 20 and following; at most 65,535.
    pub extended_parameters: Vec<u8>,
}

impl LocateRecordExtended {
    /// Parses the parameters of a Locate Record Extended command.
    ///
    /// # Errors
    /// Too few bytes; an orientation and operation that do not go together; reserved bits on; count zero; a
    /// sector out of range; a transfer-length factor that contradicts its validity bit.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        Self::parse_where(bytes, |_| false)
    }

    /// Parses the parameters at the end of a Prefix, where operation 06 is valid too.
    ///
    /// # Errors
    /// Errors of [`LocateRecordExtended::parse`].
    #[inline(always)]
    pub fn parse_in_prefix(bytes: &[u8]) -> Result<Self, ParseError> {
        Self::parse_where(bytes, |byte| byte == VALID_IN_PREFIX)
    }

    #[inline(always)]
    fn parse_where(bytes: &[u8], is_further: impl Fn(u8) -> bool) -> Result<Self, ParseError> {
        let fixed: &[u8; LOCATE_RECORD_EXTENDED_BYTES] = LRE.fixed(bytes)?;
        let operation = parse_operation(fixed, is_further)?;
        LRE.zero("auxiliary", 1, fixed[1] & ExtendedAuxiliary::RESERVED)?;
        let auxiliary = ExtendedAuxiliary(fixed[1]);
        LRE.check(!auxiliary.contains(ExtendedAuxiliary::CHECK_BYTES), "check-byte control", 1, fixed[1])?;
        LRE.check(fixed[3] != 0, "count", 3, fixed[3])?;
        let transfer_length_bytes = u16_at(fixed, 14);
        let factor_valid = auxiliary.contains(ExtendedAuxiliary::TRANSFER_LENGTH_VALID);
        let factor = "transfer-length factor";
        LRE.check(factor_valid == (transfer_length_bytes != 0), factor, 14, transfer_length_bytes)?;
        let first: &[u8; 16] = LRE.fixed(fixed)?;
        let length = usize::from(u16_at(fixed, 18));
        let needed = LOCATE_RECORD_EXTENDED_BYTES + length;
        let extended_parameters = bytes
            .get(LOCATE_RECORD_EXTENDED_BYTES..needed)
            .ok_or(LRE.error("extended parameters", 18, Fault::Short { needed, found: bytes.len() }))?
            .to_vec();
        Ok(Self {
            orientation: Orientation::from_bits(fixed[0]),
            operation,
            auxiliary,
            imbedded_command: fixed[2],
            count: fixed[3],
            target: Target::parse(LRE, first)?,
            transfer_length_bytes,
            imbedded_count: fixed[16],
            extended_parameters,
        })
    }

    /// Emits the parameters. Extended parameters beyond 65,535 bytes have no expression and are cut.
    pub fn emit(&self) -> Vec<u8> {
        let length = self.extended_parameters.len().min(usize::from(u16::MAX));
        let mut bytes = vec![0; LOCATE_RECORD_EXTENDED_BYTES];
        let (low, extended) = match self.operation {
            DomainOperation::Basic(operation) => (operation.code(), 0),
            DomainOperation::Extended(operation) => (SEE_EXTENDED_OPERATION, operation.code()),
        };
        bytes[0] = self.orientation.bits() | low;
        bytes[1] = self.auxiliary.0;
        bytes[2] = self.imbedded_command;
        bytes[3] = self.count;
        self.target.emit(&mut bytes);
        put(&mut bytes, 14, &self.transfer_length_bytes.to_be_bytes());
        bytes[16] = self.imbedded_count;
        bytes[17] = extended;
        put(&mut bytes, 18, &(length as u16).to_be_bytes());
        bytes.extend_from_slice(&self.extended_parameters[..length]);
        bytes
    }

    /// Returns the imbedded command, when it is valid.
    pub const fn imbedded(&self) -> Option<u8> {
        if self.auxiliary.contains(ExtendedAuxiliary::IMBEDDED_COMMAND_VALID) {
            Some(self.imbedded_command)
        } else {
            None
        }
    }
}

/// Returns whether Locate Record Extended has the operation, wherever it stands: it neither only orients, nor does it have
/// two codes for reads of records.
const fn is_extended_too(operation: LocateOperation) -> bool {
    !matches!(operation, LocateOperation::Orient | LocateOperation::ReadData)
}

#[inline(always)]
fn parse_operation(
    fixed: &[u8; LOCATE_RECORD_EXTENDED_BYTES],
    is_further: impl Fn(u8) -> bool,
) -> Result<DomainOperation, ParseError> {
    let invalid =
        |field, offset: usize| LRE.error(field, offset, Fault::Value { value: u64::from(fixed[offset]) });
    if fixed[0] == SEE_EXTENDED_OPERATION {
        return ExtendedOperation::from_code(fixed[17])
            .map(DomainOperation::Extended)
            .ok_or(invalid("extended operation", 17));
    }
    LRE.zero("extended operation", 17, fixed[17])?;
    let operation = LocateOperation::from_code(fixed[0] & OPERATION)
        .filter(|operation| is_extended_too(*operation) || is_further(fixed[0]))
        .ok_or(invalid("operation", 0))?;
    if operation.takes(Orientation::from_bits(fixed[0])) {
        Ok(DomainOperation::Basic(operation))
    } else {
        Err(invalid("orientation", 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::TrackAddress;
    use proptest::prelude::*;

    fn zhpf_write() -> LocateRecordExtended {
        let track = TrackAddress::new(100, 3).unwrap();
        LocateRecordExtended {
            orientation: Orientation::Count,
            operation: DomainOperation::Extended(ExtendedOperation::WriteTrackData),
            auxiliary: ExtendedAuxiliary(0xF0),
            imbedded_command: 0xA5,
            count: 3,
            target: Target { seek: track, search: track, record: 1, sector: 6 },
            transfer_length_bytes: 32_768,
            imbedded_count: 0,
            extended_parameters: Vec::new(),
        }
    }

    const ZHPF_WRITE: [u8; 20] =
        [0x3F, 0xF0, 0xA5, 3, 0, 100, 0, 3, 0, 100, 0, 3, 1, 6, 0x80, 0, 0, 0x23, 0, 0];

    #[test]
    fn a_track_data_write_to_the_octet() {
        assert_eq!(zhpf_write().emit(), ZHPF_WRITE);
        assert_eq!(LocateRecordExtended::parse(&ZHPF_WRITE).unwrap(), zhpf_write());
    }

    #[test]
    fn operation_06_needs_a_prefix() {
        let mut octets = ZHPF_WRITE;
        octets[0] = 0x06;
        octets[17] = 0;
        assert_eq!(LocateRecordExtended::parse(&octets).unwrap_err().field, "operation");
        assert!(LocateRecordExtended::parse_in_prefix(&octets).is_ok());
    }

    #[test]
    fn extended_parameters_follow() {
        let bitmap = LocateRecordExtended {
            operation: DomainOperation::Extended(ExtendedOperation::WriteFullTrack),
            extended_parameters: vec![0xE0],
            ..zhpf_write()
        };
        let octets = bitmap.emit();
        assert_eq!(octets.len(), 21);
        assert_eq!(LocateRecordExtended::parse(&octets).unwrap(), bitmap);
        let error = LocateRecordExtended::parse(&octets[..20]).unwrap_err();
        assert_eq!(error.fault, Fault::Short { needed: 21, found: 20 });
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = ZHPF_WRITE;
            octets[offset] = value;
            let error = LocateRecordExtended::parse(&octets).unwrap_err();
            (error.field, error.offset)
        };
        assert_eq!(fault(0, 0x7F), ("extended operation", 17));
        assert_eq!(fault(17, 0x24), ("extended operation", 17));
        assert_eq!(fault(1, 0xF2), ("auxiliary", 1));
        assert_eq!(fault(1, 0xF8), ("check-byte control", 1));
        assert_eq!(fault(3, 0), ("count", 3));
        assert_eq!(fault(13, 0xFE), ("sector", 13));
        assert_eq!(fault(14, 0), ("transfer-length factor", 14));
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..40), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 19 {
                bytes[0] = 0x3F;
                bytes[1] = 0xB4;
                bytes[13] = 0xFF;
                bytes[17] = 0x23;
                bytes[18] = 0;
                bytes[19] %= 24;
            }
            if let Ok(parsed) = LocateRecordExtended::parse_in_prefix(&bytes) {
                prop_assert_eq!(LocateRecordExtended::parse_in_prefix(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
