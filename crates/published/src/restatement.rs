//! Predicted figures that restate a fitted one: they move with every fitted number of the catalog just as it does.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_catalog::Parameter;
use halftrack_machine::Cancelled;

use crate::parameters::{fitted_to, mechanism_of};
use crate::row::{Row, Status};
use crate::scoreboard::Scoreboard;
use crate::trials::{Change, Rerun, ScoreboardInputs, Trials};

/// By how much a fitted number is changed, as a share of it.
const CHANGE: f64 = 0.05;
/// Movements of two figures, as shares of the number's, that are the same.
const ALIKE: f64 = 0.025;
/// A figure whose largest movement is below this share of the number's moves with none.
const MOVES: f64 = 0.2;

/// A predicted figure and the fitted one that it restates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restated {
    /// Id of the figure.
    pub figure: String,
    /// Id of the fitted one.
    pub of: String,
}

/// Makes every fitted number that the studies use a twentieth larger, each by itself. Returns the independent
/// predictions of `board` that move with all of them by the share that one fitted figure moves by, up or down.
///
/// # Errors
/// [`Cancelled`] when `again` is broken off.
pub fn restated(
    made: &ScoreboardInputs<'_>,
    board: &Scoreboard,
    again: &dyn Rerun,
) -> Result<Vec<Restated>, Cancelled> {
    let is_watched = |row: &Row| row.independent || row.status == Status::Fitted;
    let trials = Trials::new(made, board, again, is_watched)?;
    let larger = |numbers: Vec<&Parameter>| {
        let grown = numbers.into_iter().map(|one| (one.clone(), one.value * (1.0 + CHANGE)));
        Change { numbers: grown.collect(), spared: BTreeSet::new() }
    };
    let changes: Vec<Change> = mechanisms(trials.parameters()).into_values().map(larger).collect();
    let tried = trials.tried(&changes, again)?;
    let of = |index: usize| -> Vec<f64> {
        let was = board.rows[index].simulated;
        tried.iter().map(|one| share_moved(was, one.values.get(&index).copied().unwrap_or(was))).collect()
    };
    let fitted: Vec<(&Row, Vec<f64>)> = (board.rows.iter().enumerate())
        .filter(|(_, row)| row.status == Status::Fitted)
        .map(|(index, row)| (row, of(index)))
        .collect();
    let independent = board.rows.iter().enumerate().filter(|(_, row)| row.independent);
    let found = independent.filter_map(|(index, row)| {
        let moved = of(index);
        let (like, _) = fitted.iter().find(|(_, other)| are_alike(&moved, other))?;
        Some(Restated { figure: row.id.clone(), of: like.id.clone() })
    });
    Ok(found.collect())
}

impl Scoreboard {
    /// Counts the figures found to restate another as not independent.
    pub fn count_as_restated(&mut self, restated: &[Restated]) {
        for row in &mut self.rows {
            for one in restated.iter().filter(|one| one.figure == row.id) {
                row.independent = false;
                row.rests_on.push(one.of.clone());
                let said = "not independent: moves with every fitted number as";
                row.remarks.push(format!("{said} {} does", one.of));
            }
        }
    }
}

/// Returns the fitted numbers among `all` that are not zero; those that entries share together.
fn mechanisms(all: Vec<&Parameter>) -> BTreeMap<String, Vec<&Parameter>> {
    let fitted = all.into_iter().filter(|one| !fitted_to(one).is_empty() && one.value != 0.0);
    let mut mechanisms: BTreeMap<String, Vec<&Parameter>> = BTreeMap::new();
    for number in fitted {
        mechanisms.entry(mechanism_of(number)).or_default().push(number);
    }
    mechanisms
}

/// Returns the movement of the value of a row as a share of the number's change, both as logarithms. The inverse of the
/// number moves by exactly minus one.
fn share_moved(before: Option<f64>, after: Option<f64>) -> f64 {
    match (before, after) {
        (Some(was), Some(is)) if was != 0.0 && is / was > 0.0 => (is / was).ln() / CHANGE.ln_1p(),
        _ => 0.0,
    }
}

/// Returns true when the one moves as the other does, or as its inverse.
fn are_alike(moved: &[f64], other: &[f64]) -> bool {
    let largest = |all: &[f64]| all.iter().fold(0.0_f64, |most, one| most.max(one.abs()));
    let alike = |sign: f64| moved.iter().zip(other).all(|(a, b)| (a - sign * b).abs() <= ALIKE);
    largest(moved) >= MOVES && largest(other) >= MOVES && (alike(1.0) || alike(-1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_restates_one_that_moves_as_it_does_up_or_down() {
        let fitted = [-0.9, 0.0, 0.02];
        assert!(are_alike(&[-0.92, 0.01, 0.0], &fitted) && are_alike(&[0.9, 0.0, 0.0], &fitted));
        assert!(!are_alike(&[-0.7, 0.0, 0.0], &fitted), "part of it is moved by something else");
        assert!(!are_alike(&[-0.9, 0.3, 0.0], &fitted), "a second number moves it");
        assert!(!are_alike(&[0.03, 0.0, 0.0], &[0.02, 0.0, 0.0]), "neither moves");
    }
}
