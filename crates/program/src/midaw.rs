//! Modified indirect-data-address word: one piece of a data area that is scattered anywhere.
//!
//! The sum of the counts of a list equals the CCW count, and the last-flag stands on the MIDAW where that
//! count is exhausted. A list may not cross a 4 KiB boundary.

use crate::parse_error::{ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u16_at, u64_at};

const MIDAW: Structure = Structure("MIDAW");

/// Bytes of a MIDAW, and the boundary that it must lie on.
pub const MIDAW_BYTES: usize = 16;
/// Most MIDAWs of a list: what lies within 4 KiB.
pub const MIDAW_LIST_MAXIMUM: u16 = 256;
/// Boundary that the data area of a MIDAW may not cross unless it is skipped, in bytes.
pub const MIDAW_PAGE_BYTES: u32 = 4096;

bit_set! {
    /// MIDAW flags.
    MidawFlags: u8 {
        /// Last MIDAW of the list.
        LAST = 0x80;
        /// Do not store the data read.
        SKIP = 0x40;
        /// Data-transfer interruption.
        DATA_TRANSFER_INTERRUPTION = 0x20;
    }
}

impl MidawFlags {
    const RESERVED: u8 = 0x1F;
}

/// A modified indirect-data-address word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Midaw {
    /// Flags.
    pub flags: MidawFlags,
    /// Count in bytes, from 1.
    pub count: u16,
    /// Address of the data.
    pub address: u64,
}

impl Midaw {
    /// Returns the number of MIDAWs an area of `bytes` at `address` needs: one for each 4 KiB page that it touches.
    pub const fn count(address: u64, bytes: u32) -> u32 {
        let page = MIDAW_PAGE_BYTES as u64;
        (address % page + bytes as u64).div_ceil(page) as u32
    }

    /// Parses the first 16 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; reserved bits on; count zero; a data area that crosses a page and is not skipped.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; MIDAW_BYTES] = MIDAW.fixed(bytes)?;
        MIDAW.zeros("bytes 0-4", 0, &fixed[..5])?;
        MIDAW.zero("flags", 5, fixed[5] & MidawFlags::RESERVED)?;
        let midaw = Self { flags: MidawFlags(fixed[5]), count: u16_at(fixed, 6), address: u64_at(fixed, 8) };
        MIDAW.check(midaw.count != 0, "count", 6, midaw.count)?;
        let in_page = Self::count(midaw.address, u32::from(midaw.count)) == 1;
        MIDAW.check(
            in_page || midaw.flags.contains(MidawFlags::SKIP),
            "count over a page",
            6,
            midaw.count,
        )?;
        Ok(midaw)
    }

    /// Emits the 16 bytes.
    pub fn emit(&self) -> [u8; MIDAW_BYTES] {
        let mut bytes = [0; MIDAW_BYTES];
        bytes[5] = self.flags.0;
        put(&mut bytes, 6, &self.count.to_be_bytes());
        put(&mut bytes, 8, &self.address.to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_and_a_suffix_need_two() {
        let page = Midaw { flags: MidawFlags(0), count: 4096, address: 0x20_0000 };
        let suffix = Midaw { flags: MidawFlags::LAST, count: 32, address: 0x30_0FE0 };
        assert_eq!(page.emit(), [0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0]);
        assert_eq!(suffix.emit(), [0, 0, 0, 0, 0, 0x80, 0, 32, 0, 0, 0, 0, 0, 0x30, 0x0F, 0xE0]);
        assert_eq!(Midaw::parse(&page.emit()).unwrap(), page);
        assert_eq!(Midaw::parse(&suffix.emit()).unwrap(), suffix);
    }

    #[test]
    fn one_for_each_page_touched() {
        assert_eq!(Midaw::count(0, 27_998), 7);
        assert_eq!(Midaw::count(0x800, 27_998), 8);
        assert_eq!(Midaw::count(0x30_0FE0, 32), 1);
        assert_eq!(Midaw::count(0x30_0FE0, 33), 2);
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = Midaw { flags: MidawFlags(0), count: 4096, address: 0x20_0000 }.emit();
            octets[offset] = value;
            let error = Midaw::parse(&octets).unwrap_err();
            (error.field, error.offset)
        };
        assert_eq!(fault(3, 1), ("bytes 0-4", 3));
        assert_eq!(fault(5, 0x01), ("flags", 5));
        assert_eq!(fault(6, 0), ("count", 6));
        assert_eq!(fault(15, 1), ("count over a page", 6));
    }

    #[test]
    fn a_skipped_area_may_cross_a_page() {
        let skipped = Midaw { flags: MidawFlags::SKIP, count: u16::MAX, address: 1 };
        assert_eq!(Midaw::parse(&skipped.emit()).unwrap(), skipped);
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..20), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 5 {
                bytes[..5].fill(0);
                bytes[5] = 0xC0;
            }
            if let Ok(parsed) = Midaw::parse(&bytes) {
                prop_assert_eq!(Midaw::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
