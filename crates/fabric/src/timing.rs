//! Times that a port waits, and how often it requests.

use halftrack_base::Span;
use halftrack_wire::timers;

/// E_D_TOV (reference section 1.4). Stated in answers to FLOGI.
pub const ERROR_DETECT_TIMEOUT: Span = Span::from_us(timers::ERROR_DETECT_TIMEOUT_US);

/// How long a port waits for the answer to a link service before it sends the request again. Our choice: E_D_TOV, where FC-LS allows
/// twice R_A_TOV, because every answer comes from the same link or one hop further.
pub const ANSWER_TIMEOUT: Span = ERROR_DETECT_TIMEOUT;

/// How often a link service is sent before it counts as not answered.
pub const TRIES: u8 = 3;

/// How long a port waits after a refusal, or for a peer that the name server does not list, before it tries again when
/// no state change comes before: R_A_TOV, our choice.
pub const RETRY_INTERVAL: Span = timers::RESOURCE_ALLOCATION_TIMEOUT;

/// How long a port that holds a name may take to answer a probe when another connection claims the name: E_D_TOV, our
/// choice.
pub const PROBE_TIMEOUT: Span = ERROR_DETECT_TIMEOUT;
