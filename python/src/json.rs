//! JSON texts as objects of Python: dictionaries, lists, texts and numbers.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

/// Returns the objects of a JSON text.
///
/// # Errors
/// A text that is no JSON.
pub(crate) fn objects<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// Returns the object of a record that serialises.
///
/// # Errors
/// A record with keys that are no texts.
pub(crate) fn object<'py>(py: Python<'py>, record: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(record).map_err(|error| PyValueError::new_err(error.to_string()))?;
    objects(py, &text)
}
