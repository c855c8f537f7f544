//! Values that an initiator and a target agreed on, and the time-outs of both (FCP reference sections 1.7 and 2.1).

use halftrack_base::Span;
use halftrack_wire::els::FcpLogin;
use halftrack_wire::timers::{
    COMMAND_TIMEOUT, RECOVERY_TIMEOUT, RESOURCE_ALLOCATION_TIMEOUT, RETRANSMISSION_TIMEOUT,
    RETRANSMISSION_TIMEOUT_WITH_RETRY, TASK_MANAGEMENT_TIMEOUT,
};

use crate::plan::Login;

/// Time-outs of an FCP exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpTimers {
    /// Time without activity after which the initiator sends REC (REC_TOV).
    pub recovery: Span,
    /// Time without activity after which the initiator aborts a command, where no REC was agreed, and the target drops
    /// it.
    pub command: Span,
    /// Time after which the initiator aborts a task management function.
    pub management: Span,
    /// Time in which ABTS is to be answered.
    pub abort: Span,
    /// Time for which a target keeps what it may have to send again (RR_TOV).
    pub retention: Span,
}

impl FcpTimers {
    /// Returns the times of the standard, those with retry or those without.
    #[must_use]
    pub fn standard(is_retried: bool) -> Self {
        Self {
            recovery: RECOVERY_TIMEOUT,
            command: COMMAND_TIMEOUT,
            management: TASK_MANAGEMENT_TIMEOUT,
            abort: RESOURCE_ALLOCATION_TIMEOUT + RESOURCE_ALLOCATION_TIMEOUT,
            retention: if is_retried { RETRANSMISSION_TIMEOUT_WITH_RETRY } else { RETRANSMISSION_TIMEOUT },
        }
    }
}

/// Values of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpAgreement {
    /// Lost information units are sent again: REC and SRR.
    pub is_retried: bool,
    /// A target may request FCP_CONF.
    pub is_confirmed: bool,
    /// Most octets of one sequence of data; 0 for no limit.
    pub burst_bytes: u32,
    /// Time-outs.
    pub timers: FcpTimers,
}

impl FcpAgreement {
    /// Returns the values that follow from what the target granted.
    #[must_use]
    pub fn of_login(granted: FcpLogin, burst_bytes: u32) -> Self {
        let is_retried = granted.has(FcpLogin::RETRY);
        Self {
            is_retried,
            is_confirmed: granted.has(FcpLogin::CONFIRMATION),
            burst_bytes,
            timers: FcpTimers::standard(is_retried),
        }
    }

    /// Returns the values of a plan: disks agree on neither retransmission nor confirmation.
    pub(super) fn of_plan(login: &Login) -> Self {
        Self::of_login(FcpLogin::default(), login.transfer_ready_bytes)
    }
}
