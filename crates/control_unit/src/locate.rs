//! The commands that set extent, position and domain: Define Extent, Locate Record, Prefix.

use halftrack_program::{
    DefineExtent, DomainOperation, ExtendedAuxiliary, ExtendedOperation, Fault, LocateAuxiliary,
    LocateRecord, LocateRecordExtended, Orientation, ParseError, Prefix,
};
use halftrack_volume::{Track, Tracks};

use crate::chain::{AGAINST_FILE_MASK, COUNT_TOO_SMALL, Chain, INVALID_PARAMETER, INVALID_SEQUENCE};
use crate::domain::{Domain, Imbedded, Location};
use crate::extent::Extent;
use crate::position::{Area, Position};
use crate::sense::UnitCheck;
use crate::track_set::TrackSet;

/// Returns the command reject of parameters that do not parse.
fn rejected(error: ParseError) -> UnitCheck {
    match error.fault {
        Fault::Short { .. } => COUNT_TOO_SMALL,
        _ => INVALID_PARAMETER,
    }
}

impl Chain {
    #[inline]
    pub(crate) fn define_extent<T: Tracks>(
        &mut self,
        tracks: &mut T,
        parameters: &[u8],
    ) -> Result<(), UnitCheck> {
        self.before_any_extent()?;
        self.set_extent(tracks, &DefineExtent::parse(parameters).map_err(rejected)?)
    }

    #[inline]
    pub(crate) fn locate_record<T: Tracks>(
        &mut self,
        tracks: &mut T,
        parameters: &[u8],
    ) -> Result<(), UnitCheck> {
        self.ready_to_locate()?;
        let locate = LocateRecord::parse(parameters).map_err(rejected)?;
        let valid = locate.auxiliary.contains(LocateAuxiliary::TRANSFER_LENGTH_VALID);
        self.locate(
            tracks,
            &Location {
                orientation: locate.orientation,
                operation: DomainOperation::Basic(locate.operation),
                target: locate.target,
                count: locate.count,
                transfer_length_bytes: valid.then_some(locate.transfer_length_bytes),
                last_track_scope: false,
                read_count_suffix: locate.auxiliary.contains(LocateAuxiliary::READ_COUNT_SUFFIX),
                imbedded: None,
                track_set: None,
            },
        )
    }

    pub(crate) fn locate_record_extended<T: Tracks>(
        &mut self,
        tracks: &mut T,
        parameters: &[u8],
    ) -> Result<(), UnitCheck> {
        self.ready_to_locate()?;
        let locate = LocateRecordExtended::parse(parameters).map_err(rejected)?;
        self.locate(tracks, &extended_location(&locate)?)
    }

    #[inline(always)]
    pub(crate) fn prefix<T: Tracks>(&mut self, tracks: &mut T, parameters: &[u8]) -> Result<(), UnitCheck> {
        self.before_any_extent()?;
        let prefix = Prefix::parse(parameters).map_err(rejected)?;
        if let Some(define_extent) = &prefix.define_extent {
            self.set_extent(tracks, define_extent)?;
        }
        match &prefix.locate_record {
            None => Ok(()),
            Some(locate) => {
                self.ready_to_locate()?;
                self.locate(tracks, &extended_location(locate)?)
            }
        }
    }

    /// Returns a chain defines its extent once, outside any domain.
    #[inline]
    pub(crate) fn before_any_extent(&self) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        if self.extent.is_some() { Err(INVALID_SEQUENCE) } else { Ok(()) }
    }

    /// Returns a Locate Record needs an extent and no open domain.
    #[inline]
    fn ready_to_locate(&self) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        if self.extent.is_none() { Err(INVALID_SEQUENCE) } else { Ok(()) }
    }

    #[inline(always)]
    fn set_extent<T: Tracks>(&mut self, tracks: &T, parameters: &DefineExtent) -> Result<(), UnitCheck> {
        self.extent = Some(Extent::new(parameters, tracks.geometry()).ok_or(INVALID_PARAMETER)?);
        Ok(())
    }

    #[inline]
    fn locate<T: Tracks>(&mut self, tracks: &mut T, location: &Location) -> Result<(), UnitCheck> {
        let extent = self.extent.as_ref().ok_or(INVALID_SEQUENCE)?;
        let domain = Domain::new(location, extent.block_bytes());
        let too_long = location.transfer_length_bytes.is_some_and(|bytes| bytes > extent.block_bytes());
        if too_long && !location.last_track_scope {
            return Err(INVALID_PARAMETER);
        }
        let writes = domain.and_then(|domain| domain.kind().write_kind());
        if writes.is_some_and(|kind| !extent.lets_write(kind)) {
            return Err(AGAINST_FILE_MASK);
        }
        let seek = location.target.seek;
        if !tracks.geometry().contains(seek) {
            return Err(INVALID_PARAMETER);
        }
        if !extent.contains(seek) {
            return Err(UnitCheck::FileProtected);
        }
        self.position = Some(Position::at_index(seek, 0));
        self.position = Some(orient(tracks, location)?);
        self.index_points = 0;
        self.domain = domain;
        self.track_set = location.track_set;
        Ok(())
    }
}

#[inline(always)]
fn extended_location(locate: &LocateRecordExtended) -> Result<Location, UnitCheck> {
    let has = |bit| locate.auxiliary.contains(bit);
    let units =
        if has(ExtendedAuxiliary::IMBEDDED_COUNT_VALID) { locate.imbedded_count } else { locate.count };
    if units > locate.count {
        return Err(INVALID_PARAMETER);
    }
    let imbedded = locate.imbedded().map(|command| Imbedded {
        command,
        units,
        check_words: has(ExtendedAuxiliary::CHECK_BYTES_EACH_TRACK),
    });
    let of_track_set = matches!(
        locate.operation,
        DomainOperation::Extended(ExtendedOperation::ReadTrackSet | ExtendedOperation::WriteFullTrack)
    );
    let track_set = match (of_track_set, locate.extended_parameters.as_slice()) {
        (_, []) => None,
        (true, bits) => Some(TrackSet::parse(bits, locate.count).ok_or(INVALID_PARAMETER)?),
        (false, _) => return Err(INVALID_PARAMETER),
    };
    Ok(Location {
        orientation: locate.orientation,
        operation: locate.operation,
        target: locate.target,
        count: locate.count,
        transfer_length_bytes: has(ExtendedAuxiliary::TRANSFER_LENGTH_VALID)
            .then_some(locate.transfer_length_bytes),
        last_track_scope: has(ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK),
        read_count_suffix: has(ExtendedAuxiliary::READ_COUNT_SUFFIX),
        imbedded,
        track_set,
    })
}

/// Searches the track. Count orientation stands behind the count area of the record found, so that the first
/// command of the domain works on its key and data; data orientation stands behind its data.
#[inline(always)]
fn orient<T: Tracks>(tracks: &mut T, location: &Location) -> Result<Position, UnitCheck> {
    let target = &location.target;
    let track = tracks.track(target.seek).map_err(UnitCheck::from_fault)?;
    let records = track.records();
    let area = match location.orientation {
        Orientation::Count => Area::Count,
        Orientation::Data => Area::Data,
        // Home orientation compares the track header alone.
        Orientation::Home if track.home_address()[1..] == target.search.to_cchh() => {
            return Ok(Position::new(target.seek, records, 0, Area::Home));
        }
        Orientation::Home => return Err(UnitCheck::NoRecordFound),
        Orientation::Index => return Ok(Position::at_index(target.seek, records)),
    };
    let cchh = target.search.to_cchh();
    let is_sought = |place: &u8| {
        track.count(*place).is_some_and(|count| count.cchh == cchh && count.record == target.record)
    };
    // Most tracks number their records by their place; the search begins there, as a sector would have it.
    let place = Some(target.record).filter(is_sought).or_else(|| (0..records).find(is_sought));
    let place = place.ok_or(UnitCheck::NoRecordFound)?;
    Ok(Position::new(target.seek, records, place, area))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{FileMask, LocateOperation, NO_SECTOR, Target};
    use halftrack_volume::CountArea;

    fn locate_record(record: u8, count: u8) -> Vec<u8> {
        LocateRecord {
            orientation: Orientation::Count,
            operation: LocateOperation::ReadData,
            auxiliary: LocateAuxiliary(0),
            count,
            target: Target { seek: track(100, 3), search: track(100, 3), record, sector: NO_SECTOR },
            transfer_length_bytes: 0,
        }
        .emit()
        .to_vec()
    }

    fn refused(parameters: &[u8]) -> UnitCheck {
        reason(Unit::new(MemoryTracks::of_4k()).send(PREFIX, parameters))
    }

    fn refused_locate(change: impl FnOnce(&mut LocateRecordExtended)) -> UnitCheck {
        let mut locate = locate(READ_DATA_DOMAIN, 3, 1, 1);
        change(&mut locate);
        refused(&prefix(read_extent(), locate))
    }

    #[test]
    fn a_prefix_that_only_defines_an_extent_has_no_further_bytes() {
        let mut parameters = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        (parameters[0], parameters[63]) = (0, 1);
        let end = Unit::new(MemoryTracks::of_4k()).send(PREFIX, &parameters);
        assert_eq!((end.status.0, end.device_bytes), (0x0C, 64));
    }

    #[test]
    fn a_locate_record_needs_a_define_extent() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        assert_eq!(reason(unit.send(LOCATE_RECORD, &locate_record(1, 1))), INVALID_SEQUENCE);
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let defined = unit.send(DEFINE_EXTENT, &read_extent().emit());
        assert_eq!((defined.status.0, defined.moved_bytes, defined.device_bytes), (0x0C, 16, 16));
        unit.does(LOCATE_RECORD, &locate_record(1, 1));
        assert_eq!(unit.bytes(READ_DATA), [1; 4096]);
    }

    #[test]
    fn a_define_extent_takes_its_extension_when_it_announces_it() {
        let mut octets = read_extent().emit();
        octets.resize(32, 0);
        let plain = Unit::new(MemoryTracks::of_4k()).send(DEFINE_EXTENT, &octets);
        assert_eq!((plain.status.0, plain.moved_bytes, plain.device_bytes), (0x0C, 16, 16));
        octets[7] |= 0x02;
        let extended = Unit::new(MemoryTracks::of_4k()).send(DEFINE_EXTENT, &octets);
        assert_eq!((extended.status.0, extended.moved_bytes, extended.device_bytes), (0x0C, 32, 32));
        let short = Unit::new(MemoryTracks::of_4k()).send(DEFINE_EXTENT, &octets[..31]);
        assert_eq!(reason(short), COUNT_TOO_SMALL);
    }

    #[test]
    fn no_locate_record_inside_a_domain_but_again_after_it() {
        let mut unit = positioned(&MemoryTracks::of_4k(), read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        assert_eq!(reason(unit.clone().send(LOCATE_RECORD, &locate_record(1, 1))), INVALID_SEQUENCE);
        unit.bytes(READ_DATA);
        unit.does(LOCATE_RECORD, &locate_record(9, 1));
        assert_eq!(unit.bytes(READ_DATA), [9; 4096]);
    }

    #[test]
    fn a_chain_defines_its_extent_once() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        unit.does(DEFINE_EXTENT, &read_extent().emit());
        assert_eq!(reason(unit.clone().send(DEFINE_EXTENT, &read_extent().emit())), INVALID_SEQUENCE);
        let parameters = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        assert_eq!(reason(unit.send(PREFIX, &parameters)), INVALID_SEQUENCE);
    }

    #[test]
    fn short_and_invalid_parameters_have_their_messages() {
        let good = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        assert_eq!(refused(&good[..63]), COUNT_TOO_SMALL);
        let mut bad = good.clone();
        bad[13] = 0;
        assert_eq!(refused(&bad), INVALID_PARAMETER);
    }

    #[test]
    fn extents_lie_on_the_device_and_end_after_they_begin() {
        let refused_extent = |begin, end| {
            let extent = DefineExtent { begin, end, ..read_extent() };
            refused(&prefix(extent, locate(READ_DATA_DOMAIN, 3, 1, 1)))
        };
        assert_eq!(refused_extent(track(100, 1), track(100, 0)), INVALID_PARAMETER);
        assert_eq!(refused_extent(track(100, 0), track(3339, 0)), INVALID_PARAMETER);
        assert_eq!(refused_extent(track(100, 0), track(100, 15)), INVALID_PARAMETER);
        assert_eq!(refused_extent(track(100, 4), track(100, 4)), UnitCheck::FileProtected);
    }

    #[test]
    fn seeks_outside_the_device_are_rejected_and_outside_the_extent_file_protected() {
        let seek = |to| refused_locate(|locate| (locate.target.seek, locate.target.search) = (to, to));
        assert_eq!(seek(track(3339, 0)), INVALID_PARAMETER);
        assert_eq!(seek(track(100, 15)), INVALID_PARAMETER);
        assert_eq!(seek(track(99, 14)), UnitCheck::FileProtected);
        assert_eq!(seek(track(102, 0)), UnitCheck::FileProtected);
    }

    #[test]
    fn a_record_that_is_not_on_the_track_is_not_found() {
        assert_eq!(refused_locate(|locate| locate.target.record = 13), UnitCheck::NoRecordFound);
        let elsewhere = track(100, 4);
        assert_eq!(refused_locate(|locate| locate.target.search = elsewhere), UnitCheck::NoRecordFound);
        let home = |locate: &mut LocateRecordExtended| {
            locate.operation = READ_TRACKS_DOMAIN;
            locate.orientation = Orientation::Home;
            locate.target.search = elsewhere;
        };
        assert_eq!(refused_locate(home), UnitCheck::NoRecordFound, "the track header is another");
    }

    #[test]
    fn records_are_found_by_their_count_areas_and_not_by_their_places() {
        let at = track(100, 3);
        let elsewhere =
            CountArea { cchh: track(7, 1).to_cchh(), record: 200, key_bytes: 0, data_bytes: 4096 };
        let tracks = MemoryTracks::of_4k().with_count(at, 2, elsewhere);
        let target = Target { seek: at, search: track(7, 1), record: 200, sector: NO_SECTOR };
        let sought = LocateRecordExtended { target, ..locate(READ_DATA_DOMAIN, 3, 1, 1) };
        let mut unit = positioned(&tracks, read_extent(), sought);
        assert_eq!(unit.bytes(READ_DATA), [2; 4096]);
        let mut unit = Unit::new(tracks);
        let end = unit.send(PREFIX, &prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 2, 1)));
        assert_eq!(reason(end), UnitCheck::NoRecordFound);
    }

    #[test]
    fn the_sense_of_a_search_names_the_track_sought() {
        let parameters = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 13, 1));
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let sense = unit.send(PREFIX, &parameters).sense.unwrap();
        assert_eq!(sense[29..], [0, 100, 3]);
        assert_eq!(unit.bytes(SENSE), sense, "kept for a Sense");
        assert_eq!(unit.bytes(SENSE), [0; 32], "once");
    }

    #[test]
    fn orientation_decides_which_record_comes_first() {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(0, 1000), (0, 2000), (0, 3000)]);
        let first = |orientation| {
            let locate = LocateRecordExtended { orientation, ..locate(READ_DOMAIN, 3, 2, 1) };
            positioned(&tracks, read_extent(), locate).run(READ_DATA).device_bytes
        };
        assert_eq!(first(Orientation::Count), 2000);
        assert_eq!(first(Orientation::Data), 3000);
        assert_eq!(first(Orientation::Home), 1000);
        assert_eq!(first(Orientation::Index), 1000);
    }

    #[test]
    fn writes_against_the_file_mask_are_not_permitted() {
        let tracks = MemoryTracks::of_4k();
        let passed = |operation| {
            [FileMask(0), FileMask::INHIBIT_WRITES, FileMask::UPDATE_WRITES_ONLY, FileMask::ALL_WRITES].map(
                |mask| {
                    let parameters = prefix(extent(mask), locate(operation, 3, 1, 1));
                    let end = Unit::new(tracks.clone()).send(PREFIX, &parameters);
                    if end.sense.is_some() {
                        assert_eq!(reason(end), AGAINST_FILE_MASK);
                    }
                    end.sense.is_none()
                },
            )
        };
        assert_eq!(passed(WRITE_DATA_DOMAIN), [true, false, true, true]);
        assert_eq!(passed(WRITE_TRACK_DATA_DOMAIN), [true, false, true, true]);
        assert_eq!(passed(FORMAT_DOMAIN), [true, false, false, true]);
        let full = DomainOperation::Extended(ExtendedOperation::WriteFullTrack);
        assert_eq!(passed(full), [false, false, false, true]);
    }

    #[test]
    fn extended_parameters_are_a_set_of_tracks() {
        let set = |operation, bits: &[u8]| {
            refused_locate(|locate| {
                locate.operation = operation;
                locate.extended_parameters = bits.to_vec();
            })
        };
        let tracks = DomainOperation::Extended(ExtendedOperation::ReadTrackSet);
        assert_eq!(set(tracks, &[0xC0]), INVALID_PARAMETER, "two tracks in a domain of one");
        assert_eq!(set(READ_TRACKS_DOMAIN, &[0x80]), INVALID_PARAMETER, "they have no meaning here");
    }

    #[test]
    fn a_transfer_length_is_no_longer_than_a_block() {
        let long = |locate: &mut LocateRecordExtended| {
            locate.auxiliary = ExtendedAuxiliary::TRANSFER_LENGTH_VALID;
            locate.transfer_length_bytes = 4097;
        };
        assert_eq!(refused_locate(long), INVALID_PARAMETER);
    }

    #[test]
    fn an_imbedded_command_has_no_meaning_in_command_mode() {
        let imbedded = |locate: &mut LocateRecordExtended| {
            locate.operation = READ_TRACKS_DOMAIN;
            locate.auxiliary = ExtendedAuxiliary::IMBEDDED_COMMAND_VALID;
            locate.imbedded_command = READ_TRACK_DATA;
        };
        assert_eq!(refused_locate(imbedded), INVALID_PARAMETER);
    }

    #[test]
    fn locate_record_extended_stands_alone_too() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        unit.does(DEFINE_EXTENT, &read_extent().emit());
        let end = unit.send(LOCATE_RECORD_EXTENDED, &locate(READ_TRACKS_DOMAIN, 3, 1, 1).emit());
        assert_eq!((end.status.0, end.moved_bytes), (0x0C, 20));
        assert_eq!(unit.bytes(READ_TRACK_DATA).len(), 49_152);
    }

    #[test]
    fn an_orienting_locate_opens_no_domain() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        unit.does(DEFINE_EXTENT, &read_extent().emit());
        let mut octets = locate_record(5, 1);
        (octets[0], octets[3]) = (0, 0);
        unit.does(LOCATE_RECORD, &octets);
        assert!(unit.chain.domain.is_none());
        assert_eq!(unit.bytes(READ_DATA), [5; 4096]);
    }
}
