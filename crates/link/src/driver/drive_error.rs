//! Errors of a run of the driver.

use std::io;

use thiserror::Error;

use super::{FormatError, StreamError};

/// Error that ends a run without results.
#[derive(Debug, Error)]
pub enum DriveError {
    /// No path came online.
    #[error("no channel path came online: {}", words(.0))]
    NoPath(Vec<(u8, String)>),
    /// A stream of the file cannot run.
    #[error("stream {stream}: {error}")]
    Stream {
        /// Its place in the file.
        stream: usize,
        /// Why.
        error: StreamError,
    },
    /// Formatting failed.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Every path was lost while tracks were formatted.
    #[error("all channel paths were lost: {}", words(.0))]
    PathsLost(Vec<(u8, String)>),
    /// The run was ended before I/O began.
    #[error("ended before I/O began")]
    Interrupted,
    /// The operating system.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// Returns `path 40: connection refused; path 41: ...`.
pub(super) fn words(troubles: &[(u8, String)]) -> String {
    let words = troubles.iter().map(|(chpid, why)| {
        let why = if why.is_empty() { "no answer" } else { why };
        format!("path {chpid:02X}: {why}")
    });
    words.collect::<Vec<_>>().join("; ")
}
