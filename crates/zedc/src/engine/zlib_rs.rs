//! The engine that is always there: zlib-rs, in Rust alone.

use std::fmt;

use ::zlib_rs::{Deflate, DeflateFlush, Status};

use super::inflation::WINDOW_BITS;
use super::{Engine, EngineFault, Inflated, Inflation, Position};

/// Level at which slices of 32 KiB shrink as much as whole buffers do at level 1 of zlib: level 1 of zlib-rs is another method.
const LEVEL: i32 = 2;

/// zlib-rs. Allocates when it is made, and never again.
pub struct ZlibRs {
    deflate: Deflate,
    inflation: Inflation,
}

impl fmt::Debug for ZlibRs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ZlibRs")
    }
}

impl Default for ZlibRs {
    fn default() -> Self {
        Self { deflate: Deflate::new(LEVEL, false, WINDOW_BITS), inflation: Inflation::default() }
    }
}

impl Engine for ZlibRs {
    fn name(&self) -> &'static str {
        "zlib-rs"
    }

    fn deflate(&mut self, slice: &[u8], position: Position, output: &mut [u8]) -> Result<usize, EngineFault> {
        self.deflate.reset();
        let flush = match position {
            Position::Inner => DeflateFlush::FullFlush,
            Position::Last => DeflateFlush::Finish,
        };
        let status = self.deflate.compress(slice, output, flush);
        let produced = self.deflate.total_out() as usize;
        // A flush that fills the output may have more to write.
        let is_whole = match position {
            Position::Inner => status == Ok(Status::Ok) && produced < output.len(),
            Position::Last => status == Ok(Status::StreamEnd),
        };
        if is_whole { Ok(produced) } else { Err(EngineFault::OutputFull) }
    }

    fn inflate(&mut self, stream: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault> {
        self.inflation.whole(stream, output)
    }
}
