//! Class `Run`: the record of a run with its reports.

use std::path::PathBuf;
use std::sync::Arc;

use halftrack::report::{
    Grain, MeasureError, RunReports, frame, frames, from_json, html_report, postprocessor, quantity, to_json,
    topology_svg,
};
use halftrack::{Capture, Configuration, Options, OutputDirectory, Run, Study, report, run_files};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::capture::PyCapture;
use crate::diagnostic::{cancelled, study_failure};
use crate::json;
use crate::notebook;
use crate::output::written;
use crate::progress::{Observer, Stage};
use crate::table::PyTable;
use crate::task::{Watch, apart};

/// The record of a run: everything measured, with its reports.
#[pyclass(frozen, module = "halftrack", name = "Run")]
#[derive(Debug)]
pub(crate) struct PyRun {
    run: Arc<Run>,
    /// The machine that ran; none for a run that was read from a file.
    configuration: Option<Arc<Configuration>>,
    warnings: Vec<String>,
    capture: Option<Arc<Capture>>,
    content_key: Option<String>,
}

/// Record of a simulation, with its warnings and frames.
struct Outcome {
    run: Run,
    warnings: Vec<String>,
    capture: Option<Capture>,
}

/// Reasons for which a simulation has no outcome.
enum Failure {
    Wiring(halftrack::WiringError),
    Cancelled,
}

impl PyRun {
    /// Makes a run that has its record only.
    pub(crate) fn of_record(run: Run) -> Self {
        Self {
            run: Arc::new(run),
            configuration: None,
            warnings: Vec::new(),
            capture: None,
            content_key: None,
        }
    }

    /// Simulates `study`; signals and `observer` are served meanwhile.
    ///
    /// # Errors
    /// A machine that cannot be wired, an exception of the observer or of a signal.
    pub(crate) fn simulate(
        py: Python<'_>,
        study: Arc<Study>,
        options: Options,
        capture_frames: Option<u64>,
        mut observer: Observer,
    ) -> PyResult<Self> {
        let configuration = Arc::clone(study.configuration());
        let content_key = study.content_key(&options).to_string();
        let work = move |watch: &Watch<Stage>| simulated(&study, &options, capture_frames, watch);
        let outcome = apart(py, &mut observer, work)?.map_err(|failure| match failure {
            Failure::Wiring(error) => study_failure(py, &error.to_string()),
            Failure::Cancelled => cancelled(py),
        })?;
        Ok(Self {
            run: Arc::new(outcome.run),
            configuration: Some(configuration),
            warnings: outcome.warnings,
            capture: outcome.capture.map(Arc::new),
            content_key: Some(content_key),
        })
    }

    fn configuration(&self) -> PyResult<&Configuration> {
        self.configuration.as_deref().ok_or_else(|| {
            PyValueError::new_err(
                "a run that was read from JSON has no machine to draw; run its study for a page",
            )
        })
    }

    /// Returns the index of an interval, which counts from the end where it is negative.
    fn interval(&self, index: isize) -> PyResult<usize> {
        let count = self.run.intervals.len();
        let from_start = if index < 0 { index + count as isize } else { index };
        let found = usize::try_from(from_start).ok().filter(|found| *found < count);
        found
            .ok_or_else(|| PyIndexError::new_err(format!("no interval {index}; the run has {count}, from 0")))
    }
}

/// Wires and simulates.
fn simulated(
    study: &Study,
    options: &Options,
    capture_frames: Option<u64>,
    watch: &Watch<Stage>,
) -> Result<Outcome, Failure> {
    let mut simulation = study.simulate(options).map_err(Failure::Wiring)?;
    let mut warnings = report::credit_words(&simulation.credit_shortages());
    warnings.extend(study.offered_warnings(&simulation).iter().map(ToString::to_string));
    if let Some(frames) = capture_frames {
        simulation.capture(frames);
    }
    let ran = simulation.try_run(&mut |now| watch.proceed(Stage::from(now)));
    let (run, _) = ran.map_err(|_| Failure::Cancelled)?;
    let capture = capture_frames.map(|_| simulation.take_capture());
    Ok(Outcome { run, warnings, capture })
}

/// Makes the exception of a report that cannot be given.
fn report_error(error: MeasureError) -> PyErr {
    match error {
        MeasureError::NoSuchInterval { .. } => PyIndexError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

#[pymethods]
impl PyRun {
    /// Reads a run from the text of an interval file (`intervals.json`, or `to_json`). Raises `ValueError` for another text.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        from_json(text).map(Self::of_record).map_err(report_error)
    }

    /// Returns everything measured as the text of an interval file.
    fn to_json(&self) -> String {
        to_json(&self.run)
    }

    /// Name of the study.
    #[getter]
    fn study(&self) -> &str {
        &self.run.header.study
    }

    /// Seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.run.header.seed
    }

    /// Names of the systems with work.
    #[getter]
    fn systems(&self) -> Vec<&str> {
        self.run.header.systems.iter().map(|system| system.name.as_str()).collect()
    }

    /// Number of intervals.
    #[getter]
    fn intervals(&self) -> usize {
        self.run.intervals.len()
    }

    /// Content key; None for a run that was read from JSON.
    #[getter]
    fn content_key(&self) -> Option<&str> {
        self.content_key.as_deref()
    }

    /// True when every law held and real data arrived as they were sent.
    #[getter]
    fn held(&self) -> bool {
        self.violations().is_empty() && self.run.data.as_ref().is_none_or(|data| data.holds())
    }

    /// Violations of laws, each with the name of its law.
    #[getter]
    fn violations(&self) -> Vec<String> {
        let of_law = |law: &str, violations: &[String]| -> Vec<String> {
            violations.iter().map(|violation| format!("{law}: {violation}")).collect()
        };
        self.run.checkers.iter().flat_map(|checker| of_law(&checker.law, &checker.violations)).collect()
    }

    /// Warnings about the machine before its run: links short of credits, streams that offer more than is served.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Frames that were captured; None where none were to be.
    #[getter]
    fn capture(&self) -> Option<PyCapture> {
        self.capture.as_ref().map(|capture| PyCapture::new(Arc::clone(capture)))
    }

    /// Streams: a row each, with rate, response time and half-widths.
    #[getter]
    fn streams(&self) -> PyResult<PyTable> {
        self.table("streams", false)
    }

    /// Channels: a row each, as RMF's channel path activity has them.
    #[getter]
    fn channels(&self) -> PyResult<PyTable> {
        self.table("channels", false)
    }

    /// I/O processors: a row each, as RMF's I/O queuing activity has them.
    #[getter]
    fn iops(&self) -> PyResult<PyTable> {
        self.table("iops", false)
    }

    /// Devices: a row each, as RMF's direct access device activity has them.
    #[getter]
    fn devices(&self) -> PyResult<PyTable> {
        self.table("devices", false)
    }

    /// Links: a row for each direction.
    #[getter]
    fn links(&self) -> PyResult<PyTable> {
        self.table("links", false)
    }

    /// Names of all tables, for `table`.
    #[getter]
    fn tables(&self) -> Vec<&'static str> {
        frames().iter().map(|definition| definition.name).collect()
    }

    /// Returns the table `name`: keys, then every figure of that kind, over the measured time or `by_interval`. Raises `ValueError`
    /// for a name that is not one of `tables`, or a table that is not kept by interval.
    #[pyo3(signature = (name, *, by_interval=false))]
    fn table(&self, name: &str, by_interval: bool) -> PyResult<PyTable> {
        let grain = if by_interval { Grain::Interval } else { Grain::Run };
        let frame = frame(&self.run, name, grain);
        frame.map(PyTable::from).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns every quantity of the run: a row each with subject, value, unit and definition.
    fn quantities(&self) -> PyResult<PyTable> {
        self.table("quantities", false)
    }

    /// Returns one quantity of the run by its name, in the unit that `quantities` has for it. Raises `ValueError` for a name
    /// that the run does not have.
    fn quantity(&self, name: &str) -> PyResult<f64> {
        quantity(&self.run, name)
            .map(|found| found.value)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns the RMF reports of one system in one interval, counted from 0 (-1 is the last). Raises `ValueError` for a system
    /// and `IndexError` for an interval that the run does not have.
    #[pyo3(signature = (system, interval=0))]
    fn rmf(&self, system: &str, interval: isize) -> PyResult<String> {
        postprocessor(&self.run, system, self.interval(interval)?).map_err(report_error)
    }

    /// Returns the summary as text.
    fn summary(&self) -> String {
        report::summary(&self.run)
    }

    /// Returns summary, laws and the tables of the last interval of `system`, else of every system, as `halftrack run --json`
    /// prints them.
    #[pyo3(signature = (system=None))]
    fn reports<'py>(&self, py: Python<'py>, system: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let reports = RunReports::compute(&self.run, system).map_err(report_error)?;
        json::objects(py, &reports.to_json())
    }

    /// Returns the page with topology, utilisations and response times as HTML that stands alone. Raises `ValueError` for a run
    /// that was read from JSON, which has no machine.
    fn report_html(&self, py: Python<'_>) -> PyResult<String> {
        let configuration = self.configuration()?;
        Ok(py.detach(|| html_report(&self.run, configuration)))
    }

    /// Writes the files that `halftrack run --out` writes into `directory`: all of them or none. An earlier output there is
    /// replaced. Raises `OSError` where they cannot be written or something else is there.
    fn write(&self, py: Python<'_>, directory: PathBuf) -> PyResult<()> {
        let configuration = self.configuration()?;
        let made = py.detach(|| run_files(&self.run, html_report(&self.run, configuration)));
        let files = made.map_err(report_error)?;
        written(py.detach(|| OutputDirectory::new(&directory)?.write_all(&files)))
    }

    /// Draws the topology as SVG, coloured by utilisation over the measured time. Raises `ValueError` for a run that was read from
    /// JSON.
    fn topology_svg(&self, py: Python<'_>) -> PyResult<String> {
        let configuration = self.configuration()?;
        Ok(py.detach(|| topology_svg(configuration, Some(&self.run))))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let picture = match &self.configuration {
            Some(_) => notebook::picture(py, &self.topology_svg(py)?)?,
            None => String::new(),
        };
        Ok(notebook::text(&self.summary()) + &self.streams()?.html(py)? + &picture)
    }

    fn __repr__(&self) -> String {
        let (study, seed, intervals) = (self.study(), self.seed(), self.intervals());
        format!(
            "Run({study:?}, seed={seed}, intervals={intervals}, held={})",
            if self.held() { "True" } else { "False" }
        )
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.run == other.run
    }
}
