//! Which predicted figures rest on a number that nobody has published: each such number a fifth lower and higher.

use std::collections::BTreeMap;

use halftrack_catalog::Parameter;

use crate::parameters::is_assumed;
use crate::row::{Row, Status};
use crate::scoreboard::Scoreboard;
use crate::trials::{Change, Made, Rerun, Trials};

/// By how much a number is changed, each way.
const CHANGE: f64 = 0.2;
/// A figure that moves by more than this counts as fitted, percent.
const MOVED_PERCENT: f64 = 1.0;

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

/// Changes every assumed number that the studies of predictions that count use by a fifth each way, runs again what changes with
/// it, and finds the predictions of `board` that move by more than 1 %.
pub fn sensitive(made: &Made<'_>, board: &Scoreboard, again: &dyn Rerun) -> Vec<Sensitive> {
    let trials = Trials::new(made, board, Row::is_counted_prediction);
    let numbers = trials.parameters();
    let assumed = numbers.into_iter().filter(|one| is_assumed(one) && one.value != 0.0);
    let changes: Vec<Change> = assumed
        .flat_map(|one| {
            [1.0 - CHANGE, 1.0 + CHANGE]
                .map(|factor| Change { numbers: vec![(one.clone(), changed(one, factor))] })
        })
        .collect();
    let values = trials.values(&changes, again);
    let mut largest: BTreeMap<(String, usize), f64> = BTreeMap::new();
    for (change, values) in changes.iter().zip(&values) {
        for (index, value) in values {
            let (Some(was), Some(is)) = (board.rows[*index].simulated, *value) else { continue };
            let percent = if was == is { 0.0 } else { 100.0 * (is - was) / was.abs().max(f64::MIN_POSITIVE) };
            let name = change.numbers.iter().map(|(number, _)| number.name()).collect();
            let largest = largest.entry((name, *index)).or_default();
            if percent.abs() > largest.abs() {
                *largest = percent;
            }
        }
    }
    let moved = largest.into_iter().filter(|(_, percent)| percent.abs() > MOVED_PERCENT);
    let found = moved.map(|((parameter, index), moved_percent)| Sensitive {
        figure: board.rows[index].id.clone(),
        parameter,
        moved_percent,
    });
    found.collect()
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
                row.remarks
                    .push(format!("fitted (sensitive to {}, {by:+.1} % by a fifth of it)", one.parameter));
                self.fitted.insert(one.parameter.clone());
            }
        }
    }
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
