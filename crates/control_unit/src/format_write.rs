//! The commands that lay out a track: format writes of records, record zero and home address, and Erase.

use halftrack_program::{DataPort, TrackAddress};
use halftrack_volume::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Tracks};

use crate::chain::{AGAINST_FILE_MASK, COUNT_TOO_SMALL, Chain, INVALID_SEQUENCE};
use crate::extent::WriteKind;
use crate::phase::{Phase, Scratch, Span};
use crate::position::{Area, Position};
use crate::predecessor::Predecessor;
use crate::sense::UnitCheck;

impl Chain {
    /// Writes a record behind the one at hand, or behind record zero of the next track, and erases what
    /// follows.
    pub(crate) fn format_record<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        next_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = if next_track { self.next_record_zero(tracks)? } else { self.behind_record(tracks)? };
        let place = position.next_place().ok_or(UnitCheck::InvalidTrackFormat)?;
        self.format_at(tracks, scratch, position, place, phase)
    }

    /// Writes record zero and erases what follows.
    pub(crate) fn write_record_zero<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.located()?;
        let oriented = matches!(self.before, Predecessor::HomeAddress | Predecessor::Locate);
        if !oriented || position.area() != Area::Home {
            return Err(INVALID_SEQUENCE);
        }
        self.check_mask(tracks, WriteKind::HomeAddress)?;
        self.format_at(tracks, scratch, position, 0, phase)
    }

    fn format_at<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        position: Position,
        place: u8,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        self.position = Some(position);
        let count = take_count(phase)?;
        self.position = Some(position.past_formatted(place));
        self.index_points = 0;
        let address = position.track();
        scratch
            .gather(phase, count.area_bytes(), |octets| tracks.format_record(address, place, count, octets))
            .map_err(UnitCheck::from_fault)?;
        Ok(Span::of(COUNT_AREA_BYTES as u32 + count.area_bytes()))
    }

    /// Takes a record like a format write, and erases from where it would stand to the end of the track.
    pub(crate) fn erase<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.behind_record(tracks)?;
        let place = position.next_place().ok_or(UnitCheck::InvalidTrackFormat)?;
        let count = take_count(phase)?;
        scratch.gather(phase, count.area_bytes(), |_| ());
        self.position = Some(position.past_erased(place));
        self.index_points = 0;
        tracks.erase(position.track(), place).map_err(UnitCheck::from_fault)?;
        Ok(Span::of(COUNT_AREA_BYTES as u32 + count.area_bytes()))
    }

    /// Writes the home address of the track.
    pub(crate) fn write_home_address<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.located()?;
        if !matches!(position.area(), Area::Index | Area::Home) {
            return Err(INVALID_SEQUENCE);
        }
        self.check_mask(tracks, WriteKind::HomeAddress)?;
        let mut home_address = [0; HOME_ADDRESS_BYTES];
        if phase.take_into(&mut home_address) < HOME_ADDRESS_BYTES {
            return Err(COUNT_TOO_SMALL);
        }
        self.position = Some(position.past(Area::Home));
        self.index_points = 0;
        tracks.write_home_address(position.track(), home_address).map_err(UnitCheck::from_fault)?;
        Ok(Span::of(HOME_ADDRESS_BYTES as u32))
    }

    /// Returns where a format write works: behind a record. Outside a domain it needs the search that found the
    /// record, or another format write, right before it.
    fn behind_record<T: Tracks>(&self, tracks: &T) -> Result<Position, UnitCheck> {
        let position = self.located()?;
        if self.domain.is_none() {
            let oriented = matches!(
                self.before,
                Predecessor::IdFound | Predecessor::KeyFound | Predecessor::FormatWrite
            );
            if !oriented {
                return Err(INVALID_SEQUENCE);
            }
            self.check_mask(tracks, WriteKind::Format)?;
        }
        match position.area() {
            Area::Count | Area::Key | Area::Data => Ok(position),
            Area::Index | Area::Home | Area::End => Err(INVALID_SEQUENCE),
        }
    }

    /// Returns the behind record zero of the next track, inside a domain.
    fn next_record_zero<T: Tracks>(&mut self, tracks: &mut T) -> Result<Position, UnitCheck> {
        self.domain.ok_or(INVALID_SEQUENCE)?;
        self.position = Some(self.located()?.past(Area::End));
        let position = self.next_track(tracks)?;
        let track: TrackAddress = position.track();
        Ok(Position::new(track, 1, 0, Area::Data))
    }

    fn check_mask<T: Tracks>(&self, tracks: &T, kind: WriteKind) -> Result<(), UnitCheck> {
        if self.extent_on(tracks.geometry()).lets_write(kind) { Ok(()) } else { Err(AGAINST_FILE_MASK) }
    }
}

/// Returns the count area that a format write begins with.
fn take_count<P: DataPort>(phase: &mut Phase<'_, P>) -> Result<CountArea, UnitCheck> {
    let mut count = [0; COUNT_AREA_BYTES];
    if phase.take_into(&mut count) < COUNT_AREA_BYTES {
        return Err(COUNT_TOO_SMALL);
    }
    Ok(CountArea::from_bytes(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{FileMask, LocateRecordExtended, Orientation};

    /// Returns the count, key and data of a record of track 100, 3.
    fn record(number: u8, key: &[u8], data: &[u8]) -> Vec<u8> {
        let count = CountArea {
            cchh: track(100, 3).to_cchh(),
            record: number,
            key_bytes: key.len() as u8,
            data_bytes: data.len() as u16,
        };
        [&count.to_bytes()[..], key, data].concat()
    }

    fn formatting(orientation: Orientation, place: u8, count: u8) -> Unit {
        let locate = LocateRecordExtended { orientation, ..locate(FORMAT_DOMAIN, 3, place, count) };
        positioned(&MemoryTracks::of_4k(), extent(FileMask::ALL_WRITES), locate)
    }

    #[test]
    fn a_domain_formats_behind_the_record_located() {
        let mut unit = formatting(Orientation::Count, 2, 3);
        let end = unit.send(WRITE_COUNT_KEY_AND_DATA, &record(3, b"KEY", b"data"));
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (0x0C, 15, 15));
        unit.does(WRITE_COUNT_KEY_AND_DATA, &record(44, b"", b"any number")[..10]);
        unit.does(WRITE_COUNT_KEY_AND_DATA_NEXT_TRACK, &record(1, b"", b""));
        assert!(unit.chain.domain.is_none());
        let tracks = unit.tracks_mut();
        assert_eq!(tracks.records(track(100, 3)).len(), 5, "the rest of the track is erased");
        assert_eq!(tracks.records(track(100, 3))[3], record(3, b"KEY", b"data"));
        assert_eq!(tracks.records(track(100, 3))[4], record(44, b"", b"an\0\0\0\0\0\0\0\0"), "padded");
        assert_eq!(tracks.records(track(100, 4)).len(), 2);
    }

    #[test]
    fn a_track_is_laid_out_from_its_home_address() {
        let mut unit = formatting(Orientation::Index, 0, 3);
        unit.does(WRITE_HOME_ADDRESS, &[0, 0, 100, 0, 3]);
        unit.does(WRITE_RECORD_ZERO, &record(0, b"", &[0; 8]));
        unit.does(WRITE_COUNT_KEY_AND_DATA, &record(1, b"", b"one"));
        assert_eq!(unit.tracks_mut().records(track(100, 3)).len(), 2);
        let mut home = formatting(Orientation::Home, 0, 2);
        assert_eq!(
            reason(home.clone().send(WRITE_COUNT_KEY_AND_DATA, &record(1, b"", b""))),
            INVALID_SEQUENCE
        );
        home.does(WRITE_RECORD_ZERO, &record(0, b"", &[1; 8]));
        assert_eq!(home.tracks_mut().records(track(100, 3)).len(), 1);
    }

    #[test]
    fn an_erasure_takes_a_record_and_leaves_none() {
        let mut unit = formatting(Orientation::Count, 4, 1);
        let end = unit.send(ERASE, &record(5, b"KEY", b"data"));
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (0x0C, 15, 15));
        assert_eq!(unit.tracks_mut().records(track(100, 3)).len(), 5);
    }

    #[test]
    fn outside_a_domain_a_format_write_follows_a_search_or_another() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        assert_eq!(
            reason(unit.clone().send(WRITE_COUNT_KEY_AND_DATA, &record(1, b"", b""))),
            INVALID_SEQUENCE
        );
        assert_eq!(unit.send(SEARCH_ID_EQUAL, &id(100, 3, 0)).status.0, 0x4C);
        unit.does(WRITE_COUNT_KEY_AND_DATA, &record(1, b"", b"one"));
        unit.does(WRITE_COUNT_KEY_AND_DATA, &record(2, b"", b"two"));
        assert_eq!(unit.tracks_mut().records(track(100, 3)).len(), 3);
        unit.bytes(READ_HOME_ADDRESS);
        assert_eq!(reason(unit.send(WRITE_COUNT_KEY_AND_DATA, &record(3, b"", b""))), INVALID_SEQUENCE);
        let next = sought(&MemoryTracks::of_4k(), 100, 3)
            .send(WRITE_COUNT_KEY_AND_DATA_NEXT_TRACK, &record(1, b"", b""));
        assert_eq!(reason(next), INVALID_SEQUENCE, "only inside a domain");
    }

    #[test]
    fn record_zero_follows_the_home_address() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        unit.does(SET_FILE_MASK, &[0xC0]);
        assert_eq!(reason(unit.clone().send(WRITE_RECORD_ZERO, &record(0, b"", &[0; 8]))), INVALID_SEQUENCE);
        assert_eq!(unit.send(SEARCH_HOME_ADDRESS_EQUAL, &track(100, 3).to_cchh()).status.0, 0x4C);
        unit.does(WRITE_RECORD_ZERO, &record(0, b"", &[0; 8]));
        assert_eq!(unit.tracks_mut().records(track(100, 3)).len(), 1);
    }

    #[test]
    fn the_file_mask_tells_format_writes_apart() {
        let refused = |mask: u8, search: u8, argument: &[u8], command| {
            let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
            unit.does(SET_FILE_MASK, &[mask]);
            assert_eq!(unit.send(search, argument).status.0, 0x4C);
            let end = unit.send(command, &record(1, b"", b""));
            if end.sense.is_some() { Some(reason(end)) } else { None }
        };
        let zero = id(100, 3, 0);
        let home = track(100, 3).to_cchh();
        let format = |mask| refused(mask, SEARCH_ID_EQUAL, &zero, WRITE_COUNT_KEY_AND_DATA);
        assert_eq!(format(0x80), Some(AGAINST_FILE_MASK));
        assert_eq!(format(0x40), Some(AGAINST_FILE_MASK));
        assert_eq!((format(0x00), format(0xC0)), (None, None));
        let record_zero = |mask| refused(mask, SEARCH_HOME_ADDRESS_EQUAL, &home, WRITE_RECORD_ZERO);
        assert_eq!((record_zero(0x00), record_zero(0xC0)), (Some(AGAINST_FILE_MASK), None));
    }

    #[test]
    fn a_record_that_does_not_fit_is_an_invalid_track_format() {
        let mut unit = formatting(Orientation::Count, 12, 2);
        let end = unit.send(WRITE_COUNT_KEY_AND_DATA, &record(13, b"", &[0; 4096]));
        assert_eq!(reason(end), UnitCheck::InvalidTrackFormat);
        let sense = end.sense.unwrap();
        assert_eq!((sense[1], sense[3]), (0x41, 2));
        let short = formatting(Orientation::Count, 1, 1).send(WRITE_COUNT_KEY_AND_DATA, &[0; 7]);
        assert_eq!(reason(short), COUNT_TOO_SMALL);
    }
}
