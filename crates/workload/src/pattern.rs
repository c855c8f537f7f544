//! Contents of a record: octets that follow from its place and from the write that put them there, so that any other
//! octets are wrong.
//!
//! ```text
//! word 0          generation, turned with a tag of seed and place: the octets identify the write
//! word i (64 bit) block[(offset + i) mod 512] xor key of the lap i / 512; offset and keys follow from seed, place
//!                 and generation
//! ```
//!
//! The block is drawn once for a seed. Making or comparing a record costs one pass over its octets with a table that
//! stays in the first cache: a generator that runs on from word to word would cost more than the I/O itself.

use halftrack_engine::RandomStream;

/// Contents of records before anybody has written them.
pub const UNWRITTEN: u32 = 0;

/// Octets of a word.
const WORD_BYTES: usize = 8;
/// Words of a lap: 4 KiB.
const LAP_WORDS: usize = 512;
/// The odd number nearest to 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// One record of one volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// Number of the volume, unique in a run.
    pub volume: u64,
    /// Track number.
    pub track: u32,
    /// Record number.
    pub record: u8,
}

/// The octets of all records of a run.
#[derive(Debug, Clone)]
pub struct Pattern {
    seed: u64,
    /// Two laps, so that a lap from any offset lies in one piece.
    block: Box<[u64; 2 * LAP_WORDS]>,
}

impl Pattern {
    /// Returns the pattern of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut stream = RandomStream::new(seed, "data");
        let mut block = Box::new([0; 2 * LAP_WORDS]);
        let (first, second) = block.split_at_mut(LAP_WORDS);
        for (word, copy) in first.iter_mut().zip(second) {
            *word = stream.next_u64();
            *copy = *word;
        }
        Self { seed, block }
    }

    /// Appends the octets that write number `generation` puts into a record of `bytes` octets.
    pub fn append(&self, id: RecordId, generation: u32, bytes: u16, into: &mut Vec<u8>) {
        let start = into.len();
        into.resize(start + usize::from(bytes), 0);
        self.fill(id, generation, &mut into[start..]);
    }

    /// Fills `record` with what write number `generation` puts there.
    pub fn fill(&self, id: RecordId, generation: u32, record: &mut [u8]) {
        let laps = self.laps(id, generation);
        for ((words, key), octets) in laps.zip(record.chunks_mut(LAP_WORDS * WORD_BYTES)) {
            let (whole, rest) = octets.as_chunks_mut::<WORD_BYTES>();
            for (place, word) in whole.iter_mut().zip(words) {
                *place = (word ^ key).to_le_bytes();
            }
            if let Some(word) = words.get(whole.len()) {
                rest.copy_from_slice(&(word ^ key).to_le_bytes()[..rest.len()]);
            }
        }
        let head = (self.tag(id) ^ u64::from(generation)).to_le_bytes();
        let length = record.len().min(WORD_BYTES);
        record[..length].copy_from_slice(&head[..length]);
    }

    /// Returns the first octet of `record` that is not what write number `generation` puts there.
    #[inline]
    pub fn first_difference(&self, id: RecordId, generation: u32, record: &[u8]) -> Option<usize> {
        let head = (self.tag(id) ^ u64::from(generation)).to_le_bytes();
        if let Some(at) = differing(record, &head) {
            return Some(at);
        }
        let laps = self.laps(id, generation);
        for (lap, ((words, key), octets)) in laps.zip(record.chunks(LAP_WORDS * WORD_BYTES)).enumerate() {
            let skipped = usize::from(lap == 0);
            let (whole, rest) = octets.as_chunks::<WORD_BYTES>();
            let wrong = |(found, word): (&[u8; WORD_BYTES], &u64)| u64::from_le_bytes(*found) ^ word ^ key;
            let pairs = || whole.iter().zip(words).skip(skipped);
            // All words first: the processor compares several at a time when nothing ends the loop early.
            if pairs().map(wrong).fold(0, |all, one| all | one) != 0 {
                let at = pairs().position(|pair| wrong(pair) != 0)? + skipped;
                let place = lap * LAP_WORDS + at;
                let octet = differing(&whole[at], &(words[at] ^ key).to_le_bytes())?;
                return Some(place * WORD_BYTES + octet);
            }
            let checked = !whole.is_empty() || lap > 0;
            if let (Some(word), true) = (words.get(whole.len()), checked)
                && let Some(octet) = differing(rest, &(word ^ key).to_le_bytes())
            {
                return Some((lap * LAP_WORDS + whole.len()) * WORD_BYTES + octet);
            }
        }
        None
    }

    /// Returns the write that put these octets into the record, as far as their first word identifies it; nothing when
    /// no write did. Records shorter than a word identify none.
    #[inline]
    pub fn generation(&self, id: RecordId, record: &[u8]) -> Option<u32> {
        let word = u64::from_le_bytes(*record.first_chunk()?);
        u32::try_from(word ^ self.tag(id)).ok()
    }

    /// Returns what the generation is turned with.
    fn tag(&self, id: RecordId) -> u64 {
        let place = u64::from(id.track) << 8 | u64::from(id.record);
        mixed(mixed(self.seed ^ mixed(id.volume)) ^ place)
    }

    /// Returns the words and key of one lap after the other.
    #[inline]
    fn laps(&self, id: RecordId, generation: u32) -> impl Iterator<Item = (&[u64; LAP_WORDS], u64)> {
        let mut key = mixed(self.tag(id) ^ u64::from(generation).wrapping_add(1).wrapping_mul(STEP));
        let offset = (key % LAP_WORDS as u64) as usize;
        let words = self.block[offset..].first_chunk();
        std::iter::repeat_with(move || {
            key = mixed(key);
            words.map(|words| (words, key))
        })
        .map_while(|lap| lap)
    }
}

/// Returns the first place where two runs of octets differ, as far as both go.
fn differing(found: &[u8], expected: &[u8]) -> Option<usize> {
    found.iter().zip(expected).position(|(found, expected)| found != expected)
}

/// Returns the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[inline]
const fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(STEP);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const ID: RecordId = RecordId { volume: 0x341, track: 7, record: 2 };

    fn octets(pattern: &Pattern, id: RecordId, generation: u32, bytes: u16) -> Vec<u8> {
        let mut octets = Vec::new();
        pattern.append(id, generation, bytes, &mut octets);
        octets
    }

    #[test]
    fn octets_tell_where_they_belong_and_who_wrote_them() {
        let pattern = Pattern::new(1);
        for bytes in [9, 13, 4096, 27_998] {
            let mine = octets(&pattern, ID, 5, bytes);
            assert_eq!(mine.len(), usize::from(bytes));
            assert_eq!(mine, octets(&Pattern::new(1), ID, 5, bytes));
            let others = [
                octets(&pattern, ID, 6, bytes),
                octets(&pattern, RecordId { record: 3, ..ID }, 5, bytes),
                octets(&pattern, RecordId { track: 8, ..ID }, 5, bytes),
                octets(&pattern, RecordId { volume: 0x342, ..ID }, 5, bytes),
                octets(&Pattern::new(2), ID, 5, bytes),
            ];
            for other in others {
                assert_ne!(mine, other);
                let far = mine.iter().zip(&other).skip(8).filter(|(a, b)| a == b).count();
                assert!(far * 50 < usize::from(bytes) + 100, "{far} of {bytes} octets are alike");
            }
        }
    }

    #[test]
    fn every_changed_octet_is_found_where_it_is() {
        let pattern = Pattern::new(1);
        for bytes in [1, 7, 8, 11, 16, 4095, 4096, 4100, 8191, 27_998_u16] {
            let right = octets(&pattern, ID, 3, bytes);
            assert_eq!(pattern.first_difference(ID, 3, &right), None);
            for at in (0..usize::from(bytes)).step_by(61).chain([usize::from(bytes) - 1]) {
                let mut wrong = right.clone();
                wrong[at] ^= 0x10;
                assert_eq!(pattern.first_difference(ID, 3, &wrong), Some(at), "{bytes}");
            }
        }
    }

    #[test]
    fn the_write_is_told_by_the_first_word() {
        let pattern = Pattern::new(9);
        let mine = octets(&pattern, ID, 77, 4096);
        assert_eq!(pattern.generation(ID, &mine), Some(77));
        assert_eq!(pattern.generation(RecordId { track: 8, ..ID }, &mine), None);
        assert_eq!(pattern.generation(ID, &[0; 16]), None);
        assert_eq!(pattern.generation(ID, &mine[..7]), None);
    }

    #[test]
    fn no_two_words_of_a_long_record_are_alike() {
        let record = octets(&Pattern::new(1), ID, 1, 56_664);
        let words: BTreeSet<_> = record.chunks_exact(8).collect();
        assert_eq!(words.len(), 56_664 / 8);
    }

    #[test]
    fn comparing_allocates_nothing() {
        let pattern = Pattern::new(1);
        let record = octets(&pattern, ID, 1, 4096);
        let counted = allocation_counter::measure(|| {
            assert_eq!(pattern.first_difference(ID, 1, &record), None);
        });
        assert_eq!(counted.count_total, 0);
    }
}
