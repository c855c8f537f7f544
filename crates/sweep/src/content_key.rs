//! The content of a run: everything that its results depend on, as one hash.

use std::fmt::{self, Display, Write};
use std::str::FromStr;

use blake3::Hasher;
use halftrack_config::Configuration;
use halftrack_machine::{ExchangeMode, Options, Threads};
use thiserror::Error;

/// BLAKE3 of a checked configuration, the options that change results, and the version of the model. Comments, the order
/// of statements, catalog files that are not used, the number of threads and live exchanges leave it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentKey(blake3::Hash);

impl ContentKey {
    /// Hashes what a run of `configuration` with `options` depends on; `model` names the version of what simulates.
    pub fn new(configuration: &Configuration, options: &Options, model: &str) -> Self {
        // Neither changes a result.
        let options = Options { threads: Threads::Exactly(1), exchange: ExchangeMode::Planned, ..*options };
        let mut hashed = Hashed(Hasher::new());
        // Each part has a length of its own to end it: a text of Debug does not run into the next.
        let _ = write!(hashed, "{}:{model}\n{options:?}\n{configuration:?}", model.len());
        Self(hashed.0.finalize())
    }
}

impl FromStr for ContentKey {
    type Err = NotAKey;

    /// Reads what [`Display`] writes.
    ///
    /// # Errors
    /// Another text.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(text).map(Self).map_err(|_| NotAKey)
    }
}

/// A text that is no content key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a content key has 64 hexadecimal digits")]
pub struct NotAKey;

impl Display for ContentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.to_hex().as_str())
    }
}

/// A hasher that is written to as a text.
struct Hashed(Hasher);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
