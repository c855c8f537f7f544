//! The commands that move data: by record, by track, and the few that need no position.

use halftrack_program::TrackAddress;

use crate::access::Access;
use crate::chain::Chain;
use crate::data_phase::{Areas, DataPhase, Direction, Place};
use crate::domain::Domain;
use crate::ending::Ending;
use crate::extent::Extent;
use crate::position::{AtTrackEnd, Position};
use crate::sense::{Message, SENSE_BYTES, UnitCheck};
use crate::tracks::{RecordLengths, Tracks};

const INVALID_SEQUENCE: UnitCheck = UnitCheck::CommandReject(Message::InvalidSequence);
const COUNT_AREA_BYTES: u32 = 8;
/// Read Track ends with this many bytes of FF.
const END_MARKER_BYTES: u32 = 8;

impl Areas {
    /// Bytes of these areas of a record.
    fn bytes(self, lengths: RecordLengths) -> u32 {
        let part = |wanted: bool, bytes: u32| if wanted { bytes } else { 0 };
        part(self.count, COUNT_AREA_BYTES)
            + part(self.key, u32::from(lengths.key))
            + part(self.data, u32::from(lengths.data))
    }
}

/// What a transfer covers before the count of the command cuts it.
struct Span {
    place: Place,
    device_bytes: u32,
    ending: Ending,
}

impl Chain {
    /// Accepts or refuses a data transfer and moves the position past it.
    pub(crate) fn transfer(
        &mut self,
        tracks: &impl Tracks,
        access: Access,
        count: u32,
    ) -> Result<DataPhase, UnitCheck> {
        let admitted = self.domain.is_none_or(|domain| domain.admits(access));
        if !admitted {
            return Err(INVALID_SEQUENCE);
        }
        let direction = access.direction();
        if direction == Direction::Write {
            if self.domain.is_none() {
                return Err(INVALID_SEQUENCE);
            }
            if tracks.write_inhibited() {
                return Err(UnitCheck::WriteInhibited);
            }
        }
        let span = match access {
            Access::Sense => no_sense(),
            Access::ReadIpl => self.read_ipl(tracks)?,
            Access::ReadRecord { areas, multi_track } | Access::WriteRecord { areas, multi_track } => {
                self.record(tracks, areas, multi_track)?
            }
            Access::ReadTrackData | Access::WriteTrackData => self.track_data(tracks)?,
            Access::ReadTrack => self.read_track(tracks)?,
        };
        self.domain = self.domain.and_then(Domain::after_one);
        Ok(DataPhase {
            direction,
            place: span.place,
            device_bytes: span.device_bytes,
            data_bytes: span.device_bytes.min(count),
            ending: span.ending,
        })
    }

    fn located(&self) -> Result<(Position, Extent), UnitCheck> {
        self.position.zip(self.extent).ok_or(INVALID_SEQUENCE)
    }

    fn read_ipl(&mut self, tracks: &impl Tracks) -> Result<Span, UnitCheck> {
        self.before_any_extent()?;
        self.extent = Some(Extent::whole_device(tracks.geometry()));
        self.position = Some(Position::before(TrackAddress::default(), 1));
        self.record(tracks, Areas { count: false, key: false, data: true }, false)
    }

    fn record(&mut self, tracks: &impl Tracks, areas: Areas, multi_track: bool) -> Result<Span, UnitCheck> {
        let (position, extent) = self.located()?;
        let at_end = match (self.domain.is_some(), multi_track) {
            (true, true) => AtTrackEnd::NextTrack,
            (true, false) => AtTrackEnd::Stay,
            (false, true) => AtTrackEnd::NextHead,
            (false, false) => AtTrackEnd::SameTrack,
        };
        let (position, record, lengths) = position.next_record(tracks, &extent, at_end)?;
        self.position = Some(position.after(record));
        let end_of_file = areas.data && lengths.data == 0;
        Ok(Span {
            place: Place::Record { track: position.track(), record, areas },
            device_bytes: areas.bytes(lengths),
            ending: if end_of_file { Ending::UnitException } else { Ending::Normal },
        })
    }

    fn track_data(&mut self, tracks: &impl Tracks) -> Result<Span, UnitCheck> {
        let domain = self.domain.ok_or(INVALID_SEQUENCE)?;
        let position = self.go_to_track(tracks)?;
        let track = position.track();
        let first = position.first_data_record();
        let mut bytes = 0;
        let mut ending = Ending::Normal;
        for record in first..=tracks.records_on_track(track.cylinder(), track.head()) {
            let lengths =
                tracks.record(track.cylinder(), track.head(), record).ok_or(UnitCheck::InvalidTrackFormat)?;
            if lengths.data == 0 {
                ending = Ending::UnitException;
                break;
            }
            bytes += u32::from(lengths.data);
        }
        let (device_bytes, ending) = match domain.bytes_of_next_track().map(u32::from) {
            Some(wanted) if wanted <= bytes => (wanted, Ending::Normal),
            // The program expects more than the track holds: the layout is not what it thinks.
            Some(_) if ending.is_normal() => return Err(UnitCheck::InvalidTrackFormat),
            _ => (bytes, ending),
        };
        self.position = Some(position.at_track_end());
        Ok(Span { place: Place::TrackData { track, first }, device_bytes, ending })
    }

    fn read_track(&mut self, tracks: &impl Tracks) -> Result<Span, UnitCheck> {
        if !self.follows_locate_or_read_track() {
            return Err(INVALID_SEQUENCE);
        }
        let position = self.go_to_track(tracks)?;
        let track = position.track();
        let all = Areas { count: true, key: true, data: true };
        let device_bytes = (0..=tracks.records_on_track(track.cylinder(), track.head()))
            .filter_map(|record| tracks.record(track.cylinder(), track.head(), record))
            .map(|lengths| all.bytes(lengths))
            .sum::<u32>()
            + END_MARKER_BYTES;
        self.position = Some(position.at_track_end());
        Ok(Span { place: Place::Track { track }, device_bytes, ending: Ending::Normal })
    }

    /// Goes to the track that a track command works on and checks it against the extent's declaration.
    fn go_to_track(&mut self, tracks: &impl Tracks) -> Result<Position, UnitCheck> {
        let (position, extent) = self.located()?;
        let at_end = if self.domain.is_some() { AtTrackEnd::NextTrack } else { AtTrackEnd::NextHead };
        let position = position.on_track(tracks, &extent, at_end)?;
        self.position = Some(position);
        let track = position.track();
        if extent.agrees_with(tracks.records_on_track(track.cylinder(), track.head())) {
            Ok(position)
        } else {
            Err(UnitCheck::InvalidTrackFormat)
        }
    }
}

/// A unit check carries its sense with its status, so none is left for a Sense command.
fn no_sense() -> Span {
    Span { place: Place::Sense, device_bytes: SENSE_BYTES as u32, ending: Ending::Normal }
}
