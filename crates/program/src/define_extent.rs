//! Define Extent parameters: the extent that the chain may touch, and how.
//!
//! A Define Extent CCW (63) carries 16 bytes, or 32 with the extension; a Prefix always carries 32.

use crate::address::TrackAddress;
use crate::parse_error::{ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{array_at, put, u16_at, u64_at};

const DEFINE_EXTENT: Structure = Structure("Define Extent");

/// Bytes of the parameters without the extension.
pub const DEFINE_EXTENT_BYTES: usize = 16;
/// Bytes of the parameters with the extension.
pub const DEFINE_EXTENT_EXTENDED_BYTES: usize = 32;
/// Block size that a zero block-size field stands for on a 3390: the largest record zero and 8 bytes.
pub const MAXIMUM_BLOCK_BYTES: u16 = 57_326 + 8;

/// Which writes the file mask lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteControl {
    /// All but home address and record zero.
    AllButHomeAddress,
    /// None.
    InhibitAll,
    /// Update writes only.
    UpdateOnly,
    /// All.
    All,
}

/// Which seeks the file mask lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SeekControl {
    /// Every seek.
    All,
    /// Seek Cylinder and Seek Head.
    CylinderAndHead,
    /// Seek Head only.
    HeadOnly,
    /// None, and no head switching at the end of a track either.
    None,
}

bit_set! {
    /// Byte 0: the file mask.
    FileMask: u8 {
        /// Write control: no writes.
        INHIBIT_WRITES = 0x40;
        /// Write control: update writes only.
        UPDATE_WRITES_ONLY = 0x80;
        /// Write control: all writes.
        ALL_WRITES = 0xC0;
        /// Authorization: device support.
        DEVICE_SUPPORT = 0x02;
        /// Authorization: diagnostic.
        DIAGNOSTIC = 0x04;
        /// Program-controlled-interruption fetch.
        PCI_FETCH = 0x01;
    }
}

impl FileMask {
    const RESERVED: u8 = 0x20;
    const AUTHORIZATION: u8 = 0x06;

    /// Returns whether no bit is on that must be off, and the authorization has a meaning.
    pub const fn is_valid(self) -> bool {
        self.0 & Self::RESERVED == 0 && self.0 & Self::AUTHORIZATION != Self::AUTHORIZATION
    }

    /// Returns which seeks are let through.
    pub const fn seek_control(self) -> SeekControl {
        match self.0 >> 3 & 3 {
            0 => SeekControl::All,
            1 => SeekControl::CylinderAndHead,
            2 => SeekControl::HeadOnly,
            _ => SeekControl::None,
        }
    }

    /// Returns which writes are let through.
    pub const fn write_control(self) -> WriteControl {
        match self.0 >> 6 {
            0 => WriteControl::AllButHomeAddress,
            1 => WriteControl::InhibitAll,
            2 => WriteControl::UpdateOnly,
            _ => WriteControl::All,
        }
    }
}

bit_set! {
    /// Byte 1: global attributes. Bits 2-4 of it are the cache mode.
    GlobalAttributes: u8 {
        /// Extended count-key-data: both bits must be on.
        ECKD = 0xC0;
        /// CKD conversion.
        CKD_CONVERSION = 0x20;
        /// Cache fast write.
        CACHE_FAST_WRITE = 0x02;
        /// Inhibit DASD fast write.
        INHIBIT_DASD_FAST_WRITE = 0x01;
    }
}

/// Cache mode: announcement of the program's access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheMode {
    /// Normal caching.
    Normal,
    /// Bypass the cache.
    Bypass,
    /// Do not load into the cache.
    InhibitLoad,
    /// Sequential access: read ahead.
    Sequential,
    /// Sequential prestage, or logging on a write.
    SequentialPrestage,
    /// Record access: stage single records.
    Record,
}

impl GlobalAttributes {
    const CACHE_MODE: u8 = 0x1C;

    /// Returns the cache mode, or nothing for a code without a meaning.
    pub const fn cache_mode(self) -> Option<CacheMode> {
        Some(match (self.0 & Self::CACHE_MODE) >> 2 {
            0 => CacheMode::Normal,
            1 => CacheMode::Bypass,
            2 => CacheMode::InhibitLoad,
            3 => CacheMode::Sequential,
            4 => CacheMode::SequentialPrestage,
            5 => CacheMode::Record,
            _ => return None,
        })
    }
}

bit_set! {
    /// Byte 7: extended attributes.
    ExtendedAttributes: u8 {
        /// Regular data format: records of one length, numbered from 1, no keys.
        REGULAR_DATA_FORMAT = 0x40;
        /// The time stamp of the extension is valid.
        TIME_STAMP_VALID = 0x08;
        /// The extended parameters of the extension are present.
        EXTENDED_PARAMETERS = 0x02;
    }
}

/// Bytes 16-31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DefineExtentExtension {
    /// Bytes 16-23: time stamp.
    pub time_stamp: u64,
    /// Byte 24: format of the extended parameters.
    pub format: u8,
    /// Byte 25: priority.
    pub priority: u8,
    /// Byte 27: records on a track, valid when [`Self::RECORDS_PER_TRACK_VALID`] is on in `format`.
    pub records_per_track: u8,
}

impl DefineExtentExtension {
    /// In `format`: `records_per_track` is valid.
    pub const RECORDS_PER_TRACK_VALID: u8 = 0x20;

    /// Returns the records on a track, when the program declares them.
    pub const fn declared_records_per_track(&self) -> Option<u8> {
        if self.format & Self::RECORDS_PER_TRACK_VALID == 0 { None } else { Some(self.records_per_track) }
    }
}

/// Define Extent parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefineExtent {
    /// Byte 0: file mask.
    pub mask: FileMask,
    /// Byte 1: global attributes.
    pub attributes: GlobalAttributes,
    /// Bytes 2-3: block size in bytes; 0 means [`MAXIMUM_BLOCK_BYTES`].
    pub block_size_bytes: u16,
    /// Bytes 4-5: fast-write identifier.
    pub fast_write_id: u16,
    /// Byte 7: extended attributes.
    pub extended_attributes: ExtendedAttributes,
    /// Bytes 8-11: first track of the extent.
    pub begin: TrackAddress,
    /// Bytes 12-15: last track of the extent.
    pub end: TrackAddress,
    /// Bytes 16-31, when given.
    pub extension: Option<DefineExtentExtension>,
}

impl DefineExtent {
    /// Parses 16 bytes, or 32 when there are so many.
    ///
    /// # Errors
    /// Too few bytes (32 are needed when the extended attributes announce the extension); reserved bits on;
    /// an undefined authorization or cache mode; attributes that are not those of ECKD.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; DEFINE_EXTENT_BYTES] = DEFINE_EXTENT.fixed(bytes)?;
        let mask = FileMask(fixed[0]);
        DEFINE_EXTENT.zero("mask", 0, mask.0 & FileMask::RESERVED)?;
        let authorized = mask.0 & FileMask::AUTHORIZATION != FileMask::AUTHORIZATION;
        DEFINE_EXTENT.check(authorized, "authorization", 0, mask.0)?;
        let attributes = GlobalAttributes(fixed[1]);
        DEFINE_EXTENT.check(attributes.contains(GlobalAttributes::ECKD), "attributes", 1, attributes.0)?;
        DEFINE_EXTENT.check(attributes.cache_mode().is_some(), "cache mode", 1, attributes.0)?;
        DEFINE_EXTENT.zero("additional attributes", 6, fixed[6])?;
        let extended_attributes = ExtendedAttributes(fixed[7]);
        let announced = ExtendedAttributes::TIME_STAMP_VALID | ExtendedAttributes::EXTENDED_PARAMETERS;
        let needs_extension = extended_attributes.0 & announced.0 != 0;
        let extension = if needs_extension || bytes.len() >= DEFINE_EXTENT_EXTENDED_BYTES {
            let extended: &[u8; DEFINE_EXTENT_EXTENDED_BYTES] = DEFINE_EXTENT.fixed(bytes)?;
            Some(DefineExtentExtension {
                time_stamp: u64_at(extended, 16),
                format: extended[24],
                priority: extended[25],
                records_per_track: extended[27],
            })
        } else {
            None
        };
        Ok(Self {
            mask,
            attributes,
            block_size_bytes: u16_at(fixed, 2),
            fast_write_id: u16_at(fixed, 4),
            extended_attributes,
            begin: TrackAddress::from_cchh(array_at(fixed, 8)),
            end: TrackAddress::from_cchh(array_at(fixed, 12)),
            extension,
        })
    }

    /// Emits 16 bytes, or 32 when there is an extension.
    pub fn emit(&self) -> Vec<u8> {
        let extended = self.emit_extended();
        match self.extension {
            Some(_) => extended.to_vec(),
            None => extended[..DEFINE_EXTENT_BYTES].to_vec(),
        }
    }

    /// Emits the 32 bytes that a Prefix carries; an absent extension is zero.
    pub fn emit_extended(&self) -> [u8; DEFINE_EXTENT_EXTENDED_BYTES] {
        let mut bytes = [0; DEFINE_EXTENT_EXTENDED_BYTES];
        bytes[0] = self.mask.0;
        bytes[1] = self.attributes.0;
        put(&mut bytes, 2, &self.block_size_bytes.to_be_bytes());
        put(&mut bytes, 4, &self.fast_write_id.to_be_bytes());
        bytes[7] = self.extended_attributes.0;
        put(&mut bytes, 8, &self.begin.to_cchh());
        put(&mut bytes, 12, &self.end.to_cchh());
        if let Some(extension) = self.extension {
            put(&mut bytes, 16, &extension.time_stamp.to_be_bytes());
            bytes[24] = extension.format;
            bytes[25] = extension.priority;
            bytes[27] = extension.records_per_track;
        }
        bytes
    }

    /// Returns the block size in bytes with the meaning of zero put in.
    pub const fn effective_block_bytes(&self) -> u16 {
        if self.block_size_bytes == 0 { MAXIMUM_BLOCK_BYTES } else { self.block_size_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_error::Fault;
    use proptest::prelude::*;

    fn read_4k() -> DefineExtent {
        DefineExtent {
            mask: FileMask::INHIBIT_WRITES,
            attributes: GlobalAttributes::ECKD,
            block_size_bytes: 4096,
            fast_write_id: 0,
            extended_attributes: ExtendedAttributes::REGULAR_DATA_FORMAT,
            begin: TrackAddress::new(100, 3).unwrap(),
            end: TrackAddress::new(100, 4).unwrap(),
            extension: None,
        }
    }

    #[test]
    fn sixteen_bytes_to_the_octet() {
        let octets = [0x40, 0xC0, 0x10, 0, 0, 0, 0, 0x40, 0, 100, 0, 3, 0, 100, 0, 4];
        assert_eq!(read_4k().emit(), octets);
        assert_eq!(DefineExtent::parse(&octets).unwrap(), read_4k());
    }

    #[test]
    fn the_extension_is_needed_when_announced() {
        let mut octets = read_4k().emit();
        octets[7] = 0x42;
        assert_eq!(DefineExtent::parse(&octets).unwrap_err().fault, Fault::Short { needed: 32, found: 16 });
        octets.resize(32, 0);
        octets[24] = 0x20;
        octets[27] = 12;
        let extension = DefineExtent::parse(&octets).unwrap().extension.unwrap();
        assert_eq!(extension.declared_records_per_track(), Some(12));
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = read_4k().emit();
            octets[offset] = value;
            let error = DefineExtent::parse(&octets).unwrap_err();
            (error.field, error.offset)
        };
        assert_eq!(fault(0, 0x60), ("mask", 0));
        assert_eq!(fault(0, 0x46), ("authorization", 0));
        assert_eq!(fault(1, 0x40), ("attributes", 1));
        assert_eq!(fault(1, 0xDC), ("cache mode", 1));
        assert_eq!(fault(6, 1), ("additional attributes", 6));
    }

    #[test]
    fn block_size_zero_is_the_largest() {
        assert_eq!(DefineExtent { block_size_bytes: 0, ..read_4k() }.effective_block_bytes(), 57_334);
        assert_eq!(read_4k().effective_block_bytes(), 4096);
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..40), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 7 {
                bytes[0] &= 0xD9;
                bytes[1] = bytes[1] & 0x13 | 0xC0;
                bytes[6] = 0;
            }
            if let Ok(parsed) = DefineExtent::parse(&bytes) {
                prop_assert_eq!(DefineExtent::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
