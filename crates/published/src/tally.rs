//! Totals of a scoreboard.

use serde::Serialize;

use crate::row::{Row, Status};

/// Largest errors that are counted, percent.
const CLOSE_PERCENT: f64 = 5.0;
const NEAR_PERCENT: f64 = 15.0;

/// Counts over a scoreboard. Only measured figures count as predictions, and only where the data names no figures that
/// count and state the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tally {
    /// Predictions that count and are independent.
    pub independent: usize,
    /// Of these, within 5 %.
    pub independent_within_5_percent: usize,
    /// Of these, within 5 % or printed as a bound (`<`, `<=`, `>`, `>=`) that holds.
    pub independent_within_5_percent_or_bound: usize,
    /// Figures.
    pub figures: usize,
    /// Predicted figures of any kind.
    pub predicted: usize,
    /// Fitted figures.
    pub fitted: usize,
    /// Definitions.
    pub definition: usize,
    /// Contradicted figures.
    pub contradicted: usize,
    /// Figures that no experiment answers.
    pub not_covered: usize,
    /// Predictions of measured figures that count.
    pub measured_predictions: usize,
    /// Of these, within 5 %.
    pub within_5_percent: usize,
    /// Of these, within 5 % or printed as a bound (`<`, `<=`, `>`, `>=`) that holds.
    pub within_5_percent_or_bound: usize,
    /// Of these, within 15 %.
    pub within_15_percent: usize,
    /// Fitted figures within 1 %.
    pub fitted_within_1_percent: usize,
    /// Fitted numbers of the catalog in use.
    pub fitted_parameters: usize,
    /// Predictions of measured figures for each fitted number; none without fitted numbers.
    pub predictions_per_parameter: Option<f64>,
    /// Predicted figures that are more than 5 % out, fitted ones more than 1 %, the furthest first.
    pub missed: Vec<Missed>,
}

/// A figure that is missed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// Id of the figure.
    pub id: String,
    /// Error, percent with sign; none against a printed zero or without a value.
    pub error_percent: Option<f64>,
    /// Whether the relation holds all the same, as an inequality may.
    pub holds: Option<bool>,
    /// How it stands.
    pub status: Status,
}

impl Tally {
    pub(crate) fn new(rows: &[Row], fitted_parameters: usize) -> Self {
        let of = |status: Status| rows.iter().filter(|row| row.status == status).count();
        let predictions: Vec<&Row> = rows.iter().filter(|row| row.is_counted_prediction()).collect();
        let within = |limit: f64| predictions.iter().filter(|row| is_within(row, limit)).count();
        let fitted = |row: &&Row| row.status == Status::Fitted && is_within(row, 1.0);
        let count = predictions.len();
        let independent: Vec<&Row> = rows.iter().filter(|row| row.independent).collect();
        Self {
            independent: independent.len(),
            independent_within_5_percent: independent
                .iter()
                .filter(|row| is_within(row, CLOSE_PERCENT))
                .count(),
            independent_within_5_percent_or_bound: independent.iter().filter(|row| is_met(row)).count(),
            figures: rows.len(),
            predicted: of(Status::Predicted),
            fitted: of(Status::Fitted),
            definition: of(Status::Definition),
            contradicted: of(Status::Contradicted),
            not_covered: of(Status::NotCovered),
            measured_predictions: count,
            within_5_percent: within(CLOSE_PERCENT),
            within_5_percent_or_bound: predictions.iter().filter(|row| is_met(row)).count(),
            within_15_percent: within(NEAR_PERCENT),
            fitted_within_1_percent: rows.iter().filter(fitted).count(),
            fitted_parameters,
            predictions_per_parameter: (fitted_parameters > 0)
                .then(|| count as f64 / fitted_parameters as f64),
            missed: missed(rows),
        }
    }
}

impl Tally {
    /// Returns the share of the predictions of measured figures that are met when a printed bound that holds counts as
    /// met, percent; none without predictions.
    pub fn share_met_percent(&self) -> Option<f64> {
        let all = self.measured_predictions;
        (all > 0).then(|| 100.0 * self.within_5_percent_or_bound as f64 / all as f64)
    }

    /// Returns the share of the independent predictions that are within 5 %, percent; none without independent ones.
    pub fn share_independent_percent(&self) -> Option<f64> {
        let all = self.independent;
        (all > 0).then(|| 100.0 * self.independent_within_5_percent as f64 / all as f64)
    }
}

fn is_within(row: &Row, limit_percent: f64) -> bool {
    row.error_percent.is_some_and(|error| error.abs() <= limit_percent)
}

/// Returns true when a prediction is close. Where the document prints only a bound, it is enough to lie on that side.
fn is_met(row: &Row) -> bool {
    let is_bound = matches!(row.relation, "<" | "<=" | ">" | ">=");
    is_within(row, CLOSE_PERCENT) || is_bound && row.holds == Some(true)
}

fn missed(rows: &[Row]) -> Vec<Missed> {
    let is_missed = |row: &&Row| match row.status {
        Status::Predicted => !is_within(row, CLOSE_PERCENT),
        Status::Fitted => !is_within(row, 1.0),
        Status::Definition | Status::Contradicted | Status::NotCovered => false,
    };
    let mut missed: Vec<Missed> = rows
        .iter()
        .filter(is_missed)
        .map(|row| Missed {
            id: row.id.clone(),
            error_percent: row.error_percent,
            holds: row.holds,
            status: row.status,
        })
        .collect();
    let size = |one: &Missed| one.error_percent.map_or(f64::INFINITY, f64::abs);
    missed.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.id.cmp(&b.id)));
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, status: Status, error_percent: f64) -> Row {
        Row {
            id: id.into(),
            source: "s".into(),
            kind: "measured",
            what: "w".into(),
            relation: "=",
            published: Some(100.0),
            low: None,
            high: None,
            simulated: Some(100.0 + error_percent),
            unit: "%".into(),
            error_percent: Some(error_percent),
            holds: Some(true),
            status,
            bottleneck: None,
            readings: Vec::new(),
            overloaded: Vec::new(),
            experiment: None,
            independent: status == Status::Predicted,
            rests_on: Vec::new(),
            counted: true,
            remarks: Vec::new(),
            reasons: Vec::new(),
        }
    }

    #[test]
    fn only_measured_figures_that_count_are_predictions() {
        let ratio = Row { counted: false, ..row("ratio", Status::Predicted, 0.0) };
        let derived = Row { kind: "derived", ..row("derived", Status::Predicted, 0.0) };
        let rows = [
            row("a", Status::Predicted, 5.0),
            row("b", Status::Predicted, -14.0),
            row("c", Status::Predicted, 40.0),
            row("d", Status::Fitted, 1.5),
            row("e", Status::Definition, 90.0),
            ratio,
            derived,
        ];
        let tally = Tally::new(&rows, 2);
        assert_eq!((tally.figures, tally.predicted, tally.fitted, tally.definition), (7, 5, 1, 1));
        let within = (tally.measured_predictions, tally.within_5_percent, tally.within_15_percent);
        assert_eq!(within, (3, 1, 2));
        assert_eq!((tally.fitted_within_1_percent, tally.predictions_per_parameter), (0, Some(1.5)));
        let missed: Vec<_> = tally.missed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(missed, ["c", "b", "d"]);
    }

    #[test]
    fn a_bound_that_holds_is_met_and_still_missed_by_number() {
        let bound =
            |relation, holds| Row { relation, holds: Some(holds), ..row("b", Status::Predicted, 20.0) };
        let rows =
            [bound(">=", true), bound("<", false), bound("~", true), row("close", Status::Predicted, 2.0)];
        let tally = Tally::new(&rows, 0);
        assert_eq!((tally.within_5_percent, tally.within_5_percent_or_bound), (1, 2));
        assert_eq!(tally.missed.len(), 3);
        assert_eq!(tally.share_met_percent(), Some(50.0));
        assert_eq!(Tally::new(&[], 0).share_met_percent(), None);
    }
}
