//! Options that do not suit each other or the study.

use thiserror::Error;

/// An option that does not suit the others or the study, in words.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OptionError(pub String);
