//! An experiment: the study that is run, at which points, and which published figures it answers with what.

use halftrack_config::StudyFiles;
use halftrack_input::Located;

use crate::formula::Formula;
use crate::independence::Dependence;

/// One experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Its name, unique over all files.
    pub name: String,
    /// The study; none where no answer is of a run.
    pub study: Option<StudyFiles>,
    /// The channel programs in words.
    pub program: String,
    /// Notes about it; may be empty.
    pub note: String,
    /// Its points, those of sweeps included; at least one.
    pub points: Vec<Point>,
    /// Its sweeps.
    pub sweeps: Vec<Sweep>,
    /// Figures that it answers.
    pub answers: Vec<Answer>,
    /// The file that it stands in.
    pub source: std::sync::Arc<halftrack_input::SourceFile>,
}

/// The study with some of its keys changed.
#[derive(Debug, Clone)]
pub struct Point {
    /// Name within the experiment.
    pub name: String,
    /// The study that is run here instead of that of the experiment: another deck, which no key changes.
    pub study: Option<StudyFiles>,
    /// The changes, `workload.stream.READ.closed.jobs=8`.
    pub changes: Vec<Located<String>>,
}

impl Point {
    /// Returns the study that is run at this point of `experiment`, before its changes.
    #[must_use]
    pub fn study_of<'a>(&'a self, experiment: &'a Experiment) -> Option<&'a StudyFiles> {
        self.study.as_ref().or(experiment.study.as_ref())
    }
}

/// Points that differ in one key.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Name within the experiment.
    pub name: String,
    /// Its points by index.
    pub points: std::ops::Range<usize>,
}

/// How one figure is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Id of the figure.
    pub figure: Located<String>,
    /// How the value is read from the runs; none where a definition has no value of a run.
    pub formula: Option<Formula>,
    /// Category of the answer in the data.
    pub declared: Declared,
    /// Values that the error compares.
    pub error_of: ErrorOf,
    /// False where other figures that count state it already, such as the ratio of two of them.
    pub counted: bool,
    /// Other ways to read the figure.
    pub readings: Vec<Reading>,
    /// Dependence of a prediction on others, or on the numbers fitted to them.
    pub dependence: Option<Dependence>,
    /// Why it is read in this way; may be empty.
    pub note: String,
}

/// Another way to read a figure.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The reading in words.
    pub words: String,
    /// How the value is read in this way from the runs, where it is.
    pub formula: Option<Formula>,
}

/// Values that are compared where one is set against the printed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorOf {
    /// The value itself.
    #[default]
    Value,
    /// Of a gain in percent the ratio that it stands for, 100 and the gain: a gain of 10 % that comes out at 12 % is
    /// an error of 1.8 % of a machine's rate, and 20 % of a small difference of two.
    Ratio,
}

/// Category of an answer in the data. Whether it is fitted or predicted follows from the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declared {
    /// Nothing: fitted or predicted.
    Result,
    /// The value is an input of the run or follows from a definition.
    Definition {
        /// Why.
        reason: String,
    },
    /// The figure contradicts physics or its own document.
    Contradicted {
        /// How.
        reason: String,
    },
}

impl Answer {
    /// Returns the formula of the value and those of its readings.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let readings = self.readings.iter().filter_map(|reading| reading.formula.as_ref());
        self.formula.iter().chain(readings)
    }
}

impl Experiment {
    /// Returns the points that a term means: the one of its name, those of the sweep of its name, or the only one there
    /// is.
    pub fn points_at(&self, at: Option<&str>) -> Vec<&Point> {
        let Some(name) = at else {
            return if self.points.len() == 1 { self.points.iter().collect() } else { Vec::new() };
        };
        match self.sweeps.iter().find(|sweep| sweep.name == name) {
            Some(sweep) => self.points[sweep.points.clone()].iter().collect(),
            None => self.points.iter().filter(|point| point.name == name).collect(),
        }
    }

    /// Names of points and sweeps.
    pub fn point_names(&self) -> impl Iterator<Item = &str> + Clone {
        let sweeps = self.sweeps.iter().map(|sweep| sweep.name.as_str());
        self.points.iter().map(|point| point.name.as_str()).chain(sweeps)
    }
}
