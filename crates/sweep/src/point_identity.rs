//! The identity of a point: everything that its run depends on, without running it.

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use rayon::prelude::*;

use crate::change::Change;
use crate::content_key::ContentKey;
use crate::points::{PointOptions, prepare_changed};

/// Content and seed of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointIdentity {
    /// Hash of everything that the run depends on.
    pub content_key: ContentKey,
    /// Seed of every random stream.
    pub seed: u64,
}

/// Returns the identity of each of `points`, changes of the study `files`, in their order; `None` of one that cannot be
/// configured. `model` is the version of the simulator.
pub fn identities(
    files: &StudyFiles,
    points: &[Vec<Change>],
    catalog: &Catalog,
    options: &PointOptions,
    model: &str,
) -> Vec<Option<PointIdentity>> {
    let of_point = |changes: &Vec<Change>| {
        let prepared = prepare_changed(files, changes, catalog, options).ok()?;
        let content_key = ContentKey::new(&prepared.configuration, &prepared.options, model);
        Some(PointIdentity { content_key, seed: prepared.options.seed })
    };
    points.par_iter().map(of_point).collect()
}
