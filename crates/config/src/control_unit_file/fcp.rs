//! `[fcp]` of a control unit: time-outs of its ports of FCP.

use halftrack_base::Span;
use halftrack_input::{Expect, Fields};
use halftrack_wire::timers::{COMMAND_TIMEOUT, RETRANSMISSION_TIMEOUT_WITH_RETRY};

/// Longest time-out, ms.
const TIMEOUT_MAX_MS: u64 = 3_600_000;
const PS_PER_MS: u64 = 1_000_000_000;

/// Time-outs of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetTimeouts {
    /// Time without a frame after which a command whose data do not come is dropped.
    pub command: Span,
    /// Time for which an exchange that has ended is kept (RR_TOV).
    pub retention: Span,
}

impl Default for TargetTimeouts {
    fn default() -> Self {
        Self { command: COMMAND_TIMEOUT, retention: RETRANSMISSION_TIMEOUT_WITH_RETRY }
    }
}

pub(super) fn read_timeouts(fields: &mut Fields<'_>) -> TargetTimeouts {
    let default = TargetTimeouts::default();
    let read = fields.optional_table("fcp", |fcp| {
        Some(TargetTimeouts {
            command: milliseconds(fcp, "command_timeout_ms", default.command),
            retention: milliseconds(fcp, "rr_tov_ms", default.retention),
        })
    });
    read.unwrap_or(default)
}

/// Returns a time-out in milliseconds.
pub(crate) fn milliseconds(fields: &mut Fields<'_>, key: &'static str, default: Span) -> Span {
    let number = Expect::integer(1..=TIMEOUT_MAX_MS);
    Span::from_ms(fields.or(key, number, default.as_ps() / PS_PER_MS))
}
