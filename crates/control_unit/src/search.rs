//! Searches: the argument comes from the program, and status modifier says that the search is satisfied.

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
    /// Whether `found` on the track has this relation to the `argument`. Compares as far as the argument
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
        let at_home = self.located()?.area() == Area::Home;
        if multi_track && at_home {
            self.position = Some(self.located()?.past(Area::End));
        }
        let position = self.track_start(tracks, multi_track)?;
        self.position = Some(position.past(Area::Home));
        self.index_points = 0;
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
