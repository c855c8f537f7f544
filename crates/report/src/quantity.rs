//! One number of a run by name: the vocabulary that experiments and sweeps share.
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
//! | IOP threads | number from 0 |
//! | logical control units | number `0040` |
//! | links | canonical name, `pchid 100 > 11.20` |
//! | stations | canonical name, `channel CSS0.40 processor` |
//! | caches | name of a control unit |
//! | programs on the fibre | stream, where needed with the operation: `READ4K`, `MIX/write` |

mod caches;
mod channels;
mod devices;
mod iops;
mod lcus;
mod links;
mod named;
mod programs;
mod stations;
mod streams;
mod unit;

use halftrack_record::{Interval, Run};
use thiserror::Error;

use crate::formula::total;

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
        /// What the word is about.
        kind: &'static str,
        /// The subject asked for.
        subject: String,
        /// The subjects there are, comma-separated.
        known: String,
    },
    /// The word is only about one subject at a time.
    #[error("{word} needs a {kind} after a colon: {known}")]
    NeedsSubject {
        /// The word.
        word: &'static str,
        /// What the word is about.
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
        /// The subject asked for.
        subject: String,
        /// What can be named, comma-separated.
        known: String,
    },
}

/// A word and what it computes.
struct Word {
    name: &'static str,
    unit: Unit,
    of: Of,
}

/// What a word is about.
enum Of {
    Streams(streams::Formula),
    Channels(channels::Formula),
    Devices(devices::Formula),
    Iops(iops::Formula),
    Lcus(lcus::Formula),
    Programs(programs::Formula),
    Link(links::Formula),
    Cache,
    Station,
    Bottleneck,
}

const fn word(name: &'static str, unit: Unit, of: Of) -> Word {
    Word { name, unit, of }
}

/// The words of every kind.
fn words() -> impl Iterator<Item = &'static Word> {
    let kinds: [&'static [Word]; 9] = [
        streams::WORDS,
        channels::WORDS,
        devices::WORDS,
        iops::WORDS,
        lcus::WORDS,
        programs::WORDS,
        caches::WORDS,
        links::WORDS,
        stations::WORDS,
    ];
    kinds.into_iter().flatten()
}

/// The word and subject of a name.
fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once(':').map_or((name, None), |(word, subject)| (word, Some(subject)))
}

fn find(name: &str) -> Result<&'static Word, QuantityError> {
    let (word, _) = split(name);
    words().find(|known| known.name == word).ok_or_else(|| QuantityError::UnknownWord {
        word: word.to_owned(),
        known: listed(words().map(|known| known.name.to_owned())),
    })
}

/// The unit of a quantity, whatever its subject.
///
/// # Errors
/// `UnknownWord`.
pub fn quantity_unit(name: &str) -> Result<Unit, QuantityError> {
    find(name).map(|word| word.unit)
}

/// The quantity `name` of `run`. What nothing happened in is 0.
///
/// # Errors
/// When no quantity has the name, or the run has not what it is about.
pub fn quantity(run: &Run, name: &str) -> Result<Quantity, QuantityError> {
    let word = find(name)?;
    let (_, subject) = split(name);
    let value = match &word.of {
        Of::Streams(formula) => streams::value(run, word.name, subject, *formula)?,
        Of::Channels(formula) => channels::value(run, word.name, subject, *formula)?,
        Of::Devices(formula) => devices::value(run, word.name, subject, *formula)?,
        Of::Iops(formula) => iops::value(run, word.name, subject, *formula)?,
        Of::Lcus(formula) => lcus::value(run, word.name, subject, *formula)?,
        Of::Programs(formula) => programs::value(run, word.name, subject, *formula)?,
        Of::Link(formula) => links::value(run, word.name, subject, *formula)?,
        Of::Cache => caches::value(run, word.name, subject)?,
        Of::Station => stations::value(run, word.name, subject)?,
        Of::Bottleneck => stations::bottleneck(run, word.name, subject)?,
    };
    Ok(Quantity { value, unit: word.unit })
}

/// Every quantity of `run`: each word without a subject where that is allowed, and with each of its subjects.
pub fn quantity_names(run: &Run) -> Vec<String> {
    let mut names = Vec::new();
    for word in words() {
        let (alone, subjects) = match &word.of {
            Of::Streams(_) => (true, streams::subjects(run)),
            Of::Channels(_) => (true, channels::subjects(run)),
            Of::Devices(_) => (true, devices::subjects(run)),
            Of::Iops(_) => (true, iops::THREADS.subjects(run)),
            Of::Lcus(_) => (true, lcus::LCUS.subjects(run)),
            Of::Programs(_) => (false, programs::subjects(run)),
            Of::Link(_) => (false, links::LINKS.subjects(run)),
            Of::Cache => (true, caches::CACHES.subjects(run)),
            Of::Station => (false, stations::STATIONS.subjects(run)),
            Of::Bottleneck => (true, Vec::new()),
        };
        names.extend(alone.then(|| word.name.to_owned()));
        names.extend(subjects.into_iter().map(|subject| format!("{}:{subject}", word.name)));
    }
    names
}

/// Subjects in one line of a message.
fn listed(all: impl IntoIterator<Item = String>) -> String {
    const SHOWN: usize = 40;
    let all: Vec<String> = all.into_iter().collect();
    let shown = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "none".to_owned(),
        count if count > SHOWN => format!("{shown} and {} more", count - SHOWN),
        _ => shown,
    }
}

/// The records of all intervals, or those that `subject` names; an error where it names none. A run without intervals
/// has nothing to name.
fn chosen<'a, T>(
    run: &'a Run,
    records: impl Fn(&'a Interval) -> &'a [T],
    subject: Option<&str>,
    is: impl Fn(&T, &str) -> bool,
    unknown: impl FnOnce(&str) -> QuantityError,
) -> Result<Vec<&'a T>, QuantityError> {
    let all = run.intervals.iter().flat_map(records);
    let records: Vec<&T> = all.filter(|one| subject.is_none_or(|subject| is(one, subject))).collect();
    match subject {
        Some(subject) if records.is_empty() && !run.intervals.is_empty() => Err(unknown(subject)),
        _ => Ok(records),
    }
}

/// The measured time, ps.
fn length_ps(run: &Run) -> u64 {
    u64::try_from(total(run.intervals.iter().map(|interval| interval.length_ps))).unwrap_or(u64::MAX)
}

fn unknown(word: &'static str, kind: &'static str, subject: &str, known: Vec<String>) -> QuantityError {
    QuantityError::UnknownSubject { word, kind, subject: subject.to_owned(), known: listed(known) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::golden;

    pub(super) fn of(name: &str) -> f64 {
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
