//! Class `DeckCheck`: the outcome of a check of a deck.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use halftrack::deck::{
    CheckOptions, DeckFile, Reading, Software, check_deck, check_json, check_totals, read_deck, read_deck_for,
};
use halftrack::{Diagnostic, Severity};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::deck::PyDeck;
use crate::deck_hardware::hardware;
use crate::diagnostic::{load_error, messages, option_error, study_error};
use crate::json::objects;
use crate::notebook;

/// The outcome of a check of a deck.
#[pyclass(frozen, module = "halftrack", name = "DeckCheck")]
#[derive(Debug)]
pub(crate) struct PyDeckCheck {
    found: Vec<Diagnostic>,
    totals: String,
    json: String,
}

/// Arguments of `Deck.check`.
pub(crate) struct CheckArguments<'a, 'py> {
    pub(crate) hardware: Option<PathBuf>,
    pub(crate) catalogs: Vec<PathBuf>,
    pub(crate) parity: bool,
    pub(crate) profile: Option<PathBuf>,
    pub(crate) system_config: Option<PathBuf>,
    pub(crate) lpar: Option<String>,
    pub(crate) software: Option<&'a Bound<'py, PyDict>>,
    pub(crate) sharing: Vec<Vec<String>>,
    pub(crate) advice: bool,
    pub(crate) blade_ports: Option<u8>,
    pub(crate) for_iocds: bool,
}

/// A file of a partition, with the name of the partition.
type OfPartition = (Arc<halftrack::SourceFile>, String);

impl CheckArguments<'_, '_> {
    /// Checks `deck`.
    ///
    /// # Errors
    /// `OSError` and `StudyError` for a file that cannot be read, `ValueError` for what does not suit the deck.
    pub(crate) fn check(self, py: Python<'_>, deck: &PyDeck) -> PyResult<PyDeckCheck> {
        let hardware = self.hardware.as_ref().map(|path| hardware(py, path, &self.catalogs)).transpose()?;
        if self.parity && hardware.is_none() {
            return Err(PyValueError::new_err("parity needs hardware"));
        }
        let options = halftrack::deck::ReadOptions { write: self.for_iocds, ..deck.options.clone() };
        let read = match &hardware {
            Some(hardware) => read_deck_for(hardware, &deck.file, &options),
            None => read_deck(&deck.file, &options),
        };
        let mut reading: Reading = read.map_err(|error| load_error(py, &error))?;
        let options = CheckOptions {
            profile: self.of_partition(py, self.profile.as_ref())?,
            system_config: self.of_partition(py, self.system_config.as_ref())?,
            software: self.software()?,
            hardware,
            parity: self.parity,
            sharing: self
                .sharing
                .iter()
                .map(|group| group.iter().map(|name| name.to_uppercase()).collect())
                .collect(),
            no_advice: !self.advice,
            blade_ports: self.blade_ports,
        };
        check_deck(&mut reading, &options).map_err(option_error)?;
        let (totals, json) = (check_totals(&reading), check_json(&deck.file, &reading).to_string());
        Ok(PyDeckCheck { found: reading.diagnostics, totals, json })
    }

    fn of_partition(&self, py: Python<'_>, path: Option<&PathBuf>) -> PyResult<Option<OfPartition>> {
        let Some(path) = path else { return Ok(None) };
        let lpar = self.lpar.clone().ok_or_else(|| {
            PyValueError::new_err("profile and system_config are of a partition: give its name as lpar")
        })?;
        let file = DeckFile::from_bytes(&path.to_string_lossy(), fs::read(path)?);
        let file = file.map_err(|found| study_error(py, std::slice::from_ref(&*found)))?;
        Ok(Some((file.source, lpar)))
    }

    fn software(&self) -> PyResult<Vec<(String, Software)>> {
        let mut parsed = Vec::new();
        for (partition, system) in self.software.into_iter().flatten() {
            let (partition, system): (String, String) = (partition.extract()?, system.extract()?);
            let software = Software::parse(&system).ok_or_else(|| {
                let words = format!(
                    "software of {partition}: \"{system}\" is no system and level such as \"z/OS 2.1\""
                );
                PyValueError::new_err(words)
            })?;
            parsed.push((partition.to_uppercase(), software));
        }
        Ok(parsed)
    }
}

#[pymethods]
impl PyDeckCheck {
    /// Messages, in the order of their places.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        messages(py, &self.found)
    }

    /// True when no rule is broken.
    #[getter]
    fn valid(&self) -> bool {
        self.found.iter().all(|one| one.severity != Severity::Error)
    }

    /// Counts of messages, the machine, and IOCP's return code, in one line.
    #[getter]
    fn totals(&self) -> &str {
        &self.totals
    }

    /// Returns the outcome as `halftrack deck check --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &self.json)
    }

    fn __str__(&self) -> String {
        let lines = self.found.iter().map(ToString::to_string).chain([self.totals.clone()]);
        lines.collect::<Vec<_>>().join("\n")
    }

    fn _repr_html_(&self) -> String {
        notebook::text(&self.__str__())
    }
}
