//! Messages and their meaning.

use halftrack::{explained, message_json};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::diagnostic::option_error;
use crate::json::objects;

/// Returns rule, cause, example and fix of the messages of `codes`, as `halftrack explain --json` prints them; of all messages without any.
///
/// A code is "HTK929E", its number alone, or that of the IBM message of the same meaning. Raises `ValueError` for one that no message has.
#[pyfunction]
#[pyo3(signature = (*codes))]
pub(crate) fn explain<'py>(py: Python<'py>, codes: Vec<String>) -> PyResult<Bound<'py, PyList>> {
    let found = explained(&codes).map_err(option_error)?;
    let objects = found.into_iter().map(|message| objects(py, &message_json(message).to_string()));
    PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
}
