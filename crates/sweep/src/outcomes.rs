//! The outcomes of a sweep as they come in, in any order and from anywhere, each counted once.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use halftrack_input::{Diagnostic, has_errors};
use halftrack_machine::Cancelled;
use rayon::prelude::*;

use crate::cache::Cache;
use crate::content_key::ContentKey;
use crate::packed_sweep::{AnsweredPoint, PackedSweep, PlannedPoint};
use crate::point_identity::PointIdentity;
use crate::point_outcome::PointOutcome;
use crate::table::{Outcome, Table};

/// A point of the sweep.
#[derive(Debug)]
enum Point {
    /// It is to be run.
    Open { key: ContentKey, cost: f64 },
    /// It has the content of an earlier point, whose outcome is its own.
    Like(usize),
    /// It is over.
    Over(PointOutcome),
}

/// An answer about a point that is not the one of this sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer about point {index} is {found}")]
pub struct WrongAnswer {
    /// Number of the point, from 0.
    pub index: usize,
    /// Fault of the answer.
    pub found: &'static str,
}

/// The outcomes of the points of a sweep, as far as they are known.
#[derive(Debug)]
pub struct Outcomes {
    sweep: Arc<PackedSweep>,
    cache: Cache,
    /// Whole runs are kept too, and a point is over only when its run is.
    with_entries: bool,
    points: Vec<Point>,
    /// Content key and seed of each point that can be configured.
    identities: Vec<Option<PointIdentity>>,
    warnings: Vec<Diagnostic>,
}

impl Outcomes {
    /// Plans every point of `sweep` on the threads of rayon's current pool, and takes from `cache` what is there. With
    /// `with_entries` the whole runs are wanted in the cache, not only what the table has of them.
    ///
    /// # Errors
    /// [`Cancelled`] once `is_cancelled` returns true.
    pub fn plan(
        sweep: Arc<PackedSweep>,
        cache: Cache,
        with_entries: bool,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Cancelled> {
        let plan = |index: usize| {
            if is_cancelled() {
                return Err(Cancelled);
            }
            Ok(planned(&sweep, index, (&cache, with_entries)))
        };
        let planned = (0..sweep.grid().points()).into_par_iter().map(plan).collect::<Result<Vec<_>, _>>()?;
        let (mut points, mut said, mut warnings) =
            (Vec::with_capacity(planned.len()), BTreeSet::new(), vec![]);
        let (mut identities, mut first_of) = (Vec::with_capacity(planned.len()), HashMap::new());
        for (index, (point, identity, of_point)) in planned.into_iter().enumerate() {
            identities.push(identity);
            warnings.extend(of_point.into_iter().filter(|one| said.insert(one.message.clone())));
            points.push(match point {
                Point::Open { key, .. } if first_of.contains_key(&key) => Point::Like(first_of[&key]),
                Point::Open { key, cost } => {
                    first_of.insert(key, index);
                    Point::Open { key, cost }
                }
                other => other,
            });
        }
        Ok(Self { sweep, cache, with_entries, points, identities, warnings })
    }

    /// Returns the sweep.
    pub fn sweep(&self) -> &PackedSweep {
        &self.sweep
    }

    /// Returns the cache, which counts what it had and what it could not keep.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns the warnings about the points that can be run, each once.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns content key and seed of each point, in their order; `None` where a point cannot be configured.
    pub fn identities(&self) -> &[Option<PointIdentity>] {
        &self.identities
    }

    /// Returns the number of points that are over.
    pub fn over(&self) -> usize {
        (0..self.points.len()).filter(|&index| self.outcome(index).is_some()).count()
    }

    /// Returns the outcome of point `index`, or of the earlier one with its content; `None` while that is open.
    fn outcome(&self, index: usize) -> Option<&PointOutcome> {
        match &self.points[index] {
            Point::Over(outcome) => Some(outcome),
            Point::Open { .. } => None,
            Point::Like(first) => self.outcome(*first),
        }
    }

    /// Returns the points that are to be run with their costs, those that take longest first.
    pub fn open(&self) -> Vec<(usize, f64)> {
        let open = self.points.iter().enumerate().filter_map(|(index, point)| match point {
            Point::Open { cost, .. } => Some((index, *cost)),
            Point::Like(_) | Point::Over(_) => None,
        });
        let mut open: Vec<_> = open.collect();
        open.sort_by(|one, other| other.1.total_cmp(&one.1));
        open
    }

    /// Takes in what is `answered` about point `index`, and keeps it in the cache. Returns false where the point is over already:
    /// nothing is counted twice.
    ///
    /// # Errors
    /// An answer about another point, or a damaged one; the point stays open.
    pub fn take_in(&mut self, index: usize, answered: AnsweredPoint) -> Result<bool, WrongAnswer> {
        let wrong = |found| WrongAnswer { index, found };
        let key = match self.points.get(index) {
            Some(Point::Open { key, .. }) => *key,
            Some(_) => return Ok(false),
            None => return Err(wrong("of no point of this sweep")),
        };
        if answered.key != Some(key) {
            return Err(wrong("of another content"));
        }
        if answered.entry.is_some_and(|entry| !self.cache.keep_entry(key, &entry)) {
            return Err(wrong("damaged"));
        }
        if matches!(answered.outcome.outcome, Outcome::Ran { .. }) {
            self.cache.keep_outcome(key, self.sweep.columns(), &answered.outcome);
        }
        self.points[index] = Point::Over(answered.outcome);
        Ok(true)
    }

    /// Ends point `index`, which nobody could run, with `message`. It is not kept in the cache.
    pub fn give_up(&mut self, index: usize, message: String) {
        if let Some(point @ Point::Open { .. }) = self.points.get_mut(index) {
            *point = Point::Over(PointOutcome::failed(vec![message]));
        }
    }

    /// Runs the open points on so many `threads` of rayon's current pool, those that take longest first. `progress` gets the cost
    /// of each point that ends, and whatever ends is kept in the cache at once. The result does not depend on the threads.
    ///
    /// # Errors
    /// [`Cancelled`] once `is_cancelled` returns true.
    pub fn run(
        &mut self,
        threads: usize,
        is_cancelled: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<(), Cancelled> {
        let (sweep, with_entries) = (Arc::clone(&self.sweep), self.with_entries);
        let queue = Mutex::new(self.open().into_iter());
        let taken_in = Mutex::new(self);
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((index, cost)) = next() {
                let answered = sweep.run(index, with_entries, is_cancelled)?;
                let mut outcomes = taken_in.lock().unwrap_or_else(PoisonError::into_inner);
                let counted = outcomes.take_in(index, answered);
                drop(outcomes);
                if counted.is_ok() {
                    progress(cost);
                }
            }
            Ok(())
        };
        (0..threads.max(1)).into_par_iter().with_max_len(1).map(|_| work()).collect()
    }

    /// Makes the table, once no point is open; one that is has the message that it was not run.
    pub fn table(&self) -> Table {
        let sweep = &self.sweep;
        let not_run = || PointOutcome::failed(vec!["the point was not run".to_owned()]);
        let of = |index| (sweep.grid().set_to(index), self.outcome(index).cloned().unwrap_or_else(not_run));
        let points = (0..self.points.len()).map(of);
        Table::of_outcomes(&sweep.files().name, sweep.grid().groups(), sweep.columns().to_vec(), points)
    }
}

/// A point as it stands before the sweep begins, its content key and seed, and warnings about it.
type Planned = (Point, Option<PointIdentity>, Vec<Diagnostic>);

/// Plans point `index` of `sweep`; with `with_entries` only a whole run in `cache` ends it.
fn planned(sweep: &PackedSweep, index: usize, (cache, with_entries): (&Cache, bool)) -> Planned {
    let PlannedPoint { key, seed, cost, warnings } = match sweep.plan(index) {
        Ok(planned) => planned,
        Err(error) => {
            return (Point::Over(PointOutcome::of(Err(&error), sweep.columns())), None, Vec::new());
        }
    };
    let is_enough = !with_entries || cache.has_run(key);
    let kept = is_enough.then(|| cache.take_outcome(key, sweep.columns())).flatten();
    let warnings = if has_errors(&warnings) { Vec::new() } else { warnings };
    (
        kept.map_or(Point::Open { key, cost }, Point::Over),
        Some(PointIdentity { content_key: key, seed }),
        warnings,
    )
}
