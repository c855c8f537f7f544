//! Logical links of ISFC: each channel-to-channel device as the system at one of its ends uses it.

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// One end of a channel-to-channel device in one interval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IsLinkDeviceInterval {
    /// Name of the logical link.
    pub islink: String,
    /// Partition of the system at this end.
    pub lpar: String,
    /// Partition of the system at the other end.
    pub partner: String,
    /// Index of the machine of this end, in a run of several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpc: u8,
    /// CHPID of this end.
    pub chpid: u8,
    /// Device number at this end.
    pub number: u16,
    /// Starts (SSCH) of this system.
    pub starts: u64,
    /// Blocks that this system has written, and their bytes.
    pub blocks: u64,
    /// Bytes of those.
    pub bytes: u64,
    /// Writes of this system that met a Write of the other.
    pub collisions: u64,
    /// Time that a start of this system was in progress, ps.
    pub active_ps: u64,
}
