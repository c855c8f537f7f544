//! Transport-indirect-data-address word: one piece of the data area of a transport-mode program.
//!
//! A list that reaches a 4 KiB boundary continues elsewhere by a transfer-in-channel entry. On writes no
//! TIDAW may span two tracks: the check word goes in after the TIDAW that ends each track but the last.

use crate::parse_error::{ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u32_at, u64_at};

const TIDAW: Structure = Structure("TIDAW");

/// Bytes of a TIDAW, and the boundary that it must lie on.
pub const TIDAW_BYTES: usize = 16;
/// Boundary that neither a list nor the data area of a TIDAW may cross, in bytes.
pub const TIDAW_PAGE_BYTES: u32 = 4096;
/// Entries of a list within one page.
const ENTRIES_PER_PAGE: u32 = TIDAW_PAGE_BYTES / TIDAW_BYTES as u32;

bit_set! {
    /// TIDAW flags.
    TidawFlags: u8 {
        /// Last TIDAW of the list.
        LAST = 0x80;
        /// Do not store the data read.
        SKIP = 0x40;
        /// Data-transfer interruption.
        DATA_TRANSFER_INTERRUPTION = 0x20;
        /// Transfer in channel: the address is that of the next TIDAW.
        TRANSFER_IN_CHANNEL = 0x10;
        /// A check word goes in after the data of this TIDAW.
        INSERT_CHECK_WORD = 0x08;
    }
}

impl TidawFlags {
    const RESERVED: u8 = 0x07;
}

/// A transport-indirect-data-address word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tidaw {
    /// Flags.
    pub flags: TidawFlags,
    /// Count in bytes.
    pub count: u32,
    /// Address of the data, or of the next TIDAW.
    pub address: u64,
}

impl Tidaw {
    /// Returns the number of TIDAWs an area of `bytes` at `address` needs: one for each 4 KiB page that it touches.
    pub const fn count(address: u64, bytes: u32) -> u32 {
        let page = TIDAW_PAGE_BYTES as u64;
        (address % page + bytes as u64).div_ceil(page) as u32
    }

    /// Returns the number of entries a list of `pieces` data TIDAWs has when each part of the list begins a page. One
    /// transfer-in-channel entry ends every page but the last.
    pub const fn list_entries(pieces: u32) -> u32 {
        if pieces <= ENTRIES_PER_PAGE { pieces } else { pieces + (pieces - 2) / (ENTRIES_PER_PAGE - 1) }
    }

    /// Parses the first 16 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; reserved bits on; a transfer in channel that is off its boundary; a data area that crosses a
    /// page and is not skipped; a count of zero; a check word requested by the last TIDAW.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; TIDAW_BYTES] = TIDAW.fixed(bytes)?;
        TIDAW.zero("flags", 0, fixed[0] & TidawFlags::RESERVED)?;
        TIDAW.zeros("bytes 1-3", 1, &fixed[1..4])?;
        let tidaw = Self { flags: TidawFlags(fixed[0]), count: u32_at(fixed, 4), address: u64_at(fixed, 8) };
        if tidaw.flags.contains(TidawFlags::TRANSFER_IN_CHANNEL) {
            TIDAW.aligned("address of transfer in channel", 8, tidaw.address, TIDAW_BYTES as u32)?;
            return Ok(tidaw);
        }
        TIDAW.check(tidaw.count != 0, "count", 4, tidaw.count)?;
        let in_page = Self::count(tidaw.address, tidaw.count) == 1;
        TIDAW.check(
            in_page || tidaw.flags.contains(TidawFlags::SKIP),
            "count over a page",
            4,
            tidaw.count,
        )?;
        let last_with_check = TidawFlags::LAST | TidawFlags::INSERT_CHECK_WORD;
        TIDAW.check(!tidaw.flags.contains(last_with_check), "check word after the last", 0, tidaw.flags.0)?;
        Ok(tidaw)
    }

    /// Emits the 16 bytes.
    pub fn emit(&self) -> [u8; TIDAW_BYTES] {
        let mut bytes = [0; TIDAW_BYTES];
        bytes[0] = self.flags.0;
        put(&mut bytes, 4, &self.count.to_be_bytes());
        put(&mut bytes, 8, &self.address.to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_end_of_a_track_to_the_octet() {
        let end = Tidaw { flags: TidawFlags::INSERT_CHECK_WORD, count: 4096, address: 0x20_0000 };
        assert_eq!(end.emit(), [0x08, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0]);
        assert_eq!(Tidaw::parse(&end.emit()).unwrap(), end);
    }

    #[test]
    fn a_long_list_jumps_at_each_page() {
        assert_eq!(Tidaw::list_entries(0), 0);
        assert_eq!(Tidaw::list_entries(32), 32);
        assert_eq!(Tidaw::list_entries(256), 256);
        assert_eq!(Tidaw::list_entries(257), 258, "255 and a jump, then 2");
        assert_eq!(Tidaw::list_entries(255 + 256), 512, "255 and a jump, then 256");
        assert_eq!(Tidaw::list_entries(255 + 257), 514, "255 and a jump twice, then 2");
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = Tidaw { flags: TidawFlags::LAST, count: 4096, address: 0x20_0000 }.emit();
            octets[offset] = value;
            let error = Tidaw::parse(&octets).unwrap_err();
            (error.field, error.offset)
        };
        assert_eq!(fault(0, 0x01), ("flags", 0));
        assert_eq!(fault(2, 0x01), ("bytes 1-3", 2));
        assert_eq!(fault(6, 0), ("count", 4));
        assert_eq!(fault(15, 1), ("count over a page", 4));
        assert_eq!(fault(0, 0x88), ("check word after the last", 0));
        let mut jump = Tidaw { flags: TidawFlags::TRANSFER_IN_CHANNEL, count: 0, address: 8 }.emit();
        assert_eq!(Tidaw::parse(&jump).unwrap_err().field, "address of transfer in channel");
        jump[15] = 16;
        assert!(Tidaw::parse(&jump).is_ok());
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..20), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 3 {
                bytes[0] &= 0xF8;
                bytes[1..4].fill(0);
            }
            if let Ok(parsed) = Tidaw::parse(&bytes) {
                prop_assert_eq!(Tidaw::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
