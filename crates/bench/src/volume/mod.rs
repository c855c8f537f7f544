//! Channel programs between a volume and storage a second, beside copies in memory and writes of a bare file.

mod bare_writes;
mod content;
mod copying;
mod counted_medium;
mod guest;
mod image;
mod reads;
mod records;

use std::path::Path;
use std::time::{Duration, Instant};

use halftrack_volume::Mode;
use serde::Serialize;

use self::bare_writes::BareWrites;
use self::content::BLOCK_BYTES;
use self::copying::Copying;
use self::guest::Program;
use self::image::Image;
use self::reads::{compare_all, read_records, read_tracks, track_bytes};
use self::records::{Record, in_order, shuffle};
use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;

/// Rounds of everything; odd, so that one of them is the median.
const ROUNDS: u64 = 11;
/// Reads of 4 KiB for one of a whole track, which moves twelve times as much.
const READS_PER_TRACK: usize = 24;
/// Bytes of a GB.
const GB: f64 = 1e9;
/// Calls of `stage` by [`measure`].
pub const STAGES: u64 = 2 * ROUNDS + 4;
/// Shortest time that a speed is computed from, s.
const SHORTEST_S: f64 = 1e-9;

/// Sizes of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// About how many programs each of the reads makes in all.
    pub programs: u64,
    /// About how many writes are made in all.
    pub writes: u64,
    /// Data of the volume behind its first cylinder, bytes.
    pub data_bytes: u64,
}

/// Medians of the rounds, and their sizes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// Command-mode reads of one record, for each second of processor time.
    pub same_record_per_s: f64,
    /// Transport-mode reads of it.
    pub same_record_transport_per_s: f64,
    /// Command-mode reads of random records.
    pub random_1gib_per_s: f64,
    /// Transport-mode reads of them.
    pub random_1gib_transport_per_s: f64,
    /// Reads of whole tracks, 10^9 bytes a second of processor time.
    pub full_track_gb_per_s: f64,
    /// Copying of as many bytes.
    pub memcpy_gb_per_s: f64,
    /// Writes whose status was presented, for each second of wall clock.
    pub sync_write_4k_per_s: f64,
    /// Writes of the bare file for each second of wall clock.
    pub bare_sync_write_4k_per_s: f64,
    /// Bytes written for each byte of data.
    pub write_amplification: f64,
    /// Programs of each read.
    pub programs: u64,
    /// Writes.
    pub writes: u64,
    /// Rounds.
    pub rounds: u64,
    /// Bytes of data of the records read.
    pub volume_bytes: u64,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Figures of the rounds.
#[derive(Debug)]
struct Rounds(Vec<f64>);

impl Rounds {
    const NONE: Self = Self(Vec::new());

    /// Adds the speed of so much in this time.
    fn add(&mut self, amount: f64, time: Duration) {
        self.0.push(amount / time.as_secs_f64().max(SHORTEST_S));
    }

    fn median(mut self) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0.get(self.0.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Makes the volume in `directory`, by default where the system keeps temporary files, and times everything. `stage` is
/// called with the name of each stage as it begins.
///
/// # Errors
/// A directory without room; a record that was not read as it was written; files that fail.
pub fn measure(
    directory: Option<&Path>,
    sizes: &Sizes,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Figures, BenchError> {
    stage("making the volume");
    let image = Image::make(directory, sizes.data_bytes)?;
    let records = in_order(image.geometry());
    let mut figures = Figures {
        programs: sizes.programs / ROUNDS * ROUNDS,
        writes: sizes.writes / ROUNDS * ROUNDS,
        rounds: ROUNDS,
        volume_bytes: (records.len() * BLOCK_BYTES) as u64,
        calibration_ns: calibration_ns(),
        ..Figures::default()
    };
    time_reads(&image, &records, stage, &mut figures)?;
    time_writes(&image, &records, stage, &mut figures)?;
    Ok(figures)
}

/// Measures the reads, round by round in turn.
fn time_reads(
    image: &Image,
    records: &[Record],
    stage: &mut dyn FnMut(&'static str),
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let (mut guest, _) = image.guest(Mode::ReadOnly)?;
    let per_track = usize::from(image.geometry().records_per_track(BLOCK_BYTES as u16, 0));
    let track_bytes = track_bytes(per_track);
    let mut scattered = records.to_vec();
    shuffle(&mut scattered);
    let firsts: Vec<_> = records.iter().step_by(per_track).copied().collect();
    let programs = (figures.programs / ROUNDS) as usize;
    let tracks = programs / READS_PER_TRACK;
    let gigabytes = (tracks * track_bytes) as f64 / GB;
    stage("comparing all records");
    compare_all(&mut guest, records, per_track)?;
    let mut copying = Copying::new(firsts.len() * track_bytes, track_bytes);
    let [mut same, mut same_transport, mut random, mut random_transport, mut whole, mut copied] =
        [Rounds::NONE; 6];
    for round in 0..ROUNDS as usize {
        stage("reading");
        let one = || std::iter::repeat_n(&records[records.len() / 2], programs);
        same.add(programs as f64, read_records(&mut guest, Program::Read, one())?);
        same_transport.add(programs as f64, read_records(&mut guest, Program::TransportRead, one())?);
        let any = || part(&scattered, round, programs);
        random.add(programs as f64, read_records(&mut guest, Program::Read, any())?);
        random_transport.add(programs as f64, read_records(&mut guest, Program::TransportRead, any())?);
        whole.add(gigabytes, read_tracks(&mut guest, part(&firsts, round, tracks))?);
        copied.add(gigabytes, copying.copy(tracks));
    }
    stage("comparing all records");
    compare_all(&mut guest, records, per_track)?;
    figures.same_record_per_s = same.median();
    figures.same_record_transport_per_s = same_transport.median();
    figures.random_1gib_per_s = random.median();
    figures.random_1gib_transport_per_s = random_transport.median();
    figures.full_track_gb_per_s = whole.median();
    figures.memcpy_gb_per_s = copied.median();
    Ok(())
}

/// Returns the records of a round: so many, from where the round before ended.
fn part(records: &[Record], round: usize, count: usize) -> impl Iterator<Item = &Record> {
    records.iter().cycle().skip(round * count % records.len()).take(count)
}

/// Measures the writes beside those to a bare file, round by round in turn, and compares the records afterwards.
fn time_writes(
    image: &Image,
    records: &[Record],
    stage: &mut dyn FnMut(&'static str),
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let mut bare = BareWrites::new(image.file_beside()?)?;
    let (mut guest, written_bytes) = image.guest(Mode::Sync)?;
    let mut scattered = records.to_vec();
    shuffle(&mut scattered);
    let writes = (figures.writes / ROUNDS) as usize;
    let [mut ours, mut theirs, mut amplification] = [Rounds::NONE; 3];
    for round in 0..ROUNDS as usize {
        stage("writing");
        let began = Instant::now();
        for _ in 0..writes {
            bare.write()?;
        }
        theirs.add(writes as f64, began.elapsed());
        let bytes_before = written_bytes.get();
        let began = Instant::now();
        for record in part(&scattered, round, writes) {
            guest.write(&record.target, rewritten(record))?;
        }
        ours.add(writes as f64, began.elapsed());
        amplification.0.push((written_bytes.get() - bytes_before) as f64 / (writes * BLOCK_BYTES) as f64);
    }
    drop(guest);
    stage("comparing what was written");
    let (mut guest, _) = image.guest(Mode::ReadOnly)?;
    for record in scattered.iter().take(figures.writes as usize) {
        guest.read_and_compare(Program::Read, &record.target, rewritten(record))?;
    }
    figures.sync_write_4k_per_s = ours.median();
    figures.bare_sync_write_4k_per_s = theirs.median();
    figures.write_amplification = amplification.median();
    Ok(())
}

/// Returns the record whose octets are written over `record`: one that the volume does not have.
fn rewritten(record: &Record) -> u64 {
    u64::MAX - record.number
}
