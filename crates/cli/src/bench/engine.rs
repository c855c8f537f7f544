//! `halftrack bench engine`: how fast the engine is, beside a hand-written loop in the same run.

use std::io::{self, Write};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_bench::tandem::{Ahead, ByHand, Tandem, ThroughEngine, WhenNeeded, time_of_hops};
use serde::Serialize;

use super::processor_time::thread_time;
use super::table;
use crate::calibration::calibration_ns;
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack bench engine --help`.
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

/// Rounds that each program makes; odd, so that one of them is the median. In a round of a few milliseconds the
/// branch predictor has time to learn the program.
const ROUNDS: u64 = 101;
/// The tandem through the engine, by hand, and by hand with services drawn one ahead.
const PROGRAMS: usize = 3;
/// Seed of every random stream.
const SEED: u64 = 1;
/// Shortest processor time that a speed is computed from, s.
const SHORTEST_S: f64 = 1e-9;

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

/// What is printed.
#[derive(Debug, Serialize)]
struct Figures {
    /// Hops for each second of processor time through the engine, with statistics: median of the rounds.
    tandem_hops_per_s: f64,
    /// The same of the hand-written loop.
    hand_loop_hops_per_s: f64,
    /// The same of the hand-written loop that draws services one ahead.
    hand_loop_ahead_hops_per_s: f64,
    /// `tandem_hops_per_s` / `hand_loop_hops_per_s`.
    ratio: f64,
    /// `tandem_hops_per_s` / `hand_loop_ahead_hops_per_s`.
    ratio_ahead: f64,
    /// Hops of each program.
    hops: u64,
    /// Rounds of each program.
    rounds: u64,
    /// Worker threads.
    threads: usize,
    /// Time of the fixed arithmetic loop, ns.
    calibration_ns: u64,
}

/// A program and its speed in every round, hops for each second of processor time.
struct Timed {
    program: Box<dyn Tandem>,
    hops_per_s: Vec<f64>,
}

impl Timed {
    fn new(program: impl Tandem + 'static) -> Self {
        Self { program: Box::new(program), hops_per_s: Vec::new() }
    }

    /// Goes on until about `hops` hops are made in all.
    fn round(&mut self, hops: u64) {
        let until = time_of_hops(hops);
        let hops_before = self.program.hops();
        let began = thread_time();
        self.program.run_until(until);
        let spent_s = (thread_time() - began).as_secs_f64().max(SHORTEST_S);
        self.hops_per_s.push((self.program.hops() - hops_before) as f64 / spent_s);
    }

    fn median_hops_per_s(mut self) -> f64 {
        self.hops_per_s.sort_by(f64::total_cmp);
        self.hops_per_s[self.hops_per_s.len() / 2]
    }
}

/// Times the three programs and prints how fast they are; true when all made the same number of hops.
///
/// # Errors
/// Standard output that cannot be written.
pub fn bench(arguments: &EngineArguments) -> Result<bool, Failure> {
    let calibration_ns = calibration_ns();
    let mut programs: [_; PROGRAMS] = [
        Timed::new(ThroughEngine::new(SEED)),
        Timed::new(ByHand::<WhenNeeded>::new(SEED)),
        Timed::new(ByHand::<Ahead>::new(SEED)),
    ];
    for round in 0..ROUNDS {
        let hops = arguments.hops / ROUNDS * (round + 1);
        // Each is the first as often as any other.
        for turn in 0..PROGRAMS {
            programs[(round as usize + turn) % PROGRAMS].round(hops);
        }
    }
    let hops = programs.each_ref().map(|timed| timed.program.hops());
    let [tandem, hand_loop, hand_loop_ahead] = programs.map(Timed::median_hops_per_s);
    let figures = Figures {
        tandem_hops_per_s: tandem,
        hand_loop_hops_per_s: hand_loop,
        hand_loop_ahead_hops_per_s: hand_loop_ahead,
        ratio: tandem / hand_loop,
        ratio_ahead: tandem / hand_loop_ahead,
        hops: hops[0],
        rounds: ROUNDS,
        threads: arguments.threads,
        calibration_ns,
    };
    print(&if arguments.json { figures.to_json() } else { figures.to_table() })?;
    let alike = hops.iter().all(|&of_one| of_one == hops[0]);
    if !alike {
        writeln!(io::stderr(), "halftrack: the programs differ: {hops:?} hops at the same virtual time")?;
    }
    Ok(alike)
}

impl Figures {
    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers serialise") + "\n"
    }

    fn to_table(&self) -> String {
        table(&[
            ("tandem_hops_per_s", format!("{:.0}", self.tandem_hops_per_s)),
            ("hand_loop_hops_per_s", format!("{:.0}", self.hand_loop_hops_per_s)),
            ("hand_loop_ahead_hops_per_s", format!("{:.0}", self.hand_loop_ahead_hops_per_s)),
            ("ratio", format!("{:.3}", self.ratio)),
            ("ratio_ahead", format!("{:.3}", self.ratio_ahead)),
            ("hops", self.hops.to_string()),
            ("rounds", self.rounds.to_string()),
            ("threads", self.threads.to_string()),
            ("calibration_ns", self.calibration_ns.to_string()),
        ])
    }
}
