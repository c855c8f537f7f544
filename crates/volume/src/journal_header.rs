//! The first sector of a journal: to which state of which volume its transactions belong.
//!
//! ```text
//! 0 magic | 8 identity | 24 generation | 32 nonce | 40 sequence of the first transaction | 48 fingerprint
//! 56 stride of the fingerprint | 60 files | 62 whether they are marked | 64 bytes of each | 508 check word
//! ```

use crate::fingerprint::Fingerprint;
use crate::foreign_journal::ForeignJournal;
use crate::sector::SECTOR_BYTES;
use crate::stamp::{Stamp, Stamped};

const MAGIC: [u8; 8] = *b"HTJRNL02";
const LENGTHS_OFFSET: usize = 64;
/// Octets that the check word covers.
const CHECKED_BYTES: usize = SECTOR_BYTES - 4;
/// Most files of which the header can keep the lengths.
const MOST_FILES: usize = (CHECKED_BYTES - LENGTHS_OFFSET) / 8;

/// Fields of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JournalHeader {
    /// The mark of the image; of one without room for it the nonce alone counts.
    pub(crate) stamp: Stamp,
    /// Whether the image has the mark.
    pub(crate) is_marked: bool,
    /// Sequence of the first transaction.
    pub(crate) sequence: u64,
    /// The files as they were when the journal began.
    pub(crate) fingerprint: Fingerprint,
    /// Their bytes.
    pub(crate) lengths: Vec<u64>,
}

/// Relation of a journal to a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lineage {
    /// The image's.
    Own,
    /// The image had all that it holds before it went on.
    Settled,
    /// Another's.
    Foreign(ForeignJournal),
}

impl JournalHeader {
    /// Returns the bytes; nothing when there are too many files.
    pub(crate) fn to_bytes(&self) -> Option<[u8; SECTOR_BYTES]> {
        let mut octets = [0; SECTOR_BYTES];
        if self.lengths.len() > MOST_FILES {
            return None;
        }
        octets[..8].copy_from_slice(&MAGIC);
        octets[8..24].copy_from_slice(&self.stamp.identity.to_be_bytes());
        let words = [self.stamp.generation, self.stamp.nonce, self.sequence, self.fingerprint.sum];
        for (place, word) in octets[24..56].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        octets[56..60].copy_from_slice(&self.fingerprint.stride.to_be_bytes());
        octets[60..62].copy_from_slice(&(self.lengths.len() as u16).to_be_bytes());
        octets[62] = u8::from(self.is_marked);
        for (place, length) in octets[LENGTHS_OFFSET..].chunks_exact_mut(8).zip(&self.lengths) {
            place.copy_from_slice(&length.to_be_bytes());
        }
        let check = crc32fast::hash(&octets[..CHECKED_BYTES]);
        octets[CHECKED_BYTES..].copy_from_slice(&check.to_be_bytes());
        Some(octets)
    }

    /// Returns the header in these bytes; nothing when they are none of this version.
    pub(crate) fn from_bytes(octets: &[u8; SECTOR_BYTES]) -> Option<Self> {
        let u64_at = |at: usize| octets[at..].first_chunk().copied().map_or(0, u64::from_be_bytes);
        let files = usize::from(u16::from_be_bytes([octets[60], octets[61]]));
        let header = Self {
            stamp: Stamp {
                identity: u128::from(u64_at(8)) << 64 | u128::from(u64_at(16)),
                generation: u64_at(24),
                nonce: u64_at(32),
                previous: 0,
            },
            is_marked: octets[62] == 1,
            sequence: u64_at(40),
            fingerprint: Fingerprint {
                sum: u64_at(48),
                stride: u32::from_be_bytes([octets[56], octets[57], octets[58], octets[59]]),
            },
            lengths: (0..files.min(MOST_FILES)).map(|file| u64_at(LENGTHS_OFFSET + 8 * file)).collect(),
        };
        (header.to_bytes()? == *octets).then_some(header)
    }

    /// Returns the relation of the journal to the files with these marks.
    pub(crate) fn lineage(&self, marks: &[Stamped]) -> Lineage {
        if marks.len() != self.lengths.len() {
            return Lineage::Foreign(ForeignJournal::OtherVolume);
        }
        let mut settled = false;
        for mark in marks {
            match self.lineage_of(mark) {
                Lineage::Own => {}
                Lineage::Settled => settled = true,
                foreign => return foreign,
            }
        }
        if settled { Lineage::Settled } else { Lineage::Own }
    }

    fn lineage_of(&self, mark: &Stamped) -> Lineage {
        let own = &self.stamp;
        let (image, journal) = match mark {
            Stamped::NoRoom if !self.is_marked => return Lineage::Own,
            Stamped::Blank if self.is_marked => return Lineage::Foreign(ForeignJournal::Unmarked),
            Stamped::With(stamp) if self.is_marked && stamp.identity == own.identity => {
                if stamp.nonce == own.nonce {
                    return Lineage::Own;
                }
                if stamp.previous == own.nonce {
                    return Lineage::Settled;
                }
                (stamp.generation, own.generation)
            }
            _ => return Lineage::Foreign(ForeignJournal::OtherVolume),
        };
        Lineage::Foreign(match image.cmp(&journal) {
            std::cmp::Ordering::Less => ForeignJournal::OlderImage { image, journal },
            std::cmp::Ordering::Greater => ForeignJournal::NewerImage { image, journal },
            std::cmp::Ordering::Equal => ForeignJournal::Parted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(generation: u64, nonce: u64, previous: u64) -> Stamp {
        Stamp { identity: 77, generation, nonce, previous }
    }

    fn header(files: usize) -> JournalHeader {
        JournalHeader {
            stamp: stamp(4, 40, 0),
            is_marked: true,
            sequence: 9,
            fingerprint: Fingerprint { sum: 1 << 60, stride: 3 },
            lengths: (0..files as u64).map(|file| 512 + file).collect(),
        }
    }

    #[test]
    fn a_header_is_read_back_or_not_at_all() {
        for files in [1, 35, MOST_FILES] {
            let octets = header(files).to_bytes().unwrap();
            assert_eq!(JournalHeader::from_bytes(&octets), Some(header(files)));
            for at in [0, 20, 63, 400, 511] {
                let mut wrong = octets;
                wrong[at] ^= 4;
                assert_eq!(JournalHeader::from_bytes(&wrong), None);
            }
        }
        assert_eq!(header(MOST_FILES + 1).to_bytes(), None);
    }

    #[test]
    fn a_journal_belongs_to_the_image_with_its_mark() {
        let of = |marks: &[Stamped]| header(marks.len()).lineage(marks);
        let own = Stamped::With(stamp(4, 40, 30));
        let next = Stamped::With(stamp(5, 50, 40));
        assert_eq!(of(&[own, own]), Lineage::Own);
        assert_eq!(of(&[next, own]), Lineage::Settled);
        assert_eq!(of(&[own, next]), Lineage::Settled);
        let foreign = [
            (Stamped::Blank, ForeignJournal::Unmarked),
            (Stamped::NoRoom, ForeignJournal::OtherVolume),
            (Stamped::With(Stamp { identity: 78, ..stamp(4, 40, 30) }), ForeignJournal::OtherVolume),
            (Stamped::With(stamp(3, 30, 20)), ForeignJournal::OlderImage { image: 3, journal: 4 }),
            (Stamped::With(stamp(6, 60, 50)), ForeignJournal::NewerImage { image: 6, journal: 4 }),
            (Stamped::With(stamp(4, 41, 30)), ForeignJournal::Parted),
        ];
        for (mark, why) in foreign {
            assert_eq!(of(&[own, mark]), Lineage::Foreign(why));
        }
        assert_eq!(header(2).lineage(&[own]), Lineage::Foreign(ForeignJournal::OtherVolume));
        let unmarked = JournalHeader { is_marked: false, ..header(1) };
        assert_eq!(unmarked.lineage(&[Stamped::NoRoom]), Lineage::Own);
        assert_eq!(unmarked.lineage(&[own]), Lineage::Foreign(ForeignJournal::OtherVolume));
    }
}
