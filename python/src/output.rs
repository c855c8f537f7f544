//! Output on disk, with errors as Python has them.

use std::path::Path;

use halftrack::{OutputDirectory, OutputError, OutputFile};
use pyo3::exceptions::{PyFileExistsError, PyOSError};
use pyo3::prelude::*;

/// Makes the directory of a run's output.
///
/// # Errors
/// As [`OutputDirectory::new`].
pub(crate) fn output_directory(path: &Path) -> Result<OutputDirectory, OutputError> {
    OutputDirectory::new(path)
}

/// Writes `octets` as the whole content of the file `path`.
///
/// # Errors
/// A place where no file can be, or that cannot be written; an earlier file is then still there.
pub(crate) fn write_file(path: &Path, octets: &[u8]) -> Result<(), OutputError> {
    let file = OutputFile::new(path)?;
    file.write_with(|out| out.write_all(octets).map_err(|source| file.failure(source)))
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
