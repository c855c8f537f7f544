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
