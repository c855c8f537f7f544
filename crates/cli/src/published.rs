//! `halftrack published`: the published figures and what the twin answers to each.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack::figures::{Figure, Scoreboard, Shown, markdown, summary, table, to_json};
use halftrack::{LoadError, PointError, Published, PublishedOptions, Run, Runner, StudyFiles};

use crate::diagnostics;
use crate::failure::Failure;
use crate::run::laws_held;
use crate::run_cache::{CacheArguments, report_used};
use crate::standard_error::standard_error;
use crate::standard_output::print;
use crate::sweep::points_bar::PointsBar;
use crate::trial_progress::TrialProgress;

/// Words at the end of `halftrack published --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack published fex32s
  halftrack published 'rmf-cpa-9?-bus'
  halftrack published fex32s --json | jq '.[] | select(.holds == false) | .id'
  halftrack published fex32s-card --explain
  halftrack published fex32s --sensitivity
  halftrack published mine --published my-figures --catalog my-catalog

The table shows the figures that have an experiment; --all adds those without one, and --json
contains all of them. `fitted` means that a number of the catalog was fitted to the figure,
`predicted` that none was. Figures and experiments of your own: docs/formats/published.md.

Exit codes: 0 every run ended and its laws held, whatever the deviations from the figures; 1 a law
was violated or a run failed; 2 bad input.";

/// Arguments of `halftrack published`.
#[derive(Debug, Args)]
pub struct PublishedArguments {
    /// Only figures whose id or source contains this text, or matches it as a whole when it contains * or ?
    #[arg(value_name = "PATTERN")]
    pattern: Option<String>,
    /// Print a JSON array with one object for each figure instead of a table
    #[arg(long)]
    json: bool,
    /// Print tables in Markdown: counts, independent predictions, dependencies of the others, fitted numbers
    #[arg(long, conflicts_with_all = ["json", "summary", "explain", "all"])]
    markdown: bool,
    /// Print the counts only
    #[arg(long)]
    summary: bool,
    /// Explain why figures are definitions, how values are read, and which study and channel programs predict them
    #[arg(long)]
    explain: bool,
    /// Show the figures without an experiment too
    #[arg(long)]
    all: bool,
    /// Vary every assumed number of the catalog by a fifth, down and up; predictions that change by more than 1 % and
    /// by more than chance count as fitted (thousands of runs: minutes, unless PATTERN limits the figures)
    #[arg(long)]
    sensitivity: bool,
    /// Directory of your own catalog files, which override the built-in ones; repeatable, the last directory wins
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Directory of your own figures, experiments and studies (DIR/DOCUMENT.toml, DIR/experiments, DIR/studies); a file
    /// overrides the built-in one of the same name; repeatable
    #[arg(long = "published", value_name = "DIR")]
    published: Vec<PathBuf>,
    /// Only the figures, experiments and studies of --published
    #[arg(long, requires = "published")]
    only: bool,
    /// Where finished runs are kept.
    #[command(flatten)]
    cache: CacheArguments,
    /// Worker threads; results do not depend on their number [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
}

/// Runs the experiments and prints the scoreboard; true when every run ended and its laws held.
///
/// # Errors
/// Bad input, found before anything runs; output that cannot be written.
pub fn published(arguments: &PublishedArguments) -> Result<bool, Failure> {
    let options = PublishedOptions {
        catalogs: arguments.catalogs.clone(),
        directories: arguments.published.clone(),
        only_directories: arguments.only,
    };
    let published = Published::load(&options).or_else(refuse)?;
    diagnostics::show(published.diagnostics())?;
    let experiments = published.experiments(choose(&published, arguments)?).or_else(refuse)?;
    let runner = Runner::new(arguments.threads, arguments.cache.open())?;
    let bar = PointsBar::new(experiments.studies().len());
    let runs = experiments.run(&runner, &|done: usize| bar.show(done));
    bar.clear();
    report_used(runner.cache(), runs.len(), &mut standard_error())?;
    let fine = are_fine(experiments.studies(), &runs)?;
    let mut board = experiments.scoreboard(&runs);
    if arguments.sensitivity {
        let progress = TrialProgress::new();
        let tested = experiments.test_sensitivity(&mut board, &runs, &runner, &progress);
        progress.end();
        tested.expect("nothing cancels it");
    }
    print(&text(arguments, &board, &published))?;
    Ok(fine)
}

/// Returns the figures of the pattern.
fn choose<'a>(published: &'a Published, arguments: &PublishedArguments) -> Result<Vec<&'a Figure>, Failure> {
    let chosen = published.choose(arguments.pattern.as_deref());
    match &arguments.pattern {
        Some(pattern) if chosen.is_empty() => Err(Failure::NoFigure { pattern: pattern.clone() }),
        _ => Ok(chosen),
    }
}

fn text(arguments: &PublishedArguments, board: &Scoreboard, published: &Published) -> String {
    if arguments.markdown {
        return markdown(board, published.catalog());
    }
    let shown = Shown { all: arguments.all, explained: arguments.explain };
    match (arguments.json, arguments.summary) {
        (true, true) => serde_json::to_string_pretty(&board.tally()).unwrap_or_default() + "\n",
        (true, false) => to_json(&board.rows),
        (false, true) => summary(&board.tally()),
        (false, false) => table(board, published.library(), shown),
    }
}

fn refuse<T>(error: LoadError) -> Result<T, Failure> {
    diagnostics::show(&error.diagnostics)?;
    Err(Failure::Published)
}

/// Reports on standard error which runs failed and which laws were violated; true when none did.
fn are_fine(studies: &[StudyFiles], runs: &[Result<Run, PointError>]) -> io::Result<bool> {
    let mut fine = true;
    let mut stderr = standard_error();
    for (study, run) in studies.iter().zip(runs) {
        match run {
            Ok(run) => fine &= laws_held(&run.checkers, &mut stderr)?,
            Err(error) => {
                fine = false;
                writeln!(stderr, "halftrack: {} failed: {error}", study.workload.name)?;
            }
        }
    }
    Ok(fine)
}
