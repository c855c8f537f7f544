//! State of a device for each channel path.

use halftrack_program::SENSE_BYTES;

use crate::path_group::PathGroup;
pub use crate::path_group::PathGroupId;

/// State of a device for one channel path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathState {
    /// Sense of the last unit check, until a Sense takes it or another command is executed.
    pub(crate) sense: Option<[u8; SENSE_BYTES]>,
    pub(crate) group: PathGroup,
}

impl PathState {
    /// Returns the path group, when the path is in one.
    pub fn group(&self) -> Option<PathGroupId> {
        self.group.identifier()
    }

    /// Discards sense that was not fetched: the path is gone, or its channel starts anew.
    pub fn forget_sense(&mut self) {
        self.sense = None;
    }
}
