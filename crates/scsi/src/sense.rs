//! Sense: the reason for which a command ended with CHECK CONDITION (SPC-4, 4.5).

/// Bytes of sense in the fixed format.
const FIXED_BYTES: usize = 18;

/// Sense key, additional sense code and its qualifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SenseCode {
    /// Sense key.
    pub key: u8,
    /// Additional sense code.
    pub code: u8,
    /// Additional sense code qualifier.
    pub qualifier: u8,
}

macro_rules! sense_codes {
    ($($(#[$doc:meta])* $name:ident = $key:literal / $code:literal / $qualifier:literal;)*) => {
        impl SenseCode {
            $($(#[$doc])* pub const $name: Self = Self { key: $key, code: $code, qualifier: $qualifier };)*
        }
    };
}

sense_codes! {
    /// Nothing to report.
    NO_SENSE = 0x00 / 0x00 / 0x00;
    /// The unit was stopped.
    STOPPED = 0x02 / 0x04 / 0x02;
    /// The port group changes its state.
    ACCESS_STATE_TRANSITION = 0x02 / 0x04 / 0x0A;
    /// The port group is in standby.
    PORT_STANDBY = 0x02 / 0x04 / 0x0B;
    /// The port group is unavailable.
    PORT_UNAVAILABLE = 0x02 / 0x04 / 0x0C;
    /// A block could not be written.
    WRITE_ERROR = 0x03 / 0x0C / 0x00;
    /// A block could not be read.
    UNRECOVERED_READ_ERROR = 0x03 / 0x11 / 0x00;
    /// Failure inside the target.
    INTERNAL_FAILURE = 0x04 / 0x44 / 0x00;
    /// The parameter list is shorter than its contents.
    PARAMETER_LIST_LENGTH = 0x05 / 0x1A / 0x00;
    /// The unit has no such command.
    INVALID_OPCODE = 0x05 / 0x20 / 0x00;
    /// A block past the last.
    LBA_OUT_OF_RANGE = 0x05 / 0x21 / 0x00;
    /// A field of the CDB.
    INVALID_FIELD_IN_CDB = 0x05 / 0x24 / 0x00;
    /// The initiator has no such unit.
    UNIT_NOT_SUPPORTED = 0x05 / 0x25 / 0x00;
    /// A field of the parameter list.
    INVALID_FIELD_IN_LIST = 0x05 / 0x26 / 0x00;
    /// A release with another type than that of the reservation.
    INVALID_RELEASE = 0x05 / 0x26 / 0x04;
    /// Saved mode pages.
    SAVING_NOT_SUPPORTED = 0x05 / 0x39 / 0x00;
    /// No room for another registration.
    INSUFFICIENT_REGISTRATION_RESOURCES = 0x05 / 0x55 / 0x04;
    /// Power on, reset, or a nexus that the unit has never seen.
    POWER_ON_OR_RESET = 0x06 / 0x29 / 0x00;
    /// Power on.
    POWER_ON = 0x06 / 0x29 / 0x01;
    /// Reset of the unit.
    RESET_FUNCTION = 0x06 / 0x29 / 0x03;
    /// The nexus was lost and is back.
    NEXUS_LOSS = 0x06 / 0x29 / 0x07;
    /// Mode parameters changed by another nexus.
    MODE_PARAMETERS_CHANGED = 0x06 / 0x2A / 0x01;
    /// The reservation was cleared.
    RESERVATIONS_PREEMPTED = 0x06 / 0x2A / 0x03;
    /// The reservation was released.
    RESERVATIONS_RELEASED = 0x06 / 0x2A / 0x04;
    /// The registration of the nexus was taken away.
    REGISTRATIONS_PREEMPTED = 0x06 / 0x2A / 0x05;
    /// A port group changed its state.
    ACCESS_STATE_CHANGED = 0x06 / 0x2A / 0x06;
    /// Commands of this nexus were cleared by another.
    COMMANDS_CLEARED = 0x06 / 0x2F / 0x00;
    /// Space went below the soft threshold.
    SOFT_THRESHOLD_REACHED = 0x06 / 0x38 / 0x07;
    /// The units that the initiator sees changed.
    REPORTED_LUNS_CHANGED = 0x06 / 0x3F / 0x0E;
    /// The medium is write protected.
    WRITE_PROTECTED = 0x07 / 0x27 / 0x00;
    /// The software write protection of the control mode page is on.
    SOFTWARE_WRITE_PROTECTED = 0x07 / 0x27 / 0x02;
    /// No space is left for a write to a thin unit.
    SPACE_EXHAUSTED = 0x07 / 0x27 / 0x07;
    /// Data-out of another length than was promised.
    DATA_PHASE_ERROR = 0x0B / 0x4B / 0x00;
    /// Data on the medium differs.
    MISCOMPARE = 0x0E / 0x1D / 0x00;
}

/// The field that is in error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldPointer {
    /// The field is in the CDB, not in the parameter list.
    pub in_cdb: bool,
    /// Number of the byte.
    pub byte: u16,
}

/// Sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sense {
    /// The reason.
    pub code: SenseCode,
    /// Information: a block, or the place of a difference.
    pub information: Option<u64>,
    /// The field in error.
    pub field: Option<FieldPointer>,
}

impl From<SenseCode> for Sense {
    fn from(code: SenseCode) -> Self {
        Self { code, information: None, field: None }
    }
}

impl Sense {
    /// Returns the sense key in the bytes of a sense of either format.
    pub fn key_of(bytes: &[u8]) -> Option<u8> {
        let at = if bytes.first()? & 0x7E == 0x72 { 1 } else { 2 };
        bytes.get(at).map(|byte| byte & 0x0F)
    }

    /// Returns the code in the bytes of a sense of either format.
    pub fn code_of(bytes: &[u8]) -> Option<SenseCode> {
        let (code, qualifier) = if bytes.first()? & 0x7E == 0x72 { (2, 3) } else { (12, 13) };
        Some(SenseCode {
            key: Self::key_of(bytes)?,
            code: *bytes.get(code)?,
            qualifier: *bytes.get(qualifier)?,
        })
    }

    /// Returns the sense of a CDB whose byte has an invalid value.
    pub(crate) fn of_cdb_byte(byte: u16) -> Self {
        let field = Some(FieldPointer { in_cdb: true, byte });
        Self { field, ..SenseCode::INVALID_FIELD_IN_CDB.into() }
    }

    /// Returns the sense of a parameter list whose byte has an invalid value.
    pub(crate) fn of_list_byte(byte: usize) -> Self {
        let field = Some(FieldPointer { in_cdb: false, byte: byte.min(usize::from(u16::MAX)) as u16 });
        Self { field, ..SenseCode::INVALID_FIELD_IN_LIST.into() }
    }

    /// Returns the sense of `code` with information.
    pub(crate) fn with_information(code: SenseCode, information: u64) -> Self {
        Self { information: Some(information), ..code.into() }
    }

    /// Returns the bytes: of the descriptor format, or of the fixed one.
    pub fn to_bytes(self, descriptor: bool) -> Vec<u8> {
        if descriptor { self.descriptors() } else { self.fixed().to_vec() }
    }

    fn fixed(self) -> [u8; FIXED_BYTES] {
        let mut bytes = [0; FIXED_BYTES];
        bytes[0] = 0x70;
        bytes[2] = self.code.key;
        // Information of more than 32 bits cannot be given here; it is then not valid.
        if let Some(information) = self.information.and_then(|information| u32::try_from(information).ok()) {
            bytes[0] |= 0x80;
            bytes[3..7].copy_from_slice(&information.to_be_bytes());
        }
        bytes[7] = (FIXED_BYTES - 8) as u8;
        (bytes[12], bytes[13]) = (self.code.code, self.code.qualifier);
        if let Some(field) = self.field {
            bytes[15..].copy_from_slice(&field.bytes());
        }
        bytes
    }

    fn descriptors(self) -> Vec<u8> {
        let mut bytes = vec![0x72, self.code.key, self.code.code, self.code.qualifier, 0, 0, 0, 0];
        if let Some(information) = self.information {
            bytes.extend([0x00, 0x0A, 0x80, 0x00]);
            bytes.extend(information.to_be_bytes());
        }
        if let Some(field) = self.field {
            bytes.extend([0x02, 0x06, 0x00, 0x00]);
            bytes.extend(field.bytes());
            bytes.push(0);
        }
        bytes[7] = (bytes.len() - 8) as u8;
        bytes
    }
}

impl FieldPointer {
    /// Returns the three bytes of the sense-key specific field.
    fn bytes(self) -> [u8; 3] {
        let [high, low] = self.byte.to_be_bytes();
        [if self.in_cdb { 0xC0 } else { 0x80 }, high, low]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_have_key_code_information_and_field() {
        let sense = Sense::with_information(SenseCode::MISCOMPARE, 0x0102_0304);
        assert_eq!(sense.to_bytes(false)[..14], [0xF0, 0, 0x0E, 1, 2, 3, 4, 10, 0, 0, 0, 0, 0x1D, 0]);
        assert_eq!(sense.to_bytes(true)[..8], [0x72, 0x0E, 0x1D, 0, 0, 0, 0, 12]);
        assert_eq!(sense.to_bytes(true)[8..], [0, 10, 0x80, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        let field = Sense::of_cdb_byte(2);
        assert_eq!(field.to_bytes(false)[15..], [0xC0, 0, 2]);
        assert_eq!(field.to_bytes(true)[8..], [2, 6, 0, 0, 0xC0, 0, 2, 0]);
    }

    /// The last vector of the Fibre Channel reference.
    #[test]
    fn a_nexus_loss_has_the_octets_that_others_decode() {
        let bytes = Sense::from(SenseCode::NEXUS_LOSS).to_bytes(false);
        assert_eq!(bytes, [0x70, 0, 6, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29, 7, 0, 0, 0, 0]);
    }

    #[test]
    fn information_beyond_32_bits_is_not_valid_in_the_fixed_format() {
        let sense = Sense::with_information(SenseCode::LBA_OUT_OF_RANGE, 1 << 32);
        assert_eq!(sense.to_bytes(false)[0], 0x70);
        assert_eq!(sense.to_bytes(true)[12..20], (1_u64 << 32).to_be_bytes());
    }
}
