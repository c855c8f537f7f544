//! `program` and `write_program` of a stream: the shape of its channel programs.

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};

/// Bytes of the block that is called 4K.
const FOUR_K_BYTES: u16 = 4096;
/// Bytes of the block that papers call 27K: 27 x 1024, a little less than a half track.
const TWENTY_SEVEN_K_BYTES: u16 = 27_648;
/// Bytes of the largest record of which two fit on a 3390 track.
const HALF_TRACK_BYTES: u16 = 27_998;
/// Most records of one program.
pub const RECORDS_MAX: u16 = 4096;

/// Reads the table at hand as the shape of programs that do `operation`.
pub(super) fn read_program(fields: &mut Fields<'_>, operation: Operation) -> Option<Located<ProgramShape>> {
    let records = fields.or("records", Expect::integer(1..=RECORDS_MAX), 1);
    let bytes = fields.optional("record_bytes", Expect::integer(1..=u16::MAX));
    let blocks = [("4K", FOUR_K_BYTES), ("27K", TWENTY_SEVEN_K_BYTES), ("half-track", HALF_TRACK_BYTES)];
    let block = fields.optional("block", Expect::one_of(blocks));
    let grouping = fields.or(
        "grouping",
        Expect::one_of([
            ("records", Grouping::Records),
            ("midaw", Grouping::Midaw),
            ("track-data", Grouping::TrackData),
        ]),
        Grouping::Records,
    );
    let positioning = fields.or(
        "positioning",
        Expect::one_of([
            ("prefix", Positioning::Prefix),
            ("define-extent", Positioning::DefineExtentLocateRecord),
        ]),
        Positioning::Prefix,
    );
    if fields.has("record_bytes") == fields.has("block") {
        let message = format!("{} needs exactly one of `record_bytes` and `block`", fields.name());
        let fix = "give `block = \"4K\"`, `\"27K\"` or `\"half-track\"`, or `record_bytes = ...`";
        fields.error(numbers::CHOOSE_ONE, fields.span(), message, fix);
        return None;
    }
    let record_bytes = bytes.or(block)?.value;
    let shape = ProgramShape { operation, record_bytes, records, grouping, positioning };
    Some(Located::new(shape, fields.span()))
}
