//! A rate in bytes per second, made ready to price transfers without a division.

use crate::Span;

const PS_PER_S: u128 = 1_000_000_000_000;
/// Fraction bits of the picoseconds that a byte takes.
const FRACTION_BITS: u32 = 32;

/// A rate of transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRate {
    /// Picoseconds a byte takes, rounded up to 2^-32 ps: the whole ones, and the fraction in 2^-32 ps.
    whole_ps: u64,
    fraction: u32,
}

impl ByteRate {
    /// Returns `bytes_per_s` bytes per second.
    ///
    /// # Panics
    /// When `bytes_per_s` is zero.
    pub fn new(bytes_per_s: u64) -> Self {
        assert!(bytes_per_s > 0, "a rate is above zero");
        let ps_per_byte = (PS_PER_S << FRACTION_BITS).div_ceil(u128::from(bytes_per_s));
        Self { whole_ps: (ps_per_byte >> FRACTION_BITS) as u64, fraction: ps_per_byte as u32 }
    }

    /// Returns the time that `bytes` take, rounded up to whole picoseconds.
    ///
    /// It is never shorter than the rate allows, and longer by less than 1 ps and 2^-32 ps a byte.
    #[inline]
    pub fn time_of(self, bytes: u32) -> Span {
        let fractions = u64::from(self.fraction) * u64::from(bytes) + ((1 << FRACTION_BITS) - 1);
        Span::from_ps(self.whole_ps * u64::from(bytes) + (fractions >> FRACTION_BITS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::for_bytes;

    #[test]
    fn a_transfer_takes_what_the_exact_quotient_says_within_a_picosecond() {
        for rate in [1_000, 17_000_000, 100_000_000, 800_000_000, 3_200_000_000, 6_100_000_000] {
            for bytes in [0, 1, 36, 100, 2084, 4204, 65_536, 1 << 20] {
                let exact = for_bytes(u64::from(bytes), rate).as_ps();
                let priced = ByteRate::new(rate).time_of(bytes).as_ps();
                assert!((exact..=exact + 1).contains(&priced), "{bytes} at {rate}: {priced} for {exact}");
            }
        }
    }
}
