//! A sweep by content, whose points can be run one by one: here, or by workers elsewhere.

use std::path::PathBuf;
use std::sync::Arc;

use halftrack::{
    Catalog, Diagnostic, MODEL_VERSION, PackError, PackOptions, PackedSweep, PointOptions, UnpackError,
    ValueSet, pack_sweep, sets_in_step,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::diagnostic::{cancelled, load_error, study_error};
use crate::outcomes::Outcomes;
use crate::run_options::{fidelity_of, precision_of};
use crate::study::PyStudy;
use crate::task::apart;

create_exception!(
    halftrack,
    VersionMismatch,
    PyException,
    "A sweep was packed by another version of the model, whose results may differ."
);

/// Sweep with everything that its points depend on: files of the study, catalog, sets, options.
#[pyclass(module = "halftrack._native", frozen, name = "PackedSweep")]
pub struct PySweep {
    sweep: Arc<PackedSweep>,
}

#[pymethods]
impl PySweep {
    /// Makes the points of `study` over `groups`: each a text as of `--set`, or keys with their values, which change in step.
    #[staticmethod]
    #[pyo3(signature = (study, groups, *, y=vec![], seed=None, precision=None, fidelity="burst", replications=1))]
    #[expect(clippy::too_many_arguments, reason = "the options of a sweep, each with its name in Python")]
    fn of_study(
        py: Python<'_>,
        study: &PyStudy,
        groups: Vec<Group>,
        y: Vec<String>,
        seed: Option<u64>,
        precision: Option<f64>,
        fidelity: &str,
        replications: u32,
    ) -> PyResult<Self> {
        let point = PointOptions {
            seed,
            fidelity: fidelity_of(fidelity)?,
            precision: precision_of(precision, None, None)?,
        };
        let options = PackOptions { y, point, replications };
        let sets = groups.into_iter().map(|group| group.sets(py)).collect::<PyResult<_>>()?;
        let files = study.study.files();
        let files = files.ok_or_else(|| PyValueError::new_err("the files of the study are gone"))?.clone();
        let catalog = Catalog::clone(study.study.catalog());
        match py.detach(|| pack_sweep(files, catalog, sets, &options)) {
            Ok(sweep) => Ok(Self { sweep: Arc::new(sweep) }),
            Err(PackError::Load(error)) => Err(load_error(py, &error)),
            Err(error @ PackError::Quantity(_)) => Err(PyValueError::new_err(error.to_string())),
        }
    }

    /// Reads what `pack` made; `VersionMismatch` where that was another version of the model.
    #[staticmethod]
    fn unpack(octets: &[u8]) -> PyResult<Self> {
        match PackedSweep::unpack(octets, MODEL_VERSION) {
            Ok(sweep) => Ok(Self { sweep: Arc::new(sweep) }),
            Err(error @ UnpackError::Model { .. }) => Err(VersionMismatch::new_err(error.to_string())),
            Err(error) => Err(PyValueError::new_err(error.to_string())),
        }
    }

    /// Returns everything of the sweep as octets.
    fn pack<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.sweep.pack()))
    }

    fn __len__(&self) -> usize {
        self.sweep.grid().points()
    }

    /// Name of the study.
    #[getter]
    fn study(&self) -> &str {
        &self.sweep.files().name
    }

    /// Returns the changed keys with their values at the point `index`, from 0.
    fn point<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        self.has(index)?;
        let point = PyDict::new(py);
        for change in self.sweep.grid().changes(index) {
            point.set_item(change.key.text(), change.value)?;
        }
        Ok(point)
    }

    /// Returns the content key of the point `index`, from 0; `None` where it cannot be configured.
    fn key(&self, py: Python<'_>, index: usize) -> PyResult<Option<String>> {
        self.has(index)?;
        Ok(py.detach(|| self.sweep.plan(index)).ok().map(|planned| planned.key.to_string()))
    }

    /// Runs the point `index`, from 0: its content key, its outcome as octets, and with `whole` the whole run as text.
    fn run_point<'py>(&self, py: Python<'py>, index: usize, whole: bool) -> PyResult<Answer<'py>> {
        self.has(index)?;
        let sweep = Arc::clone(&self.sweep);
        let answered = apart(py, &mut (), move |watch| sweep.run(index, whole, &|| watch.is_cancelled()))?;
        let answered = answered.map_err(|_| cancelled(py))?;
        let key = answered.key.map(|key| key.to_string());
        Ok((key, PyBytes::new(py, &answered.outcome.to_bytes()), answered.entry))
    }

    /// Plans every point, and takes from the cache what is there: the one in directory `cache`, else that of the user. With `keep`
    /// false there is no cache. With `whole` the whole runs are wanted in it.
    #[pyo3(signature = (*, cache=None, keep=true, whole=false))]
    fn begin(&self, py: Python<'_>, cache: Option<PathBuf>, keep: bool, whole: bool) -> PyResult<Outcomes> {
        Outcomes::plan(py, Arc::clone(&self.sweep), (cache, keep), whole)
    }
}

/// Sets that change in step.
#[derive(FromPyObject)]
enum Group {
    /// As of `--set`.
    Text(String),
    /// Keys, each with its values.
    Values(Vec<(String, Vec<String>)>),
}

impl Group {
    fn sets(self, py: Python<'_>) -> PyResult<Vec<ValueSet>> {
        let refused = |error: Box<Diagnostic>| study_error(py, std::slice::from_ref(&*error));
        match self {
            Self::Text(text) => sets_in_step(&text).map_err(refused),
            Self::Values(sets) => sets
                .into_iter()
                .map(|(key, values)| {
                    if values.is_empty() {
                        return Err(PyValueError::new_err(format!(
                            "`{key}` has no values; give one at least"
                        )));
                    }
                    Ok(ValueSet { key: key.parse().map_err(refused)?, values })
                })
                .collect(),
        }
    }
}

/// Content key, outcome, run.
type Answer<'py> = (Option<String>, Bound<'py, PyBytes>, Option<String>);

impl PySweep {
    fn has(&self, index: usize) -> PyResult<()> {
        match index < self.sweep.grid().points() {
            true => Ok(()),
            false => Err(PyIndexError::new_err("the sweep has no such point")),
        }
    }
}
