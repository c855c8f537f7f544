//! A sweep by content, whose points can be run one by one: here, or by workers elsewhere.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use halftrack::{
    Diagnostic, Fidelity, LoadOptions, MODEL_VERSION, PackOptions, PackedSweep, PointOptions, Precision,
    Study, UnpackError, ValueSet, pack_sweep, sets_in_step,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::outcomes::Outcomes;
use crate::watched::watched;

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
    /// Loads the study in directory `path` with the keys of `set` changed, and makes the points of `groups`: each a text as
    /// of `--set`, or keys with their values, which change in step.
    #[staticmethod]
    #[pyo3(signature = (path, groups, *, set=vec![], catalogs=vec![], faults=None, y=vec![], seed=None, precision_percent=None,
                        frames=false, replications=1))]
    #[expect(clippy::too_many_arguments, reason = "the options of a sweep, each with its name in Python")]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        groups: Vec<Group>,
        set: Vec<String>,
        catalogs: Vec<PathBuf>,
        faults: Option<PathBuf>,
        y: Vec<String>,
        seed: Option<u64>,
        precision_percent: Option<f64>,
        frames: bool,
        replications: u32,
    ) -> PyResult<Self> {
        let precision =
            precision_percent.map(|percent| Precision::new(Precision::CONFIDENCE_DEFAULT, percent / 100.0));
        let fidelity = if frames { Fidelity::Frame } else { Fidelity::Burst };
        let point = PointOptions { seed, fidelity, precision };
        let options = PackOptions { y, point, replications };
        let load = LoadOptions { catalogs, set, faults };
        let sweep = py.detach(|| packed(&path, groups, &load, &options))?;
        Ok(Self { sweep: Arc::new(sweep) })
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
        let answered = watched(py, None, move |is_cancelled, _| {
            sweep.run(index, whole, &|| is_cancelled.load(Ordering::Relaxed))
        })?;
        let answered = answered.map_err(|_| PyRuntimeError::new_err("the point was cancelled"))?;
        let key = answered.key.map(|key| key.to_string());
        Ok((key, PyBytes::new(py, &answered.outcome.to_bytes()), answered.entry))
    }

    /// Plans every point and takes from the cache in directory `cache`, else from that of the user, what is there; with `keep` false
    /// there is no cache. With `whole` the whole runs are wanted in it.
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
    fn sets(self) -> PyResult<Vec<ValueSet>> {
        let refused = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
        match self {
            Self::Text(text) => sets_in_step(&text).map_err(|error| refused(&error)),
            Self::Values(sets) => sets
                .into_iter()
                .map(|(key, values)| {
                    if values.is_empty() {
                        return Err(refused(&format!("`{key}` has no values; give one at least")));
                    }
                    Ok(ValueSet {
                        key: key.parse().map_err(|error: Box<Diagnostic>| refused(&error))?,
                        values,
                    })
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

fn packed(
    path: &std::path::Path,
    groups: Vec<Group>,
    load: &LoadOptions,
    options: &PackOptions,
) -> PyResult<PackedSweep> {
    let refused = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
    let study = Study::load(path, load).map_err(|error| refused(&error))?;
    let files = study.files().ok_or_else(|| PyValueError::new_err("the files of the study are gone"))?;
    let overlays: Vec<_> = load.catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, _) = halftrack::Catalog::load(&overlays);
    let groups = groups.into_iter().map(Group::sets).collect::<PyResult<_>>()?;
    pack_sweep(files.clone(), catalog, groups, options).map_err(|error| refused(&error))
}
