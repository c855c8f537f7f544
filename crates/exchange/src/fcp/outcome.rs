//! How an FCP exchange closes at the initiator; each reaches exactly one outcome.

use halftrack_wire::fcp::{Residual, ResponseCode, ScsiStatus};

use crate::outcome::Cause;

/// End of an exchange at the initiator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FcpOutcome {
    /// The command ended with a status.
    Ended {
        /// Status.
        status: ScsiStatus,
        /// Octets that did not move.
        residual: Residual,
        /// Sense.
        sense: Vec<u8>,
        /// Status qualifier.
        retry_delay: u16,
    },
    /// A task management function ended with this code.
    Managed(ResponseCode),
    /// The target refused what the initiator sent: a failure of the transport.
    Failed(ResponseCode),
    /// The target has nothing of the command, which can be sent again in a new exchange.
    CommandLost,
    /// The exchange was aborted. What the command did is unknown.
    Aborted(Cause),
}
