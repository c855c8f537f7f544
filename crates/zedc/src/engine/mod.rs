//! Engines: software that does the work of the silicon of a card, a slice at a time.
//!
//! An engine keeps nothing between two calls, so that it can change the function after any slice, and no function finds
//! anything of another one. Slices of a request refer to nothing before them and end on an octet: joined they are one stream.

mod deflation;
mod inflation;
#[cfg(feature = "isal")]
mod isal;
#[cfg(feature = "libdeflate")]
mod libdeflate;
mod selection;
mod stored;
#[cfg(test)]
mod tests;
mod zlib_rs;

use thiserror::Error;

pub use deflation::{Deflation, SCRATCH_BYTES};
pub use inflation::Inflation;
#[cfg(feature = "isal")]
pub use isal::Isal;
#[cfg(feature = "libdeflate")]
pub use libdeflate::Libdeflate;
pub use selection::{ENGINE_NAMES, engine_of};
use stored::{STORED_HEADER_BYTES, store};
pub use zlib_rs::ZlibRs;

/// Most octets of a slice, of input and of output: the engine changes the function after at most so many.
///
/// It is the window of DEFLATE (RFC 1951) too, so that a slice has a whole window of its own.
pub const SLICE_BYTES_MAX: usize = 32 * 1024;

/// Place of a slice in its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Position {
    /// More slices follow: the blocks end on an octet, and none of them is final.
    Inner,
    /// No slice follows: the last block is final.
    Last,
}

/// Why an engine does not do its work on a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum EngineFault {
    /// The result is longer than the output.
    #[error("the result is longer than the output")]
    OutputFull,
    /// The input is no DEFLATE.
    #[error("the input is no DEFLATE")]
    Corrupt,
    /// The input ends before the end of its last block.
    #[error("the input ends before its last block does")]
    Truncated,
}

/// Counts of a buffer that was inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inflated {
    /// Octets of input up to the end of the final block.
    pub consumed_bytes: usize,
    /// Octets of output.
    pub produced_bytes: usize,
}

/// Whole-buffer calls on raw DEFLATE (RFC 1951), and check values.
pub trait Engine {
    /// Returns the name for users.
    fn name(&self) -> &'static str;

    /// Deflates a slice into complete blocks; returns how many octets they have.
    ///
    /// # Errors
    /// [`EngineFault::OutputFull`].
    fn deflate(&mut self, slice: &[u8], position: Position, output: &mut [u8]) -> Result<usize, EngineFault>;

    /// Inflates a whole stream; octets behind its final block are not consumed.
    ///
    /// # Errors
    /// Any fault. The contents of `output` are then undefined.
    fn inflate(&mut self, stream: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault>;

    /// Returns the CRC-32 (RFC 1952) of data that follow those of the value `before`, which is 0 when there are none.
    fn crc32(&self, before: u32, data: &[u8]) -> u32 {
        ::zlib_rs::crc32::crc32(before, data)
    }

    /// Returns the Adler-32 (RFC 1950) of data that follow those of the value `before`, which is 1 when there are none.
    fn adler32(&self, before: u32, data: &[u8]) -> u32 {
        ::zlib_rs::adler32::adler32(before, data)
    }
}

/// Returns the most octets into which so many octets are deflated: a slice that would grow is stored.
pub const fn deflate_bound_bytes(input_bytes: usize) -> usize {
    let slices = input_bytes.div_ceil(SLICE_BYTES_MAX);
    input_bytes + STORED_HEADER_BYTES * if slices == 0 { 1 } else { slices }
}
