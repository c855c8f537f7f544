//! Places of the records of the tracks, kept once a track was walked.
//!
//! The tracks of a volume have few forms: lengths and order of records whose count areas name the track and their
//! place. A track of such a form costs two bytes, so that those of a whole volume stay in the processor's caches; a
//! track with other count areas keeps its records in a list of its own.

use std::collections::BTreeMap;

use halftrack_program::{Octets, TrackAddress};

use crate::track_image::{MOST_RECORDS, RecordPlace, Records};
use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault};

/// Tracks whose forms are kept in one block, which is made when the first of them is walked.
const BLOCK_TRACKS: usize = 1 << 12;
/// Most forms; tracks of any more are listed.
const MOST_FORMS: usize = 1 << 12;
/// Places for lists. Two tracks whose numbers end alike take turns.
const LISTS: usize = 1 << 16;

/// The form of a track that was not walked.
const UNKNOWN: u16 = 0;
/// The form of a track whose records are listed, when the list is still there. Other numbers are those of
/// [`TrackIndex::forms`], counted from 1.
const LISTED: u16 = u16::MAX;

/// Where a record of a form begins, and how long its key is; last the end marker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct FormRecord {
    offset: u16,
    key_bytes: u8,
}

/// The records of one track.
#[derive(Debug, Clone)]
struct List {
    track: u32,
    records: Box<[RecordPlace]>,
}

/// Index of the tracks walked so far.
#[derive(Debug)]
pub(crate) struct TrackIndex {
    blocks: Vec<Option<Box<[u16; BLOCK_TRACKS]>>>,
    forms: Vec<Box<[FormRecord]>>,
    numbers: BTreeMap<Box<[FormRecord]>, u16>,
    lists: Vec<Option<List>>,
}

impl TrackIndex {
    /// Creates an empty index for a volume of `tracks`.
    pub(crate) fn new(tracks: u32) -> Self {
        let blocks = (tracks as usize).div_ceil(BLOCK_TRACKS);
        Self { blocks: vec![None; blocks], forms: Vec::new(), numbers: BTreeMap::new(), lists: Vec::new() }
    }

    #[inline]
    fn form(&self, track: u32) -> u16 {
        let track = track as usize;
        match self.blocks.get(track / BLOCK_TRACKS) {
            Some(Some(block)) => block[track % BLOCK_TRACKS],
            _ => UNKNOWN,
        }
    }

    fn set_form(&mut self, track: u32, form: u16) {
        let track = track as usize;
        if let Some(block) = self.blocks.get_mut(track / BLOCK_TRACKS) {
            block.get_or_insert_with(|| Box::new([UNKNOWN; BLOCK_TRACKS]))[track % BLOCK_TRACKS] = form;
        }
    }

    #[inline]
    fn list(&self, track: u32) -> Option<&List> {
        let list = self.lists.get(track as usize % LISTS)?.as_ref();
        list.filter(|list| list.track == track)
    }

    /// Returns the records of `track`, when it is known.
    #[inline]
    fn layout(&self, track: u32) -> Option<TrackLayout<'_>> {
        match self.form(track) {
            UNKNOWN => None,
            LISTED => self.list(track).map(|list| TrackLayout::Listed(&list.records)),
            form => self.forms.get(usize::from(form) - 1).map(|form| TrackLayout::Formed(form)),
        }
    }

    /// Returns whether `track` is known.
    #[inline]
    pub(crate) fn contains(&self, track: u32) -> bool {
        self.layout(track).is_some()
    }

    /// Walks a track image and keeps the places of its records.
    pub(crate) fn add(&mut self, track: u32, address: TrackAddress, octets: &[u8]) -> Result<(), TrackFault> {
        let mut form = [FormRecord::default(); MOST_RECORDS as usize + 1];
        let mut records = Records::of(octets);
        let (mut place, mut regular) = (0, true);
        while let Some(RecordPlace { offset, count }) = records.next().transpose()? {
            regular &= count.cchh == address.to_cchh() && usize::from(count.record) == place;
            form[place] = FormRecord { offset, key_bytes: count.key_bytes };
            place += 1;
        }
        let end = u16::try_from(records.offset()).ok().filter(|_| regular);
        let number = end.map_or(LISTED, |offset| {
            form[place] = FormRecord { offset, key_bytes: 0 };
            self.number(&form[..=place])
        });
        if number == LISTED {
            let records = Records::of(octets).collect::<Result<_, _>>()?;
            self.lists.resize(LISTS, None);
            self.lists[track as usize % LISTS] = Some(List { track, records });
        }
        self.set_form(track, number);
        Ok(())
    }

    /// Returns the number of a form, a new one if need be.
    fn number(&mut self, form: &[FormRecord]) -> u16 {
        if let Some(number) = self.numbers.get(form) {
            return *number;
        }
        if self.forms.len() == MOST_FORMS {
            return LISTED;
        }
        self.forms.push(form.into());
        let number = self.forms.len() as u16;
        self.numbers.insert(form.into(), number);
        number
    }

    /// Forgets a track, whose image changes.
    pub(crate) fn forget(&mut self, track: u32) {
        if self.form(track) != UNKNOWN {
            self.set_form(track, UNKNOWN);
        }
    }

    /// Returns the track whose image is `octets` and which is known; one that is not has no records.
    #[inline]
    pub(crate) fn view<'a>(&'a self, track: u32, address: TrackAddress, octets: &'a [u8]) -> TrackView<'a> {
        let layout = self.layout(track).unwrap_or(TrackLayout::Listed(&[]));
        TrackView { layout, address, octets }
    }
}

/// Where the records of a track lie.
#[derive(Debug, Clone, Copy)]
enum TrackLayout<'a> {
    /// Records of the form, of which the last is the end marker.
    Formed(&'a [FormRecord]),
    /// Records of the list.
    Listed(&'a [RecordPlace]),
}

/// A track of which is known where its records lie.
#[derive(Debug, Clone, Copy)]
pub struct TrackView<'a> {
    layout: TrackLayout<'a>,
    address: TrackAddress,
    octets: &'a [u8],
}

impl<'a> TrackView<'a> {
    /// Returns where the record at `place` lies in the image; nothing behind the last.
    #[inline]
    pub fn place(&self, place: u8) -> Option<RecordPlace> {
        let index = usize::from(place);
        let form = match self.layout {
            TrackLayout::Listed(records) => return records.get(index).copied(),
            TrackLayout::Formed(form) => form,
        };
        let [FormRecord { offset, key_bytes }, next] = *form.get(index..)?.first_chunk()?;
        let data_bytes = next.offset - offset - COUNT_AREA_BYTES as u16 - u16::from(key_bytes);
        let count = CountArea { cchh: self.address.to_cchh(), record: place, key_bytes, data_bytes };
        Some(RecordPlace { offset, count })
    }

    /// Returns the octets of the image from home address to end marker.
    pub fn image(&self) -> &'a [u8] {
        let end = match self.layout {
            TrackLayout::Formed(form) => form.last().map(|end| u32::from(end.offset)),
            TrackLayout::Listed(records) => records.last().map(RecordPlace::end),
        };
        let end = end.map_or(HOME_ADDRESS_BYTES, |end| end as usize);
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
        match self.layout {
            TrackLayout::Formed(form) => form.len().saturating_sub(1) as u8,
            TrackLayout::Listed(records) => records.len() as u8,
        }
    }

    #[inline]
    fn count(&self, place: u8) -> Option<CountArea> {
        self.place(place).map(|record| record.count)
    }

    #[inline]
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

    /// Returns an empty track and behind its record zero records of these count areas, full of their number.
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
    fn tracks_of_one_form_share_it() {
        let mut index = TrackIndex::new(10_000);
        for track in 0..5000 {
            let counts: Vec<_> = (1..=3).map(|record| count(track, record, 2, 50)).collect();
            index.add(track, address(track), &image(track, &counts)).unwrap();
        }
        assert_eq!((index.forms.len(), index.blocks.iter().flatten().count()), (1, 2));
        let octets = image(4999, &[]);
        assert_eq!(index.view(4999, address(4999), &octets).count(3), Some(count(4999, 3, 2, 50)));
    }

    #[test]
    fn more_forms_than_are_kept_are_listed() {
        let mut index = TrackIndex::new(10_000);
        let octets_of = |track: u32| image(track, &[count(track, 1, 0, track as u16)]);
        let tracks = MOST_FORMS as u32 + 10;
        for track in 0..tracks {
            index.add(track, address(track), &octets_of(track)).unwrap();
        }
        assert_eq!((index.forms.len(), index.lists.iter().flatten().count()), (MOST_FORMS, 10));
        for track in 0..tracks {
            assert!(index.contains(track));
            let octets = octets_of(track);
            assert_eq!(index.view(track, address(track), &octets).data(1).len(), track);
        }
    }

    #[test]
    fn tracks_with_lists_take_turns() {
        let (first, second) = (3, 3 + LISTS as u32);
        let mut index = TrackIndex::new(second + 1);
        let octets = image(3, &[count(9, 1, 0, 4)]);
        index.add(first, address(3), &octets).unwrap();
        index.add(second, address(3), &octets).unwrap();
        assert!(!index.contains(first) && index.contains(second));
        assert_eq!(index.view(first, address(3), &octets).records(), 0);
        index.add(first, address(3), &octets).unwrap();
        assert!(index.contains(first) && !index.contains(second));
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
            index.add(105, address(7), &octets).unwrap();
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
    fn what_is_forgotten_is_walked_again() {
        let mut index = TrackIndex::new(3000);
        for track in (0..3000).rev() {
            index.add(track, address(track), &image(track, &[])).unwrap();
        }
        assert!((0..3000).all(|track| index.contains(track)));
        index.forget(256);
        assert!(!index.contains(256) && index.contains(512));
        assert_eq!(index.add(256, address(256), &[0; 20]), Err(TrackFault::Unreadable));
        assert!(!index.contains(256));
    }
}
