//! Compression without a card: for requests whose answer is that the program falls back.
//!
//! The slices are those of a card, so that a card with the same engine gives the same octets. A stream is inflated by
//! [`Engine::inflate`].

use crate::engine::{Deflation, Engine, EngineFault, Position, SCRATCH_BYTES, SLICE_BYTES_MAX};

/// Deflates a buffer; returns the octets of output, at most [`deflate_bound_bytes`](crate::deflate_bound_bytes).
///
/// # Errors
/// [`EngineFault::OutputFull`].
pub fn deflate(engine: &mut dyn Engine, input: &[u8], output: &mut [u8]) -> Result<usize, EngineFault> {
    let mut scratch = [0; SCRATCH_BYTES];
    let mut deflation = Deflation::default();
    let mut end = 0;
    let mut rest = input;
    loop {
        let (slice, behind) = rest.split_at(rest.len().min(SLICE_BYTES_MAX));
        let position = if behind.is_empty() { Position::Last } else { Position::Inner };
        let bytes = deflation.deflate(engine, slice, position, &mut scratch);
        let room = output.get_mut(end..end + bytes).ok_or(EngineFault::OutputFull)?;
        room.copy_from_slice(&scratch[..bytes]);
        end += bytes;
        if behind.is_empty() {
            return Ok(end);
        }
        rest = behind;
    }
}
