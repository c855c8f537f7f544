//! The outcome of a sweep, one row a point: as text, CSV and JSON.

use std::collections::BTreeMap;

use halftrack_record::{OfferedTooMuch, Run};
use halftrack_report::{QuantityError, Unit, quantity_unit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::change::Change;
use crate::point_outcome::PointOutcome;
use crate::points::PointError;
use crate::value_set::ValueSet;

/// The quantities that every sweep shows.
const ALWAYS: [&str; 3] = ["rate_per_s", "response_ms", "mb_per_s"];

/// A quantity that is shown of every point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name in the vocabulary of [`quantity`](halftrack_report::quantity).
    pub name: String,
    /// Unit.
    pub unit: Unit,
}

/// Outcome of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Ran {
        /// Values of the columns; none where the run has no such thing.
        values: Vec<Option<f64>>,
        /// The station or pool that is used most; empty where nothing was measured.
        bottleneck: String,
        /// Violations of laws that the checkers saw.
        violations: Vec<String>,
        /// Streams that offered more than was served: their response is none of a steady state.
        overloaded: Vec<String>,
        /// Stations and pools that are too small, found before the run.
        offered_too_much: Vec<OfferedTooMuch>,
    },
    /// It did not: the messages.
    Failed(Vec<String>),
}

/// A point: what was changed and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Values of the keys, in the order of [`Table::keys`].
    pub set_to: Vec<String>,
    /// Outcome of the run.
    pub outcome: Outcome,
}

impl Row {
    /// Formats `ok`, `overloaded`, `law violated` or `failed`.
    pub fn status(&self) -> &'static str {
        match &self.outcome {
            Outcome::Ran { violations, .. } if !violations.is_empty() => "law violated",
            Outcome::Ran { overloaded, .. } if !overloaded.is_empty() => "overloaded",
            Outcome::Ran { .. } => "ok",
            Outcome::Failed(_) => "failed",
        }
    }
}

/// The outcome of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of the study.
    pub study: String,
    /// Keys, as written.
    pub keys: Vec<String>,
    /// For each key the number of the group of sets that it is in: the keys of one group change in step.
    pub steps: Vec<usize>,
    /// Quantities.
    pub columns: Vec<Column>,
    /// Points, in the order of [`product`](crate::product).
    pub rows: Vec<Row>,
    /// Quantities that some run does not have, and why; each reason once.
    pub missing: Vec<String>,
}

impl Table {
    /// Returns the columns of a sweep with `quantities`: those beside rate, response time and MB/s.
    ///
    /// # Errors
    /// A quantity that no run has.
    pub fn columns(quantities: &[String]) -> Result<Vec<Column>, QuantityError> {
        let mut columns: Vec<Column> = Vec::new();
        for name in ALWAYS.into_iter().chain(quantities.iter().map(String::as_str)) {
            if columns.iter().all(|column| column.name != name) {
                columns.push(Column { name: name.to_owned(), unit: quantity_unit(name)? });
            }
        }
        Ok(columns)
    }

    /// Computes `columns` from the runs of `points`.
    pub fn compute(
        study: &str,
        groups: &[Vec<ValueSet>],
        columns: Vec<Column>,
        points: &[Vec<Change>],
        runs: &[Result<Run, PointError>],
    ) -> Self {
        let outcomes = runs.iter().map(|run| PointOutcome::of(run.as_ref(), &columns)).collect::<Vec<_>>();
        let set_to = points.iter().map(|changes| changes.iter().map(|change| change.value.clone()).collect());
        Self::of_outcomes(study, groups, columns, set_to.zip(outcomes))
    }

    /// Makes the table of points whose outcomes have been computed for `columns`: of each the values of the keys and its
    /// outcome.
    pub fn of_outcomes(
        study: &str,
        groups: &[Vec<ValueSet>],
        columns: Vec<Column>,
        points: impl Iterator<Item = (Vec<String>, PointOutcome)>,
    ) -> Self {
        let mut missing: Vec<String> = Vec::new();
        let rows = points.map(|(set_to, point)| {
            for reason in point.missing {
                if !missing.contains(&reason) {
                    missing.push(reason);
                }
            }
            Row { set_to, outcome: point.outcome }
        });
        let rows = rows.collect();
        let keys = groups.iter().flatten().map(|set| set.key.to_string()).collect();
        let steps = groups.iter().enumerate().flat_map(|(number, group)| group.iter().map(move |_| number));
        Self { study: study.to_owned(), keys, steps: steps.collect(), columns, rows, missing }
    }

    /// Returns indices of the keys that differ between points.
    pub(crate) fn varied_keys(&self) -> Vec<usize> {
        let varies = |key: &usize| self.rows.iter().any(|row| row.set_to[*key] != self.rows[0].set_to[*key]);
        (0..self.keys.len()).filter(varies).collect()
    }

    /// Returns the keys that distinguish points: those that vary, without those that change in step with one before
    /// them.
    pub(crate) fn telling_keys(&self) -> Vec<usize> {
        let follows = |key: usize, before: usize| {
            let mut seen = BTreeMap::new();
            self.rows
                .iter()
                .all(|row| seen.entry(&row.set_to[before]).or_insert(&row.set_to[key]) == &&row.set_to[key])
        };
        let mut telling: Vec<usize> = Vec::new();
        for key in self.varied_keys() {
            if !telling.iter().any(|before| follows(key, *before)) {
                telling.push(key);
            }
        }
        telling
    }

    /// Returns one line a point, in columns; keys with a single value stand before the table.
    pub fn to_text(&self) -> String {
        let varied = self.varied_keys();
        let mut text = String::new();
        for key in (0..self.keys.len()).filter(|key| !varied.contains(key)) {
            let value = self.rows.first().map_or("", |row| row.set_to[key].as_str());
            text.push_str(&format!("{} = {value}\n", self.keys[key]));
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let keys = varied.iter().map(|key| self.keys[*key].clone());
        let columns = self.columns.iter().map(|column| column.name.clone());
        let mut lines: Vec<Vec<String>> =
            vec![keys.chain(columns).chain(["bottleneck".to_owned()]).collect()];
        lines.extend(self.rows.iter().map(|row| self.text_cells(row, &varied)));
        // Numbers stand to the right, words to the left.
        let numbers = varied.len()..varied.len() + self.columns.len();
        let width =
            |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        for cells in &lines {
            let padded = cells.iter().enumerate().map(|(column, cell)| match numbers.contains(&column) {
                true => format!("{cell:>width$}", width = widths[column]),
                false => format!("{cell:<width$}", width = widths[column]),
            });
            text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    fn text_cells(&self, row: &Row, varied: &[usize]) -> Vec<String> {
        let mut cells: Vec<String> = varied.iter().map(|key| row.set_to[*key].clone()).collect();
        match &row.outcome {
            Outcome::Ran { values, bottleneck, .. } => {
                cells.extend(values.iter().map(|value| value.map_or("-".to_owned(), rounded)));
                let status = Some(row.status()).filter(|status| *status != "ok");
                let said = status.map_or(String::new(), |status| format!(" ({status})"));
                cells.push(format!("{bottleneck}{said}"));
            }
            Outcome::Failed(_) => {
                cells.extend(self.columns.iter().map(|_| "-".to_owned()));
                cells.push(row.status().to_owned());
            }
        }
        cells
    }

    /// Returns comma-separated values (RFC 4180, lines ended by LF), a line of names first.
    pub fn to_csv(&self) -> String {
        let columns = self.columns.iter().map(|column| column.name.as_str());
        let head = self.keys.iter().map(String::as_str).chain(columns).chain(["bottleneck", "status"]);
        let mut text = csv_line(head);
        for row in &self.rows {
            let (values, bottleneck) = match &row.outcome {
                Outcome::Ran { values, bottleneck, .. } => (values.clone(), bottleneck.as_str()),
                Outcome::Failed(_) => (vec![None; self.columns.len()], ""),
            };
            let values: Vec<String> =
                values.iter().map(|value| value.map_or(String::new(), |value| value.to_string())).collect();
            let set_to = row.set_to.iter().map(String::as_str);
            text.push_str(&csv_line(
                set_to.chain(values.iter().map(String::as_str)).chain([bottleneck, row.status()]),
            ));
        }
        text
    }

    /// Returns one JSON object; `docs/formats/sweep.md` describes it.
    pub fn to_json(&self) -> String {
        let quantities = self.columns.iter();
        let quantities =
            quantities.map(|column| json!({ "name": column.name, "unit": column.unit.to_string() }));
        let document = json!({
            "format": "halftrack-sweep",
            "version": 1,
            "study": self.study,
            "keys": self.keys,
            "steps": self.steps,
            "quantities": quantities.collect::<Vec<_>>(),
            "points": self.rows.iter().map(|row| self.point_json(row)).collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }

    fn point_json(&self, row: &Row) -> Value {
        let set_to = self.keys.iter().cloned().zip(row.set_to.iter().cloned().map(Value::from));
        let (values, bottleneck, messages) = match &row.outcome {
            Outcome::Ran { values, bottleneck, violations, .. } => {
                (values.clone(), Some(bottleneck), violations)
            }
            Outcome::Failed(messages) => (vec![None; self.columns.len()], None, messages),
        };
        let (overloaded, offered): (&[String], &[OfferedTooMuch]) = match &row.outcome {
            Outcome::Ran { overloaded, offered_too_much, .. } => (overloaded, offered_too_much),
            Outcome::Failed(_) => (&[], &[]),
        };
        let names = self.columns.iter().map(|column| column.name.clone());
        let mut point = json!({
            "set": Map::from_iter(set_to),
            "status": row.status(),
            "values": Map::from_iter(names.zip(values.into_iter().map(Value::from))),
            "bottleneck": bottleneck,
            "messages": messages,
        });
        if !overloaded.is_empty() {
            point["overloaded"] = overloaded.into();
        }
        if !offered.is_empty() {
            point["offered_too_much"] = json!(offered);
        }
        point
    }
}

/// Returns about four digits that count.
fn rounded(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 || size == 0.0 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

fn csv_line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let quoted = cells.map(|cell| match cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let ran = Outcome::Ran {
            values: vec![Some(120_000.25), None],
            bottleneck: "channel CSS0.40 processor".to_owned(),
            violations: vec![],
            overloaded: vec![],
            offered_too_much: vec![],
        };
        let columns = ["rate_per_s", "response_ms:OLTP, B"]
            .map(|name| Column { name: name.to_owned(), unit: quantity_unit(name).expect("a word") });
        let row =
            |value: &str, outcome: &Outcome| Row { set_to: vec![value.to_owned()], outcome: outcome.clone() };
        Table {
            study: "study".to_owned(),
            keys: vec!["workload.stream.A.open".to_owned()],
            steps: vec![0],
            columns: columns.to_vec(),
            rows: vec![
                row("{ rate_per_s = 1, arrivals = \"poisson\" }", &ran),
                row("none", &Outcome::Failed(vec!["HTK896E w:1:1 neither".to_owned()])),
            ],
            missing: vec![],
        }
    }

    #[test]
    fn csv_quotes_what_would_break_a_line() {
        assert_eq!(
            table().to_csv(),
            "workload.stream.A.open,rate_per_s,\"response_ms:OLTP, B\",bottleneck,status\n\
             \"{ rate_per_s = 1, arrivals = \"\"poisson\"\" }\",120000.25,,channel CSS0.40 processor,ok\n\
             none,,,,failed\n"
        );
    }

    #[test]
    fn text() {
        insta::assert_snapshot!(table().to_text());
    }

    #[test]
    fn json() {
        insta::assert_snapshot!(table().to_json());
    }

    /// Points without a steady state are marked in all three.
    #[test]
    fn a_point_that_is_overloaded_is_marked() {
        let mut table = table();
        let words = "OVERLOADED: A served 1 of 2 I/O/s; its response is no steady state";
        if let Outcome::Ran { overloaded, .. } = &mut table.rows[0].outcome {
            overloaded.push(words.to_owned());
        }
        assert!(table.to_text().contains("channel CSS0.40 processor (overloaded)\n"), "{}", table.to_text());
        assert!(table.to_csv().contains(",channel CSS0.40 processor,overloaded\n"), "{}", table.to_csv());
        let json = table.to_json();
        assert!(json.contains("\"status\": \"overloaded\"") && json.contains(words), "{json}");
        assert_eq!(Table::from_json(&json).expect("a table"), table);
    }

    #[test]
    fn rate_response_and_bandwidth_are_always_columns_and_none_stands_twice() {
        let names = |asked: &[&str]| -> Vec<String> {
            let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
            Table::columns(&asked).expect("quantities").into_iter().map(|column| column.name).collect()
        };
        assert_eq!(names(&["pend_ms", "mb_per_s"]), ["rate_per_s", "response_ms", "mb_per_s", "pend_ms"]);
        assert!(Table::columns(&["speed".to_owned()]).is_err());
    }

    #[test]
    fn numbers_keep_about_four_digits() {
        assert_eq!(
            [312_345.6, 99.96, 2.34567, 0.09876, 0.0].map(rounded),
            ["312346", "100.0", "2.346", "0.0988", "0.000"]
        );
    }
}
