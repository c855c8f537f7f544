//! Class `Display`: what an operator's command is answered.

use std::collections::BTreeSet;

use halftrack::record::Moment;
use halftrack::report::display::{self as displays, DisplayError, Known};
use halftrack::{MomentError, Options, RUN_MAX_S, Study};
use halftrack_base::Span;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagnostic::{cancelled, study_error, study_failure};
use crate::json;
use crate::progress::Stage;
use crate::task::Watch;

/// The answer to an operator's command: `str(display)` is the text of the console.
#[pyclass(frozen, module = "halftrack", name = "Display")]
#[derive(Debug)]
pub(crate) struct PyDisplay {
    answer: displays::Display,
}

/// A command, who answers it, and the state that it is answered from.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) command: String,
    pub(crate) system: Option<String>,
    /// The state after so much virtual time; without it what the study defines.
    pub(crate) at: Option<Span>,
    pub(crate) seed: Option<u64>,
    /// PCHIDs of the installed cards, where they are known.
    pub(crate) plugged: Option<BTreeSet<u16>>,
}

/// Reasons for which there is no answer.
pub(crate) enum Failure {
    Display(DisplayError),
    Moment(MomentError),
}

impl Question {
    /// Answers from `study`. A command that is none is refused before anything runs.
    pub(crate) fn answer(&self, study: &Study, watch: &Watch<Stage>) -> Result<PyDisplay, Failure> {
        let respond = |moment: Option<&Moment>| {
            let (configuration, site) = (study.configuration(), study.site());
            let known = Known { configuration, site, moment, plugged: self.plugged.as_ref() };
            displays::display(&self.command, known, self.system.as_deref()).map_err(Failure::Display)
        };
        let mut answer = respond(None)?;
        if let Some(at) = self.at {
            let options = Options::new(self.seed.unwrap_or(study.options().seed));
            let moment = study.moment(&options, at, &mut |now| watch.proceed(Stage::from(now)));
            answer = respond(Some(&moment.map_err(Failure::Moment)?))?;
        }
        Ok(PyDisplay { answer })
    }
}

/// Returns the moment `at_s`, which is within a run.
///
/// # Errors
/// `ValueError` for another number.
pub(crate) fn moment_at(at_s: f64) -> PyResult<Span> {
    if (0.0..=RUN_MAX_S).contains(&at_s) {
        return Ok(Span::from_s_f64(at_s));
    }
    Err(PyValueError::new_err(format!(
        "at_s is {at_s}; expected seconds of virtual time from 0 to {RUN_MAX_S}"
    )))
}

/// Makes the exception of a question without an answer.
pub(crate) fn display_error(py: Python<'_>, failure: Failure) -> PyErr {
    match failure {
        Failure::Display(DisplayError::Command(diagnostic)) => study_error(py, &[*diagnostic]),
        Failure::Display(error) => PyValueError::new_err(error.to_string()),
        Failure::Moment(MomentError::Wiring(error)) => study_failure(py, &error.to_string()),
        Failure::Moment(MomentError::Cancelled(_)) => cancelled(py),
    }
}

#[pymethods]
impl PyDisplay {
    /// The system that answers.
    #[getter]
    fn system(&self) -> &str {
        &self.answer.system
    }

    /// The answer as on the console, with a newline behind each line.
    #[getter]
    fn text(&self) -> String {
        self.answer.text()
    }

    /// Returns the answer as `halftrack display --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::objects(py, &self.answer.to_json())
    }

    fn __str__(&self) -> String {
        self.answer.text()
    }

    fn __repr__(&self) -> String {
        self.answer.text()
    }
}
