//! `halftrack bench engine`: speed of the engine, beside a hand-written loop in the same run.

use std::io::{self, Write};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_bench::engine::{Figures, measure};

use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench engine --help`.
pub const EXAMPLES: &str = "\
The tandem: 5 stations in a circle, first in first out, exponential service, 64 customers. A hop is
one departure and the arrival at the next station. Three programs make the same hops in turn, round
by round; each speed, in hops for each second of processor time, is the median of the rounds:
  tandem_hops_per_s           components of the engine, with response times, queue lengths and
                              utilization of every station; services drawn one ahead
  hand_loop_hops_per_s        a plain loop over a 4-ary heap without any statistics
  hand_loop_ahead_hops_per_s  the same loop, services drawn one ahead
  ratio, ratio_ahead          the first divided by the second and by the third

Examples:
  halftrack bench engine
  halftrack bench engine --json --hops 100000000

Exit codes: 0 fine, 1 the programs differ or printing failed, 2 bad input.";

/// Arguments of `halftrack bench engine`.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// About how many hops each program makes in all
    #[arg(long, value_name = "N", default_value_t = 20_000_000,
          value_parser = RangedU64ValueParser::<u64>::new().range(10_000..=100_000_000_000))]
    hops: u64,
    /// Worker threads: 1, since the tandem is one logical process
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=1))]
    threads: usize,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Measures the programs and prints their speeds; returns true when all made the same number of hops.
///
/// # Errors
/// Standard output that cannot be written.
pub fn bench(arguments: &EngineArguments) -> Result<bool, Failure> {
    let figures = measure(arguments.hops, arguments.threads);
    print(&if arguments.json { json(&figures) } else { to_table(&figures) })?;
    let agree = figures.programs_agree();
    if !agree {
        let hops = figures.hops_of_programs;
        writeln!(io::stderr(), "halftrack: the programs differ: {hops:?} hops at the same virtual time")?;
    }
    Ok(agree)
}

fn to_table(figures: &Figures) -> String {
    table(&[
        ("tandem_hops_per_s", format!("{:.0}", figures.tandem_hops_per_s)),
        ("hand_loop_hops_per_s", format!("{:.0}", figures.hand_loop_hops_per_s)),
        ("hand_loop_ahead_hops_per_s", format!("{:.0}", figures.hand_loop_ahead_hops_per_s)),
        ("ratio", format!("{:.3}", figures.ratio)),
        ("ratio_ahead", format!("{:.3}", figures.ratio_ahead)),
        ("hops", figures.hops.to_string()),
        ("rounds", figures.rounds.to_string()),
        ("threads", figures.threads.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
    ])
}
