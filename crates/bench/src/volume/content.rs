//! Contents of the records of the bench's volume: octets made of their number, so that every record differs from
//! every other in every word.

/// Octets of a record's data area.
pub const BLOCK_BYTES: usize = 4096;

/// Octets of a word, each made by itself.
const WORD_BYTES: usize = 8;
/// Words of a record.
const WORDS: u64 = (BLOCK_BYTES / WORD_BYTES) as u64;
/// The odd number nearest to 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns word `number` of the volume: the finalizer of SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable
/// pseudorandom number generators").
const fn word(number: u64) -> [u8; WORD_BYTES] {
    let mut mixed = number.wrapping_mul(STEP);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)).to_be_bytes()
}

/// Returns the first octets of record `record`.
pub const fn tag(record: u64) -> [u8; WORD_BYTES] {
    word(record.wrapping_mul(WORDS).wrapping_add(1))
}

/// Returns true when `octets` are those of record `record`, all of them.
pub fn is_record(record: u64, octets: &[u8]) -> bool {
    let words = record.wrapping_mul(WORDS).wrapping_add(1)..;
    octets.len() == BLOCK_BYTES
        && octets.chunks_exact(WORD_BYTES).zip(words).all(|(octets, number)| octets == word(number))
}

/// Makes `octets` those of record `record`.
pub fn fill(record: u64, octets: &mut [u8; BLOCK_BYTES]) {
    let words = record.wrapping_mul(WORDS).wrapping_add(1)..;
    for (place, number) in octets.chunks_exact_mut(WORD_BYTES).zip(words) {
        place.copy_from_slice(&word(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_known_by_every_octet() {
        let mut octets = [0; BLOCK_BYTES];
        assert!(!is_record(7, &octets));
        fill(7, &mut octets);
        assert_eq!(octets[..8], tag(7));
        assert!(is_record(7, &octets) && !is_record(8, &octets) && !is_record(7, &octets[1..]));
        for at in [0, 8, 4095] {
            octets[at] ^= 1;
            assert!(!is_record(7, &octets), "octet {at}");
            octets[at] ^= 1;
        }
        assert_ne!(tag(0), [0; 8]);
    }
}
