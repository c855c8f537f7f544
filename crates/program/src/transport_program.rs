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

/// Returns the bytes of output: every track but the last in whole words and with its check word.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Model;
    use crate::shape::{Grouping, Positioning};

    fn build(operation: Operation, record_bytes: u16, records: u16, record: u8) -> TransportProgram {
        let shape = ProgramShape {
            operation,
            record_bytes,
            records,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let start = RecordAddress { cylinder: 100, head: 3, record };
        transport_program(&shape, &start, &Geometry::of(Model::Model9)).unwrap()
    }

    #[test]
    fn a_4k_read_to_the_octet() {
        let program = build(Operation::Read, 4096, 1, 5);
        assert_eq!(program.tcw.length_and_direction(), 0x4E);
        assert_eq!((program.tcw.input_count, program.tcw.output_count), (4096, 0));
        assert_eq!((program.tidaws, program.tcw.flags), (1, TcwFlags(0)));
        let bytes = program.tccb.emit().unwrap();
        assert_eq!(bytes.len(), 96);
        assert_eq!(bytes[..16], [0x7F, 0, 0, 0, 0, 0, 0, 84, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[16..24], [0xEA, 0, 0, 64, 0, 0, 0x10, 0]);
        assert_eq!(bytes[24..36], [1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[36..52], [0x40, 0xC0, 0x10, 0, 0, 0, 0, 0x42, 0, 100, 0, 3, 0, 100, 0, 3]);
        assert_eq!(bytes[52..68], [0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 12, 0, 0, 0, 0]);
        let locate = [0x0C, 0xE8, 0xA6, 1, 0, 100, 0, 3, 0, 100, 0, 3, 5, 77, 0x10, 0, 0, 0, 0, 0];
        assert_eq!(bytes[68..88], locate);
        assert_eq!(bytes[88..], [0, 0, 0, 0, 0, 0, 0x10, 0x04]);
    }

    #[test]
    fn thirty_two_records_in_one_dcw() {
        let program = build(Operation::Read, 4096, 32, 5);
        assert_eq!((program.input_bytes, program.tracks, program.tidaws), (131_072, 3, 32));
        assert_eq!(program.tcw.flags, TcwFlags::INPUT_TIDAWS);
        assert_eq!(program.tccb.dcws.len(), 1);
        assert_eq!(program.tccb.tcat.transport_count, 131_076);
        assert_eq!(program.tccb.dcws[0].control_data[58..60], 49_152_u16.to_be_bytes());
        assert_eq!(build(Operation::Read, 4096, 32, 6).tracks, 4);
    }

    #[test]
    fn half_tracks() {
        let program = build(Operation::Read, 27_998, 6, 1);
        assert_eq!((program.input_bytes, program.tracks, program.tidaws), (167_988, 3, 42));
        assert_eq!(program.tccb.dcws[0].control_data[58..60], 55_996_u16.to_be_bytes());
    }

    #[test]
    fn a_write_counts_a_check_word_for_each_track_crossing() {
        let program = build(Operation::UpdateWrite, 4096, 32, 5);
        assert_eq!((program.input_bytes, program.output_bytes), (0, 131_072 + 8));
        assert_eq!(program.tcw.length_and_direction(), 0x4D);
        assert_eq!(program.tcw.flags, TcwFlags::OUTPUT_TIDAWS);
        let dcw = &program.tccb.dcws[0];
        assert_eq!((dcw.command, dcw.data_count), (0xE7, 131_072));
        assert_eq!(dcw.control_data[12], 0x80);
        assert_eq!(dcw.control_data[44..48], [0x3F, 0xF0, 0xA5, 3]);
        assert_eq!(dcw.control_data[61], 0x23);
        assert_eq!(program.tccb.tcat.transport_count, 131_072 + 8 + 4);
        assert_eq!(build(Operation::UpdateWrite, 4096, 8, 5).output_bytes, 32_768);
    }

    #[test]
    fn the_data_of_a_track_are_padded_before_their_check_word() {
        let program = build(Operation::UpdateWrite, 13_681, 5, 1);
        assert_eq!(program.output_bytes, 4 * 13_681 + 4 + 13_681, "four a track: already whole words");
        let odd = build(Operation::UpdateWrite, 18_451, 4, 1);
        assert_eq!(odd.output_bytes, 3 * 18_451 + 3 + 4 + 18_451);
        assert_eq!(odd.tccb.tcat.transport_count % 4, 0);
    }

    #[test]
    fn the_length_field_says_the_area() {
        let program = build(Operation::Read, 4096, 1, 1);
        assert_eq!(usize::from(program.tcw.area_bytes()), program.tccb.area_bytes());
        assert_eq!(Tcw::parse(&program.tcw.emit()).unwrap(), program.tcw);
    }

    #[test]
    fn more_tracks_than_a_domain_counts_are_refused() {
        let shape = ProgramShape {
            operation: Operation::Read,
            record_bytes: 56_664,
            records: 256,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let start = RecordAddress { cylinder: 0, head: 0, record: 1 };
        let error = transport_program(&shape, &start, &Geometry::of(Model::Model9)).unwrap_err();
        assert_eq!(error, BuildError::DomainTooLong { units: 256, unit: "tracks" });
        let most = ProgramShape { records: 255, ..shape };
        let program = transport_program(&most, &start, &Geometry::of(Model::Model9)).unwrap();
        assert_eq!(program.tidaws, 255 * 14 + 13, "3570 pieces and a jump at each page of the list");
    }
}
