//! LOG SENSE: pages of counts and of space (SPC-4, 7.3; SBC-3, 6.3).

use crate::command::PageSelection;
use crate::logical_blocks::Space;
use crate::response::Refusal;
use crate::sense::Sense;
use crate::statistics::Statistics;

/// Pages: their list, logical block provisioning, statistics, informational exceptions.
const LIST: u8 = 0x00;
const PROVISIONING: u8 = 0x0C;
const STATISTICS: u8 = 0x19;
const EXCEPTIONS: u8 = 0x2F;
/// Control byte of a parameter that is a binary list.
const BINARY_LIST: u8 = 0x03;
/// Picoseconds in the interval of the statistics: a microsecond, 10 to the power of minus 6 seconds.
const INTERVAL_PS: u64 = 1_000_000;
const INTERVAL_EXPONENT: u32 = 6;

/// Returns the data of LOG SENSE; thin units have `space`.
pub(crate) fn page(
    selection: PageSelection,
    statistics: Statistics,
    space: Option<Space>,
) -> Result<Vec<u8>, Refusal> {
    // Cumulative values, and their defaults; there are no thresholds.
    let statistics = match selection.control {
        1 => statistics,
        3 => Statistics::default(),
        _ => return Err(Sense::of_cdb_byte(2).into()),
    };
    if selection.subpage != 0 {
        return Err(Sense::of_cdb_byte(3).into());
    }
    let body = match (selection.page, space) {
        (LIST, None) => vec![LIST, STATISTICS, EXCEPTIONS],
        (LIST, Some(_)) => vec![LIST, PROVISIONING, STATISTICS, EXCEPTIONS],
        (PROVISIONING, Some(space)) => provisioning(space),
        (STATISTICS, _) => counts(statistics),
        (EXCEPTIONS, _) => parameter(0, &[0, 0, 0xFF, 0]),
        _ => return Err(Sense::of_cdb_byte(2).into()),
    };
    let mut data = vec![selection.page, 0];
    data.extend((body.len() as u16).to_be_bytes());
    data.extend(body);
    Ok(data)
}

fn parameter(code: u16, value: &[u8]) -> Vec<u8> {
    let mut parameter = code.to_be_bytes().to_vec();
    parameter.extend([BINARY_LIST, value.len() as u8]);
    parameter.extend(value);
    parameter
}

/// Returns available and used space, in single blocks as the threshold exponent of page B2 has it.
fn provisioning(space: Space) -> Vec<u8> {
    let resource = |code, blocks: u64| {
        let [a, b, c, d] = u32::try_from(blocks).unwrap_or(u32::MAX).to_be_bytes();
        parameter(code, &[a, b, c, d, 1, 0, 0, 0])
    };
    [resource(1, space.available), resource(2, space.used)].concat()
}

fn counts(statistics: Statistics) -> Vec<u8> {
    let Statistics { reads, writes } = statistics;
    let intervals = |ps: u64| ps / INTERVAL_PS;
    let values = [
        reads.commands,
        writes.commands,
        writes.blocks,
        reads.blocks,
        intervals(reads.time.as_ps()),
        intervals(writes.time.as_ps()),
        0,
        0,
    ];
    let interval = [INTERVAL_EXPONENT.to_be_bytes(), 1_u32.to_be_bytes()].concat();
    [parameter(1, &values.map(u64::to_be_bytes).concat()), parameter(3, &interval)].concat()
}
