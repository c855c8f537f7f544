//! Position of the device, and how it continues to the next record or track.

use halftrack_program::{SeekControl, TrackAddress};
use halftrack_volume::{Track, Tracks};

use crate::extent::Extent;
use crate::sense::UnitCheck;
use crate::track_set::TrackSet;

/// The area of the track that passed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Area {
    /// The index point: nothing of the track yet.
    Index,
    /// The home address.
    Home,
    /// The count area of the record.
    Count,
    /// Its key area.
    Key,
    /// Its data area.
    Data,
    /// All of the track.
    End,
}

/// A place on the device: a track and what of it passed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    track: TrackAddress,
    /// Records of the track, record zero counted.
    records: u8,
    /// Place of the record that `area` belongs to.
    place: u8,
    area: Area,
}

/// Action of the device at the end of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtTrackEnd {
    /// It continues with the next track of the extent, over cylinders: multi-track commands of a domain.
    NextTrack,
    /// It continues with the next head of the cylinder: multi-track commands outside a domain.
    NextHead,
    /// It continues after the index of the same track: other commands outside a domain.
    SameTrack,
    /// It stays: other commands of a domain. What a device does is not public; our choice.
    Stay,
}

/// Index points that may pass without a transfer before a record counts as not there.
const INDEX_POINTS_MAXIMUM: u8 = 2;

/// Course of a search for the next record.
pub(crate) struct RecordSearch<'a> {
    pub extent: &'a Extent,
    pub at_end: AtTrackEnd,
    /// Whether record zero is passed over, as by every command that does not address it.
    pub skips_record_zero: bool,
    /// Index points that passed since the last transfer.
    pub index_points: &'a mut u8,
    pub track_set: Option<&'a mut TrackSet>,
}

impl Position {
    /// Positions on `track`, where `area` of the record at `place` passed last.
    #[inline]
    pub(crate) fn new(track: TrackAddress, records: u8, place: u8, area: Area) -> Self {
        Self { track, records, place, area }
    }

    /// Positions at the index point of `track`.
    #[inline]
    pub(crate) fn at_index(track: TrackAddress, records: u8) -> Self {
        Self::new(track, records, 0, Area::Index)
    }

    #[inline]
    pub(crate) fn track(&self) -> TrackAddress {
        self.track
    }

    #[inline]
    pub(crate) fn place(&self) -> u8 {
        self.place
    }

    #[inline]
    pub(crate) fn area(&self) -> Area {
        self.area
    }

    /// Returns the records of the track, record zero not counted.
    #[inline]
    pub(crate) fn records_behind_zero(&self) -> u8 {
        self.records.saturating_sub(1)
    }

    /// Returns the same track when `area` of the record at hand has passed.
    #[inline]
    pub(crate) fn past(self, area: Area) -> Self {
        Self { area, ..self }
    }

    /// Returns the after a record that was formatted at `place`: it is the last of the track.
    pub(crate) fn past_formatted(self, place: u8) -> Self {
        Self { place, area: Area::Data, records: place.saturating_add(1), ..self }
    }

    /// Returns the after an erasure from `place` on.
    pub(crate) fn past_erased(self, place: u8) -> Self {
        Self { area: Area::End, records: place, ..self }
    }

    /// Returns the place of the record that comes next, whether it is there or not; nothing at the end of the track.
    #[inline]
    pub(crate) fn next_place(&self) -> Option<u8> {
        match self.area {
            Area::Index | Area::Home => Some(0),
            Area::Count | Area::Key | Area::Data => self.place.checked_add(1),
            Area::End => None,
        }
    }

    /// Returns the place of the next record from 1: what a track-data command starts with. After a count area it is the
    /// record itself. Record zero is not user data and is passed over.
    #[inline]
    pub(crate) fn first_data_place(&self) -> u8 {
        match self.area {
            Area::Count => self.place.max(1),
            _ => self.next_place().map_or(u8::MAX, |place| place.max(1)),
        }
    }

    /// Returns the position after the count area of the next record.
    #[inline]
    pub(crate) fn next_record<T: Tracks>(
        mut self,
        tracks: &mut T,
        mut search: RecordSearch<'_>,
    ) -> Result<Self, UnitCheck> {
        let least = u8::from(search.skips_record_zero);
        let mut advanced = false;
        loop {
            let next = self.next_place().map(|place| place.max(least));
            if let Some(place) = next.filter(|&place| place < self.records) {
                return Ok(Self { place, area: Area::Count, ..self });
            }
            if advanced && search.at_end == AtTrackEnd::NextTrack {
                // One empty track ends it: whether a device searches through them inside a domain is not
                // public, and it would let a program run over a whole volume.
                return Err(UnitCheck::NoRecordFound);
            }
            // Ends: a cylinder has few heads, and few index points may pass.
            self = self.advance(tracks, &mut search)?;
            advanced = true;
        }
    }

    /// Advances to the next record, or to the index point after the end of the track.
    pub(crate) fn advance<T: Tracks>(
        self,
        tracks: &mut T,
        search: &mut RecordSearch<'_>,
    ) -> Result<Self, UnitCheck> {
        let geometry = tracks.geometry();
        let track = match search.at_end {
            AtTrackEnd::SameTrack => {
                *search.index_points = search.index_points.saturating_add(1);
                return if *search.index_points < INDEX_POINTS_MAXIMUM {
                    Ok(Self::at_index(self.track, self.records))
                } else {
                    Err(UnitCheck::NoRecordFound)
                };
            }
            AtTrackEnd::Stay => return Err(UnitCheck::NoRecordFound),
            AtTrackEnd::NextTrack => match &mut search.track_set {
                Some(set) => set.next(self.track, geometry),
                None => geometry.advance(self.track, 1),
            }
            .ok_or(UnitCheck::FileProtected)?,
            AtTrackEnd::NextHead if search.extent.seek_control() == SeekControl::None => {
                return Err(UnitCheck::FileProtected);
            }
            AtTrackEnd::NextHead => TrackAddress::new(self.track.cylinder(), self.track.head() + 1)
                .filter(|track| geometry.contains(*track))
                .ok_or(UnitCheck::EndOfCylinder)?,
        };
        if !search.extent.contains(track) {
            return Err(UnitCheck::FileProtected);
        }
        let records = tracks.track(track).map_err(UnitCheck::from_fault)?.records();
        Ok(Self::at_index(track, records))
    }
}
