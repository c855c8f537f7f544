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

    /// Where a format write works: behind a record. Outside a domain it needs the search that found the
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

    /// Behind record zero of the next track, inside a domain.
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

/// The count area that a format write begins with.
fn take_count<P: DataPort>(phase: &mut Phase<'_, P>) -> Result<CountArea, UnitCheck> {
    let mut count = [0; COUNT_AREA_BYTES];
    if phase.take_into(&mut count) < COUNT_AREA_BYTES {
        return Err(COUNT_TOO_SMALL);
    }
    Ok(CountArea::from_bytes(count))
}
