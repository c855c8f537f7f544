//! Prefix parameters (64 bytes): Define Extent and Locate Record Extended in one command.

use crate::bits::bit_set;
use crate::define_extent::{DEFINE_EXTENT_EXTENDED_BYTES, DefineExtent};
use crate::locate_record_extended::LocateRecordExtended;
use crate::octets::put;
use crate::parse_error::{Fault, ParseError, Structure};

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
    /// Bytes 12-43, when `validity` says so.
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
