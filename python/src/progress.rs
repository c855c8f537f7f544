//! Progress of long work: an object for a function of Python, or a line on standard error.

use std::time::{Duration, Instant};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::diagnostic::cancelled;
use crate::task::Listener;

/// Shortest time between two calls of an observer.
const PERIOD: Duration = Duration::from_millis(100);
/// Work shorter than this shows no line.
const PATIENCE: Duration = Duration::from_secs(1);
/// Columns of the line.
const WIDTH: usize = 78;

/// How far work is: counts of what is done and of what there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stage {
    /// Share of the work that is done, 0 to 1.
    pub(crate) fraction: f64,
    /// I/Os ended.
    pub(crate) ios: u64,
    /// Virtual time simulated, s.
    pub(crate) simulated_s: f64,
    /// Virtual time of the whole run, s; 0 where runs are counted instead.
    pub(crate) total_s: f64,
    /// Runs done.
    pub(crate) runs: usize,
    /// Runs in all.
    pub(crate) total_runs: usize,
}

impl From<halftrack::Progress> for Stage {
    fn from(now: halftrack::Progress) -> Self {
        let (simulated_s, total_s) = (now.done.as_s_f64(), now.total.as_s_f64());
        let fraction = if total_s > 0.0 { simulated_s / total_s } else { 1.0 };
        Self { fraction, ios: now.ios, simulated_s, total_s, runs: 0, total_runs: 1 }
    }
}

impl Stage {
    /// Returns the stage of work that consists of `total` runs, of which `done` are over.
    pub(crate) fn of_runs(done: usize, total: usize) -> Self {
        let fraction = if total == 0 { 1.0 } else { done as f64 / total as f64 };
        Self { fraction, ios: 0, simulated_s: 0.0, total_s: 0.0, runs: done, total_runs: total }
    }
}

/// How far a run or a set of runs is.
#[pyclass(frozen, module = "halftrack")]
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    stage: Stage,
    elapsed_s: f64,
}

#[pymethods]
impl Progress {
    /// Share of the work that is done, 0 to 1.
    #[getter]
    fn fraction(&self) -> f64 {
        self.stage.fraction
    }

    /// I/Os ended, warm-up included.
    #[getter]
    fn ios(&self) -> u64 {
        self.stage.ios
    }

    /// Virtual time simulated, s.
    #[getter]
    fn simulated_s(&self) -> f64 {
        self.stage.simulated_s
    }

    /// Virtual time of the whole run, s, warm-up included; a run with a precision may end before.
    #[getter]
    fn total_s(&self) -> f64 {
        self.stage.total_s
    }

    /// Runs that are done, where there are several.
    #[getter]
    fn runs(&self) -> usize {
        self.stage.runs
    }

    /// Runs in all, as far as they are planned.
    #[getter]
    fn total_runs(&self) -> usize {
        self.stage.total_runs
    }

    /// Time since the start, s.
    #[getter]
    fn elapsed_s(&self) -> f64 {
        self.elapsed_s
    }

    /// Time left at the speed so far, s; None before the first part is done.
    #[getter]
    fn left_s(&self) -> Option<f64> {
        let Stage { fraction, .. } = self.stage;
        (fraction > 0.0).then(|| self.elapsed_s * (1.0 - fraction) / fraction)
    }

    fn __repr__(&self) -> String {
        self.words()
    }
}

impl Progress {
    fn words(&self) -> String {
        let percent = self.stage.fraction * 100.0;
        let left = self.left_s().map_or(String::new(), |left_s| format!(", {left_s:.0} s left"));
        let Stage { ios, simulated_s, total_s, runs, total_runs, .. } = self.stage;
        if total_s > 0.0 {
            format!("{percent:.0} %  {simulated_s:.3} of {total_s:.3} s simulated, {ios} I/Os{left}")
        } else {
            format!("{percent:.0} %  {runs} of {total_runs} runs{left}")
        }
    }
}

/// Receiver of progress.
#[derive(Debug)]
pub(crate) struct Observer {
    began: Instant,
    called: Option<Instant>,
    receiver: Receiver,
}

#[derive(Debug)]
enum Receiver {
    None,
    Function(Py<PyAny>),
    /// A line on standard error; true once it is there.
    Line(bool),
}

impl Observer {
    /// Makes the observer of an argument `progress`: a function, or True for a line.
    ///
    /// # Errors
    /// An argument that is neither.
    pub(crate) fn new(progress: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let receiver = match progress {
            None => Receiver::None,
            Some(flag) if flag.is_instance_of::<PyBool>() => match flag.is_truthy()? {
                true => Receiver::Line(false),
                false => Receiver::None,
            },
            Some(function) if function.is_callable() => Receiver::Function(function.clone().unbind()),
            Some(_) => return Err(PyTypeError::new_err("progress is a function of one argument, or True")),
        };
        Ok(Self { began: Instant::now(), called: None, receiver })
    }
}

impl Listener<Stage> for Observer {
    /// Shows how far the work is, unless it was shown just now.
    ///
    /// # Errors
    /// The exception of the function; `Cancelled` when it returned False.
    fn show(&mut self, py: Python<'_>, stage: Stage) -> PyResult<()> {
        let is_last = stage.fraction >= 1.0;
        if !is_last && self.called.is_some_and(|called| called.elapsed() < PERIOD) {
            return Ok(());
        }
        self.called = Some(Instant::now());
        let elapsed = self.began.elapsed();
        let progress = Progress { stage, elapsed_s: elapsed.as_secs_f64() };
        match &mut self.receiver {
            Receiver::None => Ok(()),
            Receiver::Function(function) => {
                let answer = function.bind(py).call1((progress,))?;
                let stops = answer.is_instance_of::<PyBool>() && !answer.is_truthy()?;
                if stops { Err(cancelled(py)) } else { Ok(()) }
            }
            Receiver::Line(_) if elapsed < PATIENCE => Ok(()),
            Receiver::Line(is_there) => {
                *is_there = true;
                write(py, &format!("\r{:<WIDTH$.WIDTH$}", progress.words()))
            }
        }
    }

    /// Takes the line away.
    ///
    /// # Errors
    /// Standard error that cannot be written.
    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.receiver {
            Receiver::Line(true) => write(py, &format!("\r{:WIDTH$}\r", "")),
            _ => Ok(()),
        }
    }
}

/// Writes to what Python has as standard error, a notebook's cell included.
fn write(py: Python<'_>, text: &str) -> PyResult<()> {
    let stderr = py.import("sys")?.getattr("stderr")?;
    if stderr.is_none() {
        return Ok(());
    }
    stderr.call_method1("write", (text,))?;
    stderr.call_method0("flush").map(drop)
}
