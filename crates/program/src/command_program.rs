//! Command-mode channel programs: a shape at a place becomes CCWs.
//!
//! ```text
//! Prefix                      E7 | 86 or 85 a record, or A6 or A5 a track
//! Define Extent and Locate    63 | 47 | the same, as far as Locate Record can say it
//! ```

use crate::address::RecordAddress;
use crate::build_error::BuildError;
use crate::ccw::CcwFlags;
use crate::command::{
    DEFINE_EXTENT, LOCATE_RECORD, PREFIX, READ_DATA, READ_TRACK_DATA, WRITE_DATA, WRITE_TRACK_DATA,
    multi_track,
};
use crate::geometry::Geometry;
use crate::idaw::IdawFormat;
use crate::locate_record::{LocateAuxiliary, LocateOperation, LocateRecord, Orientation};
use crate::locate_record_extended::{
    DomainOperation, ExtendedAuxiliary, ExtendedOperation, LocateRecordExtended,
};
use crate::midaw::{MIDAW_LIST_MAXIMUM, Midaw};
use crate::placement::Placement;
use crate::prefix::{Prefix, PrefixAuxiliary, PrefixValidity};
use crate::shape::{Grouping, Operation, Positioning, ProgramShape};

/// Address modulo 4096 at which every data area is taken to begin when indirect words are counted. Which
/// storage a program's user gives is not known from the shape; our choice is whole pages.
pub(crate) const DATA_AREA_PAGE_OFFSET: u64 = 0;
/// IDAWs of the programs built.
const IDAW_FORMAT: IdawFormat = IdawFormat::TwoWith4K;

/// How the data area of a CCW is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Indirect {
    /// Directly.
    None,
    /// By a list of this many IDAWs.
    Idaws(u16),
    /// By a list of this many MIDAWs.
    Midaws(u16),
}

impl Indirect {
    fn flag(self) -> CcwFlags {
        match self {
            Self::None => CcwFlags(0),
            Self::Idaws(_) => CcwFlags::INDIRECT,
            Self::Midaws(_) => CcwFlags::MODIFIED_INDIRECT,
        }
    }
}

/// One CCW of a program, its storage address left open.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProgramCcw {
    /// Command code.
    pub command: u8,
    /// CCW flags, see [`CcwFlags`].
    pub flags: u8,
    /// Count in bytes.
    pub count: u16,
    /// Parameters of a control command; empty for a data transfer.
    pub parameters: Vec<u8>,
    /// How the data area is addressed.
    pub indirect: Indirect,
}

/// A command-mode channel program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommandProgram {
    /// The CCWs, in order, chained by command chaining.
    pub ccws: Vec<ProgramCcw>,
}

/// Builds the command-mode program of `shape` whose first record is `start`.
///
/// # Errors
/// [`BuildError`]: nothing to move; records that do not fit a track or the volume; a domain count or MIDAW
/// list that is too long; or a combination without an expression (update writes of tracks after a plain
/// Locate Record).
pub fn command_program(
    shape: &ProgramShape,
    start: &RecordAddress,
    geometry: &Geometry,
) -> Result<CommandProgram, BuildError> {
    let placement = Placement::new(shape, start, geometry)?;
    let mut ccws = match shape.positioning {
        Positioning::Prefix => vec![prefix_ccw(&placement)?],
        Positioning::DefineExtentLocateRecord => plain_positioning(&placement)?.into(),
    };
    let data = match shape.grouping {
        Grouping::Records => record_ccws(&placement),
        Grouping::Midaw => track_ccws(&placement, midaws_of_records)?,
        Grouping::TrackData => track_ccws(&placement, idaws_of_track)?,
    };
    ccws.extend(data);
    let last = ccws.len() - 1;
    for ccw in &mut ccws[..last] {
        ccw.flags |= CcwFlags::CHAIN_COMMAND.0;
    }
    Ok(CommandProgram { ccws })
}

fn control(command: u8, parameters: Vec<u8>) -> ProgramCcw {
    ProgramCcw { command, flags: 0, count: parameters.len() as u16, parameters, indirect: Indirect::None }
}

fn transfer(command: u8, count: u16, indirect: Indirect) -> ProgramCcw {
    ProgramCcw { command, flags: indirect.flag().0, count, parameters: Vec::new(), indirect }
}

fn prefix_ccw(placement: &Placement) -> Result<ProgramCcw, BuildError> {
    let locate_record = extended_locate(placement)?;
    let prefix = Prefix {
        validity: PrefixValidity::DEFINE_EXTENT,
        base_address: 0,
        auxiliary: PrefixAuxiliary(0),
        base_lcu: 0,
        define_extent: Some(placement.define_extent()),
        locate_record: Some(locate_record),
    };
    Ok(control(PREFIX, prefix.emit()))
}

fn extended_locate(placement: &Placement) -> Result<LocateRecordExtended, BuildError> {
    let shape = &placement.shape;
    let (operation, auxiliary, count, transfer_length_bytes) = match (shape.grouping, shape.operation) {
        (Grouping::Records, operation) => (
            DomainOperation::Basic(record_operation(operation)),
            ExtendedAuxiliary::TRANSFER_LENGTH_VALID,
            placement.domain_count(shape.records, "records")?,
            shape.record_bytes,
        ),
        (Grouping::Midaw | Grouping::TrackData, operation) => (
            track_operation(operation),
            ExtendedAuxiliary::TRANSFER_LENGTH_VALID | ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK,
            placement.domain_count(placement.tracks, "tracks")?,
            placement.last_track_bytes(),
        ),
    };
    Ok(LocateRecordExtended {
        orientation: Orientation::Count,
        operation,
        auxiliary,
        imbedded_command: 0,
        count,
        target: placement.target(),
        transfer_length_bytes,
        imbedded_count: 0,
        extended_parameters: Vec::new(),
    })
}

fn record_operation(operation: Operation) -> LocateOperation {
    match operation {
        Operation::Read => LocateOperation::ReadData,
        Operation::UpdateWrite => LocateOperation::WriteData,
    }
}

/// The operation of a domain of tracks.
pub(crate) fn track_operation(operation: Operation) -> DomainOperation {
    match operation {
        Operation::Read => DomainOperation::Basic(LocateOperation::ReadTracks),
        Operation::UpdateWrite => DomainOperation::Extended(ExtendedOperation::WriteTrackData),
    }
}

fn plain_positioning(placement: &Placement) -> Result<[ProgramCcw; 2], BuildError> {
    let shape = &placement.shape;
    let (operation, auxiliary, count, transfer_length_bytes) = match (shape.grouping, shape.operation) {
        (Grouping::Records, operation) => (
            record_operation(operation),
            LocateAuxiliary::TRANSFER_LENGTH_VALID,
            placement.domain_count(shape.records, "records")?,
            shape.record_bytes,
        ),
        (Grouping::Midaw | Grouping::TrackData, Operation::Read) => (
            LocateOperation::ReadTracks,
            LocateAuxiliary(0),
            placement.domain_count(placement.tracks, "tracks")?,
            0,
        ),
        (Grouping::Midaw | Grouping::TrackData, Operation::UpdateWrite) => {
            return Err(BuildError::NoExpression(
                "update writes of tracks need extended operation 23, which Locate Record (47) does not have; \
                 position by Prefix",
            ));
        }
    };
    let locate = LocateRecord {
        orientation: Orientation::Count,
        operation,
        auxiliary,
        count,
        target: placement.target(),
        transfer_length_bytes,
    };
    Ok([
        control(DEFINE_EXTENT, placement.define_extent().emit()),
        control(LOCATE_RECORD, locate.emit().to_vec()),
    ])
}

fn record_ccws(placement: &Placement) -> Vec<ProgramCcw> {
    let shape = &placement.shape;
    let command = match shape.operation {
        Operation::Read => multi_track(READ_DATA),
        Operation::UpdateWrite => multi_track(WRITE_DATA),
    };
    let ccw = transfer(command, shape.record_bytes, idaws(shape.record_bytes));
    vec![ccw; usize::from(shape.records)]
}

/// One CCW a track; `indirect` tells how the data area of so many records is addressed.
fn track_ccws(
    placement: &Placement,
    indirect: fn(&Placement, u8) -> Result<Indirect, BuildError>,
) -> Result<Vec<ProgramCcw>, BuildError> {
    let command = match placement.shape.operation {
        Operation::Read => READ_TRACK_DATA,
        Operation::UpdateWrite => WRITE_TRACK_DATA,
    };
    let mut ccws = placement
        .records_by_track()
        .map(|records| Ok(transfer(command, placement.data_bytes(records), indirect(placement, records)?)))
        .collect::<Result<Vec<_>, BuildError>>()?;
    // A plain Locate Record cannot say that the last track is read in part: the device would send it to its
    // end, and the count of the CCW ends the transfer.
    if let (Positioning::DefineExtentLocateRecord, Some(last)) =
        (placement.shape.positioning, ccws.last_mut())
    {
        last.flags |= CcwFlags::SUPPRESS_LENGTH.0;
    }
    Ok(ccws)
}

/// Each record has its own data area, which is what MIDAWs are for.
fn midaws_of_records(placement: &Placement, records: u8) -> Result<Indirect, BuildError> {
    let each = Midaw::count(DATA_AREA_PAGE_OFFSET, u32::from(placement.shape.record_bytes));
    let midaws = u32::from(records) * each;
    if midaws > u32::from(MIDAW_LIST_MAXIMUM) {
        return Err(BuildError::TooManyMidaws { midaws });
    }
    Ok(Indirect::Midaws(midaws as u16))
}

/// The records of a track lie one after the other.
fn idaws_of_track(placement: &Placement, records: u8) -> Result<Indirect, BuildError> {
    Ok(idaws(placement.data_bytes(records)))
}

/// A data area within one page is addressed directly.
fn idaws(bytes: u16) -> Indirect {
    match IDAW_FORMAT.count(DATA_AREA_PAGE_OFFSET, u32::from(bytes)) {
        1 => Indirect::None,
        words => Indirect::Idaws(words as u16),
    }
}
