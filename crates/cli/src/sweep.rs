//! `halftrack sweep`: a study run once for every combination of values of some of its keys.

mod arguments;
pub mod points_bar;

use std::io::{self, Write};
use std::path::Path;
use std::thread::available_parallelism;

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_deck::diagnostic::has_errors;
use halftrack_interval::Run;
use halftrack_sweep::{
    Cache, Change, Column, PointError, PointOptions, Table, ValueSet, curves, picture_name, product,
    run_sweep,
};
use rayon::ThreadPoolBuilder;

use crate::diagnostics;
use crate::failure::Failure;
use crate::output_directory::OutputDirectory;
use crate::precision::say_missed;
use crate::run::laws_held;
use crate::run_cache::say_used;
use crate::standard_output::print;
use points_bar::PointsBar;

pub use arguments::{EXAMPLES, SweepArguments};

/// Runs every point; true when all of them ran and every law held.
///
/// # Errors
/// Bad input; no point that could be run; output that cannot be written.
pub fn sweep(arguments: &SweepArguments) -> Result<bool, Failure> {
    let plan = Plan::new(arguments)?;
    let cache = arguments.cache.open()?;
    let runs = plan.run(arguments, &cache)?;
    let stderr = &mut io::stderr().lock();
    say_used(&cache, plan.points.len(), stderr)?;
    let well = say_failures(&plan, &runs, stderr)?;
    if runs.iter().all(Result::is_err) {
        return Err(Failure::Study { study: arguments.study.clone() });
    }
    let table = Table::compute(&plan.files.name, &plan.sets, plan.columns.clone(), &plan.points, &runs);
    for reason in &table.missing {
        writeln!(stderr, "halftrack: {reason}")?;
    }
    // What can be printed is printed even where the directory cannot be written.
    let written = plan.out.as_ref().map_or(Ok(()), |out| write(&table, &plan, out));
    print(&if arguments.json { table.to_json() } else { table.to_text() })?;
    written.map(|()| well && table.missing.is_empty())
}

/// Everything that can be found wrong before a point is run.
struct Plan {
    files: StudyFiles,
    catalog: Catalog,
    sets: Vec<ValueSet>,
    points: Vec<Vec<Change>>,
    columns: Vec<Column>,
    /// Index of the set along the x axis, and of the columns that are drawn.
    x: usize,
    drawn: Vec<usize>,
    out: Option<OutputDirectory>,
}

impl Plan {
    fn new(arguments: &SweepArguments) -> Result<Self, Failure> {
        let overlays: Vec<&Path> = arguments.catalogs.iter().map(AsRef::as_ref).collect();
        let (catalog, mut found) = Catalog::load(&overlays);
        let mut sets: Vec<ValueSet> = Vec::new();
        for text in &arguments.sets {
            match text.parse() {
                Ok(set) => sets.push(set),
                Err(error) => found.push(*error),
            }
        }
        let points = product(&sets).map_err(|error| found.push(*error));
        let files = StudyFiles::read(&arguments.study).map_err(|errors| found.extend(errors));
        diagnostics::show(&found)?;
        let (Ok(points), Ok(files), false) = (points, files, has_errors(&found)) else {
            return Err(Failure::Study { study: arguments.study.clone() });
        };
        let columns = Table::columns(&arguments.y).map_err(|error| Failure::Argument(error.to_string()))?;
        let is_drawn = |column: &Column| arguments.y.is_empty() || arguments.y.contains(&column.name);
        let drawn = (0..columns.len()).filter(|index| is_drawn(&columns[*index])).collect();
        let x = x_axis(arguments.x.as_deref(), &sets)?;
        let out = arguments.out.as_deref().map(OutputDirectory::of_sweep).transpose()?;
        Ok(Self { files, catalog, sets, points, columns, x, drawn, out })
    }

    fn run(
        &self,
        arguments: &SweepArguments,
        cache: &Cache,
    ) -> Result<Vec<Result<Run, PointError>>, Failure> {
        let threads = arguments.threads.or_else(|| available_parallelism().ok().map(usize::from));
        let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(1)).build();
        let pool = pool.map_err(|error| Failure::Argument(error.to_string()))?;
        let options = PointOptions {
            seed: arguments.seed,
            fidelity: arguments.fidelity.into(),
            precision: arguments.precision.asked(),
        };
        let bar = PointsBar::new(self.points.len());
        let show = |done: usize| bar.show(done);
        let runs =
            pool.install(|| run_sweep(&self.files, &self.points, &self.catalog, &options, cache, &show));
        bar.clear();
        Ok(runs)
    }
}

/// The index of the set along the x axis: that of the key `x`, else the first with several values.
fn x_axis(x: Option<&str>, sets: &[ValueSet]) -> Result<usize, Failure> {
    let Some(x) = x else {
        return Ok(sets.iter().position(|set| set.values.len() > 1).unwrap_or(0));
    };
    sets.iter().position(|set| set.key.text() == x).ok_or_else(|| {
        let keys: Vec<&str> = sets.iter().map(|set| set.key.text()).collect();
        Failure::Argument(format!("--x {x} is not a key of this sweep, which has {}", keys.join(", ")))
    })
}

/// Says which points failed, violated a law or missed their precision, and how; true when none failed or violated.
fn say_failures(plan: &Plan, runs: &[Result<Run, PointError>], stderr: &mut dyn Write) -> io::Result<bool> {
    let mut well = true;
    for (changes, run) in plan.points.iter().zip(runs) {
        let point = changes.iter().map(Change::text).collect::<Vec<_>>().join(", ");
        match run {
            Ok(run) => {
                let mut said = Vec::new();
                well &= laws_held(&run.checkers, &mut said)?;
                say_missed(run, &mut said)?;
                if !said.is_empty() {
                    writeln!(stderr, "halftrack: at {point}:")?;
                    stderr.write_all(&said)?;
                }
            }
            Err(error) => {
                well = false;
                writeln!(stderr, "halftrack: cannot run {point}:")?;
                match error {
                    PointError::Study(messages) => diagnostics::show(messages)?,
                    PointError::Wiring(error) => writeln!(stderr, "{error}")?,
                }
            }
        }
    }
    Ok(well)
}

/// Writes `points.csv`, `points.json` and the pictures.
fn write(table: &Table, plan: &Plan, out: &OutputDirectory) -> Result<(), Failure> {
    let mut files = vec![
        (OutputDirectory::POINTS.to_owned(), table.to_json()),
        (OutputDirectory::POINTS_CSV.to_owned(), table.to_csv()),
    ];
    for &column in &plan.drawn {
        files.push((picture_name(&table.columns[column].name), curves(table, plan.x, column).svg()));
    }
    // Two names of quantities may differ only in what a file system may not like.
    files.sort_by(|one, other| one.0.cmp(&other.0));
    files.dedup_by(|one, other| one.0 == other.0);
    let files: Vec<(&Path, &str)> =
        files.iter().map(|(name, text)| (Path::new(name), text.as_str())).collect();
    out.write(&files)
}
