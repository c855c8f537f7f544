//! Times of a start that ended normally, in few octets.

use halftrack_base::{Span, Time};
use halftrack_program::Protocol;

/// Spans from the first IU, and from the command response or for the connect time, as the protocol has it, until the end; disconnect
/// time. ps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BriefTimes([u32; 3]);

/// The times that it stands for.
pub(super) struct WholeTimes {
    pub first_sent: Time,
    pub command_response: Time,
    pub connect: Span,
    pub disconnect: Span,
}

/// Returns `spans` in 32 bits of picoseconds each; `None` where one takes more.
#[inline(always)]
pub(super) fn brief<const N: usize>(spans: [Span; N]) -> Option<[u32; N]> {
    let is_brief = spans.iter().fold(0, |all, span| all | span.as_ps()) <= u64::from(u32::MAX);
    is_brief.then(|| spans.map(|span| span.as_ps() as u32))
}

impl BriefTimes {
    /// Returns the spans of a start over at `over_at`. Times that a protocol does not need are left out: see
    /// [`crate::images::accounting`].
    #[inline(always)]
    pub(super) fn spans(protocol: Protocol, over_at: Time, times: &WholeTimes) -> [Span; 3] {
        let received = match protocol {
            Protocol::Command => over_at.since(times.command_response),
            Protocol::Transport => times.connect,
        };
        [over_at.since(times.first_sent), received, times.disconnect]
    }

    /// Makes them of [`Self::spans`] in 32 bits.
    #[inline(always)]
    pub(super) fn of(spans_ps: [u32; 3]) -> Self {
        Self(spans_ps)
    }

    /// Returns the times of a start over at `over_at`.
    #[inline(always)]
    pub(super) fn whole(self, protocol: Protocol, over_at: Time) -> WholeTimes {
        let [sent, received, disconnect] = self.0.map(|ps| Span::from_ps(ps.into()));
        let (command_response, connect) = match protocol {
            Protocol::Command => (over_at - received, Span::ZERO),
            Protocol::Transport => (over_at, received),
        };
        WholeTimes { first_sent: over_at - sent, command_response, connect, disconnect }
    }
}
