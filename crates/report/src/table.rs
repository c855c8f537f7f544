//! All figures of one kind of record, and the quantities that they make of a run.

use std::collections::{BTreeSet, HashMap};

use halftrack_record::{Interval, Run, RunHeader};
use serde::Serialize;

use crate::column::Column;
use crate::formula::total;
use crate::frame::Framed;
use crate::quantity::{Quantity, QuantityError, Unit};
use crate::records::Records;
use crate::rows::Rows;

/// Most subjects that a message lists.
const SUBJECTS_LISTED: usize = 40;

/// The figures of records of type `R`.
pub(crate) struct Table<R: 'static> {
    /// Name of its subjects in messages.
    pub kind: &'static str,
    /// RMF report with the listed columns; empty where RMF has none.
    pub report: &'static str,
    /// Subjects with which its quantities may be requested.
    pub subject_rule: SubjectRule,
    /// The figures, in the order of the listing.
    pub columns: &'static [Column<R>],
    /// Records of a run, of one subject or of all.
    pub choose: for<'a> fn(&'a Run, Option<&str>) -> Vec<&'a R>,
    /// Records of every subject at once; `None` where subjects are few.
    pub by_subject: Option<BySubject<R>>,
    /// Subjects that a run has.
    pub subjects: fn(&Run) -> Vec<String>,
    /// Different things among records of a run.
    pub things: fn(&Run, &[&R]) -> u64,
    /// Rows of its frame.
    pub rows: Rows<R>,
}

/// Finds the records of every subject of a run.
pub(crate) type BySubject<R> = for<'a> fn(&'a Run) -> HashMap<String, Vec<&'a R>>;

/// Returns the names that records of the first interval have, in alphabetical order and each once; an empty one is none.
pub(crate) fn names_of<'a, R: 'a, const N: usize>(
    run: &'a Run,
    records: impl Fn(&'a Interval) -> &'a Vec<R>,
    names: impl Fn(&'a R) -> [&'a String; N],
) -> Vec<String> {
    let records = run.intervals.first().into_iter().flat_map(records);
    let names: BTreeSet<&String> = records.flat_map(names).filter(|name| !name.is_empty()).collect();
    names.into_iter().cloned().collect()
}

/// Returns how many of the keys differ.
pub(crate) fn distinct<K: Ord>(keys: impl Iterator<Item = K>) -> u64 {
    keys.collect::<BTreeSet<K>>().len() as u64
}

/// Subjects with which quantities of a table may be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectRule {
    /// Of one subject, or of all together.
    OneOrAll,
    /// Of one subject.
    One,
    /// Of one subject, whose records must agree.
    OneAlike,
    /// Of the run as a whole.
    WholeRun,
}

/// A quantity without its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QuantityDefinition {
    /// Name, without a subject.
    pub name: &'static str,
    /// Unit.
    pub unit: Unit,
    /// Definition, as RMF documents it where RMF has it.
    pub definition: &'static str,
    /// Kind of the subject after a colon; `None` for a quantity of the run as a whole.
    pub subject: Option<&'static str>,
    /// True where a subject must follow.
    pub needs_subject: bool,
    /// RMF report that has it; `None` where RMF has none.
    pub report: Option<&'static str>,
    /// Its heading there.
    pub heading: Option<&'static str>,
}

/// A quantity of a run.
pub(crate) struct NamedValue {
    /// The quantity.
    pub definition: QuantityDefinition,
    /// Its subject; `None` for all together.
    pub subject: Option<String>,
    /// Its value; `None` where the records of the subject differ.
    pub value: Option<f64>,
}

impl NamedValue {
    /// Returns the name, with the subject behind a colon.
    pub fn name(&self) -> String {
        let Self { definition, subject, .. } = self;
        subject
            .as_ref()
            .map_or(definition.name.to_owned(), |subject| format!("{}:{subject}", definition.name))
    }
}

/// A table whatever its records are.
pub(crate) trait Quantities: Framed {
    /// Returns the quantity of this name.
    fn find(&self, name: &str) -> Option<QuantityDefinition>;

    /// Returns its quantities, in order.
    fn definitions(&self) -> Vec<QuantityDefinition>;

    /// Returns the value of the quantity `name` of `run`; `None` where the table has no such quantity.
    fn value(&self, run: &Run, name: &str, subject: Option<&str>) -> Option<Result<Quantity, QuantityError>>;

    /// Returns every quantity of `run`: alone where that is allowed, and with each subject.
    fn values(&self, run: &Run) -> Vec<NamedValue>;
}

impl<R> Table<R> {
    fn quantities(&self) -> impl Iterator<Item = &'static Column<R>> {
        self.columns.iter().filter(|column| column.is_quantity)
    }

    fn definition(&self, column: &Column<R>) -> QuantityDefinition {
        QuantityDefinition {
            name: column.name,
            unit: column.unit,
            definition: column.definition,
            subject: (self.subject_rule != SubjectRule::WholeRun).then_some(self.kind),
            needs_subject: self.needs_subject(),
            report: column.listed.map(|_| self.report),
            heading: column.listed.map(|listed| listed.heading),
        }
    }

    fn needs_subject(&self) -> bool {
        matches!(self.subject_rule, SubjectRule::One | SubjectRule::OneAlike)
    }

    /// Returns records of `subject`, or all of them; an error where the run has no such subject. A run without
    /// intervals may have nothing to name.
    fn chosen<'a>(
        &self,
        run: &'a Run,
        word: &'static str,
        subject: Option<&str>,
    ) -> Result<Vec<&'a R>, QuantityError> {
        let kind = self.kind;
        match subject {
            Some(_) if self.subject_rule == SubjectRule::WholeRun => {
                return Err(QuantityError::NoSubject { word });
            }
            None if self.needs_subject() => {
                let known = listed((self.subjects)(run));
                return Err(QuantityError::NeedsSubject { word, kind, known });
            }
            _ => {}
        }
        let each = (self.choose)(run, subject);
        if let Some(subject) = subject.filter(|_| each.is_empty()) {
            let known = (self.subjects)(run);
            if !known.is_empty() || !run.intervals.is_empty() {
                let (subject, known) = (subject.to_owned(), listed(known));
                return Err(QuantityError::UnknownSubject { word, kind, subject, known });
            }
        }
        Ok(each)
    }

    /// Returns the records `each` over the measured time.
    fn records<'a>(&self, run: &Run, each: Vec<&'a R>) -> Records<'a, R> {
        let things = (self.things)(run, &each);
        Records { each, things, length_ps: measured_ps(&run.intervals), scope: None }
    }

    /// Returns the figure of `column`; `None` where each record has its own and they differ.
    fn figure(&self, column: &Column<R>, records: &Records<'_, R>) -> Option<f64> {
        if self.subject_rule != SubjectRule::OneAlike {
            return Some(column.number(records));
        }
        let alone = |one: &&R| column.number(&Records::of_thing(vec![*one], records.length_ps));
        let mut values = records.each.iter().map(alone);
        let first = values.next().unwrap_or(0.0);
        values.all(|other| other == first).then_some(first)
    }
}

impl<R: Sync> Quantities for Table<R> {
    fn find(&self, name: &str) -> Option<QuantityDefinition> {
        self.quantities().find(|column| column.name == name).map(|column| self.definition(column))
    }

    fn definitions(&self) -> Vec<QuantityDefinition> {
        self.quantities().map(|column| self.definition(column)).collect()
    }

    fn value(&self, run: &Run, name: &str, subject: Option<&str>) -> Option<Result<Quantity, QuantityError>> {
        let column = self.quantities().find(|column| column.name == name)?;
        let chosen = self.chosen(run, column.name, subject);
        let number = chosen.and_then(|each| {
            self.figure(column, &self.records(run, each)).ok_or_else(|| QuantityError::Ambiguous {
                word: column.name,
                subject: subject.unwrap_or_default().to_owned(),
                known: listed((self.subjects)(run)),
            })
        });
        Some(number.map(|value| Quantity { value, unit: column.unit }))
    }

    fn values(&self, run: &Run) -> Vec<NamedValue> {
        let alone = (!self.needs_subject()).then_some(None);
        let subjects =
            if self.subject_rule == SubjectRule::WholeRun { Vec::new() } else { (self.subjects)(run) };
        let subjects: Vec<_> = alone.into_iter().chain(subjects.into_iter().map(Some)).collect();
        let mut found = self.by_subject.map(|by_subject| by_subject(run)).unwrap_or_default();
        // Records are found once a subject, which takes longer than to compute with them.
        let choose = |subject: &Option<String>| {
            let found = subject.as_ref().and_then(|subject| found.remove(subject));
            self.records(run, found.unwrap_or_else(|| (self.choose)(run, subject.as_deref())))
        };
        let chosen: Vec<_> = subjects.iter().map(choose).collect();
        let of = |column: &'static Column<R>| {
            let named = subjects.iter().zip(&chosen).map(|(subject, records)| NamedValue {
                definition: self.definition(column),
                subject: subject.clone(),
                value: self.figure(column, records),
            });
            named.collect::<Vec<_>>()
        };
        self.quantities().flat_map(of).collect()
    }
}

/// Returns the length of the intervals together, ps.
pub(crate) fn measured_ps(intervals: &[Interval]) -> u64 {
    u64::try_from(total(intervals.iter().map(|interval| interval.length_ps))).unwrap_or(u64::MAX)
}

/// Subjects in one line of a message.
pub(crate) fn listed(all: impl IntoIterator<Item = String>) -> String {
    let all: Vec<String> = all.into_iter().collect();
    let shown = all.iter().take(SUBJECTS_LISTED).cloned().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "none".to_owned(),
        count if count > SUBJECTS_LISTED => format!("{shown} and {} more", count - SUBJECTS_LISTED),
        _ => shown,
    }
}

/// Returns records of all intervals, or those that `is` finds to be of `subject`.
pub(crate) fn chosen<'a, R>(
    run: &'a Run,
    subject: Option<&str>,
    records: fn(&Interval) -> &[R],
    is: impl Fn(&R, &str) -> bool,
) -> Vec<&'a R> {
    let all = run.intervals.iter().flat_map(records);
    all.filter(|one| subject.is_none_or(|subject| is(one, subject))).collect()
}

/// Returns records of which each interval has one a thing.
pub(crate) fn one_each_interval<R>(run: &Run, each: &[&R]) -> u64 {
    each.len() as u64 / run.intervals.len().max(1) as u64
}

/// Records of the intervals that are known by a name.
pub(crate) struct Named<R: 'static> {
    /// Its records in an interval.
    pub records: fn(&Interval) -> &[R],
    /// The name of one; on a machine with a name it begins with that: `B.0`.
    pub name: fn(&RunHeader, &R) -> String,
}

impl<R> Named<R> {
    /// Returns the records of all intervals, or those of `subject`.
    pub fn choose<'a>(&self, run: &'a Run, subject: Option<&str>) -> Vec<&'a R> {
        chosen(run, subject, self.records, |one, subject| (self.name)(&run.header, one) == subject)
    }

    /// Returns the records of all intervals by name.
    pub fn by_subject<'a>(&self, run: &'a Run) -> HashMap<String, Vec<&'a R>> {
        let mut found: HashMap<String, Vec<&R>> = HashMap::new();
        for one in run.intervals.iter().flat_map(self.records) {
            found.entry((self.name)(&run.header, one)).or_default().push(one);
        }
        found
    }

    /// Returns the names that a run has, each once: what several systems use has a record for each of them.
    pub fn subjects(&self, run: &Run) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let names = run.intervals.first().into_iter().flat_map(self.records);
        let names = names.map(|one| (self.name)(&run.header, one));
        names.filter(|name| seen.insert(name.clone())).collect()
    }
}
