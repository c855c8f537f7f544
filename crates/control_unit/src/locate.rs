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
