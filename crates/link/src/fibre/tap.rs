//! Observers of the frames of a link.

use halftrack_base::Time;
use halftrack_wire::{Eof, Sof};

/// Direction of a frame, seen from this end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameDirection {
    /// To the other end.
    Out,
    /// From the other end.
    In,
}

/// Sees every frame of a link: a capture.
pub trait FrameTap {
    /// Observes a frame, FC header to CRC. A received one is shown whether its CRC is right or not.
    fn frame(&mut self, way: FrameDirection, at: Time, sof: Sof, frame: &[u8], eof: Eof);
}
