//! Count of the I/Os of a run.

/// I/Os requested, and those that came to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ledger {
    /// Asked for.
    pub requested: u64,
    /// Ended normally.
    pub completed: u64,
    /// Failed.
    pub failed: u64,
    /// Never begun, because the run was over.
    pub dropped: u64,
}

impl Ledger {
    /// Returns whether every I/O ended exactly once.
    pub fn is_balanced(&self) -> bool {
        self.requested == self.completed + self.failed + self.dropped
    }
}
