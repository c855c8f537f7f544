//! Searches: the argument comes from the program, and status modifier means that the search is satisfied.

use std::cmp::Ordering;

use halftrack_program::{DataPort, DeviceStatus};
use halftrack_volume::{Track, Tracks};

use crate::access::{Relation, SearchField};
use crate::chain::{COUNT_TOO_SMALL, Chain};
use crate::phase::{Phase, Span};
use crate::position::Area;
use crate::sense::UnitCheck;

/// Bytes of a record's ID: CCHHR.
const ID_BYTES: usize = 5;
/// Bytes of a home address that a search compares: CCHH.
const SEARCHED_ADDRESS_BYTES: usize = 4;

impl Relation {
    /// Returns whether `found` on the track has this relation to the `argument`. Compares as far as the argument
    /// goes; an argument of no octets is never satisfied.
    fn holds(self, found: &[u8], argument: &[u8]) -> bool {
        let Some(found) = found.get(..argument.len()).filter(|found| !found.is_empty()) else {
            return false;
        };
        match self {
            Self::Equal => found == argument,
            Self::High => found.cmp(argument) == Ordering::Greater,
            Self::EqualOrHigh => found.cmp(argument) != Ordering::Less,
        }
    }
}

impl Chain {
    pub(crate) fn search<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        field: SearchField,
        relation: Relation,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        match field {
            SearchField::Id => self.search_id(tracks, relation, multi_track, phase),
            SearchField::Key => self.search_key(tracks, relation, multi_track, phase),
            SearchField::HomeAddress => self.search_home_address(tracks, relation, multi_track, phase),
        }
    }

    /// Compares the ID of the next record, record zero included.
    fn search_id<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        relation: Relation,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.next_record(tracks, false, multi_track)?;
        self.position = Some(position);
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let id = track.count(position.place()).ok_or(UnitCheck::InvalidTrackFormat)?.id();
        compare::<P, ID_BYTES>(relation, &id, phase)
    }

    /// Compares the key of the record at hand, when its count area has just passed, or else of the next
    /// record. Records without a key are passed over.
    fn search_key<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        relation: Relation,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let mut position = self.located()?;
        let mut at_hand = position.area() == Area::Count;
        // Ends: every record that is passed over brings an index point or the end of the cylinder nearer.
        loop {
            if !at_hand {
                position = self.next_record(tracks, true, multi_track)?;
            }
            at_hand = false;
            self.position = Some(position.past(Area::Key));
            let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
            let count = track.count(position.place()).ok_or(UnitCheck::InvalidTrackFormat)?;
            if count.key_bytes == 0 {
                continue;
            }
            return match track.key(position.place()).bytes() {
                Some(key) => compare::<P, { u8::MAX as usize }>(relation, key, phase),
                // Keys that are not kept are never what is searched for.
                None => Ok(Span::of(u32::from(count.key_bytes))),
            };
        }
    }

    /// Compares the address in the home address of the track.
    fn search_home_address<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        relation: Relation,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.home_address_start(tracks, multi_track)?;
        if !multi_track && position.area() != Area::Index {
            self.pass_index(tracks, position)?;
        }
        self.position = Some(position.past(Area::Home));
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        compare::<P, SEARCHED_ADDRESS_BYTES>(relation, &track.home_address()[1..], phase)
    }
}

/// Takes an argument as long as `found`, which has at most `N` bytes, and compares.
fn compare<P: DataPort, const N: usize>(
    relation: Relation,
    found: &[u8],
    phase: &mut Phase<'_, P>,
) -> Result<Span, UnitCheck> {
    let mut argument = [0; N];
    let wanted = found.len().min(N);
    let sent = phase.take_into(&mut argument[..wanted]);
    if sent == 0 {
        return Err(COUNT_TOO_SMALL);
    }
    let satisfied = relation.holds(found, &argument[..sent]);
    Ok(Span::of(wanted as u32).with(DeviceStatus::STATUS_MODIFIER, satisfied))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::INVALID_SEQUENCE;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_volume::CountArea;

    const SATISFIED: u8 = 0x4C;
    const NORMAL: u8 = 0x0C;

    fn with_keys() -> MemoryTracks {
        MemoryTracks::of_4k().with_records(
            100,
            3,
            &[(b"AAAA", b"one"), (b"", b"no key"), (b"CCCC", b"three"), (b"EEEE", b"five")],
        )
    }

    /// Searches again and again, as a chain with a transfer in channel does; searches, and the last status.
    fn search(unit: &mut Unit, command: u8, argument: &[u8]) -> (usize, DeviceStatus) {
        for searches in 1..100 {
            let end = unit.send(command, argument);
            if end.status.0 != NORMAL {
                return (searches, end.status);
            }
        }
        panic!("a search without end");
    }

    #[test]
    fn an_id_is_found_record_by_record() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        assert_eq!(search(&mut unit, SEARCH_ID_EQUAL, &id(100, 3, 5)), (6, DeviceStatus(SATISFIED)));
        assert_eq!(unit.bytes(READ_DATA), [5; 4096]);
        let (searches, _) = search(&mut unit, SEARCH_ID_EQUAL, &id(100, 3, 2));
        assert_eq!(searches, 7 + 3, "over the index point");
    }

    #[test]
    fn an_id_is_what_the_count_area_says() {
        let area = CountArea { cchh: [9, 9, 9, 9], record: 77, key_bytes: 0, data_bytes: 4096 };
        let tracks = MemoryTracks::of_4k().with_count(track(100, 3), 4, area);
        let mut unit = sought(&tracks, 100, 3);
        search(&mut unit, SEARCH_ID_EQUAL, &[9, 9, 9, 9, 77]);
        assert_eq!(unit.bytes(READ_DATA), [4; 4096]);
    }

    #[test]
    fn two_index_points_without_a_transfer_are_no_record_found() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        let (searches, status) = search(&mut unit, SEARCH_ID_EQUAL, &id(100, 3, 13));
        assert_eq!((searches, status.0), (2 * 13 + 1, 0x0E));
        assert_eq!(reason_of(Some(unit.bytes(SENSE).try_into().unwrap())), UnitCheck::NoRecordFound);
    }

    #[test]
    fn a_multi_track_search_ends_with_the_cylinder() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 13);
        let (searches, _) = search(&mut unit, multi_track(SEARCH_ID_EQUAL), &id(100, 14, 2));
        assert_eq!(searches, 13 + 3);
        assert_eq!(search(&mut unit, multi_track(SEARCH_ID_EQUAL), &id(100, 14, 1)).1.0, 0x0E);
        let sense = unit.bytes(SENSE);
        assert_eq!(reason_of(Some(sense.try_into().unwrap())), UnitCheck::EndOfCylinder);
    }

    #[test]
    fn relations_are_those_of_what_is_on_the_track() {
        let first = |command| {
            let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
            search(&mut unit, command, &id(100, 3, 4));
            unit.bytes(READ_DATA)[0]
        };
        assert_eq!(first(SEARCH_ID_EQUAL), 4);
        assert_eq!(first(SEARCH_ID_HIGH), 5);
        assert_eq!(first(SEARCH_ID_EQUAL_OR_HIGH), 4);
    }

    #[test]
    fn keys_are_searched_and_records_without_one_passed_over() {
        let mut unit = sought(&with_keys(), 100, 3);
        assert_eq!(search(&mut unit, SEARCH_KEY_EQUAL, b"CCCC"), (2, DeviceStatus(SATISFIED)));
        assert_eq!(unit.bytes(READ_DATA), b"three");
        let mut high = sought(&with_keys(), 100, 3);
        assert_eq!(search(&mut high, SEARCH_KEY_HIGH, b"CCCC"), (3, DeviceStatus(SATISFIED)));
        assert_eq!(high.bytes(READ_DATA), b"five");
    }

    #[test]
    fn the_key_of_the_record_at_hand_is_searched_after_its_id() {
        let mut unit = sought(&with_keys(), 100, 3);
        search(&mut unit, SEARCH_ID_EQUAL, &id(100, 3, 3));
        let end = unit.send(SEARCH_KEY_EQUAL_OR_HIGH, b"CCCC");
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (SATISFIED, 4, 4));
        let short = unit.send(SEARCH_KEY_EQUAL, b"EE");
        assert_eq!((short.status.0, short.moved_bytes, short.device_bytes), (SATISFIED, 2, 4));
        assert_eq!(reason(unit.send(SEARCH_KEY_EQUAL, b"")), COUNT_TOO_SMALL);
    }

    #[test]
    fn a_track_without_keys_ends_a_search_for_one() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        assert_eq!(reason(unit.send(SEARCH_KEY_EQUAL, b"AAAA")), UnitCheck::NoRecordFound);
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        assert_eq!(reason(unit.send(multi_track(SEARCH_KEY_EQUAL), b"AAAA")), UnitCheck::EndOfCylinder);
    }

    #[test]
    fn home_addresses_are_searched_track_by_track() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        let home = track(100, 5).to_cchh();
        assert_eq!(unit.send(SEARCH_HOME_ADDRESS_EQUAL, &home).status.0, NORMAL);
        let command = multi_track(SEARCH_HOME_ADDRESS_EQUAL);
        assert_eq!(search(&mut unit, command, &home), (2, DeviceStatus(SATISFIED)));
        assert_eq!(unit.bytes(READ_RECORD_ZERO)[..4], home);
    }

    #[test]
    fn two_index_points_end_the_search_for_another_home_address() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        let (searches, status) = search(&mut unit, SEARCH_HOME_ADDRESS_EQUAL, &track(100, 5).to_cchh());
        assert_eq!((searches, status.0), (3, 0x0E));
        assert_eq!(reason_of(Some(unit.bytes(SENSE).try_into().unwrap())), UnitCheck::NoRecordFound);
    }

    #[test]
    fn an_update_needs_the_search_right_before_it() {
        let mut unit = sought(&with_keys(), 100, 3);
        search(&mut unit, SEARCH_ID_EQUAL, &id(100, 3, 1));
        let mut high = unit.clone();
        unit.does(WRITE_DATA, b"ONE");
        assert_eq!(unit.tracks_mut().records(track(100, 3))[1][8..], *b"AAAAONE");
        assert_eq!(reason(unit.send(WRITE_DATA, b"two")), INVALID_SEQUENCE);
        assert_eq!(high.send(SEARCH_ID_HIGH, &id(100, 3, 1)).status.0, SATISFIED);
        assert_eq!(reason(high.send(WRITE_DATA, b"two")), INVALID_SEQUENCE, "not equal");
        let mut key = sought(&with_keys(), 100, 3);
        search(&mut key, SEARCH_KEY_EQUAL, b"CCCC");
        assert_eq!(reason(key.clone().send(WRITE_KEY_AND_DATA, b"CCCCTHREE")), INVALID_SEQUENCE);
        key.does(WRITE_DATA, b"THREE");
    }

    #[test]
    fn an_update_against_the_file_mask_is_not_permitted() {
        let mut unit = sought(&with_keys(), 100, 3);
        unit.does(SET_FILE_MASK, &[0x40]);
        search(&mut unit, SEARCH_ID_EQUAL, &id(100, 3, 1));
        assert_eq!(reason(unit.send(WRITE_DATA, b"ONE")), crate::chain::AGAINST_FILE_MASK);
    }
}
