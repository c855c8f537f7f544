//! The commands that set extent, position and domain: Define Extent, Locate Record, Prefix.

use halftrack_program::{
    DefineExtent, DomainOperation, ExtendedAuxiliary, Fault, LocateAuxiliary, LocateRecord,
    LocateRecordExtended, Orientation, ParseError, Prefix,
};

use crate::chain::Chain;
use crate::domain::{Domain, Imbedded, Location};
use crate::extent::Extent;
use crate::position::Position;
use crate::sense::{Message, UnitCheck};
use crate::tracks::Tracks;

const INVALID_PARAMETER: UnitCheck = UnitCheck::CommandReject(Message::InvalidParameter);
const INVALID_SEQUENCE: UnitCheck = UnitCheck::CommandReject(Message::InvalidSequence);
/// What a write against the file mask gets. Public sources name file protected and command reject; our
/// choice is the message that names the file mask.
const AGAINST_FILE_MASK: UnitCheck = UnitCheck::CommandReject(Message::NotPermitted);

/// The command reject of parameters that do not parse.
fn rejected(error: ParseError) -> UnitCheck {
    match error.fault {
        Fault::Short { .. } => UnitCheck::CommandReject(Message::CountTooSmall),
        _ => INVALID_PARAMETER,
    }
}

impl Chain {
    pub(crate) fn define_extent(&mut self, tracks: &impl Tracks, parameters: &[u8]) -> Result<(), UnitCheck> {
        self.before_any_extent()?;
        self.set_extent(tracks, &DefineExtent::parse(parameters).map_err(rejected)?)
    }

    pub(crate) fn locate_record(&mut self, tracks: &impl Tracks, parameters: &[u8]) -> Result<(), UnitCheck> {
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
                imbedded: None,
            },
        )
    }

    pub(crate) fn locate_record_extended(
        &mut self,
        tracks: &impl Tracks,
        parameters: &[u8],
    ) -> Result<(), UnitCheck> {
        self.ready_to_locate()?;
        let locate = LocateRecordExtended::parse(parameters).map_err(rejected)?;
        self.locate(tracks, &extended_location(&locate)?)
    }

    pub(crate) fn prefix(&mut self, tracks: &impl Tracks, parameters: &[u8]) -> Result<(), UnitCheck> {
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

    /// A chain defines its extent once, outside any domain.
    pub(crate) fn before_any_extent(&self) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        if self.extent.is_some() { Err(INVALID_SEQUENCE) } else { Ok(()) }
    }

    /// A Locate Record needs an extent and no open domain.
    fn ready_to_locate(&self) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        if self.extent.is_none() { Err(INVALID_SEQUENCE) } else { Ok(()) }
    }

    fn set_extent(&mut self, tracks: &impl Tracks, parameters: &DefineExtent) -> Result<(), UnitCheck> {
        self.extent = Some(Extent::new(parameters, tracks.geometry()).ok_or(INVALID_PARAMETER)?);
        Ok(())
    }

    fn locate(&mut self, tracks: &impl Tracks, location: &Location) -> Result<(), UnitCheck> {
        let extent = self.extent.as_ref().ok_or(INVALID_SEQUENCE)?;
        let domain =
            if location.orients() { None } else { Some(Domain::new(location).ok_or(INVALID_PARAMETER)?) };
        let too_long = location.transfer_length_bytes.is_some_and(|bytes| bytes > extent.block_bytes());
        if too_long && !location.last_track_scope {
            return Err(INVALID_PARAMETER);
        }
        if domain.is_some_and(|domain| domain.kind().writes()) && !extent.lets_update() {
            return Err(AGAINST_FILE_MASK);
        }
        let seek = location.target.seek;
        if !tracks.geometry().contains(seek) {
            return Err(INVALID_PARAMETER);
        }
        if !extent.contains(seek) {
            return Err(UnitCheck::FileProtected);
        }
        self.position = Some(Position::before(seek, 0));
        self.position = Some(orient(tracks, location)?);
        self.domain = domain;
        Ok(())
    }
}

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
    Ok(Location {
        orientation: locate.orientation,
        operation: locate.operation,
        target: locate.target,
        count: locate.count,
        transfer_length_bytes: has(ExtendedAuxiliary::TRANSFER_LENGTH_VALID)
            .then_some(locate.transfer_length_bytes),
        last_track_scope: has(ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK),
        imbedded,
    })
}

/// Searches the track. Count orientation stands before the record found, so that the first command of the
/// domain works on it; data orientation stands after it.
fn orient(tracks: &impl Tracks, location: &Location) -> Result<Position, UnitCheck> {
    let target = &location.target;
    let here = |record| {
        let found = tracks.record(target.seek.cylinder(), target.seek.head(), record);
        found.filter(|_| target.search == target.seek).ok_or(UnitCheck::NoRecordFound)
    };
    match location.orientation {
        Orientation::Count => here(target.record).map(|_| Position::before(target.seek, target.record)),
        Orientation::Data => {
            here(target.record).map(|_| Position::before(target.seek, target.record).after(target.record))
        }
        // Home orientation compares the track header alone.
        Orientation::Home if target.search == target.seek => Ok(Position::before(target.seek, 1)),
        Orientation::Home => Err(UnitCheck::NoRecordFound),
        Orientation::Index => Ok(Position::before(target.seek, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{
        ExtendedAuxiliary, ExtendedOperation, FileMask, LocateOperation, NO_SECTOR, Target,
    };

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
        reason(Chain::new().execute(&MixedTracks::of_4k(), PREFIX, 64, parameters))
    }

    fn refused_locate(change: impl FnOnce(&mut LocateRecordExtended)) -> UnitCheck {
        let mut locate = locate(READ_DATA_DOMAIN, 3, 1, 1);
        change(&mut locate);
        refused(&prefix(read_extent(), locate))
    }

    #[test]
    fn a_locate_record_needs_a_define_extent() {
        let tracks = MixedTracks::of_4k();
        let mut chain = Chain::new();
        let outcome = chain.execute(&tracks, LOCATE_RECORD, 16, &locate_record(1, 1));
        assert_eq!(reason(outcome), INVALID_SEQUENCE);
        let mut chain = Chain::new();
        let defined = chain.execute(&tracks, DEFINE_EXTENT, 16, &read_extent().emit());
        assert_eq!((defined.ending, defined.data_bytes), (crate::Ending::Normal, 16));
        assert!(chain.execute(&tracks, LOCATE_RECORD, 16, &locate_record(1, 1)).ending.is_normal());
    }

    #[test]
    fn no_locate_record_inside_a_domain_but_again_after_it() {
        let tracks = MixedTracks::of_4k();
        let mut chain = positioned(&tracks, read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        let mut inside = chain.clone();
        let outcome = inside.execute(&tracks, LOCATE_RECORD, 16, &locate_record(1, 1));
        assert_eq!(reason(outcome), INVALID_SEQUENCE);
        assert!(chain.execute(&tracks, READ_DATA, 4096, &[]).ending.is_normal());
        assert!(chain.execute(&tracks, LOCATE_RECORD, 16, &locate_record(9, 1)).ending.is_normal());
        assert!(chain.execute(&tracks, READ_DATA, 4096, &[]).ending.is_normal());
    }

    #[test]
    fn a_chain_defines_its_extent_once() {
        let tracks = MixedTracks::of_4k();
        let mut chain = Chain::new();
        chain.execute(&tracks, DEFINE_EXTENT, 16, &read_extent().emit());
        let again = chain.clone().execute(&tracks, DEFINE_EXTENT, 16, &read_extent().emit());
        assert_eq!(reason(again), INVALID_SEQUENCE);
        let parameters = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        assert_eq!(reason(chain.execute(&tracks, PREFIX, 64, &parameters)), INVALID_SEQUENCE);
    }

    #[test]
    fn short_and_invalid_parameters_have_their_messages() {
        let good = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 1, 1));
        assert_eq!(refused(&good[..63]), UnitCheck::CommandReject(Message::CountTooSmall));
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
    fn the_sense_of_a_search_names_the_track_sought() {
        let parameters = prefix(read_extent(), locate(READ_DATA_DOMAIN, 3, 13, 1));
        let outcome = Chain::new().execute(&MixedTracks::of_4k(), PREFIX, 64, &parameters);
        assert_eq!(outcome.ending.sense().unwrap().bytes()[29..], [0, 100, 3]);
        assert_eq!(outcome.ending.device_status().0, 0x0E);
    }

    #[test]
    fn orientation_decides_which_record_comes_first() {
        let tracks = MixedTracks::of_4k().with(100, 3, &[(0, 1000), (0, 2000), (0, 3000)]);
        let first = |orientation| {
            let locate = LocateRecordExtended { orientation, ..locate(READ_DOMAIN, 3, 2, 1) };
            let mut chain = positioned(&tracks, read_extent(), locate);
            chain.execute(&tracks, READ_DATA, 4096, &[]).device_bytes
        };
        assert_eq!(first(Orientation::Count), 2000);
        assert_eq!(first(Orientation::Data), 3000);
        assert_eq!(first(Orientation::Home), 1000);
        assert_eq!(first(Orientation::Index), 1000);
    }

    #[test]
    fn writes_against_the_file_mask_are_not_permitted() {
        let write = locate(WRITE_DATA_DOMAIN, 3, 1, 1);
        assert_eq!(refused(&prefix(read_extent(), write.clone())), AGAINST_FILE_MASK);
        for mask in [FileMask(0), FileMask::UPDATE_WRITES_ONLY, FileMask::ALL_WRITES] {
            positioned(&MixedTracks::of_4k(), extent(mask), write.clone());
        }
    }

    #[test]
    fn operations_that_this_control_unit_does_not_have_are_rejected() {
        for operation in [ExtendedOperation::ReadTrackSet, ExtendedOperation::WriteFullTrack] {
            let refusal = refused_locate(|locate| locate.operation = DomainOperation::Extended(operation));
            assert_eq!(refusal, INVALID_PARAMETER);
        }
        let format_write = DomainOperation::Basic(LocateOperation::FormatWrite);
        assert_eq!(refused_locate(|locate| locate.operation = format_write), INVALID_PARAMETER);
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
        let tracks = MixedTracks::of_4k();
        let mut chain = Chain::new();
        chain.execute(&tracks, DEFINE_EXTENT, 16, &read_extent().emit());
        let parameters = locate(READ_TRACKS_DOMAIN, 3, 1, 1).emit();
        let outcome = chain.execute(&tracks, LOCATE_RECORD_EXTENDED, 20, &parameters);
        assert_eq!((outcome.ending.is_normal(), outcome.data_bytes), (true, 20));
        let outcome = chain.execute(&tracks, READ_TRACK_DATA, 65_535, &[]);
        assert_eq!(outcome.data_bytes, 49_152);
    }
}
