//! `halftrack published`: the published figures and what the twin answers to each.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::has_errors;
use halftrack_published::{
    Builtin, Figure, Library, Made, Points, Rerun, Scoreboard, Shown, chooses, markdown, rehearse, restated,
    sensitive, summary, table, to_json,
};
use halftrack_record::Run;
use halftrack_sweep::{Cache, PointError, PointOptions, run_points};

use crate::diagnostics;
use crate::failure::Failure;
use crate::run::laws_held;
use crate::run_cache::{CacheArguments, report_used};
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
    let input = Input::load(arguments)?;
    let figures = input.choose(arguments.pattern.as_deref())?;
    let points = Points::needed(&input.library, &figures).or_else(|found| refuse(&found))?;
    let found = rehearse(&input.library, &figures, &points, &input.catalog);
    if has_errors(&found) {
        return refuse(&found);
    }
    let runner = Runner::new(arguments)?;
    let runs = runner.run(points.studies(), &input.catalog);
    report_used(&runner.cache, runs.len(), &mut io::stderr().lock())?;
    let fine = report_failures(points.studies(), &runs)?;
    let mut board = Scoreboard::new(&input.library, &figures, &points, &runs, &input.catalog);
    if arguments.sensitivity {
        let (library, catalog) = (&input.library, &input.catalog);
        let made = Made { library, figures: &figures, points: &points, runs: &runs, catalog };
        let again = Again { runner: &runner, progress: TrialProgress::new() };
        let found = runner.pool.install(|| sensitive(&made, &board, &again));
        board.count_as_fitted(&found);
        let found = runner.pool.install(|| restated(&made, &board, &again));
        board.count_as_restated(&found);
        again.progress.end();
    }
    print(&text(arguments, &board, &input))?;
    Ok(fine)
}

fn text(arguments: &PublishedArguments, board: &Scoreboard, input: &Input) -> String {
    if arguments.markdown {
        return markdown(board, &input.catalog);
    }
    let shown = Shown { all: arguments.all, explained: arguments.explain };
    match (arguments.json, arguments.summary) {
        (true, true) => serde_json::to_string_pretty(&board.tally()).unwrap_or_default() + "\n",
        (true, false) => to_json(&board.rows),
        (false, true) => summary(&board.tally()),
        (false, false) => table(board, &input.library, shown),
    }
}

/// The catalog, the figures and the experiments.
struct Input {
    catalog: Catalog,
    library: Library,
}

impl Input {
    fn load(arguments: &PublishedArguments) -> Result<Self, Failure> {
        let catalogs: Vec<&Path> = arguments.catalogs.iter().map(AsRef::as_ref).collect();
        let directories: Vec<&Path> = arguments.published.iter().map(AsRef::as_ref).collect();
        let (catalog, mut found) = Catalog::load(&catalogs);
        let builtin = if arguments.only { Builtin::UnitsOnly } else { Builtin::Under };
        let (library, said) = Library::load(&directories, builtin);
        found.extend(said);
        if has_errors(&found) {
            return refuse(&found);
        }
        diagnostics::show(&found)?;
        Ok(Self { catalog, library })
    }

    fn choose(&self, pattern: Option<&str>) -> Result<Vec<&Figure>, Failure> {
        let figures = self.library.figures();
        let chosen: Vec<&Figure> =
            figures.filter(|figure| pattern.is_none_or(|pattern| chooses(pattern, figure))).collect();
        match pattern {
            Some(pattern) if chosen.is_empty() => Err(Failure::NoFigure { pattern: pattern.to_owned() }),
            _ => Ok(chosen),
        }
    }
}

fn refuse<T>(found: &[halftrack_input::Diagnostic]) -> Result<T, Failure> {
    diagnostics::show(found)?;
    Err(Failure::Published)
}

/// Reports failed runs and violated laws on standard error; true when there are none.
fn report_failures(studies: &[StudyFiles], runs: &[Result<Run, PointError>]) -> io::Result<bool> {
    let mut fine = true;
    let mut stderr = io::stderr().lock();
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

/// How studies are run.
struct Runner {
    pool: rayon::ThreadPool,
    cache: Cache,
}

impl Runner {
    fn new(arguments: &PublishedArguments) -> Result<Self, Failure> {
        let threads = arguments.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::Argument(error.to_string()))?;
        Ok(Self { pool, cache: arguments.cache.open() })
    }

    fn run(&self, studies: &[StudyFiles], catalog: &Catalog) -> Vec<Result<Run, PointError>> {
        let options = PointOptions::default();
        let bar = PointsBar::new(studies.len());
        let show = |done: usize| bar.show(done);
        let runs = self.pool.install(|| run_points(studies, catalog, &options, &self.cache, &show));
        bar.clear();
        runs
    }
}

/// Runs with numbers of the catalog changed.
struct Again<'a> {
    runner: &'a Runner,
    progress: TrialProgress,
}

impl Rerun for Again<'_> {
    fn expect(&self, runs: usize) {
        self.progress.expect(runs);
    }

    fn run(&self, studies: &[StudyFiles], catalog: &Catalog) -> Vec<Result<Run, PointError>> {
        let count = |_| self.progress.count();
        run_points(studies, catalog, &PointOptions::default(), &self.runner.cache, &count)
    }
}
