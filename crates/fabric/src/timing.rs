//! Timeouts and retries of a port.

use halftrack_base::Span;
use halftrack_wire::timers;

/// E_D_TOV (reference section 1.4). Stated in answers to FLOGI.
pub const ERROR_DETECT_TIMEOUT: Span = Span::from_us(timers::ERROR_DETECT_TIMEOUT_US);

/// Timeout of the answer to a link service before it is sent again. Our choice: E_D_TOV, where FC-LS allows twice
/// R_A_TOV, because every answer comes from the same fabric, of few hops.
pub const ANSWER_TIMEOUT: Span = ERROR_DETECT_TIMEOUT;

/// Most tries of a link service before it counts as not answered.
pub const TRIES: u8 = 3;

/// Interval between tries after a refusal, or for a peer that is not in the name server, when no state change comes
/// before: R_A_TOV, our choice.
pub const RETRY_INTERVAL: Span = timers::RESOURCE_ALLOCATION_TIMEOUT;

/// Timeout of a probe of a port that holds a name, when another connection claims the name: E_D_TOV, our choice.
pub const PROBE_TIMEOUT: Span = ERROR_DETECT_TIMEOUT;

/// Most inter-switch links in a row that a frame passes: with them the hold times of all switches on its way, and those of
/// its ends, come to R_A_TOV (reference recovery.md: the hold time follows from 7 hops).
pub const HOPS_MAX: u8 = 7;
