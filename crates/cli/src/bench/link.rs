//! `halftrack bench link`: speed of a working link between two processes on this host.

use clap::Args;
use halftrack_bench::link::{FIGURES, FULL, Figures, measure, serve_bare_loop};
use halftrack_bench::rounds::Rounds;

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench link --help`.
pub const EXAMPLES: &str = "\
A volume is made in a temporary directory and served by `halftrack serve`; `halftrack drive` reads it
over TCP on this host. Both are this same command, each a process with one thread on a processor of
its own, where there are two. The figures are medians of rounds in turn:
  zhpf_4k_read_per_s         transport mode, 4 KiB, random records, 128 at a time
  zhpf_128k_read_mb_per_s    transport mode, 32 records of 4 KiB, 16 at a time, in 10^6 bytes
  ficon_4k_read_per_s        command mode, 4 KiB, 128 at a time
  p99_qd1_us                 99th percentile of the response of 4 KiB reads in transport mode, one at
                             a time
  fcp_4k_read_per_s          FCP, 4 KiB, random blocks of a LUN, 128 at a time
  fcp_128k_read_mb_per_s     FCP, 128 KiB, 16 at a time, in 10^6 bytes
  fcp_p99_qd1_us             99th percentile of the response of 4 KiB reads over FCP, one at a time
  cpu_us_per_io              processor time of both processes for each 4 KiB read in transport mode
  bare_loop_4k_per_s         frames of the same lengths between two processes over TCP: records out of
                             memory, CRC and check word made and checked, every record compared, credits
                             both ways; no state machines, no channel programs
  in_process_4k_per_s        transport mode, 4 KiB, channel and control unit as two threads of one
                             process
  bytes_verified             octets of all reads compared with what the records must hold: all of them
  calibration_ns             time of a fixed arithmetic loop, run before

Examples:
  halftrack bench link
  halftrack bench link --quick --json

Exit codes: 0 fine, 1 an I/O failed or a record was wrong, 2 bad input.";

/// Arguments of `halftrack bench link`.
#[derive(Debug, Args)]
pub struct LinkArguments {
    /// One short round
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Be the answering end of the bare loop
    #[arg(long, hide = true, exclusive = true)]
    answer: bool,
}

/// Measures everything and prints it.
///
/// # Errors
/// A directory without room; a process that does not start; an I/O that failed or a record that was wrong.
pub fn bench(arguments: &LinkArguments) -> Result<bool, Failure> {
    if arguments.answer {
        serve_bare_loop(&mut |place| print(&format!("{place}\n")))?;
        return Ok(true);
    }
    let rounds = if arguments.quick { Rounds::QUICK } else { FULL };
    let command = std::env::current_exe()?;
    let stages = Stages::new(rounds.stages(FIGURES));
    let figures = measure(&command, rounds, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures, rounds) })?;
    Ok(true)
}

fn to_table(figures: &Figures, rounds: Rounds) -> String {
    let ratio = figures.zhpf_4k_read_per_s / figures.bare_loop_4k_per_s * 100.0;
    table(&[
        ("zhpf_4k_read_per_s", format!("{:.0}", figures.zhpf_4k_read_per_s)),
        ("zhpf_128k_read_mb_per_s", format!("{:.0}", figures.zhpf_128k_read_mb_per_s)),
        ("ficon_4k_read_per_s", format!("{:.0}", figures.ficon_4k_read_per_s)),
        ("p99_qd1_us", format!("{:.1}", figures.p99_qd1_us)),
        ("fcp_4k_read_per_s", format!("{:.0}", figures.fcp_4k_read_per_s)),
        ("fcp_128k_read_mb_per_s", format!("{:.0}", figures.fcp_128k_read_mb_per_s)),
        ("fcp_p99_qd1_us", format!("{:.1}", figures.fcp_p99_qd1_us)),
        ("cpu_us_per_io", format!("{:.2}", figures.cpu_us_per_io)),
        ("bare_loop_4k_per_s", format!("{:.0}", figures.bare_loop_4k_per_s)),
        ("of the bare loop", format!("{ratio:.0} %")),
        ("in_process_4k_per_s", format!("{:.0}", figures.in_process_4k_per_s)),
        ("bytes_verified", figures.bytes_verified.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
        ("rounds", rounds.count.to_string()),
    ])
}
