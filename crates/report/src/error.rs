//! Errors in requests for reports and in interval files.

use thiserror::Error;

/// Why a report or an interval file cannot be given or read.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The run has no system of that name.
    #[error("no system {name} in this run; it has {known}")]
    UnknownSystem {
        /// Requested name.
        name: String,
        /// Names of the run, comma-separated.
        known: String,
    },
    /// The run has fewer intervals.
    #[error("no interval {index}; the run has {count}, counted from 0")]
    NoSuchInterval {
        /// Requested index.
        index: usize,
        /// Intervals in the run.
        count: usize,
    },
    /// The start of measuring is no date and time.
    #[error("start of measuring {text:?} is not a date and time YYYY-MM-DDThh:mm:ss")]
    Start {
        /// Text of the run header.
        text: String,
    },
    /// The interval begins after the last date of the calendar.
    #[error("interval {index} begins past the end of the calendar")]
    PastCalendar {
        /// Index of the interval.
        index: u32,
    },
    /// The text is not JSON of an interval file.
    #[error("not an interval file: {0}")]
    Json(#[from] serde_json::Error),
    /// The file is of another format.
    #[error("not an interval file: format is {found:?}, expected {expected:?}")]
    Format {
        /// Format named by the file.
        found: String,
        /// Format of interval files.
        expected: &'static str,
    },
    /// The file is of another version.
    #[error("interval file of version {found}; this program reads version {expected}")]
    Version {
        /// Version named by the file.
        found: u32,
        /// Version that this program reads.
        expected: u32,
    },
}
