//! Which predicted figures rest on a number that nobody has published: each such number a fifth lower and higher.

use std::collections::BTreeMap;

use halftrack_catalog::{Catalog, Parameter};
use halftrack_config::{StudyFiles, configure};
use halftrack_interval::Run;
use halftrack_sweep::PointError;

use crate::figure::Figure;
use crate::library::Library;
use crate::parameters::{is_assumed, parameters_of};
use crate::points::Points;
use crate::row::Status;
use crate::scoreboard::{Runs, Scoreboard};

/// By how much a number is changed, each way.
const CHANGE: f64 = 0.2;
/// A figure that moves by more than this counts as fitted, percent.
const MOVED_PERCENT: f64 = 1.0;

/// Runs studies with a catalog.
pub type RunAll<'a> = dyn Fn(&[StudyFiles], &Catalog) -> Vec<Result<Run, PointError>> + 'a;

/// A predicted figure that moves with an assumed number.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitive {
    /// Id of the figure.
    pub figure: String,
    /// The assumed number.
    pub parameter: String,
    /// The larger of the two movements, percent of the value with sign.
    pub moved_percent: f64,
}

/// What a scoreboard was made of.
pub struct Made<'a> {
    /// The figures and experiments.
    pub library: &'a Library,
    /// The figures chosen.
    pub figures: &'a [&'a Figure],
    /// Their points.
    pub points: &'a Points,
    /// The runs of the points.
    pub runs: &'a Runs,
    /// The catalog.
    pub catalog: &'a Catalog,
}

/// Changes every assumed number that the studies use to the ends of its range, or by a fifth each way where it has none, runs the studies again whose configuration
/// changes with it, and says which predicted figures of `board` move by more than 1 %.
pub fn sensitive(made: &Made<'_>, board: &Scoreboard, run: &RunAll<'_>) -> Vec<Sensitive> {
    let mut found = Vec::new();
    for parameter in assumed(made) {
        let mut largest: BTreeMap<&str, f64> = BTreeMap::new();
        for value in trials(&parameter) {
            let Ok(catalog) = made.catalog.with_value(&parameter, value) else {
                continue;
            };
            let Some(moved) = again(made, &catalog, run) else { continue };
            for (before, after) in board.rows.iter().zip(&moved.rows) {
                let (Status::Predicted, Some(was), Some(is)) =
                    (before.status, before.simulated, after.simulated)
                else {
                    continue;
                };
                let percent =
                    if was == is { 0.0 } else { 100.0 * (is - was) / was.abs().max(f64::MIN_POSITIVE) };
                let largest = largest.entry(&before.id).or_default();
                if percent.abs() > largest.abs() {
                    *largest = percent;
                }
            }
        }
        let moved = largest.into_iter().filter(|(_, percent)| percent.abs() > MOVED_PERCENT);
        found.extend(moved.map(|(figure, moved_percent)| Sensitive {
            figure: figure.to_owned(),
            parameter: parameter.name(),
            moved_percent,
        }));
    }
    found
}

impl Scoreboard {
    /// Counts the figures found sensitive as fitted, and the numbers that they follow as fitted numbers.
    pub fn count_as_fitted(&mut self, sensitive: &[Sensitive]) {
        for row in &mut self.rows {
            for one in sensitive.iter().filter(|one| one.figure == row.id) {
                row.status = Status::Fitted;
                row.independent = false;
                row.rests_on.push(one.parameter.clone());
                let by = one.moved_percent;
                row.remarks.push(format!(
                    "fitted (sensitive to {}, {by:+.1} % by a fifth of it or at an end of its range)",
                    one.parameter
                ));
                self.fitted.insert(one.parameter.clone());
            }
        }
    }
}

/// Every assumed number of the studies that is not zero, once.
fn assumed(made: &Made<'_>) -> Vec<Parameter> {
    let mut all: BTreeMap<String, Parameter> = BTreeMap::new();
    for study in made.points.studies() {
        let used = parameters_of(study, made.catalog).into_iter();
        let used = used.filter(|parameter| is_assumed(parameter) && parameter.value != 0.0);
        all.extend(used.map(|parameter| (parameter.name(), parameter)));
    }
    all.into_values().collect()
}

/// The values that are tried of an assumed number: the ends of its range, or a fifth less and more.
fn trials(parameter: &Parameter) -> [f64; 2] {
    parameter.range.unwrap_or_else(|| [1.0 - CHANGE, 1.0 + CHANGE].map(|factor| changed(parameter, factor)))
}

/// The value times `factor`; of a number that must be whole the next whole one at least.
fn changed(parameter: &Parameter, factor: f64) -> f64 {
    let value = parameter.value * factor;
    match parameter.is_whole() {
        true if factor < 1.0 => value.round().min(parameter.value - 1.0),
        true => value.round().max(parameter.value + 1.0),
        false => value,
    }
}

/// The scoreboard with another catalog; `None` when no study changes with it.
pub(crate) fn again(made: &Made<'_>, catalog: &Catalog, run: &RunAll<'_>) -> Option<Scoreboard> {
    let studies = made.points.studies();
    let differs = |study: &StudyFiles| {
        configure(study, catalog).configuration != configure(study, made.catalog).configuration
    };
    let changed: Vec<usize> = (0..studies.len()).filter(|index| differs(&studies[*index])).collect();
    if changed.is_empty() {
        return None;
    }
    let to_run: Vec<StudyFiles> = changed.iter().map(|index| studies[*index].clone()).collect();
    let mut fresh = run(&to_run, catalog).into_iter();
    let mut next = changed.into_iter().peekable();
    let mut runs = Vec::with_capacity(studies.len());
    for (index, before) in made.runs.iter().enumerate() {
        let is_changed = next.next_if_eq(&index).is_some();
        let run = if is_changed { fresh.next() } else { None };
        runs.push(match (run, before) {
            (Some(run), _) => run,
            (None, Ok(run)) => Ok(run.clone()),
            (None, Err(_)) => Err(PointError::Study(Vec::new())),
        });
    }
    Some(Scoreboard::new(made.library, made.figures, made.points, &runs, catalog))
}
