//! The catalog by itself, for what is computed without a study.

use std::path::{Path, PathBuf};

use halftrack_catalog::Catalog;
use halftrack_input::{Diagnostic, has_errors};

use crate::study::LoadError;

/// Loads the built-in catalog with the directories `catalogs` laid over it, with the warnings about it.
///
/// # Errors
/// Every message about a catalog with errors.
pub fn load_catalog(catalogs: &[PathBuf]) -> Result<(Catalog, Vec<Diagnostic>), LoadError> {
    let overlays: Vec<&Path> = catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, diagnostics) = Catalog::load(&overlays);
    if has_errors(&diagnostics) {
        return Err(LoadError { diagnostics });
    }
    Ok((catalog, diagnostics))
}
