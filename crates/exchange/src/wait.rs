//! The wait of a chain that has ended, while what it wrote or read is not safe yet.

use crate::device::DeviceEnding;

/// State of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// The barrier is to come, or under way.
    Pending,
    /// All is safe: the ending holds.
    Safe,
    /// The barrier failed; this takes the place of the ending.
    Failed(DeviceEnding),
}
