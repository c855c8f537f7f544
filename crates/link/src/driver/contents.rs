//! Expected contents of the records of a volume, compared with every read.
//!
//! ```text
//! Unknown ── read ──► Learnt(CRC), or Written(generation) where an earlier run's pattern is to be there
//!    │  ▲                 │
//!    │  └── a write that did not end normally
//!    └── write ended normally ──► Written(generation) ◄─┘
//! ```
//!
//! A read holds its records open to other reads, a write closes them: what comes back is then one thing and no other.

use halftrack_config::channel_file::Contents as Expected;
use halftrack_workload::{Pattern, RecordId, UNWRITTEN};

use super::region::{Place, Region};
use super::volume_size::{RecordPlace, VolumeSize};

/// Tracks whose records are kept together, so that only what was touched takes memory.
const CHUNK_TRACKS: u32 = 16;
/// Count of users that stands for a writer; readers are fewer.
const WRITER: u8 = u8::MAX;

/// Source of the expected contents of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ContentState {
    /// Nothing.
    #[default]
    Unknown,
    /// Its CRC.
    Learnt,
    /// Which write put it there.
    Written,
}

#[derive(Debug, Clone, Copy, Default)]
struct RecordState {
    /// CRC or generation.
    value: u32,
    source: ContentState,
    /// I/Os that have it now.
    users: u8,
}

/// A record that was read and does not hold what it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// Unit address of the volume.
    pub unit: u8,
    /// Where it lies.
    pub place: RecordPlace,
    /// First octet that is wrong; the first of the record where only a CRC is known.
    pub octet: usize,
}

/// How the records of an I/O compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compared {
    /// Octets compared with what they must be.
    pub verified_bytes: u64,
    /// Octets seen for the first time.
    pub learnt_bytes: u64,
    /// Records that are wrong.
    pub mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch>,
}

/// The records of one length on one volume.
#[derive(Debug)]
pub struct Contents {
    unit: u8,
    size: VolumeSize,
    volume: u64,
    expected: Expected,
    region: Region,
    chunks: Vec<Option<Box<[RecordState]>>>,
}

impl Contents {
    /// Returns the records of `region` of the volume at `unit`, of which `expected` is known; `volume` is its number in the pattern.
    pub fn new(unit: u8, size: VolumeSize, volume: u64, expected: Expected, region: Region) -> Self {
        let chunks = region.tracks.div_ceil(CHUNK_TRACKS) as usize;
        Self { unit, size, volume, expected, region, chunks: (0..chunks).map(|_| None).collect() }
    }

    /// Returns the records.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the name of a record in the pattern.
    #[inline]
    pub fn id(&self, place: Place) -> RecordId {
        RecordId { volume: self.volume, track: place.track, record: place.record }
    }

    /// Takes `records` records from `place` on: for itself when it writes, together with other readers when it reads.
    /// False, and nothing is taken, when somebody is in the way.
    #[inline]
    pub fn claim(&mut self, place: Place, records: u16, writes: bool) -> bool {
        let most = if writes { 0 } else { WRITER - 2 };
        for place in self.region.places(place, records) {
            if self.state(place).users > most {
                return false;
            }
        }
        for place in self.region.places(place, records) {
            let users = &mut self.state(place).users;
            *users = if writes { WRITER } else { *users + 1 };
        }
        true
    }

    /// Gives back what [`Contents::claim`] took.
    #[inline]
    pub fn release(&mut self, place: Place, records: u16, wrote: bool) {
        for place in self.region.places(place, records) {
            let users = &mut self.state(place).users;
            *users = if wrote { 0 } else { users.saturating_sub(1) };
        }
    }

    /// Notes the end of a write: normal with `Some` number of it; otherwise the contents of the records are unknown.
    pub fn written(&mut self, place: Place, records: u16, generation: Option<u32>) {
        for place in self.region.places(place, records) {
            let state = self.state(place);
            (state.source, state.value) = match generation {
                Some(generation) => (ContentState::Written, generation),
                None => (ContentState::Unknown, 0),
            };
        }
    }

    /// Compares what a read of `records` records brought; octets that are not there count as a record that is wrong.
    #[inline]
    pub fn compare(&mut self, pattern: &Pattern, place: Place, records: u16, octets: &[u8]) -> Compared {
        let mut compared = Compared::default();
        let mut rest = octets;
        let length = usize::from(self.region.record_bytes);
        for place in self.region.places(place, records) {
            let (record, behind) = rest.split_at(length.min(rest.len()));
            rest = behind;
            let wrong = if record.len() < length {
                Some(record.len())
            } else {
                self.compare_record(pattern, place, record, &mut compared)
            };
            if let Some(octet) = wrong {
                compared.mismatches += 1;
                let place = self.size.record_place(place, self.region.record_bytes);
                compared.first.get_or_insert(Mismatch { unit: self.unit, place, octet });
            }
        }
        compared
    }

    /// Returns the first octet of a record that is wrong.
    #[inline]
    fn compare_record(
        &mut self,
        pattern: &Pattern,
        place: Place,
        record: &[u8],
        compared: &mut Compared,
    ) -> Option<usize> {
        let (id, expected) = (self.id(place), self.expected);
        let state = self.state(place);
        let bytes = record.len() as u64;
        match (state.source, expected) {
            (ContentState::Written, _) => {
                compared.verified_bytes += bytes;
                pattern.first_difference(id, state.value, record)
            }
            (ContentState::Learnt, _) => {
                compared.verified_bytes += bytes;
                (crc32fast::hash(record) != state.value).then_some(0)
            }
            (ContentState::Unknown, Expected::Pattern) => {
                compared.verified_bytes += bytes;
                let generation = pattern.generation(id, record).unwrap_or(UNWRITTEN);
                let wrong = pattern.first_difference(id, generation, record);
                if wrong.is_none() {
                    (state.source, state.value) = (ContentState::Written, generation);
                }
                wrong
            }
            (ContentState::Unknown, Expected::Unknown) => {
                compared.learnt_bytes += bytes;
                (state.source, state.value) = (ContentState::Learnt, crc32fast::hash(record));
                None
            }
        }
    }

    #[inline]
    fn state(&mut self, place: Place) -> &mut RecordState {
        let track = place.track - self.region.first_track;
        let per_track = u32::from(self.region.records_per_track);
        let chunk = &mut self.chunks[(track / CHUNK_TRACKS) as usize];
        let states = chunk.get_or_insert_with(|| {
            vec![RecordState::default(); (CHUNK_TRACKS * per_track) as usize].into_boxed_slice()
        });
        &mut states[(track % CHUNK_TRACKS * per_track) as usize + usize::from(place.record) - 1]
    }
}

#[cfg(test)]
mod tests {
    use halftrack_program::{Geometry, RecordAddress};

    use super::*;

    const FIRST: Place = Place { track: 15, record: 12 };

    fn contents(expected: Expected) -> (Contents, Pattern) {
        let geometry = Geometry::with_cylinders(10).unwrap();
        let region = Region::new(3, &geometry, 4096, None).unwrap();
        (Contents::new(3, geometry.into(), 0x103, expected, region), Pattern::new(1))
    }

    /// Returns what writes number `generation` put into two records.
    fn two(contents: &Contents, pattern: &Pattern, generation: u32) -> Vec<u8> {
        let mut octets = Vec::new();
        for place in contents.region().places(FIRST, 2) {
            pattern.append(contents.id(place), generation, 4096, &mut octets);
        }
        octets
    }

    #[test]
    fn readers_share_records_and_a_writer_does_not() {
        let (mut contents, _) = contents(Expected::Unknown);
        assert!(contents.claim(FIRST, 2, false) && contents.claim(FIRST, 1, false));
        let second = Place { track: 16, record: 1 };
        assert!(!contents.claim(second, 1, true));
        contents.release(FIRST, 2, false);
        assert!(contents.claim(second, 1, true));
        assert!(!contents.claim(FIRST, 2, false), "the second of them is closed");
        assert!(!contents.claim(FIRST, 1, true), "somebody reads it");
        contents.release(FIRST, 1, false);
        assert!(contents.claim(FIRST, 1, true), "nothing was taken by the claim refused");
    }

    #[test]
    fn a_thousand_readers_never_count_as_a_writer() {
        let (mut contents, _) = contents(Expected::Unknown);
        let readers = (0..1000).filter(|_| contents.claim(FIRST, 1, false)).count();
        assert_eq!(readers, 254);
        for _ in 0..readers {
            contents.release(FIRST, 1, false);
        }
        assert!(contents.claim(FIRST, 1, true));
    }

    #[test]
    fn what_was_written_is_compared_octet_by_octet() {
        let (mut contents, pattern) = contents(Expected::Unknown);
        contents.written(FIRST, 2, Some(7));
        let mut octets = two(&contents, &pattern, 7);
        let compared = contents.compare(&pattern, FIRST, 2, &octets);
        assert_eq!(compared, Compared { verified_bytes: 8192, ..Compared::default() });
        octets[4096 + 77] ^= 1;
        let compared = contents.compare(&pattern, FIRST, 2, &octets);
        let place = RecordPlace::Track(RecordAddress { cylinder: 1, head: 1, record: 1 });
        assert_eq!(compared.first, Some(Mismatch { unit: 3, place, octet: 77 }));
        let old = two(&contents, &pattern, 6);
        assert_eq!(contents.compare(&pattern, FIRST, 2, &old).mismatches, 2, "an older write is wrong");
        let short = contents.compare(&pattern, FIRST, 2, &octets[..5000]);
        assert_eq!(short.first, Some(Mismatch { unit: 3, place, octet: 904 }));
    }

    #[test]
    fn what_nobody_knows_is_learnt_once() {
        let (mut contents, pattern) = contents(Expected::Unknown);
        let zeros = vec![0; 8192];
        let learnt = Compared { learnt_bytes: 8192, ..Compared::default() };
        assert_eq!(contents.compare(&pattern, FIRST, 2, &zeros), learnt);
        let verified = Compared { verified_bytes: 8192, ..Compared::default() };
        assert_eq!(contents.compare(&pattern, FIRST, 2, &zeros), verified);
        assert_eq!(contents.compare(&pattern, FIRST, 2, &[1; 8192]).mismatches, 2);
        contents.written(FIRST, 2, None);
        assert_eq!(contents.compare(&pattern, FIRST, 2, &[1; 8192]).learnt_bytes, 8192);
    }

    #[test]
    fn an_earlier_runs_pattern_is_known_from_the_first_read() {
        let (mut contents, pattern) = contents(Expected::Pattern);
        let octets = two(&contents, &pattern, 99);
        assert_eq!(contents.compare(&pattern, FIRST, 2, &octets).verified_bytes, 8192);
        let other = two(&contents, &pattern, 98);
        assert_eq!(contents.compare(&pattern, FIRST, 2, &other).mismatches, 2, "it was 99 before");
        let place = Place { track: 40, record: 1 };
        let strange = contents.compare(&pattern, place, 1, &octets[..4096]);
        let place = RecordPlace::Track(RecordAddress { cylinder: 2, head: 10, record: 1 });
        assert_eq!(strange.first, Some(Mismatch { unit: 3, place, octet: 0 }));
    }
}
