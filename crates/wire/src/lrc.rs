//! The longitudinal redundancy check of SB headers.

use crate::choices::LRC_SEED;

/// Returns the XOR of the big-endian words of `octets`; octets beyond the last whole word do not count.
#[must_use]
pub fn lrc(octets: &[u8]) -> u32 {
    octets.as_chunks::<4>().0.iter().fold(LRC_SEED, |sum, word| sum ^ u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xors_whole_words_only() {
        assert_eq!(lrc(&[]), LRC_SEED);
        assert_eq!(lrc(&[0x11, 0x22, 0x33, 0x44, 0x01, 0x02, 0x03, 0x04, 0xFF]), 0x1020_3040);
    }
}
