//! Messages about a user's files as objects of Python, and the exception that has them.

use halftrack::deck::formats::json::MessageRecord;
use halftrack::{Diagnostic, LoadError, OptionError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::json;

/// Module of the exceptions, and of what they have.
const ERRORS: &str = "halftrack._errors";

/// Makes an object of Python for each of `found`.
pub(crate) fn messages<'py>(py: Python<'py>, found: &[Diagnostic]) -> PyResult<Bound<'py, PyList>> {
    let class = py.import(ERRORS)?.getattr("Diagnostic")?;
    let list = PyList::empty(py);
    for one in found {
        let record = json::object(py, &MessageRecord::of(one))?;
        if one.at.source.text.is_empty() {
            record.set_item("line", py.None())?;
            record.set_item("column", py.None())?;
        }
        list.append(class.call_method1("of", (record, one.to_string()))?)?;
    }
    Ok(list)
}

/// Makes the exception of a study or deck that cannot be used.
pub(crate) fn study_error(py: Python<'_>, found: &[Diagnostic]) -> PyErr {
    raised(py, "StudyError", |class| class.call1((messages(py, found)?,)))
}

/// Makes the exception of a study whose machine cannot be wired, for the reason `words`.
pub(crate) fn study_failure(py: Python<'_>, words: &str) -> PyErr {
    raised(py, "StudyError", |class| class.call1((PyList::empty(py), words)))
}

/// Makes the exception of what was found while loading.
pub(crate) fn load_error(py: Python<'_>, error: &LoadError) -> PyErr {
    study_error(py, &error.diagnostics)
}

/// Makes the exception of a run that was cancelled by its observer.
pub(crate) fn cancelled(py: Python<'_>) -> PyErr {
    raised(py, "Cancelled", |class| class.call1(("the run was cancelled",)))
}

/// Makes the exception of an option that does not suit.
pub(crate) fn option_error(error: OptionError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn raised<'py>(
    py: Python<'py>,
    name: &str,
    make: impl FnOnce(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
) -> PyErr {
    let made = py.import(ERRORS).and_then(|errors| errors.getattr(name)).and_then(make);
    made.map_or_else(|error| error, PyErr::from_value)
}
