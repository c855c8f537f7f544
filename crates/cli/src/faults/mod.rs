//! `halftrack faults`: machines with faults in virtual time, and whether each I/O ended once and no write was lost.

mod outcome;
mod script;
mod seeds_bar;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use halftrack_faults::{Hosts, Swarm};

use self::outcome::{print_json, print_text};
use self::seeds_bar::SeedsBar;
use crate::failure::Failure;

/// Words at the end of `halftrack faults --help`.
pub const EXAMPLES: &str = "\
A seed is a machine of two to four channel paths, with or without directors, 0 to 300 km, over FICON
in command or transport mode, over FCP to logical units, or both at one box. Each host does at least
1,000 I/Os, with three faults or more, in virtual time: the state machines of `drive`, `director`
and `serve` on real frames and real volumes. The same seed gives the same run anywhere. Every start
must end once. No read may find an older value after a newer one was acknowledged or read, nor may
the volume in the end. 45 s after the last fault neither end holds anything.

The first seed that fails is shrunk to a short script, which is printed. Saved to a file it replays
the failure:

Examples:
  halftrack faults
  halftrack faults --seeds 100 --seed 5000 --json
  halftrack faults --minutes 10 --hosts fcp
  halftrack faults --script path-lost.toml

Exit codes: 0 fine, 1 a law was violated, 2 bad input.";

/// Arguments of `halftrack faults`.
#[derive(Debug, Args)]
pub struct FaultsArguments {
    /// Run N seeds
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    seeds: u64,
    /// Begin with seed S; with --script, the machine of seed S
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(0..=u64::MAX >> 1))]
    seed: Option<u64>,
    /// Give all machines hosts over ficon, fcp, or both; without it a half has ficon, a quarter fcp, a quarter both
    #[arg(long, value_name = "PROTOCOL", value_parser = hosts)]
    hosts: Option<Hosts>,
    /// Run the script in FILE once, on the machine of its seed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "minutes"])]
    script: Option<PathBuf>,
    /// Run for M minutes instead of a number of seeds
    #[arg(long, value_name = "M", conflicts_with = "seeds", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    minutes: Option<u64>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Returns the hosts of a word.
fn hosts(word: &str) -> Result<Hosts, String> {
    let found = Hosts::ALL.into_iter().find(|hosts| hosts.word() == word);
    found.ok_or_else(|| "it is `ficon`, `fcp` or `both`".to_owned())
}

/// Runs seeds or a script. Returns whether every law held.
///
/// # Errors
/// A script that is none; output that cannot be written.
pub fn faults(arguments: &FaultsArguments) -> Result<bool, Failure> {
    let began = Instant::now();
    let first = arguments.seed.unwrap_or(0);
    let outcome = match &arguments.script {
        Some(path) => script::run(path, arguments.seed, arguments.hosts)?,
        None => {
            let until = arguments.minutes.map(|minutes| began + Duration::from_secs(60 * minutes));
            let count = if until.is_some() { u64::MAX >> 1 } else { arguments.seeds };
            let mut bar = SeedsBar::new((until.is_none()).then_some(count));
            let swarm =
                Swarm { seeds: first..first.saturating_add(count), hosts: arguments.hosts, mutation: None };
            let outcome = swarm.run(|outcome| {
                bar.show(outcome.seeds, outcome.failures.len());
                until.is_none_or(|until| Instant::now() < until)
            });
            bar.clear();
            outcome
        }
    };
    let wall_s = began.elapsed().as_secs_f64();
    if arguments.json {
        print_json(&outcome, wall_s)?;
    } else {
        print_text(&outcome, wall_s)?;
    }
    Ok(outcome.is_good())
}
