//! Prefix parameters (64 bytes): Define Extent and Locate Record Extended in one command.

use crate::define_extent::{DEFINE_EXTENT_EXTENDED_BYTES, DefineExtent};
use crate::locate_record_extended::LocateRecordExtended;
use crate::parse_error::{Fault, ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::put;

const PREFIX: Structure = Structure("Prefix");

/// Bytes of the parameters without extended parameters of the Locate Record Extended.
pub const PREFIX_BYTES: usize = 64;
const HEAD_BYTES: usize = 12;
const LOCATE_OFFSET: usize = HEAD_BYTES + DEFINE_EXTENT_EXTENDED_BYTES;
/// Format 0: Define Extent only.
const DEFINE_EXTENT_ONLY: u8 = 0;
/// Format 1: Define Extent and Locate Record Extended.
const WITH_LOCATE_RECORD: u8 = 1;

bit_set! {
    /// Byte 1: which parts are valid.
    PrefixValidity: u8 {
        /// The Define Extent parameters are valid.
        DEFINE_EXTENT = 0x80;
        /// The time stamp is valid.
        TIME_STAMP = 0x40;
        /// The base address is to be verified.
        VERIFY_BASE = 0x20;
        /// The device is a HyperPAV alias.
        HYPER_PAV = 0x10;
    }
}

bit_set! {
    /// Byte 3: auxiliary bits.
    PrefixAuxiliary: u8 {
        /// Suspend multipath reconnection.
        SUSPEND_MULTIPATH_RECONNECTION = 0x80;
        /// The parameters are trusted.
        TRUSTED = 0x08;
    }
}

/// Prefix parameters of formats 0 and 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Prefix {
    /// Byte 1.
    pub validity: PrefixValidity,
    /// Byte 2: unit address of the base.
    pub base_address: u8,
    /// Byte 3.
    pub auxiliary: PrefixAuxiliary,
    /// Byte 4: logical control unit of the base.
    pub base_lcu: u8,
    /// Bytes 12-43, depending on `validity`.
    pub define_extent: Option<DefineExtent>,
    /// Bytes 44 and following in format 1; nothing in format 0.
    pub locate_record: Option<LocateRecordExtended>,
}

impl Prefix {
    /// Parses the first 64 of `bytes`, and the extended parameters that follow them if any are announced.
    ///
    /// # Errors
    /// Too few bytes; a format other than 0 and 1; reserved bits on; the errors of the two parts, with
    /// their offsets counted from the start of the part that the error names.
    #[inline(always)]
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; PREFIX_BYTES] = PREFIX.fixed(bytes)?;
        PREFIX.zeros("bytes 5-11", 5, &fixed[5..HEAD_BYTES])?;
        let validity = PrefixValidity(fixed[1]);
        let define_extent = if validity.contains(PrefixValidity::DEFINE_EXTENT) {
            Some(DefineExtent::parse(&fixed[HEAD_BYTES..LOCATE_OFFSET])?)
        } else {
            None
        };
        let locate_record = match fixed[0] {
            DEFINE_EXTENT_ONLY => None,
            WITH_LOCATE_RECORD => Some(LocateRecordExtended::parse_in_prefix(&bytes[LOCATE_OFFSET..])?),
            format => {
                return Err(PREFIX.error("format", 0, Fault::Value { value: u64::from(format) }));
            }
        };
        Ok(Self {
            validity,
            base_address: fixed[2],
            auxiliary: PrefixAuxiliary(fixed[3]),
            base_lcu: fixed[4],
            define_extent,
            locate_record,
        })
    }

    /// Emits 64 bytes and the extended parameters. The validity bit of the Define Extent and the format
    /// follow from the parts that are there.
    pub fn emit(&self) -> Vec<u8> {
        let mut bytes = vec![0; PREFIX_BYTES];
        bytes[1] = self.validity.without(PrefixValidity::DEFINE_EXTENT).0;
        bytes[2] = self.base_address;
        bytes[3] = self.auxiliary.0;
        bytes[4] = self.base_lcu;
        if let Some(define_extent) = &self.define_extent {
            bytes[1] |= PrefixValidity::DEFINE_EXTENT.0;
            put(&mut bytes, HEAD_BYTES, &define_extent.emit_extended());
        }
        if let Some(locate_record) = &self.locate_record {
            bytes[0] = WITH_LOCATE_RECORD;
            bytes.truncate(LOCATE_OFFSET);
            bytes.extend_from_slice(&locate_record.emit());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::TrackAddress;
    use crate::define_extent::{ExtendedAttributes, FileMask, GlobalAttributes};
    use crate::locate_record::{LocateOperation, Orientation, Target};
    use crate::locate_record_extended::{DomainOperation, ExtendedAuxiliary};
    use proptest::prelude::*;

    fn read_4k() -> Prefix {
        let track = TrackAddress::new(100, 3).unwrap();
        let define_extent = DefineExtent {
            mask: FileMask::INHIBIT_WRITES,
            attributes: GlobalAttributes::ECKD,
            block_size_bytes: 4096,
            fast_write_id: 0,
            extended_attributes: ExtendedAttributes::REGULAR_DATA_FORMAT,
            begin: track,
            end: track,
            extension: Some(Default::default()),
        };
        let locate_record = LocateRecordExtended {
            orientation: Orientation::Count,
            operation: DomainOperation::Basic(LocateOperation::ReadData),
            auxiliary: ExtendedAuxiliary::TRANSFER_LENGTH_VALID,
            imbedded_command: 0,
            count: 1,
            target: Target { seek: track, search: track, record: 5, sector: 77 },
            transfer_length_bytes: 4096,
            imbedded_count: 0,
            extended_parameters: Vec::new(),
        };
        Prefix {
            validity: PrefixValidity::DEFINE_EXTENT,
            base_address: 0x2A,
            auxiliary: PrefixAuxiliary(0),
            base_lcu: 0x0C,
            define_extent: Some(define_extent),
            locate_record: Some(locate_record),
        }
    }

    #[test]
    fn a_4k_read_to_the_octet() {
        let bytes = read_4k().emit();
        assert_eq!(bytes.len(), PREFIX_BYTES);
        assert_eq!(bytes[..12], [1, 0x80, 0x2A, 0, 0x0C, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[12..28], [0x40, 0xC0, 0x10, 0, 0, 0, 0, 0x40, 0, 100, 0, 3, 0, 100, 0, 3]);
        assert_eq!(bytes[28..44], [0; 16]);
        let locate = [6, 0x80, 0, 1, 0, 100, 0, 3, 0, 100, 0, 3, 5, 77, 0x10, 0, 0, 0, 0, 0];
        assert_eq!(bytes[44..], locate);
        assert_eq!(Prefix::parse(&bytes).unwrap(), read_4k());
    }

    #[test]
    fn format_0_defines_the_extent_only() {
        let prefix = Prefix { locate_record: None, ..read_4k() };
        let bytes = prefix.emit();
        assert_eq!((bytes.len(), bytes[0]), (PREFIX_BYTES, 0));
        assert_eq!(Prefix::parse(&bytes).unwrap(), prefix);
    }

    #[test]
    fn faults_name_the_part_and_the_field() {
        let bytes = read_4k().emit();
        assert_eq!(Prefix::parse(&bytes[..63]).unwrap_err().fault, Fault::Short { needed: 64, found: 63 });
        let fault = |offset: usize, value: u8| {
            let mut octets = bytes.clone();
            octets[offset] = value;
            let error = Prefix::parse(&octets).unwrap_err();
            (error.structure, error.field, error.offset)
        };
        assert_eq!(fault(0, 2), ("Prefix", "format", 0));
        assert_eq!(fault(11, 1), ("Prefix", "bytes 5-11", 11));
        assert_eq!(fault(13, 0), ("Define Extent", "attributes", 1));
        assert_eq!(fault(44, 7), ("Locate Record Extended", "operation", 0));
        assert_eq!(fault(63, 1), ("Locate Record Extended", "extended parameters", 18));
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            noise in prop::collection::vec(any::<u8>(), 80), length in 0..80_usize,
            kept in prop::collection::vec(any::<bool>(), 64),
        ) {
            let mut bytes = noise;
            let base = read_4k().emit();
            for (offset, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
                bytes[offset] = base[offset];
            }
            bytes.truncate(length);
            if let Ok(parsed) = Prefix::parse(&bytes) {
                prop_assert_eq!(Prefix::parse(&parsed.emit()).unwrap(), parsed);
            }
        }

        #[test]
        fn one_changed_byte_parses_the_same_or_fails(offset in 0..64_usize, value in any::<u8>()) {
            let mut bytes = read_4k().emit();
            bytes[offset] = value;
            if let Ok(parsed) = Prefix::parse(&bytes) {
                prop_assert_eq!(Prefix::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
