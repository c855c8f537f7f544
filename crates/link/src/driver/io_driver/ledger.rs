//! Progress of a run: its phase, and the count of its I/Os.

/// Phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No I/O was requested yet.
    Before,
    /// I/O runs and is not measured.
    WarmUp,
    /// I/O runs and is measured.
    Measured,
    /// I/Os under way come to their end.
    Draining,
}

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
