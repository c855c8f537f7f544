//! Class `Study`: a checked study, changed key by key and run.

use std::path::PathBuf;
use std::sync::Arc;

use halftrack::report::topology_svg;
use halftrack::{LoadOptions, Study};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use crate::deck_hardware;
use crate::diagnostic::{load_error, messages};
use crate::display::{PyDisplay, Question, display_error, moment_at};
use crate::json;
use crate::notebook;
use crate::progress::Observer;
use crate::run::PyRun;
use crate::run_options::RunArguments;
use crate::task::apart;
use crate::value::changes;

/// A checked study: IOCP deck, plant and workload.
///
/// It never changes: `set` makes another one, in the memory of the process.
#[pyclass(frozen, module = "halftrack", name = "Study")]
#[derive(Debug, Clone)]
pub(crate) struct PyStudy {
    pub(crate) study: Arc<Study>,
}

impl PyStudy {
    fn new(study: Study) -> Self {
        Self { study: Arc::new(study) }
    }
}

#[pymethods]
impl PyStudy {
    /// Loads the study in the directory `path` and checks it.
    ///
    /// `set` maps keys, as `plant.cable.100.km`, to values. `catalogs` are directories of catalog files that are laid over the
    /// built-in ones, the last one on top. `faults` is a script of faults. Raises `StudyError` with every message.
    #[staticmethod]
    #[pyo3(signature = (path, *, set=None, catalogs=Vec::new(), faults=None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        set: Option<&Bound<'_, PyMapping>>,
        catalogs: Vec<PathBuf>,
        faults: Option<PathBuf>,
    ) -> PyResult<Self> {
        let changes = set.map(changes).transpose()?.unwrap_or_default();
        let options = LoadOptions { catalogs, changes, faults, ..LoadOptions::default() };
        let loaded = apart(py, &mut (), move |_| Study::load(path, &options))?;
        loaded.map(Self::new).map_err(|error| load_error(py, &error))
    }

    /// Name of the study: that of its directory.
    #[getter]
    fn name(&self) -> &str {
        &self.study.configuration().study
    }

    /// Names of the systems with work, in the order of the deck.
    #[getter]
    fn systems(&self) -> Vec<&str> {
        self.study.systems()
    }

    /// Warnings and advice about the study.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        messages(py, self.study.diagnostics())
    }

    /// Returns the study with the keys of `changes` set to its values, in their order.
    ///
    /// A value is a number, a truth value, a text (as behind `--set`), a list or a mapping; None takes the key out. Raises
    /// `StudyError` when a key names nothing, or when the study cannot be run with the values.
    fn set(&self, py: Python<'_>, changes: &Bound<'_, PyMapping>) -> PyResult<Self> {
        let (study, changes) = (Arc::clone(&self.study), crate::value::changes(changes)?);
        let changed = apart(py, &mut (), move |_| study.changed(&changes))?;
        changed.map(Self::new).map_err(|error| load_error(py, &error))
    }

    /// Returns the content key: runs with the same one have the same record, to the byte.
    ///
    /// The arguments are those of `run`, which describe them.
    #[pyo3(signature = (seed=None, *, precision=None, confidence=None, at_most=None, fidelity="burst", warmup=None, data=None,
                        corrupt=0))]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
    fn content_key(
        &self,
        seed: Option<u64>,
        precision: Option<f64>,
        confidence: Option<f64>,
        at_most: Option<u32>,
        fidelity: &str,
        warmup: Option<&Bound<'_, PyAny>>,
        data: Option<&str>,
        corrupt: u32,
    ) -> PyResult<String> {
        let arguments = RunArguments {
            seed,
            precision,
            confidence,
            at_most,
            fidelity,
            exchange: "planned",
            threads: None,
            warmup,
            data,
            corrupt,
        };
        let (study, options) = arguments.of(&self.study)?;
        Ok(study.content_key(&options).to_string())
    }

    /// Counts the parts of the study: machines, partitions, channels, devices, streams, beside its content key.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.study.summary(&self.study.options()))
    }

    /// Simulates the study and returns its record.
    ///
    /// `seed` is that of the workload where it is None. `precision` is a half-width in percent of the mean: the run goes on
    /// until rate and response time of every stream are estimated so well with `confidence` (0.95), or for `at_most` intervals
    /// (100). `fidelity` is `burst` or `frame`, `exchange` `planned` or `live`. `threads` changes no byte of the result.
    /// `warmup` is `auto` or a time in seconds, `data` `real` or `zeros`; `corrupt` I/Os have an octet changed on their way.
    /// `capture_frames` captures so many frames at the channels. `progress` is True for a line on standard error, or a function
    /// that gets a `Progress` ten times a second; the run is cancelled when it returns False.
    ///
    /// Other threads of Python go on meanwhile. Raises `Cancelled`, `KeyboardInterrupt` on Ctrl-C, `ValueError` for an argument
    /// out of its range, and `StudyError` for a machine that cannot be wired.
    #[pyo3(signature = (*, seed=None, precision=None, confidence=None, at_most=None, fidelity="burst", exchange="planned",
                        threads=None, warmup=None, data=None, corrupt=0, capture_frames=None, progress=None))]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
    fn run(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        precision: Option<f64>,
        confidence: Option<f64>,
        at_most: Option<u32>,
        fidelity: &str,
        exchange: &str,
        threads: Option<usize>,
        warmup: Option<&Bound<'_, PyAny>>,
        data: Option<&str>,
        corrupt: u32,
        capture_frames: Option<u64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRun> {
        let arguments = RunArguments {
            seed,
            precision,
            confidence,
            at_most,
            fidelity,
            exchange,
            threads,
            warmup,
            data,
            corrupt,
        };
        let (study, options) = arguments.of(&self.study)?;
        PyRun::simulate(py, study, options, capture_frames, Observer::new(progress)?)
    }

    /// Makes the sweep of the study over `grid`, which maps keys to values, or is a sequence of points.
    ///
    /// `halftrack.sweep` describes the grid and the further arguments: `y`, `seed`, `precision`, `fidelity`, `replications`.
    #[pyo3(signature = (grid, **arguments))]
    fn sweep<'py>(
        slf: &Bound<'py, Self>,
        grid: &Bound<'py, PyAny>,
        arguments: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sweeps = slf.py().import("halftrack.sweep")?;
        sweeps.getattr("of_study")?.call((slf, grid), arguments)
    }

    /// Answers an operator's command, as `D M=DEV(1000)`, from what the study defines.
    ///
    /// `system` is the name of the partition that answers, the first one with work where it is None. With `at_s` the study is
    /// simulated for so many seconds, warm-up included, with `seed` or that of the workload, and its state then is shown; `progress`
    /// is as in `run`. With the file `hardware` of the installed features, and `catalogs`, D PCIE shows functions in standby. Raises
    /// `StudyError` for a command that is none, and `ValueError` for a system that the study does not have.
    #[pyo3(signature = (command, *, system=None, at_s=None, seed=None, hardware=None, catalogs=Vec::new(), progress=None))]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
    fn display(
        &self,
        py: Python<'_>,
        command: String,
        system: Option<String>,
        at_s: Option<f64>,
        seed: Option<u64>,
        hardware: Option<PathBuf>,
        catalogs: Vec<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyDisplay> {
        let installed = hardware.map(|path| deck_hardware::hardware(py, &path, &catalogs)).transpose()?;
        let plugged = installed.map(|hardware| hardware.pchids().collect());
        let question = Question { command, system, at: at_s.map(moment_at).transpose()?, seed, plugged };
        let study = Arc::clone(&self.study);
        let answer = apart(py, &mut Observer::new(progress)?, move |watch| question.answer(&study, watch))?;
        answer.map_err(|failure| display_error(py, failure))
    }

    /// Draws partitions, channels, directors, ports and logical control units with their paths as SVG.
    fn topology_svg(&self, py: Python<'_>) -> String {
        py.detach(|| topology_svg(self.study.configuration(), None))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        notebook::picture(py, &self.topology_svg(py))
    }

    fn __repr__(&self) -> String {
        format!("Study({:?}, systems={:?})", self.name(), self.systems())
    }
}
