//! The other port of an exchange, as its login agreed.

use halftrack_base::Span;
use halftrack_wire::choices::TRANSPORT_FRAME_PAYLOAD_BYTES;

use super::super::agreement::{FcpAgreement, FcpTimers};

/// Least and most time between two checks of the timers.
const STEP_MIN: Span = Span::from_ms(1);
const STEP_MAX: Span = Span::from_ms(100);
/// Part of the shortest time-out that is near enough.
const STEPS: u64 = 20;

/// A port that is logged in, with the addresses of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpPeer {
    /// Own address.
    pub own: u32,
    /// Its address.
    pub address: u32,
    /// Most payload octets of a frame between the two.
    pub frame_payload_bytes: u32,
    /// Values of the login.
    pub agreement: FcpAgreement,
}

impl FcpPeer {
    /// Returns the payload of frames that are not the last of their sequence: whole blocks.
    pub(super) fn filled_bytes(&self) -> u32 {
        self.frame_payload_bytes.min(TRANSPORT_FRAME_PAYLOAD_BYTES)
    }

    /// Returns the time between two checks of the timers: a twentieth of the shortest.
    pub(super) fn timer_step(&self) -> Span {
        let FcpTimers { recovery, command, management, abort, retention } = self.agreement.timers;
        let shortest =
            [recovery, command, management, abort, retention].into_iter().min().unwrap_or(STEP_MAX);
        Span::from_ps(shortest.as_ps() / STEPS).clamp(STEP_MIN, STEP_MAX)
    }
}
