//! Stored blocks (RFC 1951, 3.2.4): data that do not shrink.

use super::{Position, SLICE_BYTES_MAX};

/// Octets in front of the data of a stored block that begins on an octet.
pub const STORED_HEADER_BYTES: usize = 5;

const _: () = assert!(SLICE_BYTES_MAX <= u16::MAX as usize, "a slice fits one stored block");

/// Writes a slice as one stored block that begins on an octet; returns its octets.
///
/// # Panics
/// When the slice is longer than [`SLICE_BYTES_MAX`], or `output` shorter than slice and header.
pub fn store(slice: &[u8], position: Position, output: &mut [u8]) -> usize {
    assert!(slice.len() <= SLICE_BYTES_MAX, "a slice has at most 32 KiB");
    let length = slice.len() as u16;
    output[0] = u8::from(position == Position::Last);
    output[1..3].copy_from_slice(&length.to_le_bytes());
    output[3..STORED_HEADER_BYTES].copy_from_slice(&(!length).to_le_bytes());
    output[STORED_HEADER_BYTES..][..slice.len()].copy_from_slice(slice);
    STORED_HEADER_BYTES + slice.len()
}
