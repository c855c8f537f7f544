//! Report of a relocation, of either system.

use halftrack_base::Span;

use super::Pass;
use super::record::Reason;
use crate::system_name::SystemName;

/// End of a relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// The guest was moved.
    Moved {
        /// It was stopped because the rest could be moved within the wanted time.
        has_converged: bool,
    },
    /// An earlier start of a system has moved the guest.
    AlreadyThere,
    /// The guest stays where it was.
    Stays(Reason),
}

impl Conclusion {
    /// Returns whether the guest is at the destination.
    pub const fn is_moved(self) -> bool {
        matches!(self, Self::Moved { .. } | Self::AlreadyThere)
    }
}

/// Report of a relocation, of either system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelocationReport {
    /// Name of the guest.
    pub guest: SystemName,
    /// Octets of its memory; none at a destination where no attempt has begun.
    pub memory_bytes: u64,
    /// Longest time for which the guest may be stopped, as the source has it.
    pub quiesce_max: Option<Span>,
    /// Attempts that began, the last of which is reported.
    pub attempts: u32,
    /// Passes that are over.
    pub passes: Vec<Pass>,
    /// Time for which the guest was stopped, once it goes on at the destination.
    pub quiesce: Option<Span>,
    /// Time from the first page to the end.
    pub total: Option<Span>,
    /// End, once it has come.
    pub conclusion: Option<Conclusion>,
}
