//! Why a command ended without a result, and the exit code that says so.

use std::io;
use std::path::PathBuf;

use halftrack_machine::WiringError;
use halftrack_measure::MeasureError;
use thiserror::Error;

/// Why a command ended without a result.
#[derive(Debug, Error)]
pub enum Failure {
    /// The study or the catalog has errors, which have been shown.
    #[error("{study} cannot be run")]
    Study {
        /// Directory of the study.
        study: PathBuf,
    },
    /// The partition asked for has no work.
    #[error("no stream runs in a partition {name}; the systems of this study are {known}")]
    System {
        /// Partition asked for.
        name: String,
        /// Partitions with work, comma-separated.
        known: String,
    },
    /// The directory for the output holds something else.
    #[error("{path} is not an output directory of halftrack ({reason}); it is left as it is")]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// What it holds.
        reason: String,
    },
    /// The study is well-formed but its machine cannot be wired.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// The output could not be written.
    #[error("{path}: {source}")]
    Output {
        /// File or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A report could not be made.
    #[error(transparent)]
    Report(#[from] MeasureError),
    /// Printing failed.
    #[error("cannot print: {0}")]
    Print(#[from] io::Error),
}

impl Failure {
    /// 2 for bad input, 1 for everything that failed afterwards.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Study { .. } | Self::System { .. } | Self::Occupied { .. } | Self::Wiring(_) => 2,
            Self::Output { .. } | Self::Report(_) | Self::Print(_) => 1,
        }
    }
}
