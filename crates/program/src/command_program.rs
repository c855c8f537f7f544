//! Command-mode channel programs: a shape at a place becomes CCWs.
//!
//! ```text
//! Prefix                      E7 | 86 or 85 a record, or A6 or A5 a track
//! Define Extent and Locate    63 | 47 | the same, as far as Locate Record can express it
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

/// Returns the operation of a domain of tracks.
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

/// Builds one CCW a track; `indirect` selects the addressing of the data area of so many records.
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
    // A plain Locate Record cannot express that the last track is read in part: the device would send it to its end,
    // and the count of the CCW ends the transfer.
    if let (Positioning::DefineExtentLocateRecord, Some(last)) =
        (placement.shape.positioning, ccws.last_mut())
    {
        last.flags |= CcwFlags::SUPPRESS_LENGTH.0;
    }
    Ok(ccws)
}

/// Gives each record its own data area, which is what MIDAWs are for.
fn midaws_of_records(placement: &Placement, records: u8) -> Result<Indirect, BuildError> {
    let each = Midaw::count(DATA_AREA_PAGE_OFFSET, u32::from(placement.shape.record_bytes));
    let midaws = u32::from(records) * each;
    if midaws > u32::from(MIDAW_LIST_MAXIMUM) {
        return Err(BuildError::TooManyMidaws { midaws });
    }
    Ok(Indirect::Midaws(midaws as u16))
}

/// Returns the records of a track lie one after the other.
fn idaws_of_track(placement: &Placement, records: u8) -> Result<Indirect, BuildError> {
    Ok(idaws(placement.data_bytes(records)))
}

/// Describes a data area within one page by IDAWs.
fn idaws(bytes: u16) -> Indirect {
    match IDAW_FORMAT.count(DATA_AREA_PAGE_OFFSET, u32::from(bytes)) {
        1 => Indirect::None,
        words => Indirect::Idaws(words as u16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Model;

    const START: RecordAddress = RecordAddress { cylinder: 100, head: 3, record: 5 };

    fn shape(operation: Operation, records: u16, grouping: Grouping) -> ProgramShape {
        ProgramShape { operation, record_bytes: 4096, records, grouping, positioning: Positioning::Prefix }
    }

    fn build(shape: &ProgramShape, start: &RecordAddress) -> Vec<ProgramCcw> {
        command_program(shape, start, &Geometry::of(Model::Model9)).unwrap().ccws
    }

    /// Returns the command, flags, count and indirect words of each CCW.
    fn listing(ccws: &[ProgramCcw]) -> Vec<(u8, u8, u16, Indirect)> {
        ccws.iter().map(|ccw| (ccw.command, ccw.flags, ccw.count, ccw.indirect)).collect()
    }

    #[test]
    fn a_4k_read_is_a_prefix_and_a_read_data() {
        let ccws = build(&shape(Operation::Read, 1, Grouping::Records), &START);
        assert_eq!(listing(&ccws), [(0xE7, 0x40, 64, Indirect::None), (0x86, 0x00, 4096, Indirect::None)]);
        let parameters = &ccws[0].parameters;
        assert_eq!(parameters[..12], [1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(parameters[12..28], [0x40, 0xC0, 0x10, 0, 0, 0, 0, 0x40, 0, 100, 0, 3, 0, 100, 0, 3]);
        assert_eq!(parameters[28..44], [0; 16]);
        let locate = [6, 0x80, 0, 1, 0, 100, 0, 3, 0, 100, 0, 3, 5, 77, 0x10, 0, 0, 0, 0, 0];
        assert_eq!(parameters[44..], locate);
        assert!(ccws[1].parameters.is_empty());
    }

    #[test]
    fn the_classic_form_has_three_ccws() {
        let classic = ProgramShape {
            positioning: Positioning::DefineExtentLocateRecord,
            ..shape(Operation::Read, 1, Grouping::Records)
        };
        let ccws = build(&classic, &START);
        assert_eq!(
            listing(&ccws),
            [
                (0x63, 0x40, 16, Indirect::None),
                (0x47, 0x40, 16, Indirect::None),
                (0x86, 0x00, 4096, Indirect::None)
            ]
        );
        assert_eq!(ccws[1].parameters, [6, 0x80, 0, 1, 0, 100, 0, 3, 0, 100, 0, 3, 5, 77, 0x10, 0]);
    }

    #[test]
    fn thirty_two_records_are_33_ccws_and_the_last_is_not_chained() {
        let ccws = build(&shape(Operation::Read, 32, Grouping::Records), &START);
        assert_eq!(ccws.len(), 33);
        assert!(ccws[1..32].iter().all(|ccw| (ccw.command, ccw.flags) == (0x86, 0x40)));
        assert_eq!((ccws[32].command, ccws[32].flags), (0x86, 0x00));
        assert_eq!(ccws[0].parameters[47], 32, "domain of 32 records");
        assert_eq!(ccws[0].parameters[24..28], [0, 100, 0, 5], "records 5-12, 12 and 12 more: three tracks");
    }

    #[test]
    fn by_tracks_there_is_one_ccw_a_track() {
        let ccws = build(&shape(Operation::Read, 32, Grouping::Midaw), &START);
        assert_eq!(
            listing(&ccws)[1..],
            [
                (0xA6, 0x41, 32_768, Indirect::Midaws(8)),
                (0xA6, 0x41, 49_152, Indirect::Midaws(12)),
                (0xA6, 0x01, 49_152, Indirect::Midaws(12))
            ]
        );
        let locate = &ccws[0].parameters[44..];
        assert_eq!(locate[..4], [0x0C, 0xC0, 0, 3]);
        assert_eq!(locate[14..16], 49_152_u16.to_be_bytes(), "bytes on the last track");
        let data = build(&shape(Operation::Read, 32, Grouping::TrackData), &START);
        assert_eq!(listing(&data)[1], (0xA6, 0x44, 32_768, Indirect::Idaws(8)));
        assert_eq!(data[0], ccws[0]);
    }

    #[test]
    fn the_first_record_decides_between_three_and_four_tracks() {
        let tracks = |record| {
            let start = RecordAddress { record, ..START };
            build(&shape(Operation::Read, 32, Grouping::TrackData), &start).len() - 1
        };
        let expected = [3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4];
        assert_eq!((1..=12).map(tracks).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn half_tracks() {
        let half = ProgramShape { record_bytes: 27_998, ..shape(Operation::Read, 6, Grouping::Records) };
        let start = RecordAddress { record: 1, ..START };
        let ccws = build(&half, &start);
        assert_eq!(ccws.len(), 7);
        assert_eq!(listing(&ccws)[1], (0x86, 0x44, 27_998, Indirect::Idaws(7)));
        assert_eq!(ccws[0].parameters[58..60], 27_998_u16.to_be_bytes());
        let tracks = build(&ProgramShape { grouping: Grouping::Midaw, ..half }, &start);
        assert_eq!(listing(&tracks)[1..3], [(0xA6, 0x41, 55_996, Indirect::Midaws(14)); 2]);
        assert_eq!(listing(&tracks)[3], (0xA6, 0x01, 55_996, Indirect::Midaws(14)));
    }

    #[test]
    fn update_writes() {
        let ccws = build(&shape(Operation::UpdateWrite, 2, Grouping::Records), &START);
        assert_eq!(
            listing(&ccws)[1..],
            [(0x85, 0x40, 4096, Indirect::None), (0x85, 0x00, 4096, Indirect::None)]
        );
        assert_eq!(ccws[0].parameters[12], 0x80, "update writes only");
        assert_eq!(ccws[0].parameters[44..48], [0x01, 0x80, 0, 2]);
        let tracks = build(&shape(Operation::UpdateWrite, 9, Grouping::TrackData), &START);
        assert_eq!(
            listing(&tracks)[1..],
            [(0xA5, 0x44, 32_768, Indirect::Idaws(8)), (0xA5, 0x00, 4096, Indirect::None)]
        );
        let locate = &tracks[0].parameters[44..];
        assert_eq!((locate[0], locate[1], locate[3], locate[17]), (0x3F, 0xC0, 2, 0x23));
    }

    #[test]
    fn a_plain_locate_record_reads_tracks_and_does_not_write_them() {
        let plain = |operation| ProgramShape {
            positioning: Positioning::DefineExtentLocateRecord,
            ..shape(operation, 9, Grouping::TrackData)
        };
        let ccws = build(&plain(Operation::Read), &START);
        assert_eq!(
            listing(&ccws)[2..],
            [(0xA6, 0x44, 32_768, Indirect::Idaws(8)), (0xA6, 0x20, 4096, Indirect::None)]
        );
        assert_eq!(ccws[1].parameters[..4], [0x0C, 0, 0, 2]);
        assert_eq!(ccws[1].parameters[14..], [0, 0], "no transfer-length factor");
        let error = command_program(&plain(Operation::UpdateWrite), &START, &Geometry::of(Model::Model9));
        assert!(matches!(error, Err(BuildError::NoExpression(_))));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let geometry = Geometry::of(Model::Model9);
        let error = |shape: &ProgramShape, start: &RecordAddress| {
            command_program(shape, start, &geometry).unwrap_err()
        };
        let one = shape(Operation::Read, 1, Grouping::Records);
        assert_eq!(error(&ProgramShape { records: 0, ..one }, &START), BuildError::Empty);
        assert_eq!(error(&ProgramShape { record_bytes: 0, ..one }, &START), BuildError::Empty);
        assert_eq!(
            error(&ProgramShape { record_bytes: 56_665, ..one }, &START),
            BuildError::RecordTooLong { record_bytes: 56_665 }
        );
        for start in [
            RecordAddress { record: 0, ..START },
            RecordAddress { record: 13, ..START },
            RecordAddress { head: 15, ..START },
            RecordAddress { cylinder: 10_017, ..START },
            RecordAddress { cylinder: u32::MAX, ..START },
        ] {
            assert_eq!(error(&one, &start), BuildError::NoSuchStart { start, records_per_track: 12 });
        }
        let end = RecordAddress { cylinder: 10_016, head: 14, record: 12 };
        assert_eq!(error(&ProgramShape { records: 2, ..one }, &end), BuildError::PastVolume { records: 2 });
        assert_eq!(
            error(&ProgramShape { records: 256, ..one }, &START),
            BuildError::DomainTooLong { units: 256, unit: "records" }
        );
        let long = ProgramShape { records: 12 * 256, grouping: Grouping::Midaw, ..one };
        assert_eq!(error(&long, &START), BuildError::DomainTooLong { units: 257, unit: "tracks" });
        let longest = ProgramShape { record_bytes: 1, records: u16::MAX, ..long };
        assert!(matches!(error(&longest, &START), BuildError::DomainTooLong { unit: "tracks", .. }));
    }

    #[test]
    fn every_length_that_fits_is_built() {
        for record_bytes in (1..=56_664).step_by(97).chain([56_664]) {
            let full = Geometry::of(Model::Model9).records_per_track(record_bytes, 0);
            let shape = ProgramShape {
                record_bytes,
                records: u16::from(full) + 1,
                ..shape(Operation::Read, 1, Grouping::Midaw)
            };
            let ccws = build(&shape, &RecordAddress { record: 1, ..START });
            let moved: u32 = ccws[1..].iter().map(|ccw| u32::from(ccw.count)).sum();
            assert_eq!((ccws.len(), moved), (3, shape.data_bytes()), "{record_bytes}");
        }
    }
}
