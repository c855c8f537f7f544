//! The IU header: type, data flags, CCW number and token (reference section 6.1, offsets 8 to 15).

use crate::choices;

/// Octets of the header.
pub const IU_HEADER_BYTES: usize = 8;

const ADDRESS_SPECIFIC: u8 = 0x10;
const EXCEPTION: u8 = 0x08;
const TYPE: u8 = 0x07;

/// The DH flags: properties of the data of an IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct DataFlags(pub u8);

impl DataFlags {
    /// Last data of the CCW.
    pub const END: DataFlags = DataFlags(0x80);
    /// The CCW chains.
    pub const CHAINING: DataFlags = DataFlags(0x10);
    /// The device ended before the CCW's count.
    pub const EARLY_END: DataFlags = DataFlags(0x08);
    /// No CRC follows the data.
    pub const NO_CRC: DataFlags = DataFlags(0x04);

    /// Returns both sets of flags.
    #[must_use]
    pub const fn with(self, other: DataFlags) -> DataFlags {
        DataFlags(self.0 | other.0)
    }

    /// Returns true when every flag of `other` is on.
    #[must_use]
    pub const fn has(self, other: DataFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Representation of the header. AS and ES are not kept: they are choices of the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IuHeader {
    /// IU type, 0 to 7.
    pub iu_type: u8,
    /// Flags about the data.
    pub flags: DataFlags,
    /// CCW number.
    pub ccw: u16,
    /// The channel's operation number, 24 bits.
    pub token: u32,
}

impl IuHeader {
    /// Reads the header.
    #[must_use]
    pub fn parse(octets: &[u8; IU_HEADER_BYTES]) -> IuHeader {
        IuHeader {
            iu_type: octets[0] & TYPE,
            flags: DataFlags(octets[1]),
            ccw: u16::from_be_bytes([octets[2], octets[3]]),
            token: u32::from_be_bytes([0, octets[5], octets[6], octets[7]]),
        }
    }

    /// Returns the header's octets; the token's top octet is dropped.
    #[must_use]
    pub fn emit(&self) -> [u8; IU_HEADER_BYTES] {
        let mut identifier = self.iu_type & TYPE;
        if choices::ADDRESS_SPECIFIC {
            identifier |= ADDRESS_SPECIFIC;
        }
        if choices::EXCEPTION {
            identifier |= EXCEPTION;
        }
        let ccw = self.ccw.to_be_bytes();
        let token = self.token.to_be_bytes();
        [identifier, self.flags.0, ccw[0], ccw[1], 0, token[1], token[2], token[3]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let octets = [0x10, 0x8C, 0x01, 0x02, 0, 0x00, 0xAB, 0xCD];
        let header = IuHeader::parse(&octets);
        assert!(header.flags.has(DataFlags::END.with(DataFlags::EARLY_END)));
        assert!(header.flags.has(DataFlags::NO_CRC) && !header.flags.has(DataFlags::CHAINING));
        assert_eq!((header.iu_type, header.ccw, header.token), (0, 0x0102, 0xABCD));
        assert_eq!(header.emit(), octets);
    }
}
