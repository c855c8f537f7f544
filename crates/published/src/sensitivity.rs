//! Which predicted figures rest on a number that nobody has published: each such number at both ends of its
//! range, or a fifth lower and higher.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_catalog::Parameter;
use halftrack_machine::Cancelled;

use crate::parameters::is_assumed;
use crate::row::{Row, Status};
use crate::scoreboard::Scoreboard;
use crate::trials::{Change, Rerun, ScoreboardInputs, Trials, Tried};

/// By how much a number is changed, each way.
const CHANGE: f64 = 0.2;
/// A figure that moves by more than this counts as fitted, percent.
const MOVED_PERCENT: f64 = 1.0;
/// It also moves by so many times what another seed moves it by.
const TIMES_CHANCE: f64 = 3.0;

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

/// Tries every assumed number that the studies of predictions that count use, each by itself, and runs again the
/// studies that use it. A number goes to both ends of its range, or a fifth down and up where it has none. Returns the
/// predictions of `board` that move by more than 1 % and by more than chance does. A run that a smaller number leaves
/// as it was is not tried with a larger one.
///
/// # Errors
/// [`Cancelled`] when `again` is broken off.
pub fn sensitive(
    made: &ScoreboardInputs<'_>,
    board: &Scoreboard,
    again: &dyn Rerun,
) -> Result<Vec<Sensitive>, Cancelled> {
    let trials = Trials::new(made, board, again, Row::is_counted_prediction)?;
    let mut numbers = trials.parameters();
    numbers.retain(|one| is_assumed(one) && one.value != 0.0);
    let change = |number: &Parameter, value: f64, spared: BTreeSet<usize>| Change {
        numbers: vec![(number.clone(), value)],
        spared,
    };
    let smaller: Vec<Change> = numbers.iter().map(|one| change(one, ends(one)[0], BTreeSet::new())).collect();
    let smaller = trials.tried(&smaller, again)?;
    let larger = numbers.iter().zip(&smaller);
    // A number that is the smaller end of its range already has shown nothing by it.
    let spared = |one: &Parameter, tried: &Tried| match ends(one)[0] == one.value {
        true => BTreeSet::new(),
        false => tried.unmoved.clone(),
    };
    let larger: Vec<Change> =
        larger.map(|(one, tried)| change(one, ends(one)[1], spared(one, tried))).collect();
    let larger = trials.tried(&larger, again)?;
    let mut found = Vec::new();
    for ((number, smaller), larger) in numbers.iter().zip(&smaller).zip(&larger) {
        let moved = largest_movements(board, [smaller, larger]);
        found.extend(moved.into_iter().map(|(index, percent)| (index, *number, percent)));
    }
    found.retain(|(_, _, moved)| moved.abs() > MOVED_PERCENT);
    let rows = found.iter().map(|(index, ..)| *index).collect();
    let chance = chance_percent(&trials, board, &rows, again)?;
    found.retain(|(index, _, moved)| moved.abs() > TIMES_CHANCE * chance[index]);
    let words = |(index, number, moved_percent): (usize, &Parameter, f64)| Sensitive {
        figure: board.rows[index].id.clone(),
        parameter: number.name(),
        moved_percent,
    };
    Ok(found.into_iter().map(words).collect())
}

/// Returns the larger of the two movements of each row that either reaches, percent with sign.
fn largest_movements(board: &Scoreboard, both: [&Tried; 2]) -> BTreeMap<usize, f64> {
    let mut largest: BTreeMap<usize, f64> = BTreeMap::new();
    for (index, value) in both.into_iter().flat_map(|tried| &tried.values) {
        let moved = moved_percent(board.rows[*index].simulated, *value);
        let largest = largest.entry(*index).or_default();
        if moved.abs() > largest.abs() {
            *largest = moved;
        }
    }
    largest
}

/// Returns the movement of rows by chance: the root of the mean square over other seeds, percent.
fn chance_percent(
    trials: &Trials<'_>,
    board: &Scoreboard,
    rows: &BTreeSet<usize>,
    again: &dyn Rerun,
) -> Result<BTreeMap<usize, f64>, Cancelled> {
    let rows: Vec<usize> = rows.iter().copied().collect();
    let tried = trials.with_other_seeds(&rows, again)?;
    let of = |row: usize| {
        let moved = tried.iter().map(|values| moved_percent(board.rows[row].simulated, values[&row]));
        (moved.map(|percent| percent * percent).sum::<f64>() / tried.len() as f64).sqrt()
    };
    Ok(rows.iter().map(|row| (*row, of(*row))).collect())
}

/// Returns the movement of a value, percent; 0 where one of the two is missing.
fn moved_percent(before: Option<f64>, after: Option<f64>) -> f64 {
    match (before, after) {
        (Some(was), Some(is)) if was != is => 100.0 * (is - was) / was.abs().max(f64::MIN_POSITIVE),
        _ => 0.0,
    }
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

/// Returns the ends of the range of an assumed number, or a fifth less and more.
fn ends(parameter: &Parameter) -> [f64; 2] {
    parameter.range.unwrap_or_else(|| [1.0 - CHANGE, 1.0 + CHANGE].map(|factor| changed(parameter, factor)))
}

/// Returns the value times `factor`; of a number that must be whole the next whole one at least.
fn changed(parameter: &Parameter, factor: f64) -> f64 {
    let value = parameter.value * factor;
    match parameter.is_whole() {
        true if factor < 1.0 => value.round().min(parameter.value - 1.0),
        true => value.round().max(parameter.value + 1.0),
        false => value,
    }
}
