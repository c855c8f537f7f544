//! Where the device stands, and how it goes on to the next record or track.

use halftrack_program::TrackAddress;

use crate::extent::Extent;
use crate::sense::UnitCheck;
use crate::tracks::{RecordLengths, Tracks};

/// What comes next on the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Record(u8),
    TrackEnd,
}

/// A place on the device: a track, and what comes next on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    track: TrackAddress,
    next: Next,
}

/// What the device does at the end of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtTrackEnd {
    /// It goes on with the next track of the extent, over cylinders: multi-track commands of a domain.
    NextTrack,
    /// It goes on with the next head of the cylinder: multi-track commands outside a domain.
    NextHead,
    /// It goes on after the index of the same track: other commands outside a domain.
    SameTrack,
    /// It stays: other commands of a domain. What a device does is not public; our choice.
    Stay,
}

impl Position {
    /// Before record `record` of `track`.
    pub(crate) fn before(track: TrackAddress, record: u8) -> Self {
        Self { track, next: Next::Record(record) }
    }

    pub(crate) fn track(&self) -> TrackAddress {
        self.track
    }

    /// After record `record` of the same track.
    pub(crate) fn after(self, record: u8) -> Self {
        Self { next: record.checked_add(1).map_or(Next::TrackEnd, Next::Record), ..self }
    }

    /// At the end of the same track.
    pub(crate) fn at_track_end(self) -> Self {
        Self { next: Next::TrackEnd, ..self }
    }

    /// The next record, and the position before it.
    pub(crate) fn next_record(
        self,
        tracks: &impl Tracks,
        extent: &Extent,
        at_end: AtTrackEnd,
    ) -> Result<(Self, u8, RecordLengths), UnitCheck> {
        if let Some((record, lengths)) = self.record_here(tracks) {
            return Ok((self, record, lengths));
        }
        // One advance only: whether a device searches through empty tracks is not public, and it would let a
        // program run over a whole volume.
        let advanced = self.advance(tracks, extent, at_end)?;
        match advanced.record_here(tracks) {
            Some((record, lengths)) => Ok((advanced, record, lengths)),
            None => Err(UnitCheck::NoRecordFound),
        }
    }

    /// The position on the track that a track command works on: this one, or the next when this one is done.
    pub(crate) fn on_track(
        self,
        tracks: &impl Tracks,
        extent: &Extent,
        at_end: AtTrackEnd,
    ) -> Result<Self, UnitCheck> {
        match self.next {
            Next::Record(_) => Ok(self),
            Next::TrackEnd => self.advance(tracks, extent, at_end),
        }
    }

    /// Number of the next record from 1: what a track-data command starts with. Record zero is not user
    /// data and is passed over.
    pub(crate) fn first_data_record(&self) -> u8 {
        match self.next {
            Next::Record(record) => record.max(1),
            Next::TrackEnd => u8::MAX,
        }
    }

    fn record_here(&self, tracks: &impl Tracks) -> Option<(u8, RecordLengths)> {
        match self.next {
            Next::Record(record) => {
                tracks.record(self.track.cylinder(), self.track.head(), record).map(|found| (record, found))
            }
            Next::TrackEnd => None,
        }
    }

    fn advance(self, tracks: &impl Tracks, extent: &Extent, at_end: AtTrackEnd) -> Result<Self, UnitCheck> {
        let geometry = tracks.geometry();
        let track = match at_end {
            AtTrackEnd::SameTrack => self.track,
            AtTrackEnd::Stay => return Err(UnitCheck::NoRecordFound),
            AtTrackEnd::NextTrack => geometry.advance(self.track, 1).ok_or(UnitCheck::FileProtected)?,
            AtTrackEnd::NextHead => TrackAddress::new(self.track.cylinder(), self.track.head() + 1)
                .filter(|track| geometry.contains(*track))
                .ok_or(UnitCheck::EndOfCylinder)?,
        };
        if !extent.contains(track) {
            return Err(UnitCheck::FileProtected);
        }
        Ok(Self::before(track, 1))
    }
}
