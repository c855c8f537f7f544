//! The points of a sweep, each a study, simulated side by side.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, StudyFiles, configure};
use halftrack_input::{Diagnostic, has_errors};
use halftrack_machine::{Cancelled, Fidelity, Options, Precision, Simulation, WiringError};
use halftrack_record::Run;
use rayon::prelude::*;
use thiserror::Error;

use crate::cache::Cache;
use crate::change::{Change, change};

/// How the points are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PointOptions {
    /// Seed of every random stream; the workload's own when `None`.
    pub seed: Option<u64>,
    /// How finely frames are simulated.
    pub fidelity: Fidelity,
    /// Run until the estimates are this sharp; `None` runs the workload's intervals.
    pub precision: Option<Precision>,
}

/// Why a point has no run.
#[derive(Debug, Error)]
pub enum PointError {
    /// The files make no configuration.
    #[error("{}", first_line(.0))]
    Study(Vec<Diagnostic>),
    /// The machine cannot be wired.
    #[error(transparent)]
    Wiring(#[from] WiringError),
}

impl From<Box<Diagnostic>> for PointError {
    fn from(found: Box<Diagnostic>) -> Self {
        Self::Study(vec![*found])
    }
}

impl PointError {
    /// Returns every message about the point.
    pub fn messages(&self) -> Vec<String> {
        match self {
            Self::Study(diagnostics) => diagnostics.iter().map(ToString::to_string).collect(),
            Self::Wiring(error) => vec![error.to_string()],
        }
    }
}

fn first_line(diagnostics: &[Diagnostic]) -> String {
    let error = diagnostics.iter().max_by_key(|one| one.severity);
    error.map_or_else(|| "no configuration".to_owned(), Diagnostic::line)
}

/// Runs every study of `points`, in the order given, on the threads of rayon's current pool. A run is taken from
/// `cache` where it is there, else simulated and kept in `cache` as soon as it ends. A point that fails does not hold
/// up the others, and a cache that cannot be written only costs the time to simulate again. `progress` gets the number
/// of points that are done after each. The result does not depend on the number of threads.
pub fn run_points(
    points: &[StudyFiles],
    catalog: &Catalog,
    options: &PointOptions,
    cache: &Cache,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Result<Run, PointError>> {
    let runs = try_run_points(points, catalog, options, cache, progress, &|| false);
    runs.expect("nothing cancels it")
}

/// Runs every study of `points` as [`run_points`] does, until `is_cancelled` returns true; it is called every few
/// milliseconds.
///
/// # Errors
/// [`Cancelled`] once `is_cancelled` returns true.
pub fn try_run_points(
    points: &[StudyFiles],
    catalog: &Catalog,
    options: &PointOptions,
    cache: &Cache,
    progress: &(dyn Fn(usize) + Sync),
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Result<Run, PointError>>, Cancelled> {
    let done = AtomicUsize::new(0);
    let run = |point: &StudyFiles| {
        let result = run_point(point, catalog, options, cache, is_cancelled)?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(result)
    };
    points.par_iter().with_max_len(1).map(run).collect()
}

/// Returns the study `files` with each of `points` changed, run as [`run_points`] does. A point whose changes cannot be
/// made fails by itself.
pub fn run_sweep(
    files: &StudyFiles,
    points: &[Vec<Change>],
    catalog: &Catalog,
    options: &PointOptions,
    cache: &Cache,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Result<Run, PointError>> {
    let changed: Vec<Result<StudyFiles, PointError>> =
        points.iter().map(|changes| Ok(change(files, changes)?)).collect();
    let (mut studies, mut refused) = (Vec::new(), Vec::new());
    for (index, point) in changed.into_iter().enumerate() {
        match point {
            Ok(study) => studies.push(study),
            Err(error) => refused.push((index, error)),
        }
    }
    let mut runs = run_points(&studies, catalog, options, cache, progress);
    // In ascending order, so that every place is right when it is taken.
    for (index, error) in refused {
        runs.insert(index, Err(error));
    }
    runs
}

/// Returns the warnings about those of `points` that can be run, each warning once. They are about the study `files`
/// with each of the points changed.
pub fn warnings(files: &StudyFiles, points: &[Vec<Change>], catalog: &Catalog) -> Vec<Diagnostic> {
    let of_point = |changes: &Vec<Change>| {
        let found = change(files, changes).map(|study| configure(&study, catalog).diagnostics);
        found.ok().filter(|found| !has_errors(found)).unwrap_or_default()
    };
    let mut said = BTreeSet::new();
    let found: Vec<Vec<Diagnostic>> = points.par_iter().map(of_point).collect();
    found.into_iter().flatten().filter(|one| said.insert(one.message.clone())).collect()
}

/// A point whose files make a machine.
pub(crate) struct Prepared {
    /// Machine and work.
    pub configuration: Configuration,
    /// Options of its run.
    pub options: Options,
    /// Warnings about its files.
    pub warnings: Vec<Diagnostic>,
}

/// Makes the machine of the study `files` with `changes`.
///
/// # Errors
/// Every message about changes or files that make none.
pub(crate) fn prepare_changed(
    files: &StudyFiles,
    changes: &[Change],
    catalog: &Catalog,
    options: &PointOptions,
) -> Result<Prepared, PointError> {
    prepare(&change(files, changes)?, catalog, options)
}

/// Makes the machine of the study `point`.
///
/// # Errors
/// Every message about files that make none.
pub(crate) fn prepare(
    point: &StudyFiles,
    catalog: &Catalog,
    options: &PointOptions,
) -> Result<Prepared, PointError> {
    let loaded = configure(point, catalog);
    let Some(configuration) = loaded.configuration else {
        return Err(PointError::Study(loaded.diagnostics));
    };
    let options = Options {
        fidelity: options.fidelity,
        precision: options.precision,
        ..Options::new(options.seed.unwrap_or(configuration.run.seed))
    };
    Ok(Prepared { configuration, options, warnings: loaded.diagnostics })
}

fn run_point(
    point: &StudyFiles,
    catalog: &Catalog,
    options: &PointOptions,
    cache: &Cache,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Result<Run, PointError>, Cancelled> {
    let prepared = match prepare(point, catalog, options) {
        Ok(prepared) => prepared,
        Err(error) => return Ok(Err(error)),
    };
    let key = cache.place().map(|_| cache.key(&prepared.configuration, &prepared.options));
    if let Some(run) = key.and_then(|key| cache.take(key)) {
        return Ok(Ok(run));
    }
    let run = simulate(prepared, is_cancelled)?;
    if let (Some(key), Ok(run)) = (key, &run) {
        cache.keep(key, run);
    }
    Ok(run)
}

/// Runs a point. `is_cancelled` is called every few milliseconds.
///
/// # Errors
/// [`Cancelled`] once `is_cancelled` returns true. A point that cannot be run is an outcome.
pub(crate) fn simulate(
    prepared: Prepared,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Result<Run, PointError>, Cancelled> {
    if is_cancelled() {
        return Err(Cancelled);
    }
    let mut simulation = match Simulation::new(Arc::new(prepared.configuration), prepared.options) {
        Ok(simulation) => simulation,
        Err(error) => return Ok(Err(error.into())),
    };
    let ran = simulation.try_run(&mut |_| match is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    ran.map(|(run, _)| Ok(run))
}
