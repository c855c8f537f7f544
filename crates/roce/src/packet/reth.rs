//! RDMA extended transport header.

use halftrack_base::fields;

use super::Rkey;

/// Octets of the header.
pub(super) const RETH_BYTES: usize = 16;

/// Place in the peer's memory, and length of the message (section *RDMA Extended Transport Header*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Reth {
    /// Virtual address of the first octet.
    pub address: u64,
    /// Key of the memory.
    pub rkey: Rkey,
    /// Octets of the message, all its packets together.
    pub length_bytes: u32,
}

impl Reth {
    pub(super) fn decode(octets: &[u8]) -> Self {
        Self {
            address: fields::u64_at(octets, 0),
            rkey: Rkey(fields::u32_at(octets, 8)),
            length_bytes: fields::u32_at(octets, 12),
        }
    }

    pub(super) fn encode(&self, into: &mut [u8]) {
        fields::put(into, 0, &self.address.to_be_bytes());
        fields::put(into, 8, &self.rkey.0.to_be_bytes());
        fields::put(into, 12, &self.length_bytes.to_be_bytes());
    }
}
