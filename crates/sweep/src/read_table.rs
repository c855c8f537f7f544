//! The outcome of an earlier sweep, read from its `points.json`.

use halftrack_report::{QuantityError, quantity_unit};
use serde_json::{Map, Value};

use crate::table::{Column, Outcome, Row, Table};

/// Why a text is not the outcome of a sweep.
#[derive(Debug, thiserror::Error)]
pub enum ReadTableError {
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Something of a sweep is not there.
    #[error("`{0}` is not as a sweep of this version writes it")]
    Member(&'static str),
    /// It has a quantity that is unknown in this version.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
}

impl Table {
    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// Another text, or one of another version.
    pub fn from_json(text: &str) -> Result<Self, ReadTableError> {
        let document: Value = serde_json::from_str(text)?;
        if document["format"] != "halftrack-sweep" || document["version"] != 1 {
            return Err(ReadTableError::Member("format"));
        }
        let keys = texts(&document["keys"]).ok_or(ReadTableError::Member("keys"))?;
        let steps = numbers(&document["steps"]).filter(|steps| steps.len() == keys.len());
        let steps = steps.ok_or(ReadTableError::Member("steps"))?;
        let names = document["quantities"].as_array().ok_or(ReadTableError::Member("quantities"))?;
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let name = name["name"].as_str().ok_or(ReadTableError::Member("quantities"))?;
            columns.push(Column { name: name.to_owned(), unit: quantity_unit(name)? });
        }
        let points = document["points"].as_array();
        let rows = points.and_then(|points| points.iter().map(|point| row(point, &keys, &columns)).collect());
        Ok(Self {
            study: document["study"].as_str().ok_or(ReadTableError::Member("study"))?.to_owned(),
            rows: rows.ok_or(ReadTableError::Member("points"))?,
            missing: Vec::new(),
            keys,
            steps,
            columns,
        })
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

fn numbers(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|number| usize::try_from(number.as_u64()?).ok()).collect()
}

fn row(point: &Value, keys: &[String], columns: &[Column]) -> Option<Row> {
    let set: &Map<String, Value> = point["set"].as_object()?;
    let set_to = keys.iter().map(|key| set.get(key)?.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let messages = texts(&point["messages"])?;
    let outcome = match point["status"].as_str()? {
        "failed" => Outcome::Failed(messages),
        _ => Outcome::Ran {
            values: columns.iter().map(|column| point["values"][&column.name].as_f64()).collect(),
            bottleneck: point["bottleneck"].as_str()?.to_owned(),
            violations: messages,
            overloaded: match &point["overloaded"] {
                Value::Null => Vec::new(),
                words => texts(words)?,
            },
            offered_too_much: match &point["offered_too_much"] {
                Value::Null => Vec::new(),
                found => serde_json::from_value(found.clone()).ok()?,
            },
        },
    };
    Some(Row { set_to, outcome })
}

#[cfg(test)]
mod tests {
    use halftrack_record::{OfferedRate, OfferedTooMuch};

    use super::*;

    fn table() -> Table {
        let column =
            |name: &str| Column { name: name.to_owned(), unit: quantity_unit(name).expect("a word") };
        let ran = |violations: &[&str]| Outcome::Ran {
            values: vec![Some(0.1), None],
            bottleneck: "channel 40".to_owned(),
            violations: violations.iter().map(|&law| law.to_owned()).collect(),
            overloaded: vec![],
            offered_too_much: vec![OfferedTooMuch {
                station: "channel 40 processor".to_owned(),
                served: 0.4,
                streams: vec![OfferedRate { stream: "A".to_owned(), per_s: 1e5 }],
            }],
        };
        let row = |outcome: Outcome| Row { set_to: vec!["1".to_owned(), "none".to_owned()], outcome };
        Table {
            study: "s".to_owned(),
            keys: vec!["workload.run.seed".to_owned(), "plant.cable.*.km".to_owned()],
            steps: vec![0, 0],
            columns: vec![column("rate_per_s"), column("mb_per_s:A")],
            rows: vec![
                row(ran(&[])),
                row(ran(&["law violated: x"])),
                row(Outcome::Failed(vec!["no".to_owned()])),
            ],
            missing: vec![],
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(Table::from_json(&table().to_json()).expect("a table"), table());
    }

    #[test]
    fn another_text_is_refused_and_what_it_lacks_is_named() {
        let refused = |text: &str| Table::from_json(text).expect_err("no sweep").to_string();
        assert!(refused("{").starts_with("it is no JSON"));
        assert!(refused("{}").starts_with("`format` is not"));
        let text = table().to_json();
        assert!(refused(&text.replace("\"steps\"", "\"stairs\"")).starts_with("`steps`"));
        assert!(refused(&text.replace("\"status\"", "\"state\"")).starts_with("`points`"));
        assert!(refused(&text.replace("mb_per_s:A\",", "speed\",")).contains("speed"));
    }
}
