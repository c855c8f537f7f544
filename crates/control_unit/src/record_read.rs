//! The commands that read records and write over their key and data.

use halftrack_program::{DataPort, DeviceStatus, FileMask, Octets, TrackAddress};
use halftrack_volume::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, Tracks};

use crate::access::Areas;
use crate::chain::Chain;
use crate::extent::Extent;
use crate::phase::{Phase, Span};
use crate::position::{Area, Position};
use crate::predecessor::Predecessor;
use crate::sense::UnitCheck;

impl Areas {
    /// Returns the bytes of these areas of a record.
    fn bytes(self, count: CountArea) -> u32 {
        let part = |wanted: bool, bytes: u32| if wanted { bytes } else { 0 };
        part(self.count, COUNT_AREA_BYTES as u32)
            + part(self.key, u32::from(count.key_bytes))
            + part(self.data, u32::from(count.data_bytes))
    }

    /// Returns the area that has passed when these have moved.
    pub(crate) fn last(self) -> Area {
        if self.data { Area::Data } else { Area::Count }
    }

    /// Returns the span of these areas of a record. Data of length zero make an end-of-file record.
    pub(crate) fn span(self, count: CountArea) -> Span {
        let end_of_file = self.data && count.data_bytes == 0;
        Span::of(self.bytes(count)).with(DeviceStatus::UNIT_EXCEPTION, end_of_file)
    }
}

impl Chain {
    pub(crate) fn read_record<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        areas: Areas,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.record_for(tracks, areas, multi_track)?;
        self.read_areas(tracks, position, areas, phase)
    }

    /// Returns the areas a command moves: those of the record at hand as far as they have not passed, or of the
    /// next record.
    pub(crate) fn record_for<T: Tracks>(
        &mut self,
        tracks: &mut T,
        areas: Areas,
        multi_track: bool,
    ) -> Result<Position, UnitCheck> {
        let position = self.located()?;
        let at_hand = match position.area() {
            Area::Count => !areas.count,
            Area::Key => !areas.count && !areas.key,
            Area::Index | Area::Home | Area::Data | Area::End => false,
        };
        if at_hand { Ok(position) } else { self.next_record(tracks, true, multi_track) }
    }

    fn read_areas<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        position: Position,
        areas: Areas,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        self.position = Some(position.past(areas.last()));
        let place = position.place();
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let count = track.count(place).ok_or(UnitCheck::InvalidTrackFormat)?;
        match (areas.count, areas.data) {
            (true, true) => {
                phase.give(track.record(place));
            }
            (true, false) => {
                phase.give(Octets::Bytes(&count.to_bytes()));
            }
            (false, _) => {
                if areas.key {
                    phase.give(track.key(place));
                }
                phase.give(track.data(place));
            }
        }
        if areas.data {
            self.index_points = 0;
        }
        Ok(areas.span(count))
    }

    pub(crate) fn read_record_zero<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let track = self.track_start(tracks, multi_track)?;
        let found =
            Position::new(track.track(), track.records_behind_zero().saturating_add(1), 0, Area::Count);
        self.read_areas(tracks, found, Areas { count: true, key: true, data: true }, phase)
    }

    pub(crate) fn read_home_address<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.home_address_start(tracks, multi_track)?;
        self.position = Some(position.past(Area::Home));
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        phase.give(Octets::Bytes(&track.home_address()));
        self.index_points = 0;
        Ok(Span::of(HOME_ADDRESS_BYTES as u32))
    }

    /// Returns the start of the track for a command that works there. A multi-track command continues to the next
    /// track unless nothing of this one has passed.
    pub(crate) fn track_start<T: Tracks>(
        &mut self,
        tracks: &mut T,
        multi_track: bool,
    ) -> Result<Position, UnitCheck> {
        let position = self.located()?;
        let fresh = matches!(position.area(), Area::Index | Area::Home);
        if !multi_track || fresh || self.before == Predecessor::Locate {
            return Ok(position);
        }
        self.position = Some(position.past(Area::End));
        self.on_track(tracks)
    }

    /// Returns the same for a command on the home address: where it has passed, it comes again behind an index point.
    pub(crate) fn home_address_start<T: Tracks>(
        &mut self,
        tracks: &mut T,
        multi_track: bool,
    ) -> Result<Position, UnitCheck> {
        let position = self.located()?;
        if multi_track && position.area() == Area::Home && self.before != Predecessor::Locate {
            self.position = Some(position.past(Area::End));
        }
        self.track_start(tracks, multi_track)
    }

    /// Reads all records that follow on the track.
    pub(crate) fn read_multiple<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.next_record(tracks, true, false)?;
        self.position = Some(position.past(Area::End));
        self.index_points = 0;
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let mut device_bytes = 0;
        for place in position.place()..track.records() {
            let record = track.record(place);
            device_bytes += record.len();
            phase.give(record);
        }
        Ok(Span::of(device_bytes))
    }

    /// Seeks the first track of the device and reads the data of its first record.
    pub(crate) fn read_ipl<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        self.before_any_extent()?;
        self.extent = Some(Extent::whole_device(tracks.geometry(), FileMask::default()));
        let first = TrackAddress::default();
        let records = tracks.track(first).map_err(UnitCheck::from_fault)?.records();
        self.position = Some(Position::at_index(first, records));
        self.read_record(tracks, Areas { count: false, key: false, data: true }, false, phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::INVALID_SEQUENCE;
    use crate::rig::*;
    use crate::sense::Message;
    use halftrack_program::command::*;
    use halftrack_program::{LocateRecordExtended, Orientation};
    use halftrack_volume::TrackFault;

    const READ_DATA_MT: u8 = multi_track(READ_DATA);

    fn read_data(tracks: &MemoryTracks, head: u8, record: u8, count: u8) -> Unit {
        positioned(tracks, read_extent(), locate(READ_DATA_DOMAIN, head, record, count))
    }

    #[test]
    fn a_record_is_read_as_far_as_the_count_goes() {
        let mut unit = read_data(&MemoryTracks::of_4k(), 3, 1, 2);
        let (short, octets) = unit.read(READ_DATA, 1000);
        assert_eq!((short.moved_bytes, short.device_bytes, octets), (1000, 4096, vec![1; 1000]));
        let (long, octets) = unit.read(READ_DATA, 5000);
        assert_eq!((long.moved_bytes, long.device_bytes, octets), (4096, 4096, vec![2; 4096]));
    }

    #[test]
    fn a_command_that_is_not_there_is_invalid() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        for command in [0xA7, 0x00, PREFIX_READ, 0x0C, 0xFF] {
            let rejected = UnitCheck::CommandReject(Message::InvalidCommand);
            assert_eq!(reason(unit.run(command)), rejected, "{command:#04x}");
        }
    }

    #[test]
    fn transfers_need_a_position_and_writes_a_domain_or_a_search() {
        let tracks = MemoryTracks::of_4k();
        for command in [
            READ_DATA,
            READ_TRACK,
            READ_TRACK_DATA,
            READ_COUNT,
            READ_RECORD_ZERO,
            READ_HOME_ADDRESS,
            READ_MULTIPLE_COUNT_KEY_AND_DATA,
            READ_SECTOR,
            WRITE_DATA,
            WRITE_COUNT_KEY_AND_DATA,
            ERASE,
            WRITE_FULL_TRACK,
            SEARCH_ID_EQUAL,
            SEARCH_KEY_EQUAL,
        ] {
            let mut unit = Unit::new(tracks.clone());
            assert_eq!(reason(unit.run(command)), INVALID_SEQUENCE, "{command:#04x}");
        }
        let mut unit = read_data(&tracks, 3, 1, 1);
        unit.bytes(READ_DATA);
        assert_eq!(reason(unit.run(WRITE_DATA)), INVALID_SEQUENCE);
    }

    #[test]
    fn a_multi_track_read_crosses_cylinders_inside_a_domain_and_not_the_extent() {
        let mut unit = read_data(&MemoryTracks::of_4k(), 14, 12, 255);
        for _ in 0..1 + 15 * 12 {
            unit.bytes(READ_DATA_MT);
        }
        let end = unit.run(READ_DATA_MT);
        assert_eq!(reason(end), UnitCheck::FileProtected);
        assert_eq!(end.sense.unwrap()[29..], [0, 101, 14]);
    }

    #[test]
    fn a_single_track_read_stays_inside_a_domain() {
        let mut unit = read_data(&MemoryTracks::of_4k(), 3, 12, 2);
        unit.bytes(READ_DATA);
        assert_eq!(reason(unit.run(READ_DATA)), UnitCheck::NoRecordFound);
    }

    #[test]
    fn outside_a_domain_reads_go_on_to_the_end_of_the_cylinder() {
        let mut unit = read_data(&MemoryTracks::of_4k(), 14, 11, 1);
        unit.bytes(READ_DATA);
        assert_eq!(unit.bytes(READ_DATA_MT), [12; 4096], "the last record of the cylinder");
        assert_eq!(unit.clone().bytes(READ_DATA), [1; 4096], "record 1 after the index");
        assert_eq!(reason(unit.run(READ_DATA_MT)), UnitCheck::EndOfCylinder);
    }

    #[test]
    fn outside_a_domain_empty_tracks_are_passed_over() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[]).with(100, 4, &[]);
        assert_eq!(sought(&tracks, 100, 3).bytes(READ_DATA_MT), [1; 4096]);
        assert_eq!(reason(sought(&tracks, 100, 3).run(READ_DATA)), UnitCheck::NoRecordFound);
        let mut masked = Unit::new(tracks);
        masked.does(SET_FILE_MASK, &[0x18]);
        assert_eq!(reason(masked.send(SEEK, &seek_to(100, 3))), UnitCheck::FileProtected);
    }

    #[test]
    fn an_empty_track_ends_a_search_inside_a_domain() {
        let mut unit = read_data(&MemoryTracks::of_4k().with(100, 4, &[]), 3, 12, 2);
        unit.bytes(READ_DATA_MT);
        assert_eq!(reason(unit.run(READ_DATA_MT)), UnitCheck::NoRecordFound);
    }

    #[test]
    fn areas_of_a_record_have_their_lengths() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(8, 100), (8, 200), (8, 300), (8, 400)]);
        let mut unit = positioned(&tracks, read_extent(), locate(READ_DOMAIN, 3, 1, 4));
        let lengths = [READ_COUNT, READ_DATA, READ_KEY_AND_DATA, READ_COUNT_KEY_AND_DATA]
            .map(|command| unit.run(command).device_bytes);
        assert_eq!(lengths, [8, 200, 308, 416], "count and data of record 2, and the two after it");
    }

    #[test]
    fn areas_of_a_record_have_their_octets() {
        let tracks = MemoryTracks::of_4k().with_records(100, 3, &[(b"KEY1", b"data"), (b"KEY2", b"more")]);
        let mut unit = positioned(&tracks, read_extent(), locate(READ_DOMAIN, 3, 0, 4));
        assert_eq!(unit.bytes(READ_COUNT), [0, 100, 0, 3, 1, 4, 0, 4]);
        assert_eq!(unit.bytes(READ_KEY_AND_DATA), b"KEY1data");
        assert_eq!(unit.bytes(READ_COUNT_KEY_AND_DATA), b"\x00\x64\x00\x03\x02\x04\x00\x04KEY2more");
    }

    #[test]
    fn a_home_address_that_has_passed_is_followed_by_that_of_the_next_track() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        let command = multi_track(READ_HOME_ADDRESS);
        assert_eq!(unit.bytes(command), [0, 0, 100, 0, 3]);
        assert_eq!(unit.bytes(command), [0, 0, 100, 0, 4]);
        assert_eq!(unit.bytes(READ_HOME_ADDRESS), [0, 0, 100, 0, 4]);
    }

    #[test]
    fn home_address_and_record_zero_are_read_where_they_are() {
        let tracks = MemoryTracks::of_4k();
        let mut unit = sought(&tracks, 100, 3);
        assert_eq!(unit.bytes(READ_HOME_ADDRESS), [0, 0, 100, 0, 3]);
        let zero = [[0, 100, 0, 3, 0, 0, 0, 8], [0; 8]].concat();
        assert_eq!(unit.bytes(READ_RECORD_ZERO), zero);
        assert_eq!(unit.bytes(READ_DATA), [1; 4096]);
        assert_eq!(unit.bytes(multi_track(READ_HOME_ADDRESS)), [0, 0, 100, 0, 4], "of the next track");
        let home = LocateRecordExtended { orientation: Orientation::Home, ..locate(READ_DOMAIN, 3, 0, 2) };
        let mut unit = positioned(&tracks, read_extent(), home);
        assert_eq!(unit.bytes(READ_RECORD_ZERO), zero);
        assert_eq!(unit.bytes(READ_DATA), [1; 4096]);
    }

    #[test]
    fn read_multiple_goes_to_the_end_of_the_track() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(0, 10), (4, 20)]);
        let mut unit = sought(&tracks, 100, 3);
        assert_eq!(unit.bytes(READ_MULTIPLE_COUNT_KEY_AND_DATA).len(), 18 + 32);
        assert_eq!(unit.bytes(READ_MULTIPLE_COUNT_KEY_AND_DATA).len(), 18 + 32, "after the index");
    }

    #[test]
    fn an_end_of_file_record_ends_with_unit_exception() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(0, 4096), (0, 0)]);
        let mut unit = read_data(&tracks, 3, 1, 2);
        unit.bytes(READ_DATA);
        let end = unit.run(READ_DATA);
        assert_eq!((end.status.0, end.moved_bytes), (0x0D, 0));
    }

    #[test]
    fn faults_of_tracks_are_unit_checks() {
        for (fault, expected) in [
            (TrackFault::Unreadable, UnitCheck::DataCheck),
            (TrackFault::Medium, UnitCheck::EquipmentCheck),
            (TrackFault::WriteInhibited, UnitCheck::WriteInhibited),
            (TrackFault::TooLong, UnitCheck::InvalidTrackFormat),
        ] {
            let mut tracks = MemoryTracks::of_4k();
            tracks.fault = Some((track(100, 4), fault));
            let mut unit = read_data(&tracks, 3, 12, 2);
            unit.bytes(READ_DATA_MT);
            assert_eq!(reason(unit.run(READ_DATA_MT)), expected);
            assert_eq!(reason(Unit::new(tracks).send(SEEK, &seek_to(100, 4))), expected);
        }
    }

    #[test]
    fn read_ipl_reads_the_first_record_and_opens_the_device() {
        let mut unit = Unit::new(MemoryTracks::of_4k().with(0, 0, &[(4, 24), (4, 144)]));
        assert_eq!(unit.bytes(READ_IPL).len(), 24);
        assert_eq!(unit.bytes(READ_DATA).len(), 144);
        unit.does(LOCATE_RECORD_EXTENDED, &locate(READ_DOMAIN, 3, 1, 1).emit());
        assert_eq!(reason(unit.run(READ_IPL)), INVALID_SEQUENCE);
    }
}
