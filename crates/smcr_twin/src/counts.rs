//! Counts of a conversation.

use halftrack_base::Span;

/// Counts of a conversation since the last collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConversationCounts {
    /// Exchanges, or transfers of a stream, that began.
    pub started: u64,
    /// Exchanges that ended.
    pub exchanges: u64,
    /// Exchanges whose connection was lost.
    pub broken: u64,
    /// Sum of the times of those that ended.
    pub latency: Span,
    /// Longest of these times.
    pub latency_max: Span,
    /// Octets of theirs, both ways.
    pub bytes: u64,
    /// Work of processors of client and server.
    pub work: [Span; 2],
    /// Moves of connections to other functions.
    pub moves: u64,
    /// Octets that went again after a move.
    pub resent_bytes: u64,
}

/// Exchanges and octets of a conversation since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exchanges {
    /// Exchanges that began.
    pub started: u64,
    /// Exchanges that ended.
    pub ended: u64,
    /// Exchanges whose connection was lost.
    pub broken: u64,
    /// Exchanges in progress.
    pub open: u64,
    /// Octets that senders have sent, each once however often it went.
    pub sent_bytes: u64,
    /// Octets that receivers have read.
    pub read_bytes: u64,
    /// Octets that were sent and not read when their connection was lost.
    pub broken_bytes: u64,
    /// Octets that are sent and not read yet.
    pub open_bytes: u64,
}
