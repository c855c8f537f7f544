//! Class `DeckDiff`: the difference between two decks.

use halftrack::deck::DeckComparison;
use pyo3::prelude::*;

use crate::deck::PyDeck;
use crate::json::objects;
use crate::notebook;

/// The difference between two decks: by meaning, and as written where they are not understood.
#[pyclass(frozen, module = "halftrack", name = "DeckDiff")]
#[derive(Debug)]
pub(crate) struct PyDeckDiff {
    same: Option<bool>,
    text: String,
    json: String,
}

impl PyDeckDiff {
    /// Compares two decks.
    ///
    /// # Errors
    /// A deck of which nothing is understood.
    pub(crate) fn of(py: Python<'_>, before: &PyDeck, after: &PyDeck) -> PyResult<Self> {
        let decks = (before.taken_in(py)?, after.taken_in(py)?);
        let compared = DeckComparison::new((&before.reading, &decks.0), (&after.reading, &decks.1));
        Ok(Self { same: compared.is_same(), text: compared.to_text(), json: compared.to_json().to_string() })
    }
}

#[pymethods]
impl PyDeckDiff {
    /// True when both mean the same, False when they differ, None when one was not understood whole.
    #[getter]
    fn same(&self) -> Option<bool> {
        self.same
    }

    /// Difference as text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Returns the difference as `halftrack deck diff --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &self.json)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn _repr_html_(&self) -> String {
        notebook::text(&self.text)
    }
}
