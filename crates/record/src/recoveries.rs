//! Recoveries of exchanges that have lost frames.

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// Recoveries of exchanges on one channel in one interval, where frames were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recoveries {
    /// Time-outs of the channel: nothing came of an exchange for as long as one waits for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub time_outs: u64,
    /// Starts whose exchange ended in an interface control check: each is driven again, over another path where there is one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redrives: u64,
    /// Starts that ended because their interrupt was missing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing_interrupts: u64,
}
