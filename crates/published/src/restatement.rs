//! Predicted figures that restate a fitted one: they move with every fitted number of the catalog just as it does.

use std::collections::BTreeMap;

use halftrack_catalog::{Catalog, Parameter};

use crate::parameters::{fitted_to, mechanism_of, parameters_of};
use crate::row::{Row, Status};
use crate::scoreboard::Scoreboard;
use crate::sensitivity::{Made, RunAll, again};

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

/// Makes every fitted number that the studies use a twentieth larger, each by itself, and finds the independent
/// predictions of `board` that move with all of them by the share that one fitted figure moves by, up or down.
pub fn restated(made: &Made<'_>, board: &Scoreboard, run: &RunAll<'_>) -> Vec<Restated> {
    let movements: Vec<Vec<f64>> = fitted_numbers(made)
        .values()
        .filter_map(|numbers| {
            let moved = again(made, &larger(made.catalog, numbers)?, run)?;
            Some(
                board
                    .rows
                    .iter()
                    .zip(&moved.rows)
                    .map(|(before, after)| share_moved(before, after))
                    .collect(),
            )
        })
        .collect();
    let of = |index: usize| -> Vec<f64> { movements.iter().map(|each| each[index]).collect() };
    let fitted: Vec<(&Row, Vec<f64>)> = (board.rows.iter().enumerate())
        .filter(|(_, row)| row.status == Status::Fitted)
        .map(|(index, row)| (row, of(index)))
        .collect();
    (board.rows.iter().enumerate())
        .filter(|(_, row)| row.independent)
        .filter_map(|(index, row)| {
            let moved = of(index);
            let (like, _) = fitted.iter().find(|(_, other)| are_alike(&moved, other))?;
            Some(Restated { figure: row.id.clone(), of: like.id.clone() })
        })
        .collect()
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

/// The fitted numbers of the studies that are not zero; those that entries share together.
fn fitted_numbers(made: &Made<'_>) -> BTreeMap<String, Vec<Parameter>> {
    let mut all: BTreeMap<String, Vec<Parameter>> = BTreeMap::new();
    for study in made.points.studies() {
        for parameter in parameters_of(study, made.catalog) {
            let shared = all.entry(mechanism_of(&parameter)).or_default();
            if !fitted_to(&parameter).is_empty() && parameter.value != 0.0 && !shared.contains(&parameter) {
                shared.push(parameter);
            }
        }
    }
    all.retain(|_, numbers| !numbers.is_empty());
    all
}

fn larger(catalog: &Catalog, numbers: &[Parameter]) -> Option<Catalog> {
    numbers.iter().try_fold(catalog.clone(), |catalog, number| {
        catalog.with_value(number, number.value * (1.0 + CHANGE)).ok()
    })
}

/// By how much the value of a row moved, as a share of the number's change, both as logarithms: what is the inverse of the number
/// moves by exactly minus one.
fn share_moved(before: &Row, after: &Row) -> f64 {
    match (before.simulated, after.simulated) {
        (Some(was), Some(is)) if was != 0.0 && is / was > 0.0 => (is / was).ln() / CHANGE.ln_1p(),
        _ => 0.0,
    }
}

/// True when the one moves as the other does, or as its inverse.
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
