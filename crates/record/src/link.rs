//! One-way links.

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// One direction of one fibre in one interval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkInterval {
    /// Canonical name: `pchid 100 > 11.20`.
    pub name: String,
    /// Data rate, bytes per second.
    pub bytes_per_s: u64,
    /// Time that the transmitter was sending, ps. A burst that is cut through from a slower link holds it longer than
    /// its own rate requires.
    pub busy_ps: u64,
    /// Bytes put on the fibre, FC-2 framing included.
    pub wire_bytes: u64,
    /// Bursts or frames put on the fibre.
    pub sent: u64,
    /// FC-2 frames put on the fibre; `None` where bursts may travel as one.
    pub frames: Option<u64>,
    /// Time that the transmitter was idle though it had something to send, for want of a credit, ps: the receiver gave
    /// its buffers back too slowly. Known frame by frame only; bursts take no credits.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub credit_wait_ps: u64,
    /// Frames, or parts of a burst, that were lost on it by errors.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
}

/// A link whose credits do not cover its distance at its rate, for the frames of the programs that cross it: found before
/// the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditShortage {
    /// Canonical name of the link.
    pub link: String,
    /// Credits that it has.
    pub credits: u32,
    /// Credits that it needs to be full all the time.
    pub needed: u32,
    /// Mean size of the frames that need them, bytes with framing.
    pub mean_frame_bytes: u32,
    /// Data rate, bytes per second.
    pub bytes_per_s: u64,
    /// Time that a credit is out for: there and back, the frame itself and the director at the far end, ps.
    pub round_trip_ps: u64,
}
