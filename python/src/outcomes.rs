//! The outcomes of a sweep as they come in, and the table that they make.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use halftrack::{AnsweredPoint, Cache, PackedSweep, PointError, PointOutcome, Table, run_cache};
use halftrack_arrow::DataSet;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::diagnostic::study_error;
use crate::table::PyTable;
use crate::task::{Listener, apart};

/// Function of Python that gets the cost of each point that ends, if there is one.
struct Costs(Option<Py<PyAny>>);

impl Listener<f64> for Costs {
    fn show(&mut self, py: Python<'_>, cost: f64) -> PyResult<()> {
        self.0.as_ref().map_or(Ok(()), |function| function.call1(py, (cost,)).map(drop))
    }
}

/// Outcomes of the points of a sweep, as far as they are known.
#[pyclass(module = "halftrack._native", frozen)]
pub struct Outcomes {
    outcomes: Mutex<halftrack::Outcomes>,
}

impl Outcomes {
    /// Plans `sweep` on a thread for each processor.
    ///
    /// # Errors
    /// `StudyError` with the messages of the first point where none can be configured; the exception of a signal.
    pub fn plan(
        py: Python<'_>,
        sweep: Arc<PackedSweep>,
        (directory, keep): (Option<PathBuf>, bool),
        whole: bool,
    ) -> PyResult<Self> {
        let cache = if keep { run_cache(directory) } else { Cache::none() };
        let planned = apart(py, &mut (), move |watch| {
            halftrack::Outcomes::plan(sweep, cache, whole, &|| watch.is_cancelled())
        })?;
        let planned = planned.map_err(|_| PyRuntimeError::new_err("the sweep was cancelled"))?;
        // Where no point can be configured there is nothing to go on with: mostly a key that is not there.
        if planned.identities().iter().all(Option::is_none)
            && let Err(PointError::Study(found)) = planned.sweep().plan(0)
        {
            return Err(study_error(py, &found));
        }
        Ok(Self { outcomes: Mutex::new(planned) })
    }

    fn outcomes(&self) -> MutexGuard<'_, halftrack::Outcomes> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Outcomes {
    fn __len__(&self) -> usize {
        self.outcomes().sweep().grid().points()
    }

    /// Points that are over.
    #[getter]
    fn over(&self) -> usize {
        self.outcomes().over()
    }

    /// Points whose runs were in the cache.
    #[getter]
    fn found(&self) -> u64 {
        self.outcomes().cache().found()
    }

    /// Runs that could not be written into the cache.
    #[getter]
    fn lost(&self) -> u64 {
        self.outcomes().cache().lost()
    }

    /// Directory of the cache.
    #[getter]
    fn place(&self) -> Option<PathBuf> {
        self.outcomes().cache().place().map(PathBuf::from)
    }

    /// Warnings about the points that can be run, each once.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.outcomes().warnings().iter().map(ToString::to_string).collect()
    }

    /// Returns the points to be run with their costs, those that take longest first.
    fn open(&self) -> Vec<(usize, f64)> {
        self.outcomes().open()
    }

    /// Takes in what a worker `answered` about the point `index`; false where the point is over already.
    fn take_in(
        &self,
        index: usize,
        key: Option<&str>,
        outcome: &[u8],
        entry: Option<String>,
    ) -> PyResult<bool> {
        let mut outcomes = self.outcomes();
        let outcome = PointOutcome::from_bytes(outcome, outcomes.sweep().columns());
        let outcome = outcome.ok_or_else(|| PyValueError::new_err("the octets are no outcome"))?;
        let key = key.map(str::parse).transpose();
        let key = key.map_err(|error| PyValueError::new_err(format!("{error}")))?;
        let answered = AnsweredPoint { key, outcome, entry };
        outcomes.take_in(index, answered).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Ends the point `index`, which no worker could run, with a message.
    fn give_up(&self, index: usize, message: String) {
        self.outcomes().give_up(index, message);
    }

    /// Runs the open points on so many threads, else on one for each processor. `progress` gets the cost of each point that ends.
    #[pyo3(signature = (threads=None, progress=None))]
    fn run(
        slf: Py<Self>,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let threads = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        let ran = apart(py, &mut Costs(progress), move |watch| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| error.to_string())?;
            let mut taken = slf.get().outcomes();
            let outcomes: &mut halftrack::Outcomes = &mut taken;
            let progress = |cost| watch.publish(cost);
            let ran = pool.install(|| outcomes.run(threads, &|| watch.is_cancelled(), &progress));
            ran.map_err(|_| "the sweep was cancelled".to_owned())
        })?;
        ran.map_err(PyRuntimeError::new_err)
    }

    /// Returns the points that failed: number, messages.
    fn failures(&self) -> Vec<(usize, Vec<String>)> {
        let rows = self.table().rows.into_iter().enumerate();
        let failed = rows.filter_map(|(index, row)| match row.outcome {
            halftrack::Outcome::Failed(messages) => Some((index, messages)),
            halftrack::Outcome::Ran { .. } => None,
        });
        failed.collect()
    }

    /// Reasons why some runs lack some quantities, each once.
    #[getter]
    fn missing(&self) -> Vec<String> {
        self.table().missing
    }

    /// Returns the points as columns: keys, quantities, bottleneck, status, content key.
    fn points(&self, py: Python<'_>) -> PyTable {
        py.detach(|| {
            let outcomes = self.outcomes();
            halftrack_arrow::points(&outcomes.table(), outcomes.identities()).into()
        })
    }

    /// Writes the points as the partition of the study in the Parquet data set `directory`, whole or not at all.
    fn to_parquet(&self, py: Python<'_>, directory: PathBuf) -> PyResult<()> {
        let written = py.detach(|| {
            let outcomes = self.outcomes();
            let data_set = DataSet::new(&directory, &outcomes.sweep().files().name)?;
            data_set.write(&outcomes.table(), outcomes.identities())
        });
        written.map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// Returns the table as `points.json` has it.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.table().to_json())
    }

    /// Returns the table as comma-separated values.
    fn to_csv(&self, py: Python<'_>) -> String {
        py.detach(|| self.table().to_csv())
    }

    /// Returns the table as text.
    fn to_text(&self, py: Python<'_>) -> String {
        py.detach(|| self.table().to_text())
    }
}

impl Outcomes {
    fn table(&self) -> Table {
        self.outcomes().table()
    }
}
