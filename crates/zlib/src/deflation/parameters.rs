//! Parameters of `deflateInit2`.

use libc::c_int;
use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_FILTERED, Z_NO_COMPRESSION};

use crate::format::Format;

/// Bits of the window that a card has.
const WINDOW_BITS: c_int = 15;
/// Added to the bits of the window for gzip.
const GZIP: c_int = 16;

/// Parameters of a stream that the software has accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    /// Level, -1 to 9.
    pub level: c_int,
    /// Strategy.
    pub strategy: c_int,
    /// Bits of the window, negative for raw DEFLATE, and 16 more for gzip.
    pub window_bits: c_int,
    /// Memory of the software.
    pub memory_level: c_int,
}

impl Parameters {
    /// Returns the format.
    pub const fn format(&self) -> Format {
        match self.window_bits {
            ..0 => Format::Raw,
            0..GZIP => Format::Zlib,
            _ => Format::Gzip,
        }
    }

    /// Returns whether a card deflates so: it compresses in one manner, with the whole window.
    pub const fn is_for_card(&self) -> bool {
        self.level != Z_NO_COMPRESSION
            && matches!(self.strategy, Z_DEFAULT_STRATEGY | Z_FILTERED)
            && self.window_bits.abs() % GZIP == WINDOW_BITS
    }
}

#[cfg(test)]
mod tests {
    use libz_rs_sys::{Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};

    use super::*;

    #[test]
    fn the_whole_window_and_default_strategies_are_for_a_card() {
        let default = Parameters { level: -1, strategy: 0, window_bits: 15, memory_level: 8 };
        for window_bits in [15, -15, 31] {
            assert!(Parameters { window_bits, ..default }.is_for_card(), "{window_bits}");
            assert!(!Parameters { level: 0, window_bits, ..default }.is_for_card(), "{window_bits}");
        }
        for window_bits in [8, 14, -14, -9, 30, 24] {
            assert!(!Parameters { window_bits, ..default }.is_for_card(), "{window_bits}");
        }
        assert!(Parameters { strategy: Z_FILTERED, ..default }.is_for_card());
        for strategy in [Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED] {
            assert!(!Parameters { strategy, ..default }.is_for_card(), "{strategy}");
        }
    }

    #[test]
    fn the_format_is_in_the_bits_of_the_window() {
        for (window_bits, format) in [
            (-15, Format::Raw),
            (-8, Format::Raw),
            (15, Format::Zlib),
            (24, Format::Gzip),
            (31, Format::Gzip),
        ] {
            let parameters = Parameters { level: 1, strategy: 0, window_bits, memory_level: 8 };
            assert_eq!(parameters.format(), format, "{window_bits}");
        }
    }
}
