//! The commands that read and write whole tracks, or their data areas.

use halftrack_program::{DataPort, DeviceStatus, Octets};
use halftrack_volume::{COUNT_AREA_BYTES, CountArea, Track, Tracks};

use crate::chain::{Chain, INVALID_SEQUENCE};
use crate::phase::{Phase, Scratch, Span};
use crate::position::Area;
use crate::predecessor::Predecessor;
use crate::sense::UnitCheck;

/// Read Track ends with these bytes, and a full track that is written may.
const END_MARKER: [u8; COUNT_AREA_BYTES] = [0xFF; COUNT_AREA_BYTES];

/// The data areas of a track that a command moves.
#[derive(Debug, Clone, Copy)]
struct DataAreas {
    first: u8,
    /// Bytes that the command moves; the last area may be cut.
    bytes: u32,
    /// An end-of-file record ends them.
    end_of_file: bool,
}

impl DataAreas {
    /// Returns the data areas from `first`, as far as the program wants them on the last track.
    #[inline(always)]
    fn of(track: &impl Track, first: u8, wanted: Option<u16>) -> Result<Self, UnitCheck> {
        let wanted = wanted.map(u32::from);
        let (mut bytes, mut end_of_file) = (0, false);
        for place in first..track.records() {
            if wanted.is_some_and(|wanted| wanted <= bytes) {
                break;
            }
            let count = track.count(place).ok_or(UnitCheck::InvalidTrackFormat)?;
            end_of_file = count.data_bytes == 0;
            if end_of_file {
                break;
            }
            bytes += u32::from(count.data_bytes);
        }
        match wanted {
            Some(wanted) if wanted <= bytes => Ok(Self { first, bytes: wanted, end_of_file: false }),
            // The program expects more than the track holds: the layout is not what it thinks.
            Some(_) if !end_of_file => Err(UnitCheck::InvalidTrackFormat),
            _ => Ok(Self { first, bytes, end_of_file }),
        }
    }

    #[inline(always)]
    fn span(&self) -> Span {
        Span::of(self.bytes).with(DeviceStatus::UNIT_EXCEPTION, self.end_of_file)
    }
}

impl Chain {
    /// Reads the data areas of a track from the record at hand.
    #[inline]
    pub(crate) fn read_track_data<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let domain = self.domain.ok_or(INVALID_SEQUENCE)?;
        let position = self.on_track(tracks)?;
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let areas = DataAreas::of(&track, position.first_data_place(), domain.bytes_of_next_track())?;
        let mut left = areas.bytes;
        for place in areas.first..track.records() {
            let data = track.data(place).first(left);
            if data.is_empty() || phase.give(data) < data.len() {
                break;
            }
            left -= data.len();
        }
        self.position = Some(position.past(Area::End));
        Ok(areas.span())
    }

    /// Writes over the data areas of a track from the record at hand.
    pub(crate) fn write_track_data<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let domain = self.domain.ok_or(INVALID_SEQUENCE)?;
        let position = self.on_track(tracks)?;
        let address = position.track();
        let track = tracks.track(address).map_err(UnitCheck::from_fault)?;
        let areas = DataAreas::of(&track, position.first_data_place(), domain.bytes_of_next_track())?;
        drop(track);
        self.position = Some(position.past(Area::End));
        let mut left = areas.bytes;
        let mut place = areas.first;
        while left > 0 {
            let track = tracks.track(address).map_err(UnitCheck::from_fault)?;
            let count = track.count(place).ok_or(UnitCheck::InvalidTrackFormat)?;
            drop(track);
            let part = u32::from(count.data_bytes).min(left);
            let sent = scratch.gather(phase, part, |data| {
                // A record that the program sends nothing of keeps what it has.
                let written = if data.is_empty() { Ok(()) } else { tracks.write_data(address, place, data) };
                written.map(|()| data.len())
            });
            if sent.map_err(UnitCheck::from_fault)? < part {
                break;
            }
            left -= part;
            place = place.saturating_add(1);
        }
        Ok(areas.span())
    }

    /// Reads every record of a track with its count area, record zero first.
    pub(crate) fn read_track<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        if !matches!(self.before, Predecessor::Locate | Predecessor::ReadTrack) {
            return Err(INVALID_SEQUENCE);
        }
        let position = self.on_track(tracks)?;
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let mut device_bytes = 0;
        for place in 0..track.records() {
            let record = track.record(place);
            device_bytes += record.len();
            phase.give(record);
        }
        phase.give(Octets::Bytes(&END_MARKER));
        self.position = Some(position.past(Area::End));
        Ok(Span::of(device_bytes + END_MARKER.len() as u32))
    }

    /// Writes a track anew from records with their count areas, record zero first, up to the end marker or as
    /// far as the program sends.
    pub(crate) fn write_full_track<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        self.domain.ok_or(INVALID_SEQUENCE)?;
        let position = self.on_track(tracks)?;
        let address = position.track();
        for place in 0..=u8::MAX {
            self.position = Some(position.past_erased(place));
            let mut count = [0; COUNT_AREA_BYTES];
            let sent = phase.take_into(&mut count);
            if sent < COUNT_AREA_BYTES || count == END_MARKER {
                return if place == 0 || (1..COUNT_AREA_BYTES).contains(&sent) {
                    Err(UnitCheck::InvalidTrackFormat)
                } else {
                    Ok(Span::of(phase.moved()))
                };
            }
            let count = CountArea::from_bytes(count);
            scratch
                .gather(phase, count.area_bytes(), |octets| {
                    tracks.format_record(address, place, count, octets)
                })
                .map_err(UnitCheck::from_fault)?;
        }
        Err(UnitCheck::InvalidTrackFormat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{
        DefineExtent, DefineExtentExtension, DomainOperation, ExtendedAuxiliary, ExtendedOperation, FileMask,
        LocateRecordExtended, Orientation,
    };

    #[test]
    fn track_reads_go_track_by_track_from_the_start_record() {
        let tracks = MemoryTracks::of_4k();
        let mut unit = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 14, 5, 3));
        let first = unit.bytes(READ_TRACK_DATA);
        assert_eq!((first.len(), first[0], first[8 * 4096 - 1]), (8 * 4096, 5, 12));
        let lengths = [(); 2].map(|()| unit.bytes(READ_TRACK_DATA).len());
        assert_eq!(lengths, [12 * 4096, 12 * 4096]);
        assert_eq!(reason(unit.run(READ_TRACK_DATA)), INVALID_SEQUENCE, "the domain is closed");
        let home =
            LocateRecordExtended { orientation: Orientation::Home, ..locate(READ_TRACKS_DOMAIN, 3, 0, 1) };
        assert_eq!(positioned(&tracks, read_extent(), home).bytes(READ_TRACK_DATA)[0], 1);
    }

    #[test]
    fn an_end_of_file_record_ends_the_data_of_a_track() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(0, 4096), (0, 0), (0, 4096)]);
        let mut unit = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 3, 1, 1));
        let end = unit.run(READ_TRACK_DATA);
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (0x0D, 4096, 4096));
    }

    #[test]
    fn the_last_track_is_read_as_far_as_the_program_says() {
        let tracks = MemoryTracks::of_4k();
        let partial = |bytes| LocateRecordExtended {
            auxiliary: ExtendedAuxiliary::TRANSFER_LENGTH_VALID
                | ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK,
            transfer_length_bytes: bytes,
            ..locate(READ_TRACKS_DOMAIN, 3, 5, 2)
        };
        let mut unit = positioned(&tracks, read_extent(), partial(8192));
        let lengths = [(); 2].map(|()| unit.run(READ_TRACK_DATA).device_bytes);
        assert_eq!(lengths, [8 * 4096, 8192]);
        let mut unit = positioned(&tracks, read_extent(), partial(49_153));
        unit.run(READ_TRACK_DATA);
        assert_eq!(reason(unit.run(READ_TRACK_DATA)), UnitCheck::InvalidTrackFormat);
    }

    #[test]
    fn a_declared_number_of_records_is_checked() {
        let tracks = MemoryTracks::of_4k().with(100, 4, &[(0, 4096); 11]);
        let declared = DefineExtent {
            extension: Some(DefineExtentExtension {
                format: DefineExtentExtension::RECORDS_PER_TRACK_VALID,
                records_per_track: 12,
                ..Default::default()
            }),
            ..read_extent()
        };
        let mut unit = positioned(&tracks, declared, locate(READ_TRACKS_DOMAIN, 3, 1, 2));
        unit.bytes(READ_TRACK_DATA);
        assert_eq!(reason(unit.run(READ_TRACK_DATA)), UnitCheck::InvalidTrackFormat);
    }

    #[test]
    fn read_track_follows_a_locate_or_itself_and_advances() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(8, 100)]);
        let mut unit = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 3, 1, 2));
        let octets = unit.bytes(READ_TRACK);
        assert_eq!(octets.len(), 16 + 116 + 8);
        assert_eq!(octets[..16], [0, 100, 0, 3, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(octets[16 + 116..], END_MARKER);
        assert_eq!(unit.bytes(READ_TRACK).len(), 16 + 12 * 4104 + 8);
        unit.bytes(READ_TRACK);
        unit.bytes(multi_track(READ_DATA));
        assert_eq!(reason(unit.run(READ_TRACK)), INVALID_SEQUENCE);
    }

    fn set_of(operation: ExtendedOperation, bits: u8, count: u8) -> LocateRecordExtended {
        LocateRecordExtended {
            extended_parameters: vec![bits],
            ..locate(DomainOperation::Extended(operation), 3, 0, count)
        }
    }

    #[test]
    fn a_set_of_tracks_is_read_and_no_other() {
        let set = set_of(ExtendedOperation::ReadTrackSet, 0b1010_0000, 2);
        let mut unit = positioned(&MemoryTracks::of_4k(), read_extent(), set);
        let heads = [(); 2].map(|()| unit.bytes(READ_TRACK)[3]);
        assert_eq!(heads, [3, 5]);
        assert!(unit.chain.domain.is_none());
    }

    #[test]
    fn a_full_track_is_written_as_it_was_read() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(8, 100), (0, 7)]);
        let mut unit = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 3, 0, 1));
        let image = unit.bytes(READ_TRACK);
        let set = set_of(ExtendedOperation::WriteFullTrack, 0b1001_0000, 2);
        let mut unit = positioned(&tracks, extent(FileMask::ALL_WRITES), set);
        let end = unit.send(WRITE_FULL_TRACK, &[&image[..], &[0; 100]].concat());
        assert_eq!((end.status.0, end.moved_bytes as usize), (0x0C, image.len()));
        unit.does(WRITE_FULL_TRACK, &image[..16]);
        let tracks = unit.tracks_mut();
        assert_eq!(tracks.records(track(100, 3)).concat(), image[..image.len() - 8]);
        assert_eq!(tracks.records(track(100, 6)).len(), 1, "record zero alone");
        assert_eq!(tracks.records(track(100, 4)).len(), 13, "not in the set");
    }

    #[test]
    fn what_a_full_track_leaves_out_is_gone() {
        let set = set_of(ExtendedOperation::WriteFullTrack, 0x80, 1);
        let mut unit = positioned(&MemoryTracks::of_4k(), extent(FileMask::ALL_WRITES), set);
        unit.does(WRITE_FULL_TRACK, &[0, 100, 0, 3, 0, 0, 0, 0]);
        assert_eq!(reason(unit.run(READ_COUNT)), UnitCheck::NoRecordFound);
    }

    #[test]
    fn a_full_track_needs_whole_records_that_fit() {
        let set = set_of(ExtendedOperation::WriteFullTrack, 0x80, 1);
        let unit = positioned(&MemoryTracks::of_4k(), extent(FileMask::ALL_WRITES), set);
        let refused = |octets: &[u8]| reason(unit.clone().send(WRITE_FULL_TRACK, octets));
        assert_eq!(refused(&[]), UnitCheck::InvalidTrackFormat);
        assert_eq!(refused(&END_MARKER), UnitCheck::InvalidTrackFormat);
        assert_eq!(refused(&[0; 12]), UnitCheck::InvalidTrackFormat);
        assert_eq!(refused(&[0; 3000]), UnitCheck::InvalidTrackFormat, "more records than a track numbers");
        let too_long = [0, 100, 0, 3, 0, 0, 0xFF, 0];
        assert_eq!(refused(&too_long), UnitCheck::InvalidTrackFormat);
    }

    #[test]
    fn the_data_of_tracks_are_written_record_by_record() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(4, 100), (0, 50)]);
        let cut = LocateRecordExtended {
            auxiliary: ExtendedAuxiliary::TRANSFER_LENGTH_VALID
                | ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK,
            transfer_length_bytes: 4096,
            ..locate(WRITE_TRACK_DATA_DOMAIN, 3, 1, 2)
        };
        let mut unit = positioned(&tracks, extent(FileMask::UPDATE_WRITES_ONLY), cut);
        unit.does(WRITE_TRACK_DATA, &[0xAB; 150]);
        let end = unit.send(WRITE_TRACK_DATA, &[0xCD; 4096]);
        assert_eq!((end.moved_bytes, end.device_bytes), (4096, 4096));
        let tracks = unit.tracks_mut();
        assert_eq!(tracks.records(track(100, 3))[1][8..], [[0xEE; 4].as_slice(), &[0xAB; 100]].concat());
        assert_eq!(tracks.records(track(100, 3))[2][8..], [0xAB; 50]);
        assert_eq!(tracks.records(track(100, 4))[1][8..], [0xCD; 4096]);
        assert_eq!(tracks.records(track(100, 4))[2][8..], [2; 4096]);
    }
}
