//! One number of a run by name: the vocabulary that experiments and sweeps share.
//!
//! The names are those of the tables of `columns`.
//!
//! A name is a word, and for most words a subject after a colon: `rate_per_s`, `rate_per_s:READ4K`,
//! `channel_processor_percent:0.40`. Without a subject a word is about everything of its kind together. Everything is
//! over the measured time: all intervals as one.
//!
//! | words are about | subject |
//! | --- | --- |
//! | streams | name of a stream |
//! | channels | CSS and CHPID, `0.40` |
//! | devices | device number `1000` (`1.1000` in subchannel set 1), system `PROD1`, logical control unit `LCU 1000` |
//! | pools | canonical name, `channel CSS0.40 open exchanges` |
//! | IOP threads | number from 0 |
//! | logical control units | number `0040` |
//! | links | canonical name, `pchid 100 > 11.20` |
//! | stations | canonical name, `channel CSS0.40 processor` |
//! | caches | name of a control unit |
//! | programs on the fibre | stream, where needed with the operation: `READ4K`, `MIX/write` |

mod unit;

use halftrack_record::Run;
use thiserror::Error;

use crate::columns::TABLES;
use crate::table::{QuantityDefinition, listed};

pub use unit::Unit;

/// A value and its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// Why a run has no such quantity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// No word of that name.
    #[error("no quantity is called {word:?}; known are {known}")]
    UnknownWord {
        /// The word.
        word: String,
        /// All words, comma-separated.
        known: String,
    },
    /// The run has nothing of that name.
    #[error("the run has no {kind} {subject:?} for {word}; it has {known}")]
    UnknownSubject {
        /// The word.
        word: &'static str,
        /// Kind of its subjects.
        kind: &'static str,
        /// Requested subject.
        subject: String,
        /// The subjects there are, comma-separated.
        known: String,
    },
    /// The word is only about one subject at a time.
    #[error("{word} needs a {kind} after a colon: {known}")]
    NeedsSubject {
        /// The word.
        word: &'static str,
        /// Kind of its subjects.
        kind: &'static str,
        /// The subjects there are, comma-separated.
        known: String,
    },
    /// The word has no subject.
    #[error("{word} is about the whole run and has nothing after a colon")]
    NoSubject {
        /// The word.
        word: &'static str,
    },
    /// Several programs of the stream differ in it.
    #[error("{word} differs between the programs of {subject}; name the operation: {known}")]
    Ambiguous {
        /// The word.
        word: &'static str,
        /// Requested subject.
        subject: String,
        /// Subjects of the run, comma-separated.
        known: String,
    },
}

/// Returns the word and subject of a name.
fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once(':').map_or((name, None), |(word, subject)| (word, Some(subject)))
}

/// Returns every quantity, table by table.
pub fn quantities() -> impl Iterator<Item = QuantityDefinition> {
    TABLES.into_iter().flat_map(|table| table.definitions())
}

/// Returns the quantities with `text` in name, unit, subject, definition or heading; upper and lower case are alike.
pub fn quantities_with(text: &str) -> Vec<QuantityDefinition> {
    let text = text.to_lowercase();
    let has = |one: &QuantityDefinition| {
        let texts = [Some(one.name), Some(one.definition), one.subject, one.report, one.heading];
        let is_in = |part: &str| part.to_lowercase().contains(&text);
        texts.into_iter().flatten().any(is_in) || is_in(&one.unit.to_string())
    };
    quantities().filter(has).collect()
}

fn unknown_word(name: &str) -> QuantityError {
    let known = listed(quantities().map(|known| known.name.to_owned()));
    QuantityError::UnknownWord { word: split(name).0.to_owned(), known }
}

/// Returns the definition of a quantity, whatever its subject.
///
/// # Errors
/// `UnknownWord`.
pub fn quantity_definition(name: &str) -> Result<QuantityDefinition, QuantityError> {
    TABLES.into_iter().find_map(|table| table.find(split(name).0)).ok_or_else(|| unknown_word(name))
}

/// Returns the unit of a quantity, whatever its subject.
///
/// # Errors
/// `UnknownWord`.
pub fn quantity_unit(name: &str) -> Result<Unit, QuantityError> {
    quantity_definition(name).map(|definition| definition.unit)
}

/// Returns the quantity `name` of `run`; 0 where nothing happened.
///
/// # Errors
/// When no quantity has the name, or the run has not what it is about.
pub fn quantity(run: &Run, name: &str) -> Result<Quantity, QuantityError> {
    let (word, subject) = split(name);
    let found = TABLES.into_iter().find_map(|table| table.value(run, word, subject));
    found.unwrap_or_else(|| Err(unknown_word(name)))
}

/// Returns every quantity of `run`: each word without a subject where that is allowed, and with each of its subjects.
pub fn quantity_names(run: &Run) -> Vec<String> {
    TABLES.into_iter().flat_map(|table| table.values(run)).map(|found| found.name()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::golden;

    pub(crate) fn of(name: &str) -> f64 {
        quantity(&golden::run(), name).unwrap_or_else(|error| panic!("{name}: {error}")).value
    }

    #[test]
    fn every_name_that_is_listed_has_a_finite_value_and_stands_once() {
        let run = golden::run();
        let names = quantity_names(&run);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in &names {
            assert!(quantity(&run, name).is_ok_and(|found| found.value.is_finite()), "{name}");
        }
    }

    #[test]
    fn a_word_has_one_unit_with_or_without_subject() {
        assert_eq!(quantity_unit("rate_per_s"), Ok(Unit::PerSecond));
        assert_eq!(quantity_unit("rate_per_s:anything"), Ok(Unit::PerSecond));
        assert_eq!(quantity_unit("channel_bus_percent:0.40"), Ok(Unit::Percent));
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is() {
        let run = golden::run();
        let said = |name: &str| quantity(&run, name).expect_err("no such quantity").to_string();
        assert!(said("rates").starts_with("no quantity is called \"rates\"; known are rate_per_s, "));
        assert_eq!(said("rate_per_s:oltq"), "the run has no stream \"oltq\" for rate_per_s; it has oltp");
        assert!(said("channel_bus_percent:0.99").contains("it has 0.40, 0.41, 0.42, 1.41, 1.50"));
        assert!(said("station_percent").starts_with("station_percent needs a station after a colon: "));
        assert_eq!(
            said("bottleneck_percent:x"),
            "bottleneck_percent is about the whole run and has nothing after a colon"
        );
    }

    #[test]
    fn a_run_without_intervals_is_all_zero() {
        let mut run = golden::run();
        run.intervals.clear();
        for name in ["mb_per_s", "pend_ms", "iop_busy_percent", "bottleneck_percent"] {
            assert_eq!(quantity(&run, name).map(|found| found.value), Ok(0.0), "{name}");
        }
    }
}
