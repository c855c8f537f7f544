//! Files beside a deck: installed features, the plant of a study.

use std::path::{Path, PathBuf};

use halftrack::Plant;
use halftrack::deck::{Hardware, inventory_json, load_hardware, load_plant};
use pyo3::prelude::*;

use crate::diagnostic::load_error;
use crate::json::objects;

/// Reads the installed features in the file `path`.
///
/// # Errors
/// `StudyError` for a file or catalog that cannot be used.
pub(crate) fn hardware(py: Python<'_>, path: &Path, catalogs: &[PathBuf]) -> PyResult<Hardware> {
    let loaded = py.detach(|| load_hardware(path, catalogs));
    loaded.map(|(hardware, _)| hardware).map_err(|error| load_error(py, &error))
}

/// Reads the plant file `path`.
///
/// # Errors
/// `StudyError` for a file that cannot be used.
pub(crate) fn plant(py: Python<'_>, path: &Path) -> PyResult<Plant> {
    load_plant(path).map(|(plant, _)| plant).map_err(|error| load_error(py, &error))
}

/// Returns the installed cards in the hardware file `path`, as `halftrack deck hardware --json` prints them.
///
/// Raises `StudyError` for a file that cannot be used.
#[pyfunction]
#[pyo3(signature = (path, *, catalogs=Vec::new()))]
pub(crate) fn installed_cards<'py>(
    py: Python<'py>,
    path: PathBuf,
    catalogs: Vec<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    objects(py, &inventory_json(&hardware(py, &path, &catalogs)?).to_string())
}
