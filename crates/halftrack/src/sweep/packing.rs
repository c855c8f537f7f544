//! Sweeps by content, whose points can be run one by one and elsewhere.

use halftrack_catalog::Catalog;
use halftrack_config::{StudyFiles, configure};
use halftrack_input::Diagnostic;
use halftrack_report::QuantityError;
use halftrack_sweep::{Grid, PackedSweep, PointOptions, Table, ValueSet};
use thiserror::Error;

use crate::MODEL_VERSION;
use crate::study::LoadError;

/// Key whose values are the seeds of replications.
const SEED: &str = "workload.run.seed";

/// Options of a packed sweep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackOptions {
    /// Quantities of the table beside rate, response time and MB/s.
    pub y: Vec<String>,
    /// How each point is run.
    pub point: PointOptions,
    /// Runs of each point with a seed of its own, the same seeds at all points; 0 and 1 are one run without a key for it.
    pub replications: u32,
}

/// A sweep that cannot be packed.
#[derive(Debug, Error)]
pub enum PackError {
    /// Study or sets have errors.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A quantity is unknown.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
}

/// Packs the sweep of the study `files` over `groups`, sets in step together.
///
/// Replications are the fastest key, `workload.run.seed`: the first has the seed of the sweep, or the study's own, each further
/// one the next number. All points have the same seeds, so that their differences are those of the points (common random numbers).
///
/// # Errors
/// A key in two sets, too many points, an unknown quantity; a study that cannot be configured where its seed is wanted.
pub fn pack_sweep(
    files: StudyFiles,
    catalog: Catalog,
    mut groups: Vec<Vec<ValueSet>>,
    options: &PackOptions,
) -> Result<PackedSweep, PackError> {
    let columns = Table::columns(&options.y)?;
    let mut point = options.point;
    if options.replications > 1 {
        let first = match point.seed.take() {
            Some(seed) => seed,
            None => {
                let loaded = configure(&files, &catalog);
                let configuration = loaded.configuration;
                let found = configuration.ok_or(LoadError { diagnostics: loaded.diagnostics })?;
                found.run.seed
            }
        };
        let seeds = (0..u64::from(options.replications)).map(|further| first.wrapping_add(further));
        let key = SEED.parse().map_err(|error: Box<Diagnostic>| refused(*error))?;
        groups.push(vec![ValueSet { key, values: seeds.map(|seed| seed.to_string()).collect() }]);
    }
    let grid = Grid::new(groups).map_err(|error: Box<Diagnostic>| refused(*error))?;
    Ok(PackedSweep::new(files, catalog, grid, point, columns, MODEL_VERSION))
}

fn refused(error: Diagnostic) -> LoadError {
    LoadError { diagnostics: vec![error] }
}
