//! A card as streams use it.

use halftrack_zedc::{Answer, Inflated};

/// Check values of data that are not compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CheckValues {
    /// CRC-32 (RFC 1952).
    pub crc32: u32,
    /// Adler-32 (RFC 1950).
    pub adler32: u32,
}

/// Card that deflates and inflates whole buffers, each of at most [`INPUT_BYTES_MAX`](halftrack_zedc::INPUT_BYTES_MAX) octets.
pub trait Accelerator {
    /// Deflates into complete blocks that end on an octet, and appends them to `output`; the last block is final when
    /// `is_last`. Returns the check values of the input.
    ///
    /// # Errors
    /// Nothing was appended: the stream goes on in software.
    fn deflate(&mut self, input: &[u8], is_last: bool, output: &mut Vec<u8>) -> Result<CheckValues, Answer>;

    /// Inflates a whole raw stream; octets behind its final block are not consumed. Returns the check values of the output.
    ///
    /// # Errors
    /// The stream is inflated in software. The contents of `output` are then undefined.
    fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<(Inflated, CheckValues), Answer>;
}
