//! I/O processor counters (SMF type 78-3, IOP section).

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// One IOP thread in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IopInterval {
    /// Index of its CPC, in a run of several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpc: u8,
    /// IOP number as RMF shows it, from 0.
    pub number: u16,
    /// Time busy, ps.
    pub busy_ps: u64,
    /// Start functions put on the initiative queue (IQCT).
    pub enqueued: u64,
    /// Sum over the enqueues of the queue length found, the new request included (IQSM).
    pub queue_sum: u64,
    /// I/O functions started (IIFS).
    pub started: u64,
    /// I/O interrupts processed (IPII).
    pub interrupts: u64,
    /// Requests retried.
    pub retries: Retries,
    /// Time busy with compression, part of the time busy, ps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub compression_busy_ps: u64,
    /// Time busy with storage-class memory, part of the time busy, ps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scm_busy_ps: u64,
}

/// Retried requests by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Retries {
    /// Channel path busy (ICPB).
    pub channel_path_busy: u64,
    /// Director port busy (IDPB).
    pub director_port_busy: u64,
    /// Control unit busy (ICUB).
    pub control_unit_busy: u64,
    /// Device busy (IDVB).
    pub device_busy: u64,
}
