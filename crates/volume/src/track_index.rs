//! Where the records of the tracks lie: kept for the tracks used last, so that a track is walked once.
//!
//! An entry of a track of keyless records in order, as most are, is one cache line: counts follow from the
//! offsets. Other tracks keep their records in a list besides.

use halftrack_program::{Octets, TrackAddress};

use crate::track_image::{MOST_RECORDS, RecordPlace, Records};
use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault};

/// Most entries: 4 MiB, and the tracks of 3.6 GB of a 3390.
const MOST_ENTRIES: usize = 1 << 16;
/// Entries to begin with.
const FEWEST_ENTRIES: usize = 1 << 8;
/// Offsets that fit into a cache line with the rest: those of the records and of the end marker.
const OFFSETS: usize = 21;

/// What is known of one track.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
struct Entry {
    /// Records of a track that the offsets do not describe.
    listed: Option<Box<[RecordPlace]>>,
    /// Number of the track plus one; 0 of an entry that knows nothing.
    track: u32,
    records: u8,
    offsets: [u16; OFFSETS],
}

impl Entry {
    /// What a track image says of itself.
    fn of(track: u32, address: TrackAddress, octets: &[u8]) -> Result<Self, TrackFault> {
        let mut entry = Self { track: track + 1, ..Self::default() };
        let mut records = Records::of(octets);
        let mut regular = true;
        for place in 0..=MOST_RECORDS {
            let Some(record) = records.next().transpose()? else {
                entry.records = place;
                break;
            };
            let count = record.count;
            regular =
                regular && count.cchh == address.to_cchh() && count.record == place && count.key_bytes == 0;
            match entry.offsets.get_mut(usize::from(place)) {
                Some(offset) => *offset = record.offset,
                None => regular = false,
            }
        }
        match entry.offsets.get_mut(usize::from(entry.records)) {
            Some(offset) if regular => *offset = records.offset() as u16,
            _ => entry.listed = Some(Records::of(octets).collect::<Result<_, _>>()?),
        }
        Ok(entry)
    }

    #[inline]
    fn place(&self, place: u8, address: TrackAddress) -> Option<RecordPlace> {
        if place >= self.records {
            return None;
        }
        if let Some(listed) = &self.listed {
            return listed.get(usize::from(place)).copied();
        }
        let offset = *self.offsets.get(usize::from(place))?;
        let end = *self.offsets.get(usize::from(place) + 1)?;
        let data_bytes = end - offset - COUNT_AREA_BYTES as u16;
        let count = CountArea { cchh: address.to_cchh(), record: place, key_bytes: 0, data_bytes };
        Some(RecordPlace { offset, count })
    }
}

/// The entries, found by the low bits of the track number.
#[derive(Debug)]
pub(crate) struct TrackIndex {
    entries: Vec<Entry>,
    most: usize,
}

impl TrackIndex {
    /// An index that knows nothing, for a volume of `tracks`.
    pub(crate) fn new(tracks: u32) -> Self {
        let most = (tracks as usize).next_power_of_two().min(MOST_ENTRIES);
        Self { entries: vec![Entry::default(); FEWEST_ENTRIES.min(most)], most }
    }

    #[inline]
    fn slot(&self, track: u32) -> usize {
        track as usize & (self.entries.len() - 1)
    }

    /// Whether `track` is known.
    #[inline]
    pub(crate) fn knows(&self, track: u32) -> bool {
        self.entries[self.slot(track)].track == track + 1
    }

    /// Walks a track image and keeps what it says.
    pub(crate) fn learn(
        &mut self,
        track: u32,
        address: TrackAddress,
        octets: &[u8],
    ) -> Result<(), TrackFault> {
        let entry = Entry::of(track, address, octets)?;
        let mut slot = self.slot(track);
        while ![0, track + 1].contains(&self.entries[slot].track) && self.entries.len() < self.most {
            self.grow();
            slot = self.slot(track);
        }
        self.entries[slot] = entry;
        Ok(())
    }

    fn grow(&mut self) {
        let larger = vec![Entry::default(); self.entries.len() * 2];
        for entry in std::mem::replace(&mut self.entries, larger) {
            if let Some(track) = entry.track.checked_sub(1) {
                let slot = self.slot(track);
                self.entries[slot] = entry;
            }
        }
    }

    /// Forgets a track, whose image changes.
    pub(crate) fn forget(&mut self, track: u32) {
        let slot = self.slot(track);
        if self.entries[slot].track == track + 1 {
            self.entries[slot] = Entry::default();
        }
    }

    /// The track whose image is `octets` and which is known.
    #[inline]
    pub(crate) fn view<'a>(&'a self, track: u32, address: TrackAddress, octets: &'a [u8]) -> TrackView<'a> {
        TrackView { entry: &self.entries[self.slot(track)], address, octets }
    }
}

/// A track of which is known where its records lie.
#[derive(Debug, Clone, Copy)]
pub struct TrackView<'a> {
    entry: &'a Entry,
    address: TrackAddress,
    octets: &'a [u8],
}

impl<'a> TrackView<'a> {
    /// Where the record at `place` lies in the image; nothing behind the last.
    #[inline]
    pub fn place(&self, place: u8) -> Option<RecordPlace> {
        self.entry.place(place, self.address)
    }

    /// Octets of the image from home address to end marker.
    pub fn image(&self) -> &'a [u8] {
        let end = match self.entry.records.checked_sub(1) {
            Some(last) => self.place(last).map_or(0, |record| record.end() as usize),
            None => HOME_ADDRESS_BYTES,
        };
        self.octets.get(..end + COUNT_AREA_BYTES).unwrap_or(self.octets)
    }

    #[inline]
    fn part(&self, place: u8, part: impl FnOnce(&RecordPlace) -> (u32, u32)) -> Octets<'a> {
        let Some(record) = self.place(place) else { return Octets::Bytes(&[]) };
        let (begin, end) = part(&record);
        Octets::Bytes(self.octets.get(begin as usize..end as usize).unwrap_or(&[]))
    }
}

impl Track for TrackView<'_> {
    fn home_address(&self) -> [u8; HOME_ADDRESS_BYTES] {
        self.octets.first_chunk().copied().unwrap_or_default()
    }

    #[inline]
    fn records(&self) -> u8 {
        self.entry.records
    }

    #[inline]
    fn count(&self, place: u8) -> Option<CountArea> {
        self.place(place).map(|record| record.count)
    }

    fn key(&self, place: u8) -> Octets<'_> {
        self.part(place, |record| {
            let begin = u32::from(record.offset) + COUNT_AREA_BYTES as u32;
            (begin, begin + u32::from(record.count.key_bytes))
        })
    }

    #[inline]
    fn data(&self, place: u8) -> Octets<'_> {
        self.part(place, |record| (record.end() - u32::from(record.count.data_bytes), record.end()))
    }

    #[inline]
    fn record(&self, place: u8) -> Octets<'_> {
        self.part(place, |record| (u32::from(record.offset), record.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track_image::{END_MARKER, push_empty_track};

    fn address(cylinder: u32) -> TrackAddress {
        TrackAddress::new(cylinder, 0).unwrap()
    }

    /// An empty track and behind its record zero records of these count areas, full of their number.
    fn image(cylinder: u32, counts: &[CountArea]) -> Vec<u8> {
        let mut octets = Vec::new();
        push_empty_track(address(cylinder), &mut octets);
        octets.truncate(octets.len() - END_MARKER.len());
        for count in counts {
            octets.extend_from_slice(&count.to_bytes());
            octets.extend(std::iter::repeat_n(count.record, count.area_bytes() as usize));
        }
        octets.extend_from_slice(&END_MARKER);
        octets
    }

    fn count(cylinder: u32, record: u8, key_bytes: u8, data_bytes: u16) -> CountArea {
        CountArea { cchh: address(cylinder).to_cchh(), record, key_bytes, data_bytes }
    }

    #[test]
    fn an_entry_is_a_cache_line() {
        assert_eq!(size_of::<Entry>(), 64);
    }

    #[test]
    fn regular_and_other_tracks_read_the_same() {
        let regular: Vec<_> = (1..=12).map(|record| count(7, record, 0, 100)).collect();
        let many: Vec<_> = (1..=60).map(|record| count(7, record, 0, 3)).collect();
        let keyed = [count(7, 1, 4, 10), count(7, 2, 0, 0)];
        let elsewhere = [count(9, 5, 0, 10), count(7, 5, 0, 1)];
        for counts in [&regular[..], &many, &keyed, &elsewhere, &[]] {
            let mut octets = image(7, counts);
            let used = octets.len();
            octets.resize(used + 100, 0);
            let mut index = TrackIndex::new(1000);
            index.learn(105, address(7), &octets).unwrap();
            let track = index.view(105, address(7), &octets);
            assert_eq!(usize::from(track.records()), counts.len() + 1);
            assert_eq!(track.image().len(), used);
            assert_eq!(track.home_address(), [0, 0, 7, 0, 0]);
            for (place, expected) in (1..).zip(counts) {
                assert_eq!(track.count(place), Some(*expected));
                assert_eq!(
                    track.key(place),
                    Octets::Bytes(&vec![expected.record; expected.key_bytes.into()])
                );
                assert_eq!(
                    track.data(place),
                    Octets::Bytes(&vec![expected.record; expected.data_bytes.into()])
                );
                assert_eq!(track.record(place).bytes().unwrap()[..8], expected.to_bytes());
                assert_eq!(track.record(place).len(), 8 + expected.area_bytes());
            }
            let behind = track.records();
            assert_eq!(
                (track.count(behind), track.data(behind).len(), track.record(255).len()),
                (None, 0, 0)
            );
        }
    }

    #[test]
    fn the_index_grows_and_forgets() {
        let mut index = TrackIndex::new(3000);
        for track in (0..3000).rev() {
            index.learn(track, address(track), &image(track, &[])).unwrap();
        }
        assert!((0..3000).all(|track| index.knows(track)));
        index.forget(256);
        assert!(!index.knows(256) && index.knows(512));
        assert_eq!(index.learn(256, address(256), &[0; 20]), Err(TrackFault::Unreadable));
        assert!(!index.knows(256));
    }
}
