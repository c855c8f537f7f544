//! Holder of a reservation.

use halftrack_control_unit::PathGroupId;

use super::PathKey;

/// Holder of a reservation: a path group, or a path that is in none. It lasts until it is released, by any host with
/// Unconditional Reserve, though every path of the group be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Group(PathGroupId),
    Path(PathKey),
}

impl Holder {
    pub(super) fn is(&self, path: PathKey, group: Option<PathGroupId>) -> bool {
        match self {
            Self::Group(holder) => group.as_ref() == Some(holder),
            Self::Path(holder) => *holder == path,
        }
    }
}
