//! Studies of whole machines that are made, and the models that they can be of.

use std::path::PathBuf;

use halftrack::generate::{Load, ModelRow, Request};
use halftrack::new_study::{check_request, make_study, new_study_json, study_models as models};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagnostic::{load_error, option_error, study_error};
use crate::json::objects;
use crate::output::written;
use crate::table::{Columns, PyTable};

/// Makes the study of a whole machine in the new directory `path`, as `halftrack study new` does: an IOCP deck, a plant and a workload.
/// Returns what was made, with the keys of `--json`.
///
/// `model` is that of the processor complex, such as "Max200", or its catalog id. `km` is the length of each cable, km one way. `jobs`
/// are closed jobs of all partitions together, `rate` in their place arriving I/Os a second; without either as many jobs as keep all
/// IOP threads busy. `block` is what each read reads: "4K", "27K", "half-track" or a number of bytes. `lpars`, `css` and `card` are
/// chosen for the model where they are `None`.
///
/// Raises `ValueError` for a number that cannot be requested, `StudyError` with every limit that is passed and where `path` exists, and
/// `OSError` where it cannot be written.
#[pyfunction]
#[pyo3(signature = (path, *, model, channels, bases, aliases, lpars=None, css=None, card=None, km=1.0, jobs=None, rate=None,
                    block=None, seed=1, catalogs=Vec::new()))]
#[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
pub(crate) fn new_study<'py>(
    py: Python<'py>,
    path: PathBuf,
    model: String,
    channels: u32,
    bases: u32,
    aliases: u32,
    lpars: Option<u32>,
    css: Option<u32>,
    card: Option<String>,
    km: f64,
    jobs: Option<u32>,
    rate: Option<f64>,
    block: Option<&Bound<'py, PyAny>>,
    seed: u64,
    catalogs: Vec<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    if jobs.is_some() && rate.is_some() {
        return Err(PyValueError::new_err("jobs and rate exclude each other"));
    }
    let block =
        block.map_or_else(|| Ok("4K".to_owned()), |block| Ok::<_, PyErr>(block.str()?.to_string()))?;
    let block =
        block.parse().map_err(|words| PyValueError::new_err(format!("block: \"{block}\": {words}")))?;
    let load = jobs.map(Load::Jobs).or(rate.map(Load::Rate));
    let request = Request { model, channels, bases, aliases, lpars, css, card, km, load, block, seed };
    check_request(&request).map_err(option_error)?;
    match py.detach(|| make_study(&path, &request, &catalogs)) {
        Ok((made, _)) => objects(py, &new_study_json(&path, &made)),
        Err(error) => match error.output {
            Some(output) => written(Err(output)),
            None => Err(study_error(py, &error.diagnostics)),
        },
    }
}

/// Returns the models that a study can be of, with the keys of `halftrack study models --json` as columns.
///
/// Raises `StudyError` for a catalog with errors.
#[pyfunction]
#[pyo3(signature = (*, catalogs=Vec::new()))]
pub(crate) fn study_models(py: Python<'_>, catalogs: Vec<PathBuf>) -> PyResult<PyTable> {
    let (rows, _) = py.detach(|| models(&catalogs)).map_err(|error| load_error(py, &error))?;
    let mut columns = Columns::default();
    let mut texts = |name, definition, text: fn(&ModelRow) -> &String| {
        columns.texts(name, definition, rows.iter().map(|row| Some(text(row).clone())));
    };
    texts("id", "Catalog id", |row| &row.id);
    texts("model", "Model", |row| &row.model);
    texts("title", "Name in words", |row| &row.title);
    let mut numbers = |name, unit, definition, number: fn(&ModelRow) -> Option<f64>| {
        columns.numbers(name, unit, definition, rows.iter().map(number));
    };
    numbers("machine_type", "", "Machine type", |row| Some(row.machine_type.into()));
    numbers("drawers", "", "Processor drawers", |row| row.drawers.map(Into::into));
    numbers("cps", "", "Central processors at most", |row| row.cps.map(Into::into));
    numbers("sap_cores", "", "Standard SAP cores", |row| Some(row.sap_cores.into()));
    numbers("additional_saps", "", "SAP cores that can be added", |row| row.additional_saps.map(Into::into));
    numbers("iop_threads", "", "IOP threads of the standard SAPs", |row| Some(row.iop_threads.into()));
    numbers("iop_ios_per_s", "/s", "I/Os a second that keep these busy all the time", |row| {
        Some(row.iop_ios_per_s)
    });
    numbers("fanout_slots", "", "Slots for fanouts", |row| row.fanout_slots.map(Into::into));
    numbers("lpars", "", "Logical partitions of a study by default", |row| Some(row.lpars.into()));
    columns.table()
}
