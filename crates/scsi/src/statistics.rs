//! Counts of a unit, for its log pages.

use halftrack_base::Span;

/// Counts of reads, or of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TransferCount {
    pub commands: u64,
    pub blocks: u64,
    /// Time from arrival to response, summed up.
    pub time: Span,
}

impl TransferCount {
    /// Counts a command.
    pub fn add(&mut self, blocks: u64, time: Span) {
        self.commands += 1;
        self.blocks = self.blocks.saturating_add(blocks);
        self.time = Span::from_ps(self.time.as_ps().saturating_add(time.as_ps()));
    }
}

/// Counts of a unit since power on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Statistics {
    pub reads: TransferCount,
    pub writes: TransferCount,
}
