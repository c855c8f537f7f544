//! A frame received over a link.

use halftrack_wire::fcip::TimeStamp;
use halftrack_wire::{Eof, FcFrame, Sof};

/// Received frame.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// Start of frame.
    pub sof: Sof,
    /// Header and payload.
    pub frame: FcFrame<'a>,
    /// FC header to CRC.
    pub octets: &'a [u8],
    /// End of frame.
    pub eof: Eof,
    /// When it was first sent, as far as that is known.
    pub stamp: TimeStamp,
}
