//! A sweep with everything that its points depend on: each of them can be run by its number, here or elsewhere.

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::Diagnostic;
use halftrack_machine::Cancelled;

use crate::cache::run_entry;
use crate::content_key::ContentKey;
use crate::cost::cost;
use crate::grid::Grid;
use crate::pack::{UnpackError, pack, unpack};
use crate::point_outcome::PointOutcome;
use crate::points::{PointError, PointOptions, Prepared, prepare_changed, simulate};
use crate::table::Column;

/// A sweep whose points can be run one by one.
#[derive(Debug)]
pub struct PackedSweep {
    files: StudyFiles,
    catalog: Catalog,
    grid: Grid,
    options: PointOptions,
    columns: Vec<Column>,
    model: String,
}

/// A point that can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPoint {
    /// Hash of everything that its run depends on.
    pub key: ContentKey,
    /// Seed of its run.
    pub seed: u64,
    /// Estimate of its work, above 0, in a unit of its own.
    pub cost: f64,
    /// Warnings about its files.
    pub warnings: Vec<Diagnostic>,
}

/// A point that has been run.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredPoint {
    /// Hash of everything that its run depends on; none where the point cannot be configured.
    pub key: Option<ContentKey>,
    /// Outcome for the columns of the sweep.
    pub outcome: PointOutcome,
    /// The whole run as [`Cache`](crate::Cache) keeps it, where it was wanted and can be kept.
    pub entry: Option<String>,
}

impl PackedSweep {
    /// Makes the sweep of the study `files` with each point of `grid` changed. `model` is the version of the simulator.
    pub fn new(
        files: StudyFiles,
        catalog: Catalog,
        grid: Grid,
        options: PointOptions,
        columns: Vec<Column>,
        model: impl Into<String>,
    ) -> Self {
        Self { files, catalog, grid, options, columns, model: model.into() }
    }

    /// Returns everything of the sweep as octets, the same for the same sweep.
    pub fn pack(&self) -> Vec<u8> {
        pack(self)
    }

    /// Reads what [`pack`](Self::pack) wrote, for the simulator of version `model`.
    ///
    /// # Errors
    /// Octets of another version, of something else, or damaged.
    pub fn unpack(octets: &[u8], model: &str) -> Result<Self, UnpackError> {
        unpack(octets, model)
    }

    /// Returns the study.
    pub fn files(&self) -> &StudyFiles {
        &self.files
    }

    /// Returns the catalog.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the points.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the options of every run.
    pub fn options(&self) -> &PointOptions {
        &self.options
    }

    /// Returns the quantities of the table.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the version of the simulator.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the content key and the cost of point `index`, from 0, without running it.
    ///
    /// # Errors
    /// Every message about a point that cannot be configured.
    ///
    /// # Panics
    /// When there is no such point.
    pub fn plan(&self, index: usize) -> Result<PlannedPoint, PointError> {
        let prepared = self.prepare(index)?;
        Ok(PlannedPoint {
            key: self.key(&prepared),
            seed: prepared.options.seed,
            cost: cost(&prepared.configuration, &prepared.options),
            warnings: prepared.warnings,
        })
    }

    /// Runs point `index`, from 0. `is_cancelled` is called every few milliseconds.
    ///
    /// # Errors
    /// [`Cancelled`] once `is_cancelled` returns true. A point that cannot be run is an outcome.
    ///
    /// # Panics
    /// When there is no such point.
    pub fn run(
        &self,
        index: usize,
        with_entry: bool,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<AnsweredPoint, Cancelled> {
        let prepared = self.prepare(index);
        let key = prepared.as_ref().ok().map(|prepared| self.key(prepared));
        let run = match prepared {
            Ok(prepared) => simulate(prepared, is_cancelled)?,
            Err(error) => Err(error),
        };
        let outcome = PointOutcome::of(run.as_ref(), &self.columns);
        let entry = run.ok().filter(|_| with_entry).and_then(|run| run_entry(&run));
        Ok(AnsweredPoint { key, outcome, entry })
    }

    fn prepare(&self, index: usize) -> Result<Prepared, PointError> {
        prepare_changed(&self.files, &self.grid.changes(index), &self.catalog, &self.options)
    }

    fn key(&self, prepared: &Prepared) -> ContentKey {
        ContentKey::new(&prepared.configuration, &prepared.options, &self.model)
    }
}
