//! A study run once for every combination of values of some of its keys.

mod annotation;
mod packing;
mod picture_options;
mod pictures;

use std::path::{Path, PathBuf};

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::{Diagnostic, has_errors};
use halftrack_record::{OfferedTooMuch, Run};
use halftrack_report::{QuantityError, quantity_unit};
use halftrack_sweep::{
    Cache, Change, Column, Grid, PackedSweep, PointError, PointIdentity, PointOptions, Table, ValueSet,
    change, identities, run_sweep, sets_in_step, warnings,
};

use crate::MODEL_VERSION;
use crate::option_error::OptionError;
use crate::study::LoadError;
use crate::threads::pool;
use crate::warnings::offered_warnings;

pub use packing::{PackError, PackOptions, pack_sweep};
pub use picture_options::{EarlierSweep, GuidelineOption, Mark, PictureOptions, finite};
pub use pictures::Pictures;

/// Name of the file of the points.
pub const POINTS: &str = "points.json";
/// Name of the file of the points as comma-separated values.
pub const POINTS_CSV: &str = "points.csv";

/// Points that are warned of one by one.
const WARNED_POINTS: usize = 8;

/// Outcome of every point, in order.
pub type SweepRuns = [Result<Run, PointError>];

/// Options of a sweep.
#[derive(Debug, Clone, Default)]
pub struct SweepOptions {
    /// Directories of catalog files that are laid over the built-in ones; later ones win.
    pub catalogs: Vec<PathBuf>,
    /// Keys with their values, as `plant.cable.*.km=0,10,100`; sets with `;` between them change in step.
    pub sets: Vec<String>,
}

/// A sweep, ready to run.
#[derive(Debug)]
pub struct Sweep {
    files: StudyFiles,
    catalog: Catalog,
    grid: Grid,
    points: Vec<Vec<Change>>,
    diagnostics: Vec<Diagnostic>,
}

impl Sweep {
    /// Loads the study in `directory` and makes the points of `options`.
    ///
    /// # Errors
    /// Every message about catalog, sets and files when a point cannot be made.
    pub fn load(directory: impl AsRef<Path>, options: &SweepOptions) -> Result<Self, LoadError> {
        let overlays: Vec<&Path> = options.catalogs.iter().map(AsRef::as_ref).collect();
        let (catalog, mut diagnostics) = Catalog::load(&overlays);
        let mut groups: Vec<Vec<ValueSet>> = Vec::new();
        for text in &options.sets {
            match sets_in_step(text) {
                Ok(sets) => groups.push(sets),
                Err(error) => diagnostics.push(*error),
            }
        }
        let grid = Grid::new(groups).map_err(|error| diagnostics.push(*error));
        let files = StudyFiles::read(directory.as_ref()).map_err(|errors| diagnostics.extend(errors));
        match (grid, files) {
            (Ok(grid), Ok(files)) if !has_errors(&diagnostics) => {
                let points = (0..grid.points()).map(|index| grid.changes(index)).collect();
                Ok(Self { files, catalog, grid, points, diagnostics })
            }
            _ => Err(LoadError { diagnostics }),
        }
    }

    /// Returns the warnings about the catalog.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the changes of each point.
    pub fn points(&self) -> &[Vec<Change>] {
        &self.points
    }

    /// Returns the columns for the quantities `y` and those along `x`, an axis of pictures.
    ///
    /// # Errors
    /// An unknown quantity.
    pub fn columns(&self, y: &[String], x: Option<&str>) -> Result<Vec<Column>, QuantityError> {
        let across = x.iter().flat_map(|names| names.split(','));
        let across = across.filter(|name| quantity_unit(name).is_ok()).map(str::to_owned);
        let quantities: Vec<String> = y.iter().cloned().chain(across).collect();
        Table::columns(&quantities)
    }

    /// Chooses the pictures of the quantities `y`, which are among `columns`; of all columns without any.
    ///
    /// # Errors
    /// As [`Pictures::new`].
    pub fn pictures(
        &self,
        options: PictureOptions,
        columns: &[Column],
        y: &[String],
    ) -> Result<Pictures, OptionError> {
        Pictures::new(options, self.grid.groups(), columns, drawn(y, columns))
    }

    /// Runs every point on so many `threads`, else on one for each processor; `progress` gets the number of points that
    /// are done after each. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn run(
        &self,
        options: &PointOptions,
        threads: Option<usize>,
        cache: &Cache,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Result<Run, PointError>>, OptionError> {
        let run = || run_sweep(&self.files, &self.points, &self.catalog, options, cache, progress);
        Ok(pool(threads)?.install(run))
    }

    /// Returns the sweep by content, for workers that share no disk: everything that its points depend on.
    pub fn packed(&self, options: &PointOptions, columns: &[Column]) -> PackedSweep {
        let (files, catalog, grid) = (self.files.clone(), self.catalog.clone(), self.grid.clone());
        PackedSweep::new(files, catalog, grid, *options, columns.to_vec(), MODEL_VERSION)
    }

    /// Returns the warnings about the points that can be run, each once.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        warnings(&self.files, &self.points, &self.catalog)
    }

    /// Returns a warning for each point that offers something more than it can serve, about the most overloaded station or
    /// pool. Beyond some points they are only counted.
    pub fn offered_warnings(&self, runs: &SweepRuns) -> Vec<Diagnostic> {
        let worst = |run: &Run| {
            run.offered_too_much.iter().min_by(|one, other| one.served.total_cmp(&other.served)).cloned()
        };
        let each = self.points.iter().zip(runs);
        let offering: Vec<_> =
            each.filter_map(|(changes, run)| Some((changes, worst(run.as_ref().ok()?)?))).collect();
        let of_point = |(changes, worst): &(&Vec<Change>, OfferedTooMuch)| {
            let files = change(&self.files, changes).ok()?;
            offered_warnings(&files, std::slice::from_ref(worst)).pop()
        };
        let mut warnings: Vec<Diagnostic> =
            offering.iter().take(WARNED_POINTS).filter_map(of_point).collect();
        if let (Some(last), Some(more)) =
            (warnings.last_mut(), offering.len().checked_sub(WARNED_POINTS + 1).map(|more| more + 1))
        {
            let points = if more == 1 {
                "1 more point offers".to_owned()
            } else {
                format!("{more} more points offer")
            };
            last.message += &format!("; {points} too much, see `offered_too_much` of --json");
        }
        warnings
    }

    /// Returns the name of the study.
    pub fn study(&self) -> &str {
        &self.files.name
    }

    /// Returns content key and seed of each point, on so many `threads`, else on one for each processor. A point that cannot
    /// be configured has `None`.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn identities(
        &self,
        options: &PointOptions,
        threads: Option<usize>,
    ) -> Result<Vec<Option<PointIdentity>>, OptionError> {
        let all = || identities(&self.files, &self.points, &self.catalog, options, MODEL_VERSION);
        Ok(pool(threads)?.install(all))
    }

    /// Computes `columns` from the outcomes of the points.
    pub fn table(&self, columns: Vec<Column>, runs: &SweepRuns) -> Table {
        Table::compute(&self.files.name, self.grid.groups(), columns, &self.points, runs)
    }
}

/// Makes the files of a sweep, names and texts: the points and the pictures.
///
/// # Errors
/// As [`Pictures::draw`].
pub fn sweep_files(table: &Table, pictures: &Pictures) -> Result<Vec<(String, String)>, OptionError> {
    let mut files = vec![(POINTS.to_owned(), table.to_json()), (POINTS_CSV.to_owned(), table.to_csv())];
    files.extend(pictures.draw(table)?);
    // Two names of quantities may differ only in what a file system may not like.
    files.sort_by(|one, other| one.0.cmp(&other.0));
    files.dedup_by(|one, other| one.0 == other.0);
    Ok(files)
}

/// Returns the indices of the columns that are drawn: those of the quantities `y`, in its order; all without any.
fn drawn(y: &[String], columns: &[Column]) -> Vec<usize> {
    if y.is_empty() {
        return (0..columns.len()).collect();
    }
    y.iter().filter_map(|name| columns.iter().position(|column| column.name == *name)).collect()
}
