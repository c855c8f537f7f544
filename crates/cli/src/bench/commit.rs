//! `halftrack bench commit`: synchronous writes over a control unit, beside those of a bare program.

use std::path::PathBuf;

use clap::Args;
use halftrack_bench::commit::{FIGURES, FULL, Figures, measure};
use halftrack_bench::rounds::Rounds;

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench commit --help`.
pub const EXAMPLES: &str = "\
A volume with write = \"sync\" is made in a temporary directory and served by one thread of this
process; another one writes random records of 4 KiB in transport mode, 1, 8 and 32 at a time. The
bare program writes as many blocks of 4 KiB at random places of a file of that size in the same
directory, and calls fdatasync once for them. Both by turns, medians of the rounds:
  depth                 writes at a time
  write_4k_per_s        writes a second over the control unit, each with its ending status
  bare_write_4k_per_s   blocks a second of the bare program
  ratio                 the first by the second
  calibration_ns        time of a fixed arithmetic loop, run before

Give a directory on a disk: in memory (tmpfs) fdatasync costs nothing, and the figures say nothing.

Examples:
  halftrack bench commit --directory .
  halftrack bench commit --directory /var/tmp --quick --json

Exit codes: 0 fine, 1 an I/O failed, 2 bad input.";

/// Arguments of `halftrack bench commit`.
#[derive(Debug, Args)]
pub struct CommitArguments {
    /// Where the volume is made; by default where the system keeps temporary files
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// One short round
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Measures everything and prints it.
///
/// # Errors
/// A directory without room, an I/O that failed, standard output that fails.
pub fn bench(arguments: &CommitArguments) -> Result<bool, Failure> {
    let rounds = if arguments.quick { Rounds::QUICK } else { FULL };
    let stages = Stages::new(rounds.stages(FIGURES));
    let figures = measure(arguments.directory.as_deref(), rounds, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures) })?;
    Ok(true)
}

fn to_table(figures: &Figures) -> String {
    let mut text = String::new();
    for one in &figures.depths {
        text += &table(&[
            ("depth", one.depth.to_string()),
            ("write_4k_per_s", format!("{:.0}", one.write_4k_per_s)),
            ("bare_write_4k_per_s", format!("{:.0}", one.bare_write_4k_per_s)),
            ("ratio", format!("{:.2}", one.ratio)),
        ]);
    }
    let rest =
        [("rounds", figures.rounds.to_string()), ("calibration_ns", figures.calibration_ns.to_string())];
    text + &table(&rest)
}
