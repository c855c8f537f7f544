//! `halftrack bench volume`: how many channel programs a second move data between a volume and storage.

mod bare_writes;
mod content;
mod copying;
mod counted_medium;
mod guest;
mod image;
mod reads;
mod records;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_volume::Mode;
use serde::Serialize;

use self::bare_writes::BareWrites;
use self::content::BLOCK_BYTES;
use self::copying::Copying;
use self::guest::Program;
use self::image::Image;
use self::reads::{compare_all, read_records, read_tracks, track_bytes};
use self::records::{Record, in_order, shuffle};
use super::stages::Stages;
use super::table;
use crate::calibration::calibration_ns;
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack bench volume --help`.
pub const EXAMPLES: &str = "\
A 3390 volume is made in a directory of its own, every track full of twelve 4 KiB records, no two
alike. A program goes from an ORB in storage by start subchannel, the interpreter, the control unit
and the track in memory to the octets in storage, and by test subchannel to an interruption-response
block in storage. Each speed is the median of rounds in turn, for each second of processor time:
  same_record_per_s            Define Extent, Locate Record, Read Data of one record, 4 KiB
  same_record_transport_per_s  the same record by one DCW of transport mode
  random_1gib_per_s            Define Extent, Locate Record, Read Data; every record of the volume
                               once, in an order without order, and again
  random_1gib_transport_per_s  the same in transport mode
  full_track_gb_per_s          Read Track, the tracks one after the other, in 10^9 bytes
  memcpy_gb_per_s              as many bytes copied from memory as large as the volume, in pieces
                               as long as a track
Writes are made safe before their status is presented, and timed by the wall clock, in turn with
a bare file of 64 MiB that is written over in the same directory:
  sync_write_4k_per_s          Define Extent, Locate Record, Write Data of random records
  bare_sync_write_4k_per_s     pwrite of 4 KiB and fdatasync
  write_amplification          bytes written to journal and image for each byte of data
All records are compared octet by octet before and after the timed reads, one of 1,024 within; the
others by their first eight octets. What was written is compared after the volume was opened anew.

Examples:
  halftrack bench volume
  halftrack bench volume --json --directory /var/tmp
  halftrack bench volume --size-mib 64 --programs 100000

Exit codes: 0 fine, 1 a record was not read as it was written or the system failed, 2 bad input.";

/// Rounds of everything; odd, so that one of them is the median.
const ROUNDS: u64 = 11;
/// Reads of 4 KiB for one of a whole track, which moves twelve times as much.
const READS_PER_TRACK: usize = 24;
/// Bytes of a MiB and of a GB.
const MIB: u64 = 1 << 20;
const GB: f64 = 1e9;
/// Shortest time that a speed is computed from, s.
const SHORTEST_S: f64 = 1e-9;

/// Arguments of `halftrack bench volume`.
#[derive(Debug, Args)]
pub struct VolumeArguments {
    /// About how many programs each of the reads makes in all
    #[arg(long, value_name = "N", default_value_t = 3_300_000,
          value_parser = RangedU64ValueParser::<u64>::new().range(1_000..=100_000_000_000))]
    programs: u64,
    /// How many writes are made in all
    #[arg(long, value_name = "N", default_value_t = 1_100,
          value_parser = RangedU64ValueParser::<u64>::new().range(11..=10_000_000))]
    writes: u64,
    /// Data of the volume behind its first cylinder, MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024,
          value_parser = RangedU64ValueParser::<u64>::new().range(1..=40_960))]
    size_mib: u64,
    /// Where the volume is made; by default where the system keeps temporary files
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What is printed.
#[derive(Debug, Default, Serialize)]
struct Figures {
    /// Command-mode reads of one record, for each second of processor time.
    same_record_per_s: f64,
    /// Transport-mode reads of it.
    same_record_transport_per_s: f64,
    /// Command-mode reads of random records.
    random_1gib_per_s: f64,
    /// Transport-mode reads of them.
    random_1gib_transport_per_s: f64,
    /// Reads of whole tracks, 10^9 bytes a second of processor time.
    full_track_gb_per_s: f64,
    /// Copying of as many bytes.
    memcpy_gb_per_s: f64,
    /// Writes whose status was presented, for each second of wall clock.
    sync_write_4k_per_s: f64,
    /// The same of the bare file.
    bare_sync_write_4k_per_s: f64,
    /// Bytes written for each byte of data.
    write_amplification: f64,
    /// Programs of each read.
    programs: u64,
    /// Writes.
    writes: u64,
    /// Rounds.
    rounds: u64,
    /// Bytes of data of the records read.
    volume_bytes: u64,
    /// Time of the fixed arithmetic loop, ns.
    calibration_ns: u64,
}

/// What the rounds gave.
#[derive(Debug)]
struct Rounds(Vec<f64>);

impl Rounds {
    const NONE: Self = Self(Vec::new());

    /// A speed: so much in this time.
    fn add(&mut self, amount: f64, time: Duration) {
        self.0.push(amount / time.as_secs_f64().max(SHORTEST_S));
    }

    fn median(mut self) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0.get(self.0.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Makes the volume, times everything and prints how fast it was.
///
/// # Errors
/// A directory without room; a record that was not read as it was written; files or standard output that fail.
pub fn bench(arguments: &VolumeArguments) -> Result<bool, Failure> {
    let stages = Stages::new(2 * ROUNDS + 4);
    stages.next("making the volume");
    let image = Image::make(arguments.directory.as_deref(), arguments.size_mib * MIB)?;
    let records = in_order(image.geometry());
    let mut figures = Figures {
        programs: arguments.programs / ROUNDS * ROUNDS,
        writes: arguments.writes / ROUNDS * ROUNDS,
        rounds: ROUNDS,
        volume_bytes: (records.len() * BLOCK_BYTES) as u64,
        calibration_ns: calibration_ns(),
        ..Figures::default()
    };
    time_reads(&image, &records, &stages, &mut figures)?;
    time_writes(&image, &records, &stages, &mut figures)?;
    drop(stages);
    print(&if arguments.json { figures.to_json() } else { figures.to_table() })?;
    Ok(true)
}

/// Times the reads, round by round in turn.
fn time_reads(
    image: &Image,
    records: &[Record],
    stages: &Stages,
    figures: &mut Figures,
) -> Result<(), Failure> {
    let (mut guest, _) = image.guest(Mode::ReadOnly)?;
    let per_track = usize::from(image.geometry().records_per_track(BLOCK_BYTES as u16, 0));
    let track_bytes = track_bytes(per_track);
    let mut scattered = records.to_vec();
    shuffle(&mut scattered);
    let firsts: Vec<_> = records.iter().step_by(per_track).copied().collect();
    let programs = (figures.programs / ROUNDS) as usize;
    let tracks = programs / READS_PER_TRACK;
    let gigabytes = (tracks * track_bytes) as f64 / GB;
    stages.next("comparing all records");
    compare_all(&mut guest, records, per_track)?;
    let mut copying = Copying::new(firsts.len() * track_bytes, track_bytes);
    let [mut same, mut same_transport, mut random, mut random_transport, mut whole, mut copied] =
        [Rounds::NONE; 6];
    for round in 0..ROUNDS as usize {
        stages.next("reading");
        let one = || std::iter::repeat_n(&records[records.len() / 2], programs);
        same.add(programs as f64, read_records(&mut guest, Program::Read, one())?);
        same_transport.add(programs as f64, read_records(&mut guest, Program::TransportRead, one())?);
        let any = || part(&scattered, round, programs);
        random.add(programs as f64, read_records(&mut guest, Program::Read, any())?);
        random_transport.add(programs as f64, read_records(&mut guest, Program::TransportRead, any())?);
        whole.add(gigabytes, read_tracks(&mut guest, part(&firsts, round, tracks))?);
        copied.add(gigabytes, copying.copy(tracks));
    }
    stages.next("comparing all records");
    compare_all(&mut guest, records, per_track)?;
    figures.same_record_per_s = same.median();
    figures.same_record_transport_per_s = same_transport.median();
    figures.random_1gib_per_s = random.median();
    figures.random_1gib_transport_per_s = random_transport.median();
    figures.full_track_gb_per_s = whole.median();
    figures.memcpy_gb_per_s = copied.median();
    Ok(())
}

/// What a round reads: so many records, from where the round before ended.
fn part(records: &[Record], round: usize, count: usize) -> impl Iterator<Item = &Record> {
    records.iter().cycle().skip(round * count % records.len()).take(count)
}

/// Times the writes beside those to a bare file, round by round in turn, and compares what is there afterwards.
fn time_writes(
    image: &Image,
    records: &[Record],
    stages: &Stages,
    figures: &mut Figures,
) -> Result<(), Failure> {
    let mut bare = BareWrites::new(image.file_beside()?)?;
    let (mut guest, written_bytes) = image.guest(Mode::Sync)?;
    let mut scattered = records.to_vec();
    shuffle(&mut scattered);
    let writes = (figures.writes / ROUNDS) as usize;
    let [mut ours, mut theirs, mut amplification] = [Rounds::NONE; 3];
    for round in 0..ROUNDS as usize {
        stages.next("writing");
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
    stages.next("comparing what was written");
    let (mut guest, _) = image.guest(Mode::ReadOnly)?;
    for record in scattered.iter().take(figures.writes as usize) {
        guest.read_and_compare(Program::Read, &record.target, rewritten(record))?;
    }
    figures.sync_write_4k_per_s = ours.median();
    figures.bare_sync_write_4k_per_s = theirs.median();
    figures.write_amplification = amplification.median();
    Ok(())
}

/// The record whose octets are written over `record`: one that the volume does not have.
fn rewritten(record: &Record) -> u64 {
    u64::MAX - record.number
}

impl Figures {
    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers serialise") + "\n"
    }

    fn to_table(&self) -> String {
        table(&[
            ("same_record_per_s", format!("{:.0}", self.same_record_per_s)),
            ("same_record_transport_per_s", format!("{:.0}", self.same_record_transport_per_s)),
            ("random_1gib_per_s", format!("{:.0}", self.random_1gib_per_s)),
            ("random_1gib_transport_per_s", format!("{:.0}", self.random_1gib_transport_per_s)),
            ("full_track_gb_per_s", format!("{:.2}", self.full_track_gb_per_s)),
            ("memcpy_gb_per_s", format!("{:.2}", self.memcpy_gb_per_s)),
            ("sync_write_4k_per_s", format!("{:.0}", self.sync_write_4k_per_s)),
            ("bare_sync_write_4k_per_s", format!("{:.0}", self.bare_sync_write_4k_per_s)),
            ("write_amplification", format!("{:.2}", self.write_amplification)),
            ("programs", self.programs.to_string()),
            ("writes", self.writes.to_string()),
            ("rounds", self.rounds.to_string()),
            ("volume_bytes", self.volume_bytes.to_string()),
            ("calibration_ns", self.calibration_ns.to_string()),
        ])
    }
}
