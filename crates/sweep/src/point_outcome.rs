//! The outcome of one point as the table has it: a few numbers and words in place of a whole run.

use halftrack_record::Run;
use halftrack_report::{RunSummary, overload_words, quantity};
use serde::{Deserialize, Serialize};

use crate::points::PointError;
use crate::table::{Column, Outcome};

/// Outcome of a point, computed for the columns of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointOutcome {
    /// Row of the table.
    pub outcome: Outcome,
    /// Reasons why the run has no value of some columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl PointOutcome {
    /// Computes `columns` of a point that ran, or takes the messages of one that did not.
    pub fn of(run: Result<&Run, &PointError>, columns: &[Column]) -> Self {
        match run {
            Ok(run) => ran(run, columns),
            Err(error) => Self::failed(error.messages()),
        }
    }

    /// Makes the outcome of a point that has no run.
    pub(crate) const fn failed(messages: Vec<String>) -> Self {
        Self { outcome: Outcome::Failed(messages), missing: Vec::new() }
    }

    /// Returns the outcome as a line of JSON, the same octets for the same outcome.
    ///
    /// # Panics
    /// Never: numbers, texts and lists can be written.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers, texts and lists can be written")
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote for `columns`; `None` for other octets.
    pub fn from_bytes(bytes: &[u8], columns: &[Column]) -> Option<Self> {
        let read: Self = serde_json::from_slice(bytes).ok()?;
        let is_of_columns = match &read.outcome {
            Outcome::Ran { values, .. } => values.len() == columns.len(),
            Outcome::Failed(_) => true,
        };
        is_of_columns.then_some(read)
    }
}

fn ran(run: &Run, columns: &[Column]) -> PointOutcome {
    let mut missing = Vec::new();
    let mut value = |column: &Column| match quantity(run, &column.name) {
        Ok(found) => Some(found.value).filter(|value| value.is_finite()),
        Err(error) => {
            let reason = error.to_string();
            if !missing.contains(&reason) {
                missing.push(reason);
            }
            None
        }
    };
    let violations = run.checkers.iter().flat_map(|checker| {
        checker.violations.iter().map(move |violation| format!("law violated: {}: {violation}", checker.law))
    });
    let outcome = Outcome::Ran {
        values: columns.iter().map(&mut value).collect(),
        bottleneck: RunSummary::compute(run).bottleneck.map(|station| station.name).unwrap_or_default(),
        violations: violations.collect(),
        overloaded: run.streams.iter().filter_map(overload_words).collect(),
        offered_too_much: run.offered_too_much.clone(),
    };
    PointOutcome { outcome, missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every bit of a number comes back, and a point without a value has none.
    #[test]
    fn octets_are_read_again_for_their_columns_only() {
        let columns = crate::Table::columns(&[]).expect("the usual columns");
        let outcome = Outcome::Ran {
            values: vec![Some(0.1 + 0.2), None, Some(f64::MIN_POSITIVE)],
            bottleneck: "channel 40".to_owned(),
            violations: vec![],
            overloaded: vec!["A".to_owned()],
            offered_too_much: vec![],
        };
        let point = PointOutcome { outcome, missing: vec!["no pend".to_owned()] };
        let bytes = point.to_bytes();
        assert_eq!(PointOutcome::from_bytes(&bytes, &columns), Some(point));
        assert_eq!(PointOutcome::from_bytes(&bytes, &columns[..2]), None);
        assert_eq!(PointOutcome::from_bytes(&bytes[1..], &columns), None);
    }
}
