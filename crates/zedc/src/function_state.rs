//! States of a function as operators see them.

use std::fmt;

use thiserror::Error;

/// State of a configured function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionState {
    /// No partition uses it (display: CNFG).
    Configured,
    /// A partition uses it (display: ALLC).
    Allocated,
    /// It takes no requests any more, and waits for those that it has.
    DeallocatePending,
    /// Function or card do not work.
    InError,
    /// The firmware of its resource group is updated.
    InUpdate,
}

impl fmt::Display for FunctionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Configured => "configured",
            Self::Allocated => "allocated",
            Self::DeallocatePending => "de-allocate pending",
            Self::InError => "in error",
            Self::InUpdate => "in update",
        })
    }
}

/// Why something is not done with a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum FunctionError {
    /// There is none of this number.
    #[error("the function is not configured")]
    NotConfigured,
    /// There is one already.
    #[error("the function is configured already")]
    Duplicate,
    /// Another partition uses it, or none.
    #[error("the function is not allocated to the partition")]
    NotAllocated,
    /// It is in a state in which it cannot be done.
    #[error("the function is {0}")]
    State(FunctionState),
}
