//! State of a device for each channel path.

use halftrack_program::SENSE_BYTES;

use crate::path_group::PathGroup;
pub use crate::path_group::PathGroupId;
use crate::sense::UnitCheck;

/// State of a device for one channel path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathState {
    /// Sense of the last unit check, until a Sense takes it or another command is executed.
    pub(crate) sense: Option<[u8; SENSE_BYTES]>,
    pub(crate) group: PathGroup,
    /// Unit check that the next command or operation ends with, before anything is executed.
    event: Option<UnitCheck>,
}

impl PathState {
    /// Returns the path group, when the path is in one.
    pub fn group(&self) -> Option<PathGroupId> {
        self.group.identifier()
    }

    /// Returns the state after a reset: the next start over the path is answered with a resetting event.
    #[must_use]
    pub fn after_reset() -> Self {
        Self { event: Some(UnitCheck::ResettingEvent), ..Self::default() }
    }

    /// Sets the unit check that the next command or operation ends with, unless there is one already.
    pub fn present(&mut self, event: UnitCheck) {
        self.event.get_or_insert(event);
    }

    /// Takes the unit check that a command or operation ends with.
    #[inline]
    pub(crate) fn take_event(&mut self) -> Option<UnitCheck> {
        self.event.take()
    }

    /// Discards sense that was not fetched: the path is gone, or its channel starts anew.
    pub fn forget_sense(&mut self) {
        self.sense = None;
    }
}
