//! Number of a start at its subchannel.
//!
//! No public document has one: the architecture gives a subchannel one start at a time, and a control unit that has
//! the order of the starts distinguishes a late one from the newest. Its place is our choice, made here: in command
//! mode it is the token (IU header, octets 13 to 15 of the IU), in transport mode octets [`TRANSPORT_COMMAND_OCTETS`]
//! of the transport-command IU, the last two of its address field and the command reference, which are zero
//! elsewhere.

use std::ops::Range;

/// Octets of a transport-command IU that hold the number. Our choice.
pub const TRANSPORT_COMMAND_OCTETS: Range<usize> = 6..9;

/// Bits of a number: those of a token.
const BITS: u32 = 24;
const MASK: u32 = (1 << BITS) - 1;

/// Number of a start, which counts up with every start at the subchannel and goes round after 2^24.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StartNumber(u32);

impl StartNumber {
    /// Returns the number whose low 24 bits these are.
    #[must_use]
    pub const fn new(bits: u32) -> Self {
        Self(bits & MASK)
    }

    /// Returns the number, below 2^24.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.0
    }

    /// Returns the number of the start after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::new(self.0.wrapping_add(1))
    }

    /// Returns whether this start came after `other`: the two compare as serial numbers (RFC 1982), of which one half of the
    /// circle is newer. At 25,000 starts a second that half lasts 335 s.
    #[must_use]
    pub const fn is_newer_than(self, other: Self) -> bool {
        let ahead = Self::new(self.0.wrapping_sub(other.0)).0;
        ahead != 0 && ahead < 1 << (BITS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_circle_is_newer() {
        for from in [0, 1, 77, (1 << 23) - 1, 1 << 23, MASK] {
            let number = StartNumber::new(from);
            assert!(!number.is_newer_than(number));
            for ahead in [1, 2, 1000, (1 << 23) - 1] {
                let later = StartNumber::new(from.wrapping_add(ahead));
                assert!(later.is_newer_than(number) && !number.is_newer_than(later), "{from} + {ahead}");
            }
        }
        assert_eq!(StartNumber::new(MASK).next(), StartNumber::new(0));
        assert_eq!(StartNumber::new(u32::MAX).value(), MASK);
    }
}
