//! Size of an element in the notation of one digit.

/// Octets of the smallest element.
const SMALLEST_BYTES: u32 = 16 * 1024;
/// Largest size of RFC 7609: 512 KiB. The field has four bits, and Linux uses more of them.
pub const COMPRESSED_SIZE_MAX: u8 = 5;

/// Size of an element: 16 KiB shifted left by a number up to [`COMPRESSED_SIZE_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ElementSize(u8);

impl ElementSize {
    /// Returns the size of this notation, `None` for one beyond the largest.
    pub const fn from_compressed(compressed: u8) -> Option<Self> {
        if compressed <= COMPRESSED_SIZE_MAX { Some(Self(compressed)) } else { None }
    }

    /// Returns the smallest size of at least so many octets, or the largest.
    pub const fn at_least(bytes: u32) -> Self {
        let mut compressed = 0;
        while compressed < COMPRESSED_SIZE_MAX && SMALLEST_BYTES << compressed < bytes {
            compressed += 1;
        }
        Self(compressed)
    }

    /// Returns the notation.
    pub const fn compressed(self) -> u8 {
        self.0
    }

    /// Returns the octets.
    pub const fn bytes(self) -> u32 {
        SMALLEST_BYTES << self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_sizes_have_a_notation() {
        let sizes: Vec<u32> =
            (0..16).filter_map(ElementSize::from_compressed).map(|size| size.bytes() / 1024).collect();
        assert_eq!(sizes, [16, 32, 64, 128, 256, 512]);
        assert_eq!(ElementSize::at_least(0).compressed(), 0);
        assert_eq!(ElementSize::at_least(16 * 1024 + 1).compressed(), 1);
        assert_eq!(ElementSize::at_least(u32::MAX).compressed(), 5);
    }
}
