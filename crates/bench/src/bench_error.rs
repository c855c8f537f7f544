//! Errors of a measurement.

use std::io;
use std::path::PathBuf;

use halftrack_volume::OpenError;
use thiserror::Error;

/// Error of a measurement.
#[derive(Debug, Error)]
pub enum BenchError {
    /// Directory that cannot hold the volume.
    #[error("{0}")]
    Directory(String),
    /// File that cannot be written.
    #[error("{path}: {source}")]
    Output {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Volume that cannot be made.
    #[error(transparent)]
    Image(#[from] OpenError),
    /// Measured part that did not do what it should.
    #[error("the bench failed: {0}")]
    Failed(String),
}

impl BenchError {
    /// Returns true when other arguments can mend it.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::Directory(_) | Self::Image(_))
    }
}

impl From<io::Error> for BenchError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}
