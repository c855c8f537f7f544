//! Transport-mode channel programs: a shape at a place becomes one TCW and one TCCB with one DCW.
//!
//! A read is a Prefix Read (EA) that carries the Prefix and imbeds Read Track Data; a write is a Prefix (E7)
//! that imbeds Write Track Data, with a check word inserted at the end of every track but the last.

use crate::address::RecordAddress;
use crate::build_error::BuildError;
use crate::command::{PREFIX, PREFIX_READ, READ_TRACK_DATA, WRITE_TRACK_DATA};
use crate::command_program::{DATA_AREA_PAGE_OFFSET, track_operation};
use crate::dcw::Dcw;
use crate::geometry::Geometry;
use crate::locate_record::Orientation;
use crate::locate_record_extended::{ExtendedAuxiliary, LocateRecordExtended};
use crate::placement::Placement;
use crate::prefix::{Prefix, PrefixAuxiliary, PrefixValidity};
use crate::shape::{Operation, ProgramShape};
use crate::tccb::{ServiceAction, Tcat, Tccb, transport_count, with_check_word};
use crate::tcw::{Tcw, TcwFlags, Transfer};
use crate::tidaw::Tidaw;

/// A transport-mode channel program, its storage addresses left open (zero).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TransportProgram {
    /// The transport-control word.
    pub tcw: Tcw,
    /// The transport-command-control block.
    pub tccb: Tccb,
    /// Bytes of input; 0 for a write.
    pub input_bytes: u32,
    /// Bytes of output, inserted check words and their padding included; 0 for a read.
    pub output_bytes: u32,
    /// Entries of the TIDAW list, transfers in channel included.
    pub tidaws: u16,
    /// Tracks touched.
    pub tracks: u16,
}

/// Builds the transport-mode program of `shape` whose first record is `start`. Grouping and positioning of
/// the shape are ignored.
///
/// # Errors
/// [`BuildError`]: nothing to move; records that do not fit a track or the volume; more than 255 tracks.
pub fn transport_program(
    shape: &ProgramShape,
    start: &RecordAddress,
    geometry: &Geometry,
) -> Result<TransportProgram, BuildError> {
    let placement = Placement::new(shape, start, geometry)?;
    let (command, transfer, tidaw_flag) = match shape.operation {
        Operation::Read => (PREFIX_READ, Transfer::Read, TcwFlags::INPUT_TIDAWS),
        Operation::UpdateWrite => (PREFIX, Transfer::Write, TcwFlags::OUTPUT_TIDAWS),
    };
    let dcw = Dcw { command, control_data: prefix(&placement)?.emit(), data_count: shape.data_bytes() };
    let (input_bytes, output_bytes) = match shape.operation {
        Operation::Read => (shape.data_bytes(), 0),
        Operation::UpdateWrite => (0, output_bytes(&placement)),
    };
    let tccb = Tccb {
        action: ServiceAction::Normal,
        priority: 0,
        dcws: vec![dcw],
        tcat: Tcat { transport_count: transport_count(input_bytes + output_bytes), ..Tcat::default() },
    };
    // Each record has its own data area of whole pages, so no TIDAW spans two tracks.
    let pieces =
        u32::from(shape.records) * Tidaw::count(DATA_AREA_PAGE_OFFSET, u32::from(shape.record_bytes));
    let tidaws = Tidaw::list_entries(pieces) as u16;
    let tcw = Tcw {
        flags: if tidaws == 1 { TcwFlags(0) } else { tidaw_flag },
        tccb_length: (tccb.area_bytes() + 4) as u8,
        transfer,
        output_address: 0,
        input_address: 0,
        tsb_address: 0,
        tccb_address: 0,
        output_count: output_bytes,
        input_count: input_bytes,
        interrogate_address: 0,
    };
    Ok(TransportProgram { tcw, tccb, input_bytes, output_bytes, tidaws, tracks: placement.tracks })
}

/// Bytes of output: every track but the last in whole words and with its check word.
fn output_bytes(placement: &Placement) -> u32 {
    let last = u32::from(placement.last_track_bytes());
    let before = usize::from(placement.tracks) - 1;
    placement
        .records_by_track()
        .take(before)
        .map(|records| with_check_word(u32::from(placement.data_bytes(records))))
        .sum::<u32>()
        + last
}

fn prefix(placement: &Placement) -> Result<Prefix, BuildError> {
    let (imbedded_command, check_bytes) = match placement.shape.operation {
        Operation::Read => (READ_TRACK_DATA, ExtendedAuxiliary::CHECK_BYTES_AT_END),
        Operation::UpdateWrite => (WRITE_TRACK_DATA, ExtendedAuxiliary::CHECK_BYTES_EACH_TRACK),
    };
    let locate_record = LocateRecordExtended {
        orientation: Orientation::Count,
        operation: track_operation(placement.shape.operation),
        auxiliary: ExtendedAuxiliary::TRANSFER_LENGTH_VALID
            | ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK
            | ExtendedAuxiliary::IMBEDDED_COMMAND_VALID
            | check_bytes,
        imbedded_command,
        count: placement.domain_count(placement.tracks, "tracks")?,
        target: placement.target(),
        transfer_length_bytes: placement.last_track_bytes(),
        imbedded_count: 0,
        extended_parameters: Vec::new(),
    };
    Ok(Prefix {
        validity: PrefixValidity::DEFINE_EXTENT,
        base_address: 0,
        auxiliary: PrefixAuxiliary(0),
        base_lcu: 0,
        define_extent: Some(placement.define_extent_with_records()),
        locate_record: Some(locate_record),
    })
}
