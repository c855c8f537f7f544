//! Results of seeds and scripts, as text and as JSON.

use std::io;

use halftrack_faults::shrink::shrink;
use halftrack_faults::swarm::{Failure, SwarmOutcome};
use serde::Serialize;
use serde_json::json;

use crate::standard_output::print;

/// Seeds of which every decision of recovery is expected.
const DECIDED_SEEDS: u64 = 1000;
/// Violations of a run that are shown.
const WORDS_MAX: usize = 5;

/// Sums as JSON has them.
#[derive(Serialize)]
struct Figures<'a> {
    #[serde(flatten)]
    outcome: &'a SwarmOutcome,
    wall_s: f64,
    failed_seeds: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<String>,
}

/// Returns the script of a failure, shrunk, as a file.
fn short_script(failure: &Failure) -> String {
    let script = shrink(&failure.machine, &failure.script, None);
    let (seed, hosts) = (failure.machine.seed, failure.machine.hosts().word());
    format!("seed = {seed}\nhosts = \"{hosts}\"\n{script}")
}

/// Prints the sums as one JSON object.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_json(outcome: &SwarmOutcome, wall_s: f64) -> io::Result<()> {
    let figures = Figures {
        outcome,
        wall_s,
        failed_seeds: outcome.failures.iter().map(|failure| failure.machine.seed).collect(),
        script: outcome.failures.first().map(short_script),
    };
    print(&format!("{:#}\n", json!(figures)))
}

/// Prints the sums, and the short script of the first failure.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_text(outcome: &SwarmOutcome, wall_s: f64) -> io::Result<()> {
    let SwarmOutcome { seeds, ios, failed, .. } = outcome;
    let mut text =
        format!("{seeds} seeds, {ios} I/Os, {failed} of them ended with an error, in {wall_s:.1} s\n");
    for (words, count) in [
        ("I/Os ended twice", outcome.ended_twice),
        ("I/Os never ended", outcome.never_ended),
        ("records lost a write", outcome.lost_records),
        ("reads found an older value", outcome.stale_records),
        ("seeds ended with something held", outcome.held),
        ("seeds could not be run", outcome.unable),
    ] {
        text += &format!("  {count:>6} {words}\n");
    }
    text += "seeds with hosts over:\n";
    for (hosts, seeds) in outcome.hosts.iter().filter(|(_, seeds)| **seeds > 0) {
        text += &format!("  {seeds:>6} {hosts}\n");
    }
    text += "seeds with each kind of fault:\n";
    for (kind, seeds) in outcome.kinds.iter().filter(|(_, seeds)| **seeds > 0) {
        text += &format!("  {seeds:>6} {kind}\n");
    }
    if outcome.seeds >= DECIDED_SEEDS {
        for decision in outcome.never_taken() {
            text += &format!("no seed reached this decision of recovery: {decision}\n");
        }
    }
    if let Some(failure) = outcome.failures.first() {
        text += &format!("seed {} failed:\n", failure.machine.seed);
        let verdict = &failure.verdict;
        for words in verdict.words.iter().chain(&verdict.held).chain(&verdict.trouble).take(WORDS_MAX) {
            text += &format!("  {words}\n");
        }
        text += &format!(
            "this script fails with it (halftrack faults --script FILE):\n\n{}",
            short_script(failure)
        );
    }
    print(&text)
}
