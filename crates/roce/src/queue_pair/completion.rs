//! Completions of work and of receives.

use super::{Failure, Message, WorkId};
use crate::packet::Immediate;

/// End of one work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Work.
    pub id: WorkId,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The peer has acknowledged all of it.
    Done,
    /// Oldest work when the queue pair failed. Any part of it may have arrived.
    Failed(Failure),
    /// Work behind that. Any part of it may have arrived.
    Flushed,
}

/// Message of the peer for which a receive was posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// SEND.
    Message {
        /// Octets.
        message: Message,
        /// Word that came with them.
        immediate: Option<Immediate>,
    },
    /// Write with a word; the octets are in memory.
    Written {
        /// Octets that were written.
        length_bytes: u32,
        /// Word.
        immediate: Immediate,
    },
}
