//! `halftrack sweep`: a study run once for every combination of values of some of its keys.

mod arguments;
mod dress;
mod picture_arguments;
mod pictures;
pub mod points_bar;
mod unable_points;

use std::io::{self, Write};
use std::path::Path;
use std::thread::available_parallelism;

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::{Diagnostic, has_errors};
use halftrack_record::{OfferedTooMuch, Run};
use halftrack_report::quantity_unit;
use halftrack_sweep::{
    Cache, Change, Column, PointError, PointOptions, Table, ValueSet, change, product, run_sweep,
    sets_in_step, warnings,
};
use rayon::ThreadPoolBuilder;

use crate::before_run;
use crate::diagnostics::{self, MessageForm};
use crate::ending::Ending;
use crate::fail_on::FailOnArguments;
use crate::failure::Failure;
use crate::output_directory::OutputDirectory;
use crate::precision::report_missed;
use crate::run::laws_held;
use crate::run_cache::report_used;
use crate::standard_output::print;
use crate::sweep::unable_points::UnablePoints;
use pictures::Pictures;
use points_bar::PointsBar;

pub use arguments::{EXAMPLES, SweepArguments};

/// Points that are warned of one by one.
const WARNED_POINTS: usize = 8;

/// Runs every point.
///
/// # Errors
/// Bad input; no point that could be run; output that cannot be written.
pub fn sweep(arguments: &SweepArguments) -> Result<Ending, Failure> {
    let plan = Plan::new(arguments)?;
    let cache = arguments.cache.open();
    let runs = plan.run(arguments, &cache)?;
    diagnostics::show(&warnings(&plan.files, &plan.points, &plan.catalog))?;
    let stderr = &mut io::stderr().lock();
    report_used(&cache, plan.points.len(), stderr)?;
    diagnostics::show(&offered_warnings(&plan, &runs))?;
    let mut ending = report_failures(&plan, &runs, &arguments.fail_on, stderr)?;
    if runs.iter().all(Result::is_err) {
        return Err(Failure::Study { study: arguments.study.clone() });
    }
    let table = Table::compute(&plan.files.name, &plan.groups, plan.columns.clone(), &plan.points, &runs);
    for reason in &table.missing {
        writeln!(stderr, "halftrack: {reason}")?;
    }
    // What can be printed is printed even where the directory cannot be written.
    let written = plan.out.as_ref().map_or(Ok(()), |out| write(&table, &plan, arguments, out));
    print(&if arguments.json { table.to_json() } else { table.to_text() })?;
    written?;
    ending = ending.max(Ending::from(table.missing.is_empty()));
    Ok(ending)
}

/// Everything that can be found wrong before a point is run.
struct Plan {
    files: StudyFiles,
    catalog: Catalog,
    /// Sets that change in step stand together.
    groups: Vec<Vec<ValueSet>>,
    points: Vec<Vec<Change>>,
    columns: Vec<Column>,
    pictures: Pictures,
    out: Option<OutputDirectory>,
}

impl Plan {
    fn new(arguments: &SweepArguments) -> Result<Self, Failure> {
        let overlays: Vec<&Path> = arguments.catalogs.iter().map(AsRef::as_ref).collect();
        let (catalog, mut found) = Catalog::load(&overlays);
        let mut groups: Vec<Vec<ValueSet>> = Vec::new();
        for text in &arguments.sets {
            match sets_in_step(text) {
                Ok(sets) => groups.push(sets),
                Err(error) => found.push(*error),
            }
        }
        let points = product(&groups).map_err(|error| found.push(*error));
        let files = StudyFiles::read(&arguments.study).map_err(|errors| found.extend(errors));
        diagnostics::show_as(&found, MessageForm::new(arguments.all, arguments.json))?;
        let (Ok(points), Ok(files), false) = (points, files, has_errors(&found)) else {
            return Err(Failure::Study { study: arguments.study.clone() });
        };
        let across = arguments.pictures.x.iter().flat_map(|names| names.split(','));
        let across = across.filter(|name| quantity_unit(name).is_ok()).map(str::to_owned);
        let quantities: Vec<String> = arguments.y.iter().cloned().chain(across).collect();
        let columns = Table::columns(&quantities).map_err(|error| Failure::Argument(error.to_string()))?;
        let pictures = Pictures::new(&arguments.pictures, &groups, &columns, drawn(&arguments.y, &columns))?;
        let out = arguments.out.as_deref().map(OutputDirectory::of_sweep).transpose()?;
        Ok(Self { files, catalog, groups, points, columns, pictures, out })
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
            precision: arguments.precision.requested(),
        };
        let bar = PointsBar::new(self.points.len());
        let show = |done: usize| bar.show(done);
        let runs =
            pool.install(|| run_sweep(&self.files, &self.points, &self.catalog, &options, cache, &show));
        bar.clear();
        Ok(runs)
    }
}

/// Returns the indices of the drawn columns: those that `asked` names, in its order; all when it names none.
fn drawn(asked: &[String], columns: &[Column]) -> Vec<usize> {
    if asked.is_empty() {
        return (0..columns.len()).collect();
    }
    asked.iter().filter_map(|name| columns.iter().position(|column| column.name == *name)).collect()
}

/// Makes a warning for each point that offers more than can be served, about the resource that can serve least of it.
fn offered_warnings(plan: &Plan, runs: &[Result<Run, PointError>]) -> Vec<Diagnostic> {
    let worst = |run: &Run| {
        run.offered_too_much.iter().min_by(|one, other| one.served.total_cmp(&other.served)).cloned()
    };
    let each = plan.points.iter().zip(runs);
    let offering: Vec<_> =
        each.filter_map(|(changes, run)| Some((changes, worst(run.as_ref().ok()?)?))).collect();
    let of_point = |(changes, worst): &(&Vec<Change>, OfferedTooMuch)| {
        let files = change(&plan.files, changes).ok()?;
        before_run::offered_warnings(&files, std::slice::from_ref(worst)).pop()
    };
    let mut warnings: Vec<Diagnostic> = offering.iter().take(WARNED_POINTS).filter_map(of_point).collect();
    if let (Some(last), Some(more)) =
        (warnings.last_mut(), offering.len().checked_sub(WARNED_POINTS + 1).map(|more| more + 1))
    {
        let points =
            if more == 1 { "1 more point offers".to_owned() } else { format!("{more} more points offer") };
        last.message += &format!("; {points} too much, see `offered_too_much` of --json");
    }
    warnings
}

/// Says which points failed, violated a law, missed their precision or meet a condition of `fail_on`, and how.
fn report_failures(
    plan: &Plan,
    runs: &[Result<Run, PointError>],
    fail_on: &FailOnArguments,
    stderr: &mut dyn Write,
) -> io::Result<Ending> {
    let mut ending = Ending::Fine;
    let mut unable = UnablePoints::default();
    for (changes, run) in plan.points.iter().zip(runs) {
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

/// Writes `points.csv`, `points.json` and the pictures.
fn write(
    table: &Table,
    plan: &Plan,
    arguments: &SweepArguments,
    out: &OutputDirectory,
) -> Result<(), Failure> {
    let mut files = vec![
        (OutputDirectory::POINTS.to_owned(), table.to_json()),
        (OutputDirectory::POINTS_CSV.to_owned(), table.to_csv()),
    ];
    files.extend(plan.pictures.draw(table, &arguments.pictures)?);
    // Two names of quantities may differ only in what a file system may not like.
    files.sort_by(|one, other| one.0.cmp(&other.0));
    files.dedup_by(|one, other| one.0 == other.0);
    let files: Vec<(&Path, &str)> =
        files.iter().map(|(name, text)| (Path::new(name), text.as_str())).collect();
    out.write(&files)
}
