//! Changes of logical paths.

use halftrack_wire::link_control::{RejectReason, RemovedReason};
use thiserror::Error;

/// Name of a logical path: the other port, and one image at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogicalPath {
    /// Address of the other port.
    pub peer: u32,
    /// Channel image.
    pub channel_image: u8,
    /// Control-unit image.
    pub control_unit_image: u8,
}

/// A change that is reported to the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathEvent {
    /// Device-level information units may flow.
    Established(LogicalPath),
    /// They may not, or no longer: exchanges on the path are over.
    Removed {
        /// Path that is gone.
        path: LogicalPath,
        /// Cause of the removal.
        why: RemovalCause,
    },
}

/// Reason for which a logical path is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RemovalCause {
    /// LPR: the control unit does not establish the path.
    #[error("the control unit does not establish it: {}", removed_words(*.0))]
    Refused(RemovedReason),
    /// LRJ: the control unit rejects the request.
    #[error("the control unit rejects the request, LRJ reason {:#04x}", .0.code())]
    Rejected(RejectReason),
    /// RLP: the other side removed the path.
    #[error("the other side removed it")]
    Removed,
    /// This side removed the path.
    #[error("this side removed it")]
    Closed,
    /// LRJ or TIR: the path is unknown to the other side.
    #[error("the other side does not know it")]
    Unknown,
    /// ELP for a path that was there: the channel starts anew.
    #[error("the channel established it anew")]
    Anew,
    /// No answer, however often the request was sent.
    #[error("no answer")]
    NoAnswer,
    /// The login or the link under the path is gone.
    #[error("the login is over")]
    LoggedOut,
}

const fn removed_words(reason: RemovedReason) -> &'static str {
    match reason {
        RemovedReason::Requested => "removed on request",
        RemovedReason::FeatureConflict => "optional features conflict",
        RemovedReason::OutOfResources => "out of resources",
        RemovedReason::InitializationInProgress => "initialization in progress",
        RemovedReason::NoSuchImage => "no such image",
        RemovedReason::Other(_) => "for a reason without a meaning here",
    }
}
