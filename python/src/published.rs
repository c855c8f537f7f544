//! Published figures beside the values of the twin, and the definitions of quantities, as tables.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use halftrack::figures::Row;
use halftrack::report::{QuantityDefinition, quantities_with};
use halftrack::{
    Cache, Cancelled, LoadError, OptionError, Published, PublishedOptions, Runner, TrialObserver, run_cache,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagnostic::{cancelled, load_error, option_error};
use crate::progress::{Observer, Stage};
use crate::table::{Columns, PyTable};
use crate::task::{Watch, apart};

/// Where figures and experiments are from, and how these are run.
struct Request {
    pattern: Option<String>,
    options: PublishedOptions,
    cache: Option<PathBuf>,
    threads: Option<usize>,
    sensitivity: bool,
}

/// Counts of runs that are shown: of the experiments, then of every set with varied numbers as well.
struct RunCount<'a> {
    watch: &'a Watch<Stage>,
    /// Runs that are done, and runs in all.
    counts: Mutex<(usize, usize)>,
}

/// Reasons for which there is no scoreboard.
enum Failure {
    Load(LoadError),
    Option(OptionError),
    NoFigure(String),
    Cancelled,
}

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl TrialObserver for RunCount<'_> {
    fn expect(&self, runs: usize) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).1 += runs;
    }

    fn count(&self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 += 1;
        // Within the lock, so that no stage comes behind a later one.
        self.watch.publish(Stage::of_runs(counts.0, counts.1));
    }

    fn is_cancelled(&self) -> bool {
        self.watch.is_cancelled()
    }
}

impl Request {
    /// Runs the experiments that answer the figures of the pattern.
    fn rows(&self, watch: &Watch<Stage>) -> Result<Vec<Row>, Failure> {
        let published = Published::load(&self.options).map_err(Failure::Load)?;
        let figures = published.choose(self.pattern.as_deref());
        if let Some(pattern) = self.pattern.as_ref().filter(|_| figures.is_empty()) {
            return Err(Failure::NoFigure(pattern.clone()));
        }
        let experiments = published.experiments(figures).map_err(Failure::Load)?;
        let cache = self.cache.clone().map_or_else(Cache::none, |directory| run_cache(Some(directory)));
        let runner = Runner::new(self.threads, cache).map_err(Failure::Option)?;
        let count = RunCount { watch, counts: Mutex::new((0, experiments.studies().len())) };
        let runs = experiments.try_run(&runner, &|_| count.count(), &|| watch.is_cancelled())?;
        let mut board = experiments.scoreboard(&runs);
        if self.sensitivity {
            experiments.test_sensitivity(&mut board, &runs, &runner, &count)?;
        }
        Ok(board.rows)
    }
}

/// Runs the experiments that answer published figures, and compares: a row for each figure with `pattern` in its id or source.
///
/// `pattern` matches as a whole where it has `*` or `?`. `published` are directories of figures, experiments and studies of your own
/// that are laid over the built-in ones, and replace them with `only`; `catalogs` are directories of catalog files. Finished runs are
/// kept in the directory `cache`, if one is given. `sensitivity` also makes every assumed number of the catalog a fifth smaller and
/// larger, as `halftrack published --sensitivity` does: predictions that move by more than 1 % and by more than chance count as
/// fitted. That takes thousands of runs, minutes unless `pattern` limits the figures. `progress` is as in `Study.run`; its runs in
/// all grow with each set of runs with varied numbers. Ctrl-C ends all of them. Raises `ValueError` for a pattern that no figure
/// has, and `StudyError` for figures that cannot be used.
#[pyfunction]
#[pyo3(signature = (pattern=None, *, published=Vec::new(), only=false, catalogs=Vec::new(), cache=None, threads=None,
                    sensitivity=false, progress=None))]
#[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
pub(crate) fn published(
    py: Python<'_>,
    pattern: Option<String>,
    published: Vec<PathBuf>,
    only: bool,
    catalogs: Vec<PathBuf>,
    cache: Option<PathBuf>,
    threads: Option<usize>,
    sensitivity: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyTable> {
    let options = PublishedOptions { catalogs, directories: published, only_directories: only };
    let request = Request { pattern, options, cache, threads, sensitivity };
    let rows = apart(py, &mut Observer::new(progress)?, move |watch| request.rows(watch))?;
    scoreboard(&rows.map_err(|failure| match failure {
        Failure::Load(error) => load_error(py, &error),
        Failure::Option(error) => option_error(error),
        Failure::NoFigure(pattern) => {
            PyValueError::new_err(format!("no figure has \"{pattern}\" in its id or source"))
        }
        Failure::Cancelled => cancelled(py),
    })?)
}

/// Makes the table of the answered figures, with the keys of `halftrack published --json` as columns.
fn scoreboard(rows: &[Row]) -> PyResult<PyTable> {
    let mut columns = Columns::default();
    let text = |of: fn(&Row) -> &str| rows.iter().map(move |row| Some(of(row).to_owned()));
    let list = |of: fn(&Row) -> &Vec<String>| rows.iter().map(move |row| Some(of(row).join("; ")));
    let number = |of: fn(&Row) -> Option<f64>| rows.iter().map(of);
    columns.texts("id", "Name of the figure", text(|row| &row.id));
    columns.texts("source", "Document that publishes it", text(|row| &row.source));
    columns.texts("kind", "Kind of the figure", text(|row| row.kind));
    columns.texts("what", "The figure in words", text(|row| &row.what));
    columns.texts("relation", "How the published value bounds the figure", text(|row| row.relation));
    columns.numbers("published", "", "Published value, in the unit of the row", number(|row| row.published));
    columns.numbers(
        "low",
        "",
        "Lower end of a published range, in the unit of the row",
        number(|row| row.low),
    );
    columns.numbers(
        "high",
        "",
        "Upper end of a published range, in the unit of the row",
        number(|row| row.high),
    );
    columns.numbers(
        "simulated",
        "",
        "Value of the twin, in the unit of the row",
        number(|row| row.simulated),
    );
    columns.texts("unit", "Unit of the values of the row", text(|row| &row.unit));
    columns.numbers(
        "error_percent",
        "%",
        "Deviation from the published value",
        number(|row| row.error_percent),
    );
    columns.flags("holds", "The relation holds", rows.iter().map(|row| row.holds));
    columns.texts(
        "status",
        "Predicted, fitted, defined or without an experiment",
        text(|row| row.status.word()),
    );
    columns.texts("bottleneck", "Busiest station of the run", rows.iter().map(|row| row.bottleneck.clone()));
    columns.texts("experiment", "Experiment that answers", rows.iter().map(|row| row.experiment.clone()));
    columns.flags("independent", "No other figure decides it", rows.iter().map(|row| Some(row.independent)));
    columns.texts("rests_on", "Figures that it follows from", list(|row| &row.rests_on));
    let readings = rows.iter().map(|row| serde_json::to_string(&row.readings).ok());
    columns.texts("readings", "Other readings of the figure, as JSON", readings);
    columns.texts(
        "overloaded",
        "Stations that were offered more than they serve",
        list(|row| &row.overloaded),
    );
    columns.flags("counted", "It counts in the tally", rows.iter().map(|row| Some(row.counted)));
    columns.texts("remarks", "Remarks", list(|row| &row.remarks));
    columns.texts("reasons", "Reasons why it is a definition, or how it is read", list(|row| &row.reasons));
    columns.table()
}

/// Lists the quantities that `Run.quantity` and sweeps can name, with unit and definition; those with `pattern` in them, if one is
/// given.
#[pyfunction]
#[pyo3(signature = (pattern=""))]
pub(crate) fn quantities(pattern: &str) -> PyResult<PyTable> {
    let found = quantities_with(pattern);
    let optional = |of: fn(&QuantityDefinition) -> Option<&'static str>| {
        found.iter().map(move |one| of(one).map(str::to_owned))
    };
    let mut columns = Columns::default();
    columns.texts("name", "Name, without a subject", optional(|one| Some(one.name)));
    columns.texts("unit", "Unit", found.iter().map(|one| Some(one.unit.to_string())));
    columns.texts("definition", "Definition", optional(|one| Some(one.definition)));
    columns.texts("subject", "Kind of the subject after a colon", optional(|one| one.subject));
    columns.flags("needs_subject", "A subject must follow", found.iter().map(|one| Some(one.needs_subject)));
    columns.texts("report", "RMF report that has it", optional(|one| one.report));
    columns.texts("heading", "Its heading there", optional(|one| one.heading));
    columns.table()
}
