//! Memory at both ends of a write.

use thiserror::Error;

use crate::packet::Rkey;

/// Memory that a peer may write into.
///
/// A write of several packets is checked as a whole first, then written packet by packet: octets between them may be
/// withdrawn, and then the rest is refused.
pub trait Memory {
    /// Checks whether the peer may write these octets. There is at least one, and the last has an address.
    ///
    /// # Errors
    /// Key, bounds or permission do not allow it.
    fn check(&self, rkey: Rkey, address: u64, length_bytes: u32) -> Result<(), AccessError>;

    /// Writes octets that are part of a span that was checked.
    ///
    /// # Errors
    /// Key, bounds or permission do not allow it any more; nothing was written.
    fn write(&mut self, rkey: Rkey, address: u64, octets: &[u8]) -> Result<(), AccessError>;
}

/// Memory out of which writes are sent.
pub trait Source {
    /// Copies the octets at `address`, which lie in the span of posted work.
    fn load(&self, address: u64, into: &mut [u8]);
}

impl<F: Fn(u64, &mut [u8])> Source for F {
    fn load(&self, address: u64, into: &mut [u8]) {
        self(address, into);
    }
}

/// Why an access to memory is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum AccessError {
    /// Unknown key.
    #[error("the key is unknown")]
    Key,
    /// Octets outside of the memory.
    #[error("it lies outside of the memory of the key")]
    Bounds,
    /// Memory that the peer may not write.
    #[error("the peer has no permission to write")]
    Permission,
}
