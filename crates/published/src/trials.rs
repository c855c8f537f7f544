//! Trials: a number of the catalog is changed, and what a set of figures reads is run again so far as it changes with it.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_catalog::{Catalog, Parameter};
use halftrack_config::{Configuration, StudyFiles, configure};
use halftrack_machine::Cancelled;
use halftrack_record::Run;
use halftrack_sweep::{Change as Reworded, PointError, change as reword};
use rayon::prelude::*;

use crate::figure::Figure;
use crate::library::Library;
use crate::parameters::parameters_of;
use crate::points::Points;
use crate::row::Row;
use crate::scoreboard::{Runs, RunsAt, Scoreboard, value_of};

/// Other seeds that separate movement from chance.
const SEEDS: u64 = 4;

/// Inputs and runs of a scoreboard.
pub struct ScoreboardInputs<'a> {
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

/// Runner of changed studies.
pub trait Rerun: Sync {
    /// Announces so many runs.
    fn expect(&self, runs: usize);

    /// Returns true once the work is broken off.
    fn is_cancelled(&self) -> bool;

    /// Runs studies with a catalog.
    ///
    /// # Errors
    /// [`Cancelled`] when the work is broken off.
    fn run(
        &self,
        studies: &[StudyFiles],
        catalog: &Catalog,
    ) -> Result<Vec<Result<Run, PointError>>, Cancelled>;
}

/// One change of the catalog.
pub(crate) struct Change {
    /// The numbers that change together, each with its new value.
    pub(crate) numbers: Vec<(Parameter, f64)>,
    /// The studies, by index of the points, that do not use them.
    pub(crate) spared: BTreeSet<usize>,
}

/// Outcome of a change.
#[derive(Default)]
pub(crate) struct Tried {
    /// The values of the watched rows that it reaches, by index of the row.
    pub(crate) values: BTreeMap<usize, Option<f64>>,
    /// The studies, by index of the points, whose runs are the same to the last byte, so that they do not use its numbers.
    pub(crate) unmoved: BTreeSet<usize>,
}

/// The rows of a scoreboard that are watched while numbers change.
pub(crate) struct Trials<'a> {
    made: &'a ScoreboardInputs<'a>,
    /// The figures watched, by index of their rows.
    watched: Vec<usize>,
    /// Studies that their answers read, by index of the points.
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
    ///
    /// # Errors
    /// [`Cancelled`] when `again` is broken off.
    pub(crate) fn new(
        made: &'a ScoreboardInputs<'a>,
        board: &Scoreboard,
        again: &dyn Rerun,
        is_watched: impl Fn(&Row) -> bool,
    ) -> Result<Self, Cancelled> {
        let rows = board.rows.iter().enumerate();
        let watched: Vec<usize> = rows.filter(|(_, row)| is_watched(row)).map(|(index, _)| index).collect();
        let indices: BTreeSet<usize> =
            watched.iter().flat_map(|row| read_by(made, made.figures[*row])).collect();
        let of = |index: usize| {
            if again.is_cancelled() {
                return Err(Cancelled);
            }
            let study = &made.points.studies()[index];
            let configuration = configure(study, made.catalog).configuration;
            Ok((index, Read { configuration, parameters: parameters_of(study, made.catalog) }))
        };
        let read = indices.into_par_iter().map(of).collect::<Result<_, _>>()?;
        Ok(Self { made, watched, read })
    }

    /// Returns the numbers that the studies use, each once.
    pub(crate) fn parameters(&self) -> Vec<&Parameter> {
        let all = self.read.values().flat_map(|read| &read.parameters);
        all.map(|one| (one.name(), one)).collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Returns the outcome of each change; nothing where the catalog refuses it.
    ///
    /// # Errors
    /// [`Cancelled`] when `again` is broken off.
    pub(crate) fn tried(&self, changes: &[Change], again: &dyn Rerun) -> Result<Vec<Tried>, Cancelled> {
        let plan =
            |change: &Change| if again.is_cancelled() { Err(Cancelled) } else { Ok(self.plan(change)) };
        let planned: Vec<Option<Planned>> = changes.par_iter().map(plan).collect::<Result<_, _>>()?;
        again.expect(planned.iter().flatten().map(|one| one.studies.len()).sum());
        let tried = planned.par_iter().with_max_len(1).map(|planned| match planned {
            Some(planned) => self.carry_out(planned, again),
            None => Ok(Tried::default()),
        });
        tried.collect()
    }

    /// Returns the values of `rows` with each of four other seeds.
    ///
    /// # Errors
    /// [`Cancelled`] when `again` is broken off.
    pub(crate) fn with_other_seeds(
        &self,
        rows: &[usize],
        again: &dyn Rerun,
    ) -> Result<Vec<BTreeMap<usize, Option<f64>>>, Cancelled> {
        let read: BTreeSet<usize> =
            rows.iter().flat_map(|row| read_by(self.made, self.made.figures[*row])).collect();
        again.expect(read.len() * SEEDS as usize);
        let seeds: Vec<u64> = (1..=SEEDS).collect();
        let of = |seed: &u64| {
            let (indices, studies): (Vec<usize>, Vec<StudyFiles>) =
                read.iter().filter_map(|index| Some((*index, self.reseeded(*index, *seed)?))).unzip();
            let fresh = again.run(&studies, self.made.catalog)?;
            let runs = self.replaced(&indices, &fresh);
            Ok(rows.iter().map(|row| (*row, self.value(*row, &runs, self.made.catalog))).collect())
        };
        seeds.par_iter().with_max_len(1).map(of).collect()
    }

    /// Returns a study with its seed so much larger.
    fn reseeded(&self, index: usize, larger: u64) -> Option<StudyFiles> {
        let seed = self.read.get(&index)?.configuration.as_ref()?.run.seed.wrapping_add(larger);
        let key = "workload.run.seed".parse().ok()?;
        reword(&self.made.points.studies()[index], &[Reworded { key, value: seed.to_string() }]).ok()
    }

    /// Returns the runs of the points, with `fresh` in the places `indices`.
    fn replaced<'r>(
        &'r self,
        indices: &[usize],
        fresh: &'r [Result<Run, PointError>],
    ) -> Vec<&'r Result<Run, PointError>> {
        let mut runs: Vec<&Result<Run, PointError>> = self.made.runs.iter().collect();
        for (index, run) in indices.iter().zip(fresh) {
            runs[*index] = run;
        }
        runs
    }

    /// Returns the value of a row.
    fn value(&self, row: usize, runs: &RunsAt<'_>, catalog: &Catalog) -> Option<f64> {
        let ScoreboardInputs { library, figures, points, .. } = self.made;
        value_of(library, figures[row], points, runs, catalog)
    }

    /// Returns the catalog with the change, and the studies whose configuration is another with it.
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

    fn carry_out(&self, planned: &Planned, again: &dyn Rerun) -> Result<Tried, Cancelled> {
        let studies = self.made.points.studies();
        let to_run: Vec<StudyFiles> = planned.studies.iter().map(|index| studies[*index].clone()).collect();
        let fresh = again.run(&to_run, &planned.catalog)?;
        let runs = self.replaced(&planned.studies, &fresh);
        let reached = self.watched.iter().filter(|row| {
            let read = read_by(self.made, self.made.figures[**row]);
            read.iter().any(|index| planned.studies.binary_search(index).is_ok())
        });
        let values = reached.map(|row| (*row, self.value(*row, &runs, &planned.catalog))).collect();
        let is_unmoved = |index: &usize| runs[*index].as_ref().ok() == self.made.runs[*index].as_ref().ok();
        Ok(Tried { values, unmoved: planned.studies.iter().copied().filter(is_unmoved).collect() })
    }
}

/// A change, ready to be tried.
struct Planned {
    catalog: Catalog,
    /// Studies to be run again, by index of the points in ascending order.
    studies: Vec<usize>,
}

/// Returns indices of the studies that the answer to a figure reads.
fn read_by(made: &ScoreboardInputs<'_>, figure: &Figure) -> Vec<usize> {
    let answer = made.library.answer(&figure.id);
    answer.map_or_else(Vec::new, |(experiment, answer)| made.points.of_answer(experiment, answer))
}
