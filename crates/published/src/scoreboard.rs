//! The scoreboard: every chosen figure with what the runs answer.

use std::collections::BTreeSet;

use halftrack_catalog::{Catalog, Parameter};
use halftrack_record::Run;
use halftrack_report::{RunSummary, overload_words, quantity};
use halftrack_sweep::PointError;

use crate::curve::interpolated;
use crate::digits::digits;
use crate::experiment::{Answer, Declared, ErrorOf, Experiment, Reading};
use crate::figure::{Figure, Printed, WHOLE_PERCENT};
use crate::formula::Formula;
use crate::independence::{Dependence, is_zero_or_one};
use crate::library::Library;
use crate::parameters::{fitted_to, mechanism_of, parameters_of};
use crate::points::Points;
use crate::row::{Row, RowReading, Status};
use crate::tally::Tally;
use crate::term::Term;

/// The rows and what they add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreboard {
    /// One for each chosen figure, in the order of the files.
    pub rows: Vec<Row>,
    /// Names of the fitted numbers of the catalog that the studies of predicted and fitted figures use.
    pub fitted: BTreeSet<String>,
}

/// Outcomes of the runs, by index of the points.
pub type Runs = [Result<Run, PointError>];

/// Runs by index of the points, wherever each is kept.
pub(crate) type RunsAt<'a> = [&'a Result<Run, PointError>];

impl Scoreboard {
    /// Answers `figures` from `runs`, one for each study of `points`.
    pub fn new(
        library: &Library,
        figures: &[&Figure],
        points: &Points,
        runs: &Runs,
        catalog: &Catalog,
    ) -> Self {
        let mut board = Self { rows: Vec::new(), fitted: BTreeSet::new() };
        let runs: Vec<&Result<Run, PointError>> = runs.iter().collect();
        for figure in figures {
            let mut row = blank(figure);
            if let Some((experiment, answer)) = library.answer(&figure.id) {
                let answered = Answered { figure, experiment, answer, points, runs: &runs, catalog };
                let parameters = answered.parameters();
                answered.fill(&mut row, &parameters);
                if matches!(row.status, Status::Predicted | Status::Fitted) {
                    let fitted = parameters.iter().filter(|one| !fitted_to(one).is_empty());
                    board.fitted.extend(fitted.map(mechanism_of));
                }
            }
            board.rows.push(row);
        }
        board
    }

    /// Counts.
    pub fn tally(&self) -> Tally {
        Tally::new(&self.rows, self.fitted.len())
    }
}

/// Returns the value alone that `runs` give for a figure.
pub(crate) fn value_of(
    library: &Library,
    figure: &Figure,
    points: &Points,
    runs: &RunsAt<'_>,
    catalog: &Catalog,
) -> Option<f64> {
    let (experiment, answer) = library.answer(&figure.id)?;
    let answered = Answered { figure, experiment, answer, points, runs, catalog };
    answered.value(answer.formula.as_ref()?)
}

/// Returns the row of a figure that nothing answers.
fn blank(figure: &Figure) -> Row {
    let (published, low, high) = match figure.printed {
        Printed::Value(value) => (Some(value), None, None),
        Printed::Range { low, high } => (None, Some(low), Some(high)),
    };
    Row {
        id: figure.id.clone(),
        source: figure.source.clone(),
        kind: figure.kind.word(),
        what: figure.what.clone(),
        relation: figure.relation.word(),
        published,
        low,
        high,
        simulated: None,
        unit: figure.unit.clone(),
        error_percent: None,
        holds: None,
        status: Status::NotCovered,
        bottleneck: None,
        experiment: None,
        independent: false,
        rests_on: Vec::new(),
        readings: Vec::new(),
        overloaded: Vec::new(),
        counted: false,
        remarks: Vec::new(),
        reasons: Vec::new(),
    }
}

/// A figure and everything that its answer comes from.
struct Answered<'a> {
    figure: &'a Figure,
    experiment: &'a Experiment,
    answer: &'a Answer,
    points: &'a Points,
    runs: &'a RunsAt<'a>,
    catalog: &'a Catalog,
}

impl Answered<'_> {
    /// Returns the numbers of the catalog that the studies of the answer use, each once.
    fn parameters(&self) -> Vec<Parameter> {
        let mut used: Vec<Parameter> = Vec::new();
        for index in self.points.of_answer(self.experiment, self.answer) {
            for parameter in parameters_of(&self.points.studies()[index], self.catalog) {
                if !used.contains(&parameter) {
                    used.push(parameter);
                }
            }
        }
        used
    }

    fn fill(&self, row: &mut Row, parameters: &[Parameter]) {
        row.experiment = Some(self.experiment.name.clone());
        row.counted = self.answer.counted;
        row.simulated = self.answer.formula.as_ref().and_then(|formula| self.value(formula));
        self.compare(row);
        let mut fitted = parameters.iter().filter(|parameter| fitted_to(parameter).contains(&self.figure.id));
        row.rests_on = self.rests_on(fitted.clone());
        let fitted = fitted.next().is_some();
        row.status = match &self.answer.declared {
            Declared::Definition { .. } => Status::Definition,
            Declared::Contradicted { .. } => Status::Contradicted,
            Declared::Result if fitted => Status::Fitted,
            Declared::Result => Status::Predicted,
        };
        self.judge_independence(row);
        let first = self.points.of_answer(self.experiment, self.answer).first().copied();
        let run = first.and_then(|index| self.runs[index].as_ref().ok());
        row.bottleneck = run.and_then(|run| RunSummary::compute(run).bottleneck).map(|station| station.name);
        row.overloaded = self.overloaded();
        row.remarks.extend(row.overloaded.iter().cloned());
        match &self.answer.declared {
            Declared::Result => {}
            Declared::Definition { reason } => row.reasons.push(reason.clone()),
            Declared::Contradicted { reason } => row.remarks.push(format!("contradicted: {reason}")),
        }
        row.readings = self.answer.readings.iter().map(|reading| self.reading(reading)).collect();
        row.remarks.extend(row.readings.iter().map(|reading| in_words(reading, &row.unit)));
        row.reasons.extend(self.ratio_in_words(row));
        row.reasons.extend(Some(self.answer.note.clone()).filter(|note| !note.is_empty()));
        if self.answer.formula.is_some() && row.simulated.is_none() {
            row.remarks.push(self.why_no_value());
        }
    }

    /// Returns the numbers of the catalog that the figure fixes or reads, and those on which the data lets it rest.
    fn rests_on<'a>(&self, fitted: impl Iterator<Item = &'a Parameter>) -> Vec<String> {
        let read = match &self.answer.formula {
            Some(Formula::Catalog(number)) => Some(number.value.name()),
            _ => None,
        };
        let fixed = match self.answer.declared {
            Declared::Result => fitted.map(Parameter::name).collect(),
            _ => Vec::new(),
        };
        let said = self.answer.dependence.iter().flat_map(Dependence::rests_on).map(|one| one.value.clone());
        read.into_iter().chain(fixed).chain(said).collect()
    }

    /// Says whether a prediction that counts is independent, and if not, why.
    fn judge_independence(&self, row: &mut Row) {
        if row.status != Status::Predicted {
            return;
        }
        let zero_or_one = is_zero_or_one(self.figure, self.answer);
        row.independent = row.is_counted_prediction() && !zero_or_one && self.answer.dependence.is_none();
        row.reasons.extend(self.answer.dependence.as_ref().map(Dependence::words));
        if zero_or_one {
            row.reasons.push("not independent: a zero or a one that no queueing makes different".to_owned());
        }
    }

    /// Returns the notes on the streams that offered more than was served, each once.
    fn overloaded(&self) -> Vec<String> {
        let indices = self.points.of_answer(self.experiment, self.answer);
        let runs = indices.into_iter().filter_map(|index| self.runs[index].as_ref().ok());
        let mut words: Vec<String> = Vec::new();
        for said in runs.flat_map(|run| &run.streams).filter_map(overload_words) {
            if !words.contains(&said) {
                words.push(said);
            }
        }
        words
    }

    /// Sets the value against what is printed.
    fn compare(&self, row: &mut Row) {
        let Some(value) = row.simulated else { return };
        let (figure, value) = match self.answer.error_of {
            ErrorOf::Value => (self.figure.clone(), value),
            ErrorOf::Ratio => (self.figure.as_ratio(), WHOLE_PERCENT + value),
        };
        row.error_percent = figure.error_percent(value);
        row.holds = Some(figure.holds(value));
    }

    /// Computes another reading of the figure from the runs.
    fn reading(&self, reading: &Reading) -> RowReading {
        let simulated = reading.formula.as_ref().and_then(|formula| self.value(formula));
        RowReading {
            words: reading.words.clone(),
            simulated,
            error_percent: simulated.and_then(|value| self.figure.error_percent(value)),
            holds: simulated.map(|value| self.figure.holds(value)),
        }
    }

    /// Explains why the error of a gain is not that of its percents.
    fn ratio_in_words(&self, row: &Row) -> Option<String> {
        let (printed, value) = (row.published?, row.simulated?);
        let ratio = |gain: f64| 1.0 + gain / WHOLE_PERCENT;
        (self.answer.error_of == ErrorOf::Ratio).then(|| {
            format!("its error is that of the ratio, {:.3} against {:.3}", ratio(value), ratio(printed))
        })
    }

    /// Returns the value in the figure's unit.
    fn value(&self, formula: &Formula) -> Option<f64> {
        let value = match formula {
            Formula::Catalog(number) => number.value.value(self.catalog)?,
            Formula::Computed(computed) => computed.value(self.catalog).ok()?,
            _ => formula.evaluate(&|term| self.values(&term.value))?,
        };
        Some(value * self.figure.comparison?.factor)
    }

    /// Returns the values of a term at its points, or the one at its place of a sweep, in its dimension.
    fn values(&self, term: &Term) -> Option<Vec<f64>> {
        let (_, factor) = term.dimension().ok()?;
        let points = self.experiment.points_at(term.at.as_deref());
        let value = |point| {
            if term.swept().is_some() {
                return term.setting(point);
            }
            let run = self.runs[self.points.index(self.experiment, point)?].as_ref().ok()?;
            Some(quantity(run, &term.quantity).ok()?.value * factor)
        };
        let values: Vec<f64> = points.into_iter().map(value).collect::<Option<_>>()?;
        match &term.place {
            Some(place) => Some(vec![interpolated(&self.values(&place.x)?, &values, place.value)?]),
            None => Some(values),
        }
    }

    fn why_no_value(&self) -> String {
        let indices = self.points.of_answer(self.experiment, self.answer);
        let failed = indices.into_iter().find_map(|index| self.runs[index].as_ref().err());
        failed.map_or_else(
            || {
                "its runs do not give a value: nothing to divide by, or a curve that does not reach so far"
                    .to_owned()
            },
            |error| format!("a run failed: {error}"),
        )
    }
}

/// Returns a reading as the table shows it beneath the line.
fn in_words(reading: &RowReading, unit: &str) -> String {
    let words = &reading.words;
    let Some(value) = reading.simulated else { return format!("reading: {words}") };
    let error = reading.error_percent.map_or_else(String::new, |error| format!(" ({error:+.1} %)"));
    format!("reading: {words}: {} {unit}{error}", digits(value))
}
