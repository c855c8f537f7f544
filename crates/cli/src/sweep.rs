//! `halftrack sweep`: a study run once for every combination of values of some of its keys.

mod arguments;
mod on_ray;
mod picture_arguments;
pub mod points_bar;
mod unable_points;

use std::env;
use std::io::{self, Write};

use halftrack::{
    Cache, OutputDirectory, PointError, PointOptions, Run, Sweep, SweepOptions, run_cache, sweep_files,
};
use halftrack_arrow::DataSet;
use halftrack_sweep::{Change, Column};
use tempfile::TempDir;

use crate::diagnostics::{self, MessageForm};
use crate::ending::Ending;
use crate::fail_on::FailOnArguments;
use crate::failure::Failure;
use crate::precision::report_missed;
use crate::run::laws_held;
use crate::run_cache::report_used;
use crate::standard_error::standard_error;
use crate::standard_output::print;
use crate::sweep::on_ray::run_on_ray;
use crate::sweep::unable_points::UnablePoints;
use points_bar::PointsBar;

pub use arguments::{EXAMPLES, SweepArguments};

/// Runs every point.
///
/// # Errors
/// Bad input; no point that could be run; output that cannot be written.
pub fn sweep(arguments: &SweepArguments) -> Result<Ending, Failure> {
    let sweep = load(arguments)?;
    let columns = sweep.columns(&arguments.y, arguments.pictures.x.as_deref());
    let columns = columns.map_err(|error| Failure::Argument(error.to_string()))?;
    let pictures = sweep.pictures(arguments.pictures.options(), &columns, &arguments.y)?;
    let out = arguments.out.as_deref().map(OutputDirectory::of_sweep).transpose()?;
    let data_set =
        arguments.parquet.as_deref().map(|place| DataSet::new(place, sweep.study())).transpose()?;
    let mut cache = arguments.cache.open();
    // The runs of a cluster come by way of a cache; it is kept until they have been read.
    let _of_cluster = match &arguments.ray {
        Some(address) => fetch(&sweep, (arguments, &columns), address, &mut cache)?,
        None => None,
    };
    let runs = run(&sweep, arguments, &cache)?;
    diagnostics::show(&sweep.warnings())?;
    let stderr = &mut standard_error();
    if arguments.ray.is_none() {
        report_used(&cache, runs.len(), stderr)?;
    }
    diagnostics::show(&sweep.offered_warnings(&runs))?;
    let mut ending = report_failures(&sweep, &runs, &arguments.fail_on, stderr)?;
    if runs.iter().all(Result::is_err) {
        return Err(Failure::Study { study: arguments.study.clone() });
    }
    let table = sweep.table(columns, &runs);
    for reason in &table.missing {
        writeln!(stderr, "halftrack: {reason}")?;
    }
    // What can be printed is printed even where the directory cannot be written.
    let written =
        out.map_or(Ok(()), |out| Ok::<_, Failure>(out.write_all(&sweep_files(&table, &pictures)?)?));
    let data_set_written = data_set.map_or(Ok(()), |data_set| {
        data_set.write(&table, &sweep.identities(&point_options(arguments), arguments.threads)?)?;
        Ok(())
    });
    print(&if arguments.json { table.to_json() } else { table.to_text() })?;
    written.and(data_set_written)?;
    ending = ending.max(Ending::from(table.missing.is_empty()));
    Ok(ending)
}

/// Loads the sweep, with every message about it shown.
fn load(arguments: &SweepArguments) -> Result<Sweep, Failure> {
    let form = MessageForm::new(arguments.all, arguments.json);
    let options = SweepOptions { catalogs: arguments.catalogs.clone(), sets: arguments.sets.clone() };
    match Sweep::load(&arguments.study, &options) {
        Ok(sweep) => {
            diagnostics::show_as(sweep.diagnostics(), form)?;
            Ok(sweep)
        }
        Err(error) => {
            diagnostics::show_as(&error.diagnostics, form)?;
            Err(Failure::Study { study: arguments.study.clone() })
        }
    }
}

/// Has the points run on the cluster at `address` and their runs put into `cache`. Where there is none, a temporary one is made,
/// whose directory is returned.
fn fetch(
    sweep: &Sweep,
    (arguments, columns): (&SweepArguments, &[Column]),
    address: &str,
    cache: &mut Cache,
) -> Result<Option<TempDir>, Failure> {
    let mut temporary = None;
    if cache.place().is_none() {
        let made = tempfile::tempdir();
        let made = made.map_err(|source| Failure::output(env::temp_dir(), source))?;
        *cache = run_cache(Some(made.path().to_owned()));
        temporary = Some(made);
    }
    if let Some(place) = cache.place() {
        run_on_ray(&sweep.packed(&point_options(arguments), columns), place, address)?;
    }
    Ok(temporary)
}

/// Returns the options of every run.
fn point_options(arguments: &SweepArguments) -> PointOptions {
    PointOptions {
        seed: arguments.seed,
        fidelity: arguments.fidelity.into(),
        precision: arguments.precision.requested(),
    }
}

/// Runs every point under a bar.
fn run(
    sweep: &Sweep,
    arguments: &SweepArguments,
    cache: &Cache,
) -> Result<Vec<Result<Run, PointError>>, Failure> {
    let options = point_options(arguments);
    let bar = PointsBar::new(sweep.points().len());
    let runs = sweep.run(&options, arguments.threads, cache, &|done: usize| bar.show(done));
    bar.clear();
    Ok(runs?)
}

/// Says which points failed, violated a law, missed their precision or meet a condition of `fail_on`, and how.
fn report_failures(
    sweep: &Sweep,
    runs: &[Result<Run, PointError>],
    fail_on: &FailOnArguments,
    stderr: &mut dyn Write,
) -> io::Result<Ending> {
    let mut ending = Ending::Fine;
    let mut unable = UnablePoints::default();
    for (changes, run) in sweep.points().iter().zip(runs) {
        let point = changes.iter().map(Change::text).collect::<Vec<_>>().join(", ");
        match run {
            Ok(run) => {
                let mut report = Vec::new();
                let held = laws_held(&run.checkers, &mut report)?;
                report_missed(run, &mut report)?;
                ending = ending.max(fail_on.ending(run, held, &mut report)?);
                if !report.is_empty() {
                    writeln!(stderr, "halftrack: at {point}:")?;
                    stderr.write_all(&report)?;
                }
            }
            Err(error) => {
                ending = Ending::Violated;
                unable.add(point, error);
            }
        }
    }
    unable.show(stderr)?;
    Ok(ending)
}
