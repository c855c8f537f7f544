//! libdeflate, which compresses slices better than the others.
//!
//! The library only has whole streams. At its level 1 a slice is one block that begins at the first bit, so that the block
//! is made one that is not final by that bit. Its end is the last bit but padding, and an empty stored block brings the next
//! slice to an octet. How many octets that block needs depends on the padding, which the library does not return: both
//! forms are tried by inflating them. That takes a tenth of the time and verifies every slice.

use std::fmt;

use libdeflater::{CompressionLvl, Compressor};

use super::{Engine, EngineFault, Inflated, Inflation, Position, SLICE_BYTES_MAX};

/// Level at which a slice is one block.
const LEVEL: i32 = 1;
/// Bit of the first octet that makes a block final (RFC 1951, 3.2.3).
const FINAL: u8 = 1;
/// Empty stored blocks that end on an octet: after three bits of padding or more, and after fewer.
const STORED_EMPTY: [&[u8]; 2] = [&[0, 0, 0xFF, 0xFF], &[0, 0, 0, 0xFF, 0xFF]];
/// Empty final block, which ends a stream that is tried.
const FINAL_EMPTY: &[u8] = &[3, 0];

/// libdeflate at level 1. Allocates when it is made, and never again.
pub struct Libdeflate {
    compressor: Compressor,
    inflation: Inflation,
    inflated: Box<[u8]>,
}

impl fmt::Debug for Libdeflate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Libdeflate")
    }
}

impl Default for Libdeflate {
    fn default() -> Self {
        let level = CompressionLvl::new(LEVEL).expect("the library has levels 0 to 12");
        Self {
            compressor: Compressor::new(level),
            inflation: Inflation::default(),
            inflated: vec![0; SLICE_BYTES_MAX].into(),
        }
    }
}

impl Libdeflate {
    /// Returns whether `stream` is a whole stream that inflates to `slice`.
    fn inflates_to(&mut self, stream: &[u8], slice: &[u8]) -> bool {
        let inflated = &mut self.inflated[..slice.len()];
        let counts = self.inflation.whole(stream, inflated);
        let expected = Inflated { consumed_bytes: stream.len(), produced_bytes: slice.len() };
        counts == Ok(expected) && self.inflated[..slice.len()] == *slice
    }

    /// Makes the final block at the start of `output` an inner one; returns its octets with the stored block behind it.
    fn open(&mut self, slice: &[u8], produced: usize, output: &mut [u8]) -> Option<usize> {
        *output.first_mut()? &= !FINAL;
        STORED_EMPTY.iter().find_map(|empty| {
            let end = produced + empty.len();
            output.get_mut(produced..end)?.copy_from_slice(empty);
            let trial = end + FINAL_EMPTY.len();
            output.get_mut(end..trial)?.copy_from_slice(FINAL_EMPTY);
            self.inflates_to(&output[..trial], slice).then_some(end)
        })
    }
}

impl Engine for Libdeflate {
    fn name(&self) -> &'static str {
        "libdeflate"
    }

    fn deflate(&mut self, slice: &[u8], position: Position, output: &mut [u8]) -> Result<usize, EngineFault> {
        let produced =
            self.compressor.deflate_compress(slice, output).map_err(|_| EngineFault::OutputFull)?;
        match position {
            Position::Inner => self.open(slice, produced, output).ok_or(EngineFault::OutputFull),
            Position::Last => Ok(produced),
        }
    }

    // The library's own call does not return where the stream ended.
    fn inflate(&mut self, stream: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault> {
        self.inflation.whole(stream, output)
    }
}
