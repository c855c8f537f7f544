//! How long a port waits, and how often it asks.

use halftrack_base::Span;
use halftrack_wire::timers;

/// R_A_TOV: how long a frame may be on its way (reference section 1.4). Stated in answers to FLOGI.
pub const RESOURCE_ALLOCATION_TIMEOUT: Span = Span::from_us(timers::RESOURCE_ALLOCATION_TIMEOUT_US);

/// E_D_TOV (reference section 1.4). Stated in answers to FLOGI.
pub const ERROR_DETECT_TIMEOUT: Span = Span::from_us(timers::ERROR_DETECT_TIMEOUT_US);

/// How long a port waits for the answer to a link service before it asks again. Our choice: E_D_TOV, where FC-LS allows
/// twice R_A_TOV, because every answer comes from the same link or one hop further.
pub const ANSWER_TIMEOUT: Span = ERROR_DETECT_TIMEOUT;

/// How often a link service is asked before it counts as not answered.
pub const TRIES: u8 = 3;

/// How long a port waits after a refusal, or for a peer that the name server does not know, before it tries again when
/// no state change comes before: R_A_TOV, our choice.
pub const RETRY_INTERVAL: Span = RESOURCE_ALLOCATION_TIMEOUT;

/// How long a port that holds a name may take to answer a probe when another connection asks for the name: E_D_TOV, our
/// choice.
pub const PROBE_TIMEOUT: Span = ERROR_DETECT_TIMEOUT;
