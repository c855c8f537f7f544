//! Where frames go.

use crate::delimiter::{Eof, Sof};
use crate::fc_header::FcHeader;

/// Takes frames: the output buffer of a link, a capture, a test.
pub trait FrameSink {
    /// Takes one frame whose payload is `parts`, one after the other. The header's count of fill octets is set by the
    /// sink. At most [`crate::fc_frame::PAYLOAD_MAX_BYTES`] octets in all; it is the caller who sees to that, and who
    /// has a buffer credit for the frame.
    fn frame(&mut self, sof: Sof, header: &FcHeader, parts: &[&[u8]], eof: Eof);
}
