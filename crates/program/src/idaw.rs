//! Indirect-data-address word: one block of a data area that is scattered by blocks.
//!
//! The first IDAW of a list may point anywhere; every later one must lie on a block boundary. Each covers
//! the bytes up to the next boundary.

use crate::parse_error::{ParseError, Structure};
use halftrack_base::fields::{u32_at, u64_at};

const IDAW: Structure = Structure("IDAW");
const HIGH_BIT: u32 = 0x8000_0000;

/// Format and block size of the IDAWs of a program, from the ORB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdawFormat {
    /// 4 bytes, 31-bit addresses, blocks of 2 KiB.
    One,
    /// 8 bytes, 64-bit addresses, blocks of 2 KiB (ORB bits H and T).
    TwoWith2K,
    /// 8 bytes, 64-bit addresses, blocks of 4 KiB (ORB bit H).
    TwoWith4K,
}

impl IdawFormat {
    /// Returns the bytes of a block.
    pub const fn block_bytes(self) -> u32 {
        match self {
            Self::One | Self::TwoWith2K => 2048,
            Self::TwoWith4K => 4096,
        }
    }

    /// Returns the bytes of one IDAW, and the boundary that its list must lie on.
    pub const fn entry_bytes(self) -> usize {
        match self {
            Self::One => 4,
            Self::TwoWith2K | Self::TwoWith4K => 8,
        }
    }

    /// Returns the number of IDAWs an area of `bytes` at `address` needs: ceil(((address mod block) + bytes) / block).
    pub const fn count(self, address: u64, bytes: u32) -> u32 {
        let block = self.block_bytes() as u64;
        ((address % block + bytes as u64).div_ceil(block)) as u32
    }
}

/// An indirect-data-address word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Idaw {
    /// Address of the data.
    pub address: u64,
}

impl Idaw {
    /// Parses the IDAW at the start of `bytes`; `first` is true for the first of its list.
    ///
    /// # Errors
    /// Too few bytes; bit 0 of a format-1 address on; an address off the block boundary in an IDAW after the first.
    pub fn parse(bytes: &[u8], format: IdawFormat, first: bool) -> Result<Self, ParseError> {
        let address = match format {
            IdawFormat::One => {
                let word = u32_at(IDAW.fixed::<4>(bytes)?, 0);
                IDAW.check(word & HIGH_BIT == 0, "address", 0, word)?;
                u64::from(word)
            }
            IdawFormat::TwoWith2K | IdawFormat::TwoWith4K => u64_at(IDAW.fixed::<8>(bytes)?, 0),
        };
        if !first {
            IDAW.aligned("address", 0, address, format.block_bytes())?;
        }
        Ok(Self { address })
    }

    /// Emits the 4 or 8 bytes.
    ///
    /// # Errors
    /// An address above 2 GiB in format 1.
    pub fn emit(&self, format: IdawFormat) -> Result<Vec<u8>, ParseError> {
        match format {
            IdawFormat::One => {
                let address = u32::try_from(self.address).unwrap_or(HIGH_BIT);
                IDAW.check(address & HIGH_BIT == 0, "address", 0, self.address)?;
                Ok(address.to_be_bytes().to_vec())
            }
            IdawFormat::TwoWith2K | IdawFormat::TwoWith4K => Ok(self.address.to_be_bytes().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMATS: [IdawFormat; 3] = [IdawFormat::One, IdawFormat::TwoWith2K, IdawFormat::TwoWith4K];

    #[test]
    fn an_area_needs_one_idaw_for_each_block_it_touches() {
        assert_eq!(IdawFormat::TwoWith4K.count(0x10_000, 4096), 1);
        assert_eq!(IdawFormat::TwoWith4K.count(0x10_001, 4096), 2);
        assert_eq!(IdawFormat::One.count(0x10_000, 4096), 2);
        assert_eq!(IdawFormat::TwoWith4K.count(0x10_000, 27_998), 7);
        assert_eq!(IdawFormat::TwoWith4K.count(0x10_FFF, 27_998), 8);
        assert_eq!(IdawFormat::TwoWith4K.count(u64::MAX, u32::MAX), 1_048_577);
        assert_eq!(IdawFormat::TwoWith4K.count(0, 0), 0);
    }

    #[test]
    fn later_idaws_lie_on_a_block() {
        let bytes = 0x0000_0000_0012_3800_u64.to_be_bytes();
        assert!(Idaw::parse(&bytes, IdawFormat::TwoWith4K, true).is_ok());
        assert!(Idaw::parse(&bytes, IdawFormat::TwoWith4K, false).is_err());
        assert!(Idaw::parse(&bytes, IdawFormat::TwoWith2K, false).is_ok());
    }

    #[test]
    fn format_1_has_31_bits() {
        assert_eq!(Idaw::parse(&[0x80, 0, 0, 0], IdawFormat::One, true).unwrap_err().field, "address");
        assert!(Idaw { address: 0x8000_0000 }.emit(IdawFormat::One).is_err());
        assert!(Idaw { address: 0x1_0000_0000 }.emit(IdawFormat::One).is_err());
        assert_eq!(Idaw { address: 0x7FFF_F000 }.emit(IdawFormat::One).unwrap(), [0x7F, 0xFF, 0xF0, 0]);
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            bytes in prop::collection::vec(any::<u8>(), 0..10), format in 0..3_usize, first in any::<bool>()
        ) {
            let format = FORMATS[format];
            if let Ok(idaw) = Idaw::parse(&bytes, format, first) {
                let emitted = idaw.emit(format).unwrap();
                prop_assert_eq!(emitted.len(), format.entry_bytes());
                prop_assert_eq!(Idaw::parse(&emitted, format, first).unwrap(), idaw);
            }
        }
    }
}
