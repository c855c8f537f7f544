//! Trials: a number of the catalog is changed, and what a set of figures reads is run again so far as it changes with it.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_catalog::{Catalog, Parameter};
use halftrack_config::{Configuration, StudyFiles, configure};
use halftrack_interval::Run;
use halftrack_sweep::PointError;
use rayon::prelude::*;

use crate::figure::Figure;
use crate::library::Library;
use crate::parameters::parameters_of;
use crate::points::Points;
use crate::row::Row;
use crate::scoreboard::{Runs, Scoreboard, value_of};

/// What a scoreboard was made of.
pub struct Made<'a> {
    /// The figures and experiments.
    pub library: &'a Library,
    /// The figures chosen.
    pub figures: &'a [&'a Figure],
    /// Their points.
    pub points: &'a Points,
    /// The runs of the points.
    pub runs: &'a Runs,
    /// The catalog.
    pub catalog: &'a Catalog,
}

/// Whoever runs studies again.
pub trait Rerun: Sync {
    /// So many runs are to come.
    fn expect(&self, runs: usize);

    /// Runs studies with a catalog.
    fn run(&self, studies: &[StudyFiles], catalog: &Catalog) -> Vec<Result<Run, PointError>>;
}

/// One change of the catalog.
pub(crate) struct Change {
    /// The numbers that change together, each with its new value.
    pub(crate) numbers: Vec<(Parameter, f64)>,
    /// The studies, by index of the points, that do not use them.
    pub(crate) spared: BTreeSet<usize>,
}

/// What a change gave.
#[derive(Default)]
pub(crate) struct Tried {
    /// The values of the watched rows that it reaches, by index of the row.
    pub(crate) values: BTreeMap<usize, Option<f64>>,
    /// The studies, by index of the points, whose runs are the same to the last byte, so that they do not use its numbers.
    pub(crate) unmoved: BTreeSet<usize>,
}

/// The rows of a scoreboard that are watched while numbers change.
pub(crate) struct Trials<'a> {
    made: &'a Made<'a>,
    /// The figures watched, by index of their rows.
    watched: Vec<usize>,
    /// What their answers read, by index of the points.
    read: BTreeMap<usize, Read>,
}

/// A study that a watched figure reads.
struct Read {
    /// Its configuration before any change.
    configuration: Option<Configuration>,
    /// The numbers of the catalog that it uses.
    parameters: Vec<Parameter>,
}

impl<'a> Trials<'a> {
    /// Watches the rows of `board` that `is_watched` chooses.
    pub(crate) fn new(made: &'a Made<'a>, board: &Scoreboard, is_watched: impl Fn(&Row) -> bool) -> Self {
        let rows = board.rows.iter().enumerate();
        let watched: Vec<usize> = rows.filter(|(_, row)| is_watched(row)).map(|(index, _)| index).collect();
        let indices: BTreeSet<usize> =
            watched.iter().flat_map(|row| read_by(made, made.figures[*row])).collect();
        let of = |index: usize| {
            let study = &made.points.studies()[index];
            let configuration = configure(study, made.catalog).configuration;
            (index, Read { configuration, parameters: parameters_of(study, made.catalog) })
        };
        let read = indices.into_par_iter().map(of).collect();
        Self { made, watched, read }
    }

    /// The numbers that the studies use, each once.
    pub(crate) fn parameters(&self) -> Vec<&Parameter> {
        let all = self.read.values().flat_map(|read| &read.parameters);
        all.map(|one| (one.name(), one)).collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// What each change gives; nothing where the catalog refuses it.
    pub(crate) fn tried(&self, changes: &[Change], again: &dyn Rerun) -> Vec<Tried> {
        let planned: Vec<Option<Planned>> = changes.par_iter().map(|change| self.plan(change)).collect();
        again.expect(planned.iter().flatten().map(|one| one.studies.len()).sum());
        let tried = planned.par_iter().with_max_len(1).map(|planned| match planned {
            Some(planned) => self.carry_out(planned, again),
            None => Tried::default(),
        });
        tried.collect()
    }

    /// The catalog with the change, and the studies whose configuration is another with it.
    fn plan(&self, change: &Change) -> Option<Planned> {
        let made = change.numbers.iter().try_fold(self.made.catalog.clone(), |catalog, (number, value)| {
            catalog.with_value(number, *value).ok()
        });
        let catalog = made?;
        let uses = |index: &usize, read: &Read| {
            let named = change.numbers.iter().any(|(number, _)| read.parameters.contains(number));
            named && !change.spared.contains(index)
        };
        let differs = |index: &usize, read: &Read| {
            configure(&self.made.points.studies()[*index], &catalog).configuration != read.configuration
        };
        let changed = self.read.iter().filter(|(index, read)| uses(index, read) && differs(index, read));
        let studies = changed.map(|(index, _)| *index).collect();
        Some(Planned { catalog, studies })
    }

    fn carry_out(&self, planned: &Planned, again: &dyn Rerun) -> Tried {
        let studies = self.made.points.studies();
        let to_run: Vec<StudyFiles> = planned.studies.iter().map(|index| studies[*index].clone()).collect();
        let fresh = again.run(&to_run, &planned.catalog);
        let mut runs: Vec<&Result<Run, PointError>> = self.made.runs.iter().collect();
        for (index, run) in planned.studies.iter().zip(&fresh) {
            runs[*index] = run;
        }
        let reached = self.watched.iter().filter(|row| {
            let read = read_by(self.made, self.made.figures[**row]);
            read.iter().any(|index| planned.studies.binary_search(index).is_ok())
        });
        let value = |row: usize| {
            let Made { library, figures, points, .. } = self.made;
            value_of(library, figures[row], points, &runs, &planned.catalog)
        };
        let values = reached.map(|row| (*row, value(*row))).collect();
        let is_unmoved = |index: &usize| runs[*index].as_ref().ok() == self.made.runs[*index].as_ref().ok();
        Tried { values, unmoved: planned.studies.iter().copied().filter(is_unmoved).collect() }
    }
}

/// A change, ready to be tried.
struct Planned {
    catalog: Catalog,
    /// What is to be run again, by index of the points in ascending order.
    studies: Vec<usize>,
}

/// Indices of the studies that the answer to a figure reads.
fn read_by(made: &Made<'_>, figure: &Figure) -> Vec<usize> {
    let answer = made.library.answer(&figure.id);
    answer.map_or_else(Vec::new, |(experiment, answer)| made.points.of_answer(experiment, answer))
}
