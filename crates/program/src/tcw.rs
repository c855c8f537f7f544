//! Transport-control word (64 bytes): what a transport-mode ORB points to.

use crate::parse_error::{ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u32_at, u64_at};

const TCW: Structure = Structure("TCW");

/// Bytes of a TCW, and the boundary that it must lie on.
pub const TCW_BYTES: usize = 64;
/// Mask of the TCCB length in byte 5.
const LENGTH: u8 = 0xFC;
const READ: u8 = 0x02;
const WRITE: u8 = 0x01;
/// Fewest and most bytes of the length field: a transport-command area of 0 to 240 bytes, and 4.
const LENGTH_RANGE: std::ops::RangeInclusive<u8> = 4..=244;

bit_set! {
    /// Byte 1: which addresses are those of TIDAW lists.
    TcwFlags: u8 {
        /// The input data are a TIDAW list.
        INPUT_TIDAWS = 0x04;
        /// The TCCB is a TIDAW list.
        TCCB_TIDAWS = 0x02;
        /// The output data are a TIDAW list.
        OUTPUT_TIDAWS = 0x01;
    }
}

impl TcwFlags {
    const DEFINED: u8 = 0x07;
}

/// The direction of the data of a transport-mode operation: bits R and W.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// R = W = 0: no data.
    None,
    /// R = 1: data from the device.
    Read,
    /// W = 1: data to the device.
    Write,
    /// R = W = 1: both, where the bidirectional facility is offered.
    Bidirectional,
}

impl Transfer {
    /// Returns the r (0x02) and W (0x01), as byte 5 of a TCW and byte 11 of a transport-command information unit
    /// have them.
    pub const fn bits(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Read => READ,
            Self::Write => WRITE,
            Self::Bidirectional => READ | WRITE,
        }
    }

    /// Decodes the direction in the low two bits of `byte`.
    pub const fn from_bits(byte: u8) -> Self {
        match byte & (READ | WRITE) {
            0 => Self::None,
            READ => Self::Read,
            WRITE => Self::Write,
            _ => Self::Bidirectional,
        }
    }
}

/// A transport-control word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tcw {
    /// Byte 1.
    pub flags: TcwFlags,
    /// Byte 5, top six bits in place: bytes of the transport-command area and 4, a multiple of 4.
    pub tccb_length: u8,
    /// Byte 5, bits R and W.
    pub transfer: Transfer,
    /// Bytes 8-15.
    pub output_address: u64,
    /// Bytes 16-23.
    pub input_address: u64,
    /// Bytes 24-31; on an 8-byte boundary.
    pub tsb_address: u64,
    /// Bytes 32-39; on an 8-byte boundary.
    pub tccb_address: u64,
    /// Bytes 40-43: bytes of output, inserted check words included.
    pub output_count: u32,
    /// Bytes 44-47: bytes of input.
    pub input_count: u32,
    /// Bytes 60-63: address of the interrogate TCW, or 0.
    pub interrogate_address: u32,
}

impl Tcw {
    /// Parses the first 64 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; a format other than 0; reserved bits on; a TCCB length out of 4..=244; a TSB or TCCB
    /// address off its boundary.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; TCW_BYTES] = TCW.fixed(bytes)?;
        TCW.zero("format", 0, fixed[0])?;
        TCW.zero("flags", 1, fixed[1] & !TcwFlags::DEFINED)?;
        TCW.zeros("TIDAW format", 2, &fixed[2..5])?;
        let tccb_length = fixed[5] & LENGTH;
        TCW.check(LENGTH_RANGE.contains(&tccb_length), "TCCB length", 5, fixed[5])?;
        TCW.zeros("bytes 6-7", 6, &fixed[6..8])?;
        TCW.zeros("bytes 48-59", 48, &fixed[48..60])?;
        let tcw = Self {
            flags: TcwFlags(fixed[1]),
            tccb_length,
            transfer: Transfer::from_bits(fixed[5]),
            output_address: u64_at(fixed, 8),
            input_address: u64_at(fixed, 16),
            tsb_address: u64_at(fixed, 24),
            tccb_address: u64_at(fixed, 32),
            output_count: u32_at(fixed, 40),
            input_count: u32_at(fixed, 44),
            interrogate_address: u32_at(fixed, 60),
        };
        TCW.aligned("TSB address", 24, tcw.tsb_address, 8)?;
        TCW.aligned("TCCB address", 32, tcw.tccb_address, 8)?;
        Ok(tcw)
    }

    /// Emits the 64 bytes.
    pub fn emit(&self) -> [u8; TCW_BYTES] {
        let mut bytes = [0; TCW_BYTES];
        bytes[1] = self.flags.0;
        bytes[5] = self.length_and_direction();
        put(&mut bytes, 8, &self.output_address.to_be_bytes());
        put(&mut bytes, 16, &self.input_address.to_be_bytes());
        put(&mut bytes, 24, &self.tsb_address.to_be_bytes());
        put(&mut bytes, 32, &self.tccb_address.to_be_bytes());
        put(&mut bytes, 40, &self.output_count.to_be_bytes());
        put(&mut bytes, 44, &self.input_count.to_be_bytes());
        put(&mut bytes, 60, &self.interrogate_address.to_be_bytes());
        bytes
    }

    /// Returns the byte 5, which is also byte 11 of the transport-command information unit.
    pub const fn length_and_direction(&self) -> u8 {
        self.tccb_length & LENGTH | self.transfer.bits()
    }

    /// Returns the bytes of the transport-command area, from the length field.
    pub const fn area_bytes(&self) -> u8 {
        self.tccb_length.saturating_sub(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_4k() -> Tcw {
        Tcw {
            flags: TcwFlags::INPUT_TIDAWS,
            tccb_length: 0x4C,
            transfer: Transfer::Read,
            output_address: 0,
            input_address: 0x0000_0001_2345_6780,
            tsb_address: 0x1000,
            tccb_address: 0x1040,
            output_count: 0,
            input_count: 4096,
            interrogate_address: 0,
        }
    }

    #[test]
    fn a_4k_read_to_the_octet() {
        let bytes = read_4k().emit();
        assert_eq!(bytes[..8], [0, 0x04, 0, 0, 0, 0x4E, 0, 0]);
        assert_eq!(bytes[16..24], [0, 0, 0, 1, 0x23, 0x45, 0x67, 0x80]);
        assert_eq!(bytes[24..40], [0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x40]);
        assert_eq!(bytes[40..48], [0, 0, 0, 0, 0, 0, 0x10, 0]);
        assert_eq!(bytes[48..], [0; 16]);
        assert_eq!(Tcw::parse(&bytes).unwrap(), read_4k());
        assert_eq!(read_4k().area_bytes(), 72);
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = read_4k().emit();
            octets[offset] = value;
            let error = Tcw::parse(&octets).unwrap_err();
            (error.field, error.offset)
        };
        assert_eq!(fault(0, 0x40), ("format", 0));
        assert_eq!(fault(1, 0x08), ("flags", 1));
        assert_eq!(fault(3, 1), ("TIDAW format", 3));
        assert_eq!(fault(5, 0x02), ("TCCB length", 5));
        assert_eq!(fault(5, 0xFA), ("TCCB length", 5));
        assert_eq!(fault(7, 1), ("bytes 6-7", 7));
        assert_eq!(fault(31, 4), ("TSB address", 24));
        assert_eq!(fault(39, 1), ("TCCB address", 32));
        assert_eq!(fault(50, 1), ("bytes 48-59", 50));
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..70), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 60 {
                bytes[0] = 0;
                bytes[1] &= 7;
                bytes[2..5].fill(0);
                bytes[5] = bytes[5] & 0x7F | 0x04;
                bytes[6..8].fill(0);
                bytes[31] &= 0xF8;
                bytes[39] &= 0xF8;
                bytes[48..60].fill(0);
            }
            if let Ok(parsed) = Tcw::parse(&bytes) {
                prop_assert_eq!(Tcw::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
