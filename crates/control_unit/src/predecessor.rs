//! Effect of the preceding command: the reason why some commands are permitted at their place.

use halftrack_program::DeviceStatus;
use halftrack_program::command::{
    LOCATE_RECORD, LOCATE_RECORD_EXTENDED, PREFIX, SUSPEND_MULTIPATH_RECONNECTION,
};

use crate::access::{Access, Relation, SearchField};

/// The command before, as far as the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Predecessor {
    /// There is none: the chain begins.
    #[default]
    None,
    /// One that nothing depends on.
    Other,
    /// Suspend Multipath Reconnection as the first command of the chain.
    FirstSuspends,
    /// Locate Record in any form.
    Locate,
    /// Read Track.
    ReadTrack,
    /// Search ID Equal that was satisfied.
    IdFound,
    /// Search Key Equal that was satisfied.
    KeyFound,
    /// Search Home Address Equal that was satisfied, or Write Home Address.
    HomeAddress,
    /// A format write, after which another may follow.
    FormatWrite,
}

impl Predecessor {
    /// Creates a command other than a control that ended with `status`.
    pub(crate) const fn access(access: Access, status: DeviceStatus) -> Self {
        match access {
            Access::ReadTrack => Self::ReadTrack,
            Access::WriteHomeAddress => Self::HomeAddress,
            Access::FormatRecord { .. } | Access::WriteRecordZero => Self::FormatWrite,
            Access::Search { field, relation: Relation::Equal, .. }
                if status.contains(DeviceStatus::STATUS_MODIFIER) =>
            {
                match field {
                    SearchField::Id => Self::IdFound,
                    SearchField::Key => Self::KeyFound,
                    SearchField::HomeAddress => Self::HomeAddress,
                }
            }
            _ => Self::Other,
        }
    }

    /// Creates a control command behind this one.
    pub(crate) const fn then_control(self, command: u8) -> Self {
        match (self, command) {
            (_, LOCATE_RECORD | LOCATE_RECORD_EXTENDED | PREFIX) => Self::Locate,
            (Self::None, SUSPEND_MULTIPATH_RECONNECTION) => Self::FirstSuspends,
            _ => Self::Other,
        }
    }

    /// Returns whether Device Reserve and Unconditional Reserve may follow: nothing stands before them in a chain but
    /// Suspend Multipath Reconnection.
    pub(crate) const fn lets_reserve(self) -> bool {
        matches!(self, Self::None | Self::FirstSuspends)
    }
}
