//! Output of runs and sweeps on disk: files and directories that are there complete or not at all.

mod directory;
mod file;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub use directory::OutputDirectory;
pub use file::OutputFile;

/// Why an output cannot be at its place.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The directory for the output holds something else.
    #[error("{path} is not an output directory of halftrack ({reason}); it is left as it is")]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// Contents of the directory.
        reason: String,
    },
    /// The path cannot be that of a file.
    #[error("{path} cannot be written: {reason}")]
    NoFile {
        /// The path.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The output could not be written.
    #[error("{path}: {source}")]
    Output {
        /// File or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
