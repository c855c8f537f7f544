//! `halftrack bench volume`: how many channel programs a second move data between a volume and storage.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_bench::volume::{Figures, STAGES, Sizes, measure};

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench volume --help`.
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

/// Bytes of a MiB.
const MIB: u64 = 1 << 20;

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

/// Makes the volume, times everything and prints how fast it was.
///
/// # Errors
/// A directory without room; a record that was not read as it was written; files or standard output that fail.
pub fn bench(arguments: &VolumeArguments) -> Result<bool, Failure> {
    let sizes = Sizes {
        programs: arguments.programs,
        writes: arguments.writes,
        data_bytes: arguments.size_mib * MIB,
    };
    let stages = Stages::new(STAGES);
    let figures = measure(arguments.directory.as_deref(), &sizes, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures) })?;
    Ok(true)
}

fn to_table(figures: &Figures) -> String {
    table(&[
        ("same_record_per_s", format!("{:.0}", figures.same_record_per_s)),
        ("same_record_transport_per_s", format!("{:.0}", figures.same_record_transport_per_s)),
        ("random_1gib_per_s", format!("{:.0}", figures.random_1gib_per_s)),
        ("random_1gib_transport_per_s", format!("{:.0}", figures.random_1gib_transport_per_s)),
        ("full_track_gb_per_s", format!("{:.2}", figures.full_track_gb_per_s)),
        ("memcpy_gb_per_s", format!("{:.2}", figures.memcpy_gb_per_s)),
        ("sync_write_4k_per_s", format!("{:.0}", figures.sync_write_4k_per_s)),
        ("bare_sync_write_4k_per_s", format!("{:.0}", figures.bare_sync_write_4k_per_s)),
        ("write_amplification", format!("{:.2}", figures.write_amplification)),
        ("programs", figures.programs.to_string()),
        ("writes", figures.writes.to_string()),
        ("rounds", figures.rounds.to_string()),
        ("volume_bytes", figures.volume_bytes.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
    ])
}
