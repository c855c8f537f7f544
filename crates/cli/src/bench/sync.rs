//! `halftrack bench sync`: synchronous reads between two processes, beside the same reads over channel paths.

use clap::Args;
use halftrack_bench::rounds::Rounds;
use halftrack_bench::synchronous::{FIGURES, FULL, Figures, measure};

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench sync --help`.
pub const EXAMPLES: &str = "\
A volume is made in a temporary directory, and random records of 4 KiB are read one at a time. Each is
compared with what it must hold. `halftrack serve` and `halftrack drive` are this same command, each a
process with one thread. By turns, medians of the rounds:
  sync_4k_read_p50_us    response of reads that are tried over zHyperLink first: a slot in memory that
                         both processes share, for whose answer the reader spins. Those that went on
                         over the channel path, TCP here, are among them
  sync_4k_read_p99_us    their 99th percentile
  fibre_4k_read_p50_us   transport mode over a channel path whose frames cross in memory, between two
                         threads of one process; with its p99
  tcp_4k_read_p50_us     transport mode over a channel path of two processes, over TCP; with its p99
  cpu_us_per_io          processor time of both processes for each read that is synchronous first
  tcp_cpu_us_per_io      the same over TCP
  attempts, successes    synchronous attempts of all rounds, and those that brought the record
  fall_backs             the others, by reason
  processors             processors that the command may use: two ends that spin need two
  bytes_verified         octets of all reads
  calibration_ns         time of a fixed arithmetic loop, run before

Where there is one processor only each end gives it to the other one instead of spinning.

Examples:
  halftrack bench sync
  halftrack bench sync --quick --json
  taskset -c 0 halftrack bench sync --json

Exit codes: 0 fine, 1 an I/O failed or a record was wrong, 2 bad input.";

/// Arguments of `halftrack bench sync`.
#[derive(Debug, Args)]
pub struct SyncArguments {
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
/// A directory without room; a process that does not start; an I/O that failed or a record that was wrong.
pub fn bench(arguments: &SyncArguments) -> Result<bool, Failure> {
    let rounds = if arguments.quick { Rounds::QUICK } else { FULL };
    let command = std::env::current_exe()?;
    let stages = Stages::new(rounds.stages(FIGURES));
    let figures = measure(&command, rounds, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures, rounds) })?;
    Ok(true)
}

fn to_table(figures: &Figures, rounds: Rounds) -> String {
    let us = |figure: f64| format!("{figure:.2}");
    let mut text = table(&[
        ("sync_4k_read_p50_us", us(figures.sync_4k_read_p50_us)),
        ("sync_4k_read_p99_us", us(figures.sync_4k_read_p99_us)),
        ("fibre_4k_read_p50_us", us(figures.fibre_4k_read_p50_us)),
        ("fibre_4k_read_p99_us", us(figures.fibre_4k_read_p99_us)),
        ("tcp_4k_read_p50_us", us(figures.tcp_4k_read_p50_us)),
        ("tcp_4k_read_p99_us", us(figures.tcp_4k_read_p99_us)),
        ("cpu_us_per_io", us(figures.cpu_us_per_io)),
        ("tcp_cpu_us_per_io", us(figures.tcp_cpu_us_per_io)),
        ("attempts", figures.attempts.to_string()),
        ("successes", figures.successes.to_string()),
        ("processors", figures.processors.to_string()),
        ("bytes_verified", figures.bytes_verified.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
        ("rounds", rounds.count.to_string()),
    ]);
    for (reason, count) in &figures.fall_backs {
        text += &format!("{count} over the channel path: {reason}\n");
    }
    text
}
