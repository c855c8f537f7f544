//! The reads that are timed, and the comparisons that show them to be right.

use std::time::Duration;

use halftrack_program::Device;

use super::content::{BLOCK_BYTES, is_record, tag};
use super::guest::{Guest, Program, WrongRecord};
use super::records::Record;
use crate::processor_time::thread_time;

/// Of so many reads one is compared octet by octet; of the others, the first octets are.
const COMPARED: usize = 1024;
/// Octets of a count area.
const COUNT_BYTES: usize = 8;
/// Octets of record zero, which come first in what Read Track gives.
const RECORD_ZERO_BYTES: usize = COUNT_BYTES + 8;

/// Reads `records` one after the other. Returns the processor time.
///
/// # Errors
/// Another ending than channel end and device end, or other octets.
pub fn read_records<'a, D: Device>(
    guest: &mut Guest<D>,
    program: Program,
    records: impl Iterator<Item = &'a Record>,
) -> Result<Duration, WrongRecord> {
    let began = thread_time();
    for (turn, record) in records.enumerate() {
        if turn % COMPARED == 0 {
            guest.read_and_compare(program, &record.target, record.number)?;
        } else {
            guest.read(program, &record.target, record.number)?;
        }
    }
    Ok(thread_time() - began)
}

/// Returns the octets that Read Track gives of a track of `records` records. They are count and data of all, record zero too, and
/// the end of the track.
pub const fn track_bytes(records: usize) -> usize {
    RECORD_ZERO_BYTES + records * (COUNT_BYTES + BLOCK_BYTES) + COUNT_BYTES
}

/// Reads whole tracks by Read Track, given by their first records. Returns the processor time.
///
/// # Errors
/// Another ending than channel end and device end, or other octets.
pub fn read_tracks<'a, D: Device>(
    guest: &mut Guest<D>,
    first_records: impl Iterator<Item = &'a Record>,
) -> Result<Duration, WrongRecord> {
    let first = RECORD_ZERO_BYTES + COUNT_BYTES;
    let began = thread_time();
    for record in first_records {
        guest.clear(first);
        let ended = guest.run(Program::ReadTrack, &record.target);
        let right = ended && guest.data()[first..].starts_with(&tag(record.number));
        WrongRecord::unless(right, &record.target)?;
    }
    Ok(thread_time() - began)
}

/// Compares every octet of every record: a track by Read Track, then its records one by one, in both modes in turn.
///
/// # Errors
/// Another ending than channel end and device end, or other octets.
pub fn compare_all<D: Device>(
    guest: &mut Guest<D>,
    records: &[Record],
    per_track: usize,
) -> Result<(), WrongRecord> {
    for track in records.chunks(per_track) {
        guest.clear(0);
        let ended = guest.run(Program::ReadTrack, &track[0].target);
        let given = guest.data()[RECORD_ZERO_BYTES..].chunks_exact(COUNT_BYTES + BLOCK_BYTES);
        for (record, given) in track.iter().zip(given) {
            let right = ended && is_record(record.number, &given[COUNT_BYTES..]);
            WrongRecord::unless(right, &record.target)?;
        }
        for (record, program) in track.iter().zip([Program::Read, Program::TransportRead].into_iter().cycle())
        {
            guest.read_and_compare(program, &record.target, record.number)?;
        }
    }
    Ok(())
}
