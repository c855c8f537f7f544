//! Arguments of a run as options of the simulation.

use std::sync::Arc;
use std::thread;

use halftrack::{
    ExchangeMode, Fidelity, Options, Precision, Study, Threads, WARMUP_LIMIT_S, check_precision,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::diagnostic::option_error;

/// Most worker threads of a run.
const THREADS_MAX: usize = 1024;

/// Arguments of `Study.run` that decide what is simulated, and how.
#[derive(Debug)]
pub(crate) struct RunArguments<'a, 'py> {
    /// Seed; that of the workload where there is none.
    pub(crate) seed: Option<u64>,
    /// Half-width of the estimates, percent of their means.
    pub(crate) precision: Option<f64>,
    /// Confidence level of a precision.
    pub(crate) confidence: Option<f64>,
    /// Most intervals of a precision.
    pub(crate) at_most: Option<u32>,
    /// `burst` or `frame`.
    pub(crate) fidelity: &'a str,
    /// `planned` or `live`.
    pub(crate) exchange: &'a str,
    /// Worker threads; as many as there are processors where there is none.
    pub(crate) threads: Option<usize>,
    /// `auto`, or seconds.
    pub(crate) warmup: Option<&'a Bound<'py, PyAny>>,
    /// `real` or `zeros`.
    pub(crate) data: Option<&'a str>,
    /// I/Os in which an octet is changed on the way.
    pub(crate) corrupt: u32,
}

impl RunArguments<'_, '_> {
    /// Returns `study` with the length that they give it, and the options of its run.
    ///
    /// # Errors
    /// `ValueError` for the first argument that is not within its range.
    pub(crate) fn of(&self, study: &Arc<Study>) -> PyResult<(Arc<Study>, Options)> {
        let mut study = Arc::clone(study);
        if let Some(warmup) = self.warmup {
            let length_s = warmup_s(warmup)?;
            Arc::make_mut(&mut study).set_warmup(length_s);
        }
        if let Some(data) = self.data {
            let is_real = word("data", data, &[("zeros", false), ("real", true)])?;
            Arc::make_mut(&mut study).change_run(|run| run.real_data = is_real);
        }
        if self.corrupt > 0 && !study.configuration().run.real_data {
            return Err(PyValueError::new_err("corrupt needs real data: give data=\"real\""));
        }
        let options = Options {
            seed: self.seed.unwrap_or(study.options().seed),
            fidelity: fidelity_of(self.fidelity)?,
            exchange: word(
                "exchange",
                self.exchange,
                &[("planned", ExchangeMode::Planned), ("live", ExchangeMode::Live)],
            )?,
            threads: threads(self.threads)?,
            precision: self.precision()?,
            corrupt: self.corrupt,
            ..study.options()
        };
        Ok((study, options))
    }

    fn precision(&self) -> PyResult<Option<Precision>> {
        if self.precision.is_none() && (self.confidence.is_some() || self.at_most.is_some()) {
            return Err(PyValueError::new_err(
                "confidence and at_most go with a precision; give one in percent",
            ));
        }
        precision_of(self.precision, self.confidence, self.at_most)
    }
}

/// Returns the fidelity that `name` names.
///
/// # Errors
/// `ValueError` for another name.
pub(crate) fn fidelity_of(name: &str) -> PyResult<Fidelity> {
    word("fidelity", name, &[("burst", Fidelity::Burst), ("frame", Fidelity::Frame)])
}

/// Returns the precision of `percent` of the mean, where there is one, with a confidence and so many intervals at most.
///
/// # Errors
/// `ValueError` for a number out of its range.
pub(crate) fn precision_of(
    percent: Option<f64>,
    confidence: Option<f64>,
    at_most: Option<u32>,
) -> PyResult<Option<Precision>> {
    let Some(percent) = percent else { return Ok(None) };
    let precision = Precision {
        relative: percent / 100.0,
        confidence: confidence.unwrap_or(Precision::CONFIDENCE_DEFAULT),
        at_most: at_most.unwrap_or(Precision::AT_MOST_DEFAULT),
    };
    check_precision(&precision).map_err(option_error)?;
    Ok(Some(precision))
}

/// Returns the word of `words` that `given` is.
///
/// # Errors
/// `ValueError` with the words that there are.
pub(crate) fn word<T: Copy>(argument: &str, given: &str, words: &[(&str, T)]) -> PyResult<T> {
    let found = words.iter().find(|(word, _)| *word == given).map(|(_, meaning)| *meaning);
    found.ok_or_else(|| {
        let known = words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
        PyValueError::new_err(format!("{argument} is {known}, not \"{given}\""))
    })
}

/// Returns the limit of worker threads.
fn threads(given: Option<usize>) -> PyResult<Threads> {
    match given {
        None => Ok(Threads::AtMost(thread::available_parallelism().map_or(1, usize::from))),
        Some(threads @ 1..=THREADS_MAX) => Ok(Threads::AtMost(threads)),
        Some(threads) => {
            Err(PyValueError::new_err(format!("threads is a number from 1 to {THREADS_MAX}, not {threads}")))
        }
    }
}

/// Returns the length of a warm-up, s; `None` for one that ends with the transients of all streams.
fn warmup_s(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if given.cast::<PyString>().is_ok_and(|word| word == "auto") {
        return Ok(None);
    }
    let length_s = given.extract::<f64>().ok().filter(|length_s| (0.0..=WARMUP_LIMIT_S).contains(length_s));
    length_s.map(Some).ok_or_else(|| {
        PyValueError::new_err(format!("warmup is \"auto\" or seconds from 0 to {WARMUP_LIMIT_S}"))
    })
}
