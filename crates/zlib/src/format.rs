//! Formats around raw DEFLATE: zlib (RFC 1950) and gzip (RFC 1952).

use libc::c_ulong;
use libz_rs_sys::{adler32_combine64, crc32_combine64};

use crate::accelerator::CheckValues;

/// Format of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// DEFLATE alone.
    Raw,
    /// Header, DEFLATE and Adler-32.
    Zlib,
    /// Header, DEFLATE, CRC-32 and length.
    Gzip,
}

/// Method of both formats: DEFLATE.
const METHOD: u8 = 8;
/// Size of the window as zlib has it in its header: 32 KiB.
const WINDOW_32_KIB: u8 = 7;
/// Bit of the second octet of zlib: a dictionary is needed.
const DICTIONARY: u8 = 0x20;
/// Octets of the header of gzip without the parts that can follow.
const GZIP_HEADER_BYTES: usize = 10;
/// First octets of gzip.
const GZIP_MAGIC: [u8; 3] = [0x1F, 0x8B, METHOD];

// Flags of the header of gzip.
const HEADER_CRC: u8 = 0x02;
const EXTRA: u8 = 0x04;
const NAME: u8 = 0x08;
const COMMENT: u8 = 0x10;
const RESERVED: u8 = 0xE0;

impl Format {
    /// Returns how many octets stand behind the DEFLATE.
    pub const fn trailer_bytes(self) -> usize {
        match self {
            Self::Raw => 0,
            Self::Zlib => 4,
            Self::Gzip => 8,
        }
    }

    /// Returns the octets behind the DEFLATE; those of [`Format::trailer_bytes`] count.
    pub fn trailer(self, check: u32, length_bytes: u32) -> [u8; 8] {
        let mut trailer = [0; 8];
        match self {
            Self::Raw => {}
            Self::Zlib => trailer[..4].copy_from_slice(&check.to_be_bytes()),
            Self::Gzip => {
                trailer[..4].copy_from_slice(&check.to_le_bytes());
                trailer[4..].copy_from_slice(&length_bytes.to_le_bytes());
            }
        }
        trailer
    }

    /// Returns the check value of no data; raw DEFLATE has none.
    pub const fn check_of_nothing(self) -> u32 {
        match self {
            Self::Raw | Self::Gzip => 0,
            Self::Zlib => 1,
        }
    }

    /// Returns the check value of data behind those of the value `before`.
    pub fn check(self, before: u32, data: &[u8]) -> u32 {
        match self {
            Self::Raw => 0,
            Self::Zlib => zlib_rs::adler32::adler32(before, data),
            Self::Gzip => zlib_rs::crc32::crc32(before, data),
        }
    }

    /// Returns the check value of data behind those of the value `before`, of which a card returned the values.
    pub fn joined(self, before: u32, values: CheckValues, bytes: usize) -> u32 {
        let before = c_ulong::from(before);
        let joined = match self {
            Self::Raw => 0,
            Self::Zlib => adler32_combine64(before, values.adler32.into(), bytes as i64),
            Self::Gzip => crc32_combine64(before, values.crc32.into(), bytes as i64),
        };
        joined as u32
    }
}

/// Returns the length of a header of zlib that has a window of 32 KiB and no dictionary.
pub fn zlib_header_bytes(stream: &[u8]) -> Option<usize> {
    let &[first, second, ..] = stream else { return None };
    let is_header = u16::from_be_bytes([first, second]).is_multiple_of(31)
        && first & 0x0F == METHOD
        && first >> 4 == WINDOW_32_KIB
        && second & DICTIONARY == 0;
    is_header.then_some(2)
}

/// Returns the length of a header of gzip; none where it is not whole, or has a check value of its own.
pub fn gzip_header_bytes(stream: &[u8]) -> Option<usize> {
    let header = stream.get(..GZIP_HEADER_BYTES).filter(|header| header.starts_with(&GZIP_MAGIC))?;
    let flags = header[3];
    if flags & (RESERVED | HEADER_CRC) != 0 {
        return None;
    }
    let mut end = GZIP_HEADER_BYTES;
    if flags & EXTRA != 0 {
        let length = stream.get(end..end + 2)?;
        end += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            end += stream.get(end..)?.iter().position(|octet| *octet == 0)? + 1;
        }
    }
    (end <= stream.len()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_zlib_have_the_whole_window_and_no_dictionary() {
        for header in [[0x78, 0x01], [0x78, 0x5E], [0x78, 0x9C], [0x78, 0xDA]] {
            assert_eq!(zlib_header_bytes(&header), Some(2));
        }
        // A window of 16 KiB, a dictionary, a false check, another method, and half a header.
        for header in [&[0x68, 0x81][..], &[0x78, 0xBB], &[0x78, 0x9D], &[0x77, 0x85], &[0x78]] {
            assert_eq!(zlib_header_bytes(header), None, "{header:?}");
        }
    }

    #[test]
    fn every_part_of_a_header_of_gzip_is_passed() {
        let header = |flags, rest: &[u8]| [&[0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3], rest].concat();
        assert_eq!(gzip_header_bytes(&header(0, b"data")), Some(10));
        let all = header(EXTRA | NAME | COMMENT, b"\x03\0abcname\0comment\0data");
        assert_eq!(gzip_header_bytes(&all), Some(all.len() - 4));
        for cut in 0..all.len() - 4 {
            assert_eq!(gzip_header_bytes(&all[..cut]), None, "{cut}");
        }
        for flags in [HEADER_CRC, 0x20, 0x40, 0x80] {
            assert_eq!(gzip_header_bytes(&header(flags, b"data")), None, "{flags}");
        }
        assert_eq!(gzip_header_bytes(b"\x1F\x8B\x07\0\0\0\0\0\0\x03"), None, "another method");
    }

    #[test]
    fn check_values_are_joined() {
        let values =
            CheckValues { crc32: Format::Gzip.check(0, b"6789"), adler32: Format::Zlib.check(1, b"6789") };
        for format in [Format::Raw, Format::Zlib, Format::Gzip] {
            let before = format.check(format.check_of_nothing(), b"12345");
            let whole = format.check(format.check_of_nothing(), b"123456789");
            assert_eq!(format.joined(before, values, 4), whole, "{format:?}");
        }
        assert_eq!(Format::Gzip.check(0, b"123456789"), 0xCBF4_3926, "the check value of CRC-32");
    }
}
