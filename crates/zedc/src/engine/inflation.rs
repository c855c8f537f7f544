//! Inflation that stops after any octet and goes on later.

use std::fmt;

use ::zlib_rs::{Inflate, InflateFlush, Status};

use super::{EngineFault, Inflated};

/// Bits of the window of DEFLATE.
pub const WINDOW_BITS: u8 = 15;

/// State of one stream that is inflated slice by slice.
///
/// Whole-buffer engines cannot stop in the middle of a block: streams that are longer than a slice use this one, whatever
/// the engine is.
pub struct Inflation(Inflate);

impl fmt::Debug for Inflation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inflation").field("consumed_bytes", &self.0.total_in()).finish_non_exhaustive()
    }
}

impl Default for Inflation {
    fn default() -> Self {
        Self(Inflate::new(false, WINDOW_BITS))
    }
}

impl Inflation {
    /// Begins another stream.
    pub fn reset(&mut self) {
        self.0.reset(false);
    }

    /// Inflates until input or output ends; returns the counts of this call, and whether the stream has ended.
    ///
    /// # Errors
    /// [`EngineFault::Corrupt`].
    pub fn advance(&mut self, input: &[u8], output: &mut [u8]) -> Result<(Inflated, bool), EngineFault> {
        let (consumed, produced) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(input, output, InflateFlush::NoFlush);
        let status = status.map_err(|_| EngineFault::Corrupt)?;
        let counts = Inflated {
            consumed_bytes: (self.0.total_in() - consumed) as usize,
            produced_bytes: (self.0.total_out() - produced) as usize,
        };
        Ok((counts, status == Status::StreamEnd))
    }

    /// Inflates a whole stream.
    ///
    /// # Errors
    /// Any fault.
    pub fn whole(&mut self, stream: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault> {
        self.reset();
        let (counts, is_at_end) = self.advance(stream, output)?;
        if is_at_end {
            return Ok(counts);
        }
        if counts.produced_bytes < output.len() {
            return Err(EngineFault::Truncated);
        }
        // The output is full: the stream ends here, goes on, or lacks its end.
        match self.advance(&stream[counts.consumed_bytes..], &mut [0])? {
            (more, true) if more.produced_bytes == 0 => {
                Ok(Inflated { consumed_bytes: counts.consumed_bytes + more.consumed_bytes, ..counts })
            }
            (more, false) if more.produced_bytes == 0 => Err(EngineFault::Truncated),
            _ => Err(EngineFault::OutputFull),
        }
    }
}
