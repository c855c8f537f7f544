//! Studies of whole machines, made from a model and a few sizes.

use std::path::{Path, PathBuf};

use halftrack_catalog::Catalog;
use halftrack_generate::{ModelRow, Request, Written, models, write};
use halftrack_input::{Diagnostic, has_errors};

use crate::catalog::load_catalog;
use crate::study::LoadError;

/// Writes the study of `request` as texts, with the warnings about it. It is read again before: deck rules and the rules of
/// the other files hold for it too.
///
/// # Errors
/// Every message about catalog, request and study when one of them cannot be used.
pub fn new_study(request: &Request, catalogs: &[PathBuf]) -> Result<(Written, Vec<Diagnostic>), LoadError> {
    let overlays: Vec<&Path> = catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, mut diagnostics) = Catalog::load(&overlays);
    let written = write(request, &catalog).map_err(|refused| diagnostics.extend(refused)).ok();
    diagnostics.extend(written.iter().flat_map(|written| written.read_again(&catalog).diagnostics));
    match written {
        Some(written) if !has_errors(&diagnostics) => Ok((written, diagnostics)),
        _ => Err(LoadError { diagnostics }),
    }
}

/// Lists the models that a study can be of, with the warnings about the catalog.
///
/// # Errors
/// Every message about a catalog with errors.
pub fn study_models(catalogs: &[PathBuf]) -> Result<(Vec<ModelRow>, Vec<Diagnostic>), LoadError> {
    let (catalog, diagnostics) = load_catalog(catalogs)?;
    Ok((models(&catalog), diagnostics))
}
