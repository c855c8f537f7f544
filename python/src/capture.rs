//! Class `Capture`: the frames of a run.

use std::path::PathBuf;
use std::sync::Arc;

use halftrack::{Capture, OutputFile, write_capture};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::output::written;

/// The FC-2 frames that crossed the fibres of the channels in a run.
#[pyclass(frozen, module = "halftrack", name = "Capture")]
#[derive(Debug)]
pub(crate) struct PyCapture {
    capture: Arc<Capture>,
}

impl PyCapture {
    /// Makes the object of a capture.
    pub(crate) fn new(capture: Arc<Capture>) -> Self {
        Self { capture }
    }
}

#[pymethods]
impl PyCapture {
    /// Returns the number of frames.
    fn __len__(&self) -> usize {
        self.capture.frames().count()
    }

    /// True when there were more frames than were to be captured.
    #[getter]
    fn is_full(&self) -> bool {
        self.capture.is_full()
    }

    /// Names of the channels, in the order of the configuration.
    #[getter]
    fn channels(&self) -> Vec<String> {
        self.capture.channels().to_vec()
    }

    /// Writes the frames to the pcapng file `path`, all or nothing; time stamps are virtual time. Raises `OSError` where they
    /// cannot be written.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let file = OutputFile::new(&path)?;
            file.write_with(|out| write_capture(&self.capture, out).map_err(|error| file.failure(error)))
        };
        written(py.detach(write))
    }

    /// Returns the octets of the pcapng file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut octets = Vec::new();
        let write = py.detach(|| write_capture(&self.capture, &mut octets));
        write.map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &octets))
    }

    fn __repr__(&self) -> String {
        format!(
            "Capture(frames={}, is_full={})",
            self.__len__(),
            if self.is_full() { "True" } else { "False" }
        )
    }
}
