//! Output on disk, with errors as Python has them.

use std::path::Path;

use halftrack::{OutputError, OutputFile};
use pyo3::exceptions::{PyFileExistsError, PyOSError};
use pyo3::prelude::*;

/// Writes `octets` as the whole content of the file `path`.
///
/// # Errors
/// A place where no file can be, or that cannot be written; an earlier file is then still there.
pub(crate) fn write_file(path: &Path, octets: &[u8]) -> Result<(), OutputError> {
    OutputFile::new(path)?.write(octets)
}

/// Returns the outcome of writing as Python has it.
///
/// # Errors
/// `FileExistsError` where something else is at the place, else `OSError` of the kind that the system reported.
pub(crate) fn written<T>(outcome: Result<T, OutputError>) -> PyResult<T> {
    outcome.map_err(|error| match &error {
        OutputError::Occupied { .. } => PyFileExistsError::new_err(error.to_string()),
        OutputError::NoFile { .. } | OutputError::Output { .. } => PyOSError::new_err(error.to_string()),
    })
}
