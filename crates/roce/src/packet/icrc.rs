//! Invariant CRC.

use super::Path;

/// Octets of the invariant CRC.
pub const ICRC_BYTES: usize = 4;

/// Returns the four octets that follow `covered`, which is a packet from its base transport header to its padding.
///
/// CRC-32 of Ethernet over the headers of the path and the packet, with ones in every field that may change on the way; the
/// lowest octet goes out first (annex *RoCEv2*, section *ICRC*). Octets behind the first 4,132 of `covered` belong to no
/// packet; the lengths in the headers count them modulo 2^16.
pub fn icrc(path: &Path, covered: &[u8]) -> [u8; ICRC_BYTES] {
    let mut crc = crc32fast::Hasher::new();
    crc.update(path.masked((covered.len() + ICRC_BYTES) as u16).octets());
    let (before, behind) = covered.split_at(covered.len().min(4));
    crc.update(before);
    // Reserved octet of the base transport header: congestion notifications may be set in it on the way.
    if let Some((_, behind)) = behind.split_first() {
        crc.update(&[0xFF]);
        crc.update(behind);
    }
    crc.finalize().to_le_bytes()
}
