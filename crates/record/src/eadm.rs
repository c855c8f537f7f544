//! Operations on EADM subchannels in an interval.

use serde::{Deserialize, Serialize};

/// Operations of one flow of the workload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EadmInterval {
    /// Name in the workload.
    pub name: String,
    /// Partition that requests them.
    pub lpar: String,
    /// `compression`, or `scm` for storage-class memory.
    pub kind: String,
    /// Operations that were started (SSCH).
    pub started: u64,
    /// Sum of the times that they waited for an IOP thread, ps.
    pub queue_ps: u64,
    /// Sum of the times that a thread had them, ps.
    pub service_ps: u64,
}
