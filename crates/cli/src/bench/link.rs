//! `halftrack bench link`: how fast a working link is, between two processes on this host.

mod bare;
mod children;
mod in_process;
mod processors;
mod site;

use clap::Args;
use serde::Serialize;

use self::children::Serving;
use self::site::{Load, Site};
use super::stages::Stages;
use super::table;
use crate::calibration::calibration_ns;
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack bench link --help`.
pub const EXAMPLES: &str = "\
A volume is made in a temporary directory and served by `halftrack serve`; `halftrack drive` reads it
over TCP on this host. Both are this same command, each a process with one thread on a processor of
its own, where there are two. The figures are medians of rounds in turn:
  zhpf_4k_read_per_s         transport mode, 4 KiB, random records, 128 at a time
  zhpf_128k_read_mb_per_s    transport mode, 32 records of 4 KiB, 16 at a time, in 10^6 bytes
  ficon_4k_read_per_s        command mode, 4 KiB, 128 at a time
  p99_qd1_us                 99th percentile of the response of 4 KiB reads in transport mode, one at
                             a time
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

/// Rounds of everything; odd, so that one of them is the median.
const ROUNDS: usize = 5;
/// How long each measurement of a round takes, s.
const MEASURED_S: f64 = 1.2;
/// The same with `--quick`.
const QUICK_ROUNDS: usize = 1;
const QUICK_S: f64 = 0.5;
/// Figures that a round has.
const FIGURES: usize = 6;

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

/// What is printed.
#[derive(Debug, Default, Serialize)]
struct Figures {
    zhpf_4k_read_per_s: f64,
    zhpf_128k_read_mb_per_s: f64,
    ficon_4k_read_per_s: f64,
    p99_qd1_us: f64,
    cpu_us_per_io: f64,
    bare_loop_4k_per_s: f64,
    in_process_4k_per_s: f64,
    bytes_verified: u64,
    calibration_ns: u64,
}

/// Measures everything and prints it.
///
/// # Errors
/// A directory without room; a process that does not start; an I/O that failed or a record that was wrong.
pub fn bench(arguments: &LinkArguments) -> Result<bool, Failure> {
    if arguments.answer {
        bare::serve()?;
        return Ok(true);
    }
    let (rounds, seconds) = if arguments.quick { (QUICK_ROUNDS, QUICK_S) } else { (ROUNDS, MEASURED_S) };
    let stages = Stages::new((rounds * FIGURES + 2) as u64);
    stages.next("calibrating");
    let mut figures = Figures { calibration_ns: calibration_ns(), ..Figures::default() };
    stages.next("making the volume");
    let site = Site::make()?;
    in_process::format(&site)?;
    let mut found: [Vec<f64>; FIGURES + 1] = Default::default();
    for _ in 0..rounds {
        let serving = Serving::start(&site)?;
        stages.next("4K reads in transport mode");
        let before = serving.processor_ns()?;
        let run = serving.drive(&site, Load::Transport4K, seconds)?;
        let control_unit_us = (serving.processor_ns()? - before) as f64 / 1e3 / run.completed as f64;
        found[0].push(run.ios_per_s);
        found[6].push(run.cpu_us_per_io + control_unit_us);
        figures.bytes_verified += run.bytes_verified;
        stages.next("128K reads in transport mode");
        let run = serving.drive(&site, Load::Transport128K, seconds)?;
        found[1].push(run.mb_per_s);
        figures.bytes_verified += run.bytes_verified;
        stages.next("4K reads in command mode");
        let run = serving.drive(&site, Load::Command4K, seconds)?;
        found[2].push(run.ios_per_s);
        figures.bytes_verified += run.bytes_verified;
        stages.next("one 4K read at a time");
        let run = serving.drive(&site, Load::OneAtATime, seconds)?;
        found[3].push(run.p99_us);
        figures.bytes_verified += run.bytes_verified;
        serving.end()?;
        stages.next("the bare loop");
        found[4].push(bare::measure(seconds)?);
        stages.next("within a process");
        let (per_s, bytes) = in_process::measure(&site, seconds)?;
        found[5].push(per_s);
        figures.bytes_verified += bytes;
    }
    let [zhpf, long, ficon, p99, bare, within, cpu] = found.map(median);
    figures.zhpf_4k_read_per_s = zhpf;
    figures.zhpf_128k_read_mb_per_s = long;
    figures.ficon_4k_read_per_s = ficon;
    figures.p99_qd1_us = p99;
    figures.cpu_us_per_io = cpu;
    figures.bare_loop_4k_per_s = bare;
    figures.in_process_4k_per_s = within;
    drop(stages);
    print(&if arguments.json { figures.to_json() } else { figures.to_table(rounds) })?;
    Ok(true)
}

fn median(mut found: Vec<f64>) -> f64 {
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied().unwrap_or(0.0)
}

impl Figures {
    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers serialise") + "\n"
    }

    fn to_table(&self, rounds: usize) -> String {
        let ratio = self.zhpf_4k_read_per_s / self.bare_loop_4k_per_s * 100.0;
        table(&[
            ("zhpf_4k_read_per_s", format!("{:.0}", self.zhpf_4k_read_per_s)),
            ("zhpf_128k_read_mb_per_s", format!("{:.0}", self.zhpf_128k_read_mb_per_s)),
            ("ficon_4k_read_per_s", format!("{:.0}", self.ficon_4k_read_per_s)),
            ("p99_qd1_us", format!("{:.1}", self.p99_qd1_us)),
            ("cpu_us_per_io", format!("{:.2}", self.cpu_us_per_io)),
            ("bare_loop_4k_per_s", format!("{:.0}", self.bare_loop_4k_per_s)),
            ("of the bare loop", format!("{ratio:.0} %")),
            ("in_process_4k_per_s", format!("{:.0}", self.in_process_4k_per_s)),
            ("bytes_verified", self.bytes_verified.to_string()),
            ("calibration_ns", self.calibration_ns.to_string()),
            ("rounds", rounds.to_string()),
        ])
    }
}
