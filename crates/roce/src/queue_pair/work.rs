//! Work that is posted to a send queue.

use thiserror::Error;

use super::Failure;
use crate::packet::{Immediate, Rkey};

/// Octets of the longest message of a SEND: that of LLC and CDC of SMC-R.
pub const MESSAGE_BYTES_MAX: usize = 44;
/// Octets of the longest write (section *RDMA Extended Transport Header*).
pub const WRITE_BYTES_MAX: u32 = 1 << 31;

/// Number by which the caller recognises the completion of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WorkId(pub u64);

/// Message of a SEND.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Message {
    octets: [u8; MESSAGE_BYTES_MAX],
    bytes: u8,
}

/// Octets in the memory of the caller, at an address that only the caller's [`Source`](super::Source) interprets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LocalSpan {
    /// First octet.
    pub address: u64,
    /// Octets.
    pub length_bytes: u32,
}

/// Place in the memory of the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Remote {
    /// Key of the memory.
    pub rkey: Rkey,
    /// Virtual address of the first octet.
    pub address: u64,
}

/// Work of a requester.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// RDMA WRITE.
    Write {
        /// Octets, which stay as they are until the work is completed.
        from: LocalSpan,
        /// Place of the first octet at the peer.
        to: Remote,
        /// Word for the peer, which takes one of its receives.
        immediate: Option<Immediate>,
    },
    /// SEND, which takes a receive of the peer.
    Send {
        /// Octets.
        message: Message,
        /// Word for the peer.
        immediate: Option<Immediate>,
    },
}

/// Why work is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PostError {
    /// No room in the send queue.
    #[error("the send queue is full")]
    Full,
    /// Write that is longer than any.
    #[error("a write of {0} octets exceeds {WRITE_BYTES_MAX}")]
    Long(u32),
    /// Error state.
    #[error("the queue pair has failed: {0}")]
    Failed(Failure),
}

impl Message {
    /// Makes a message; `None` of more than [`MESSAGE_BYTES_MAX`] octets.
    pub fn new(octets: &[u8]) -> Option<Self> {
        let mut message = Self { octets: [0; MESSAGE_BYTES_MAX], bytes: 0 };
        message.octets.get_mut(..octets.len())?.copy_from_slice(octets);
        message.bytes = octets.len() as u8;
        Some(message)
    }

    /// Returns the octets.
    pub fn octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.bytes)]
    }
}

impl Work {
    /// Returns the octets of the message.
    pub(super) fn length_bytes(&self) -> u32 {
        match self {
            Self::Write { from, .. } => from.length_bytes,
            Self::Send { message, .. } => message.bytes.into(),
        }
    }
}
