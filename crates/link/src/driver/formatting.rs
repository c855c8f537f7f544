//! Formatting: every track of the streams' regions is laid out anew by channel programs, and its records get what no
//! write has put there yet.

use std::collections::VecDeque;
use std::sync::Arc;

use halftrack_base::Time;
use halftrack_exchange::program::{ChainCommand, CommandChain, ProgramError};
use halftrack_exchange::{ChannelOutcome, ExchangeEnd, Program};
use halftrack_program::command::{DEFINE_EXTENT, LOCATE_RECORD, WRITE_COUNT_KEY_AND_DATA};
use halftrack_program::{
    DefineExtent, ExtendedAttributes, FileMask, Geometry, GlobalAttributes, LocateAuxiliary, LocateOperation,
    LocateRecord, NO_SECTOR, Orientation, Target,
};
use halftrack_wire::{ChainFlags, IuData};
use halftrack_workload::{Pattern, RecordId, UNWRITTEN};
use thiserror::Error;

use super::block_program::block_program;
use super::io_driver::IoDriver;
use super::io_driver::conditions::condition_of;
use super::paths::ChannelPaths;
use super::region::{Place, Region};
use super::volume_size::{BLOCK_BYTES, VolumeSize, first_block};

/// Octets of a count area.
const COUNT_AREA_BYTES: usize = 8;
/// Attempts for a track: as many as a start has.
const ATTEMPTS_MAX: u8 = 16;

/// Why formatting stopped.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("formatting unit {unit:02X} track {track}: {why}")]
pub struct FormatError {
    /// Unit address of the volume.
    pub unit: u8,
    /// Number of the track.
    pub track: u32,
    /// Error.
    pub why: String,
}

/// A volume that is formatted.
#[derive(Debug)]
struct Work {
    unit: u8,
    volume: u64,
    size: VolumeSize,
    tracks: VecDeque<(Region, u32)>,
    /// The track under way, and the attempt.
    current: Option<(Region, u32, u8)>,
    open: bool,
}

/// Formats all regions of a driver's streams, every volume one track at a time.
#[derive(Debug)]
pub struct Formatting {
    pattern: Pattern,
    work: Vec<Work>,
    next_path: u8,
    done: u64,
    total: u64,
}

impl Formatting {
    /// Returns the regions of the streams of `driver`, with the pattern of `seed`.
    pub fn new(driver: &mut IoDriver, seed: u64) -> Self {
        let work: Vec<_> = driver
            .regions()
            .into_iter()
            .map(|(unit, volume, size, regions)| Work {
                unit,
                volume,
                size,
                tracks: regions
                    .into_iter()
                    .flat_map(|region| (region.first_track..region.end()).map(move |track| (region, track)))
                    .collect(),
                current: None,
                open: false,
            })
            .collect();
        let total = work.iter().map(|work| work.tracks.len() as u64).sum();
        Self { pattern: Pattern::new(seed), work, next_path: 0, done: 0, total }
    }

    /// Returns the tracks formatted, and all.
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.total)
    }

    /// Returns whether every track is formatted.
    pub fn is_done(&self) -> bool {
        self.done == self.total
    }

    /// Starts what can be started over `paths` paths; true when there was anything.
    ///
    /// # Errors
    /// A track that has no channel program.
    pub fn work(&mut self, now: Time, count: u8, paths: &mut impl ChannelPaths) -> Result<bool, FormatError> {
        let mut worked = false;
        for tag in 0..self.work.len() {
            let work = &mut self.work[tag];
            if work.open {
                continue;
            }
            if work.current.is_none() {
                work.current = work.tracks.pop_front().map(|(region, track)| (region, track, 0));
            }
            let Some((region, track, _)) = work.current else { continue };
            let program = match &work.size {
                VolumeSize::Tracks(geometry) => {
                    format_track(&self.pattern, (work.volume, geometry), &region, track)
                }
                VolumeSize::Blocks(_) => format_blocks(&self.pattern, work.volume, &region, track),
            };
            let program =
                program.map_err(|error| FormatError { unit: work.unit, track, why: error.to_string() })?;
            for _ in 0..count {
                let path = self.next_path % count;
                self.next_path = self.next_path.wrapping_add(1);
                if paths.start(now, path, work.unit, &program, tag as u32).is_some() {
                    work.open = true;
                    worked = true;
                    break;
                }
            }
        }
        Ok(worked)
    }

    /// Returns an exchange ended.
    ///
    /// # Errors
    /// A track that cannot be formatted.
    pub fn handle_end(&mut self, end: &ExchangeEnd) -> Result<(), FormatError> {
        let Some(work) = self.work.get_mut(end.tag as usize) else { return Ok(()) };
        let Some((_, track, attempts)) = &mut work.current else { return Ok(()) };
        work.open = false;
        if condition_of(&end.outcome).is_some() {
            return Ok(());
        }
        *attempts += 1;
        let normal = matches!(
            end.outcome,
            ChannelOutcome::Ended { device_status: 0x0C, residual: 0, incorrect_length: false, .. }
        );
        let again = matches!(end.outcome, ChannelOutcome::Busy(_) | ChannelOutcome::InterfaceControlCheck(_));
        if normal {
            work.current = None;
            self.done += 1;
        } else if !again || *attempts >= ATTEMPTS_MAX {
            return Err(FormatError { unit: work.unit, track: *track, why: format!("{:?}", end.outcome) });
        }
        Ok(())
    }
}

/// Returns the write of the blocks of a record.
fn format_blocks(
    pattern: &Pattern,
    volume: u64,
    region: &Region,
    track: u32,
) -> Result<Program, ProgramError> {
    let mut octets = Vec::with_capacity(usize::from(region.record_bytes));
    pattern.append(RecordId { volume, track, record: 1 }, UNWRITTEN, region.record_bytes, &mut octets);
    let first = first_block(Place { track, record: 1 }, region.record_bytes);
    let blocks = (u32::from(region.record_bytes) / BLOCK_BYTES) as u16;
    block_program(first, blocks, Some(IuData::Bytes(octets)))
}

/// Returns the define Extent, Locate Record, and one Write Count, Key and Data for each record.
fn format_track(
    pattern: &Pattern,
    (volume, geometry): (u64, &Geometry),
    region: &Region,
    track: u32,
) -> Result<Program, ProgramError> {
    let address = Place { track, record: 0 }.track_address(geometry);
    let extent = DefineExtent {
        mask: FileMask::ALL_WRITES,
        attributes: GlobalAttributes::ECKD,
        block_size_bytes: region.record_bytes,
        fast_write_id: 0,
        extended_attributes: ExtendedAttributes::REGULAR_DATA_FORMAT,
        begin: address,
        end: address,
        extension: None,
    };
    let locate = LocateRecord {
        orientation: Orientation::Count,
        operation: LocateOperation::FormatWrite,
        auxiliary: LocateAuxiliary(0),
        count: region.records_per_track,
        target: Target { seek: address, search: address, record: 0, sector: NO_SECTOR },
        transfer_length_bytes: 0,
    };
    let command = |command, output: Vec<u8>| ChainCommand {
        command,
        flags: ChainFlags::CC,
        count: output.len() as u16,
        output: IuData::Bytes(output),
    };
    let mut commands =
        vec![command(DEFINE_EXTENT, extent.emit().to_vec()), command(LOCATE_RECORD, locate.emit().to_vec())];
    for record in 1..=region.records_per_track {
        let mut octets = Vec::with_capacity(COUNT_AREA_BYTES + usize::from(region.record_bytes));
        octets.extend_from_slice(&address.to_cchh());
        octets.extend_from_slice(&[record, 0]);
        octets.extend_from_slice(&region.record_bytes.to_be_bytes());
        pattern.append(RecordId { volume, track, record }, UNWRITTEN, region.record_bytes, &mut octets);
        commands.push(command(WRITE_COUNT_KEY_AND_DATA, octets));
    }
    if let Some(last) = commands.last_mut() {
        last.flags = ChainFlags::default();
    }
    Ok(Program::Command(Arc::new(CommandChain::new(commands)?)))
}
