//! Compression by zEDC Express cards: functions (SMF type 74-9), and the programs whose data they compress.

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// One PCIe function of a compression card.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CompressionFunctionInterval {
    /// Index of its machine, in a run of several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpc: u8,
    /// Its identifier (PFID).
    pub pfid: u16,
    /// Physical channel of its card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pchid: Option<u16>,
    /// Number of the virtual function.
    pub vf: u16,
    /// Resource group of its card, such as `RG1`; `None` while it stands by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_group: Option<String>,
    /// Partition that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lpar: Option<String>,
    /// State at the end of the interval, as `D PCIE` shows it: `ALLC`, `CNFG`, `UPDT`, `STBY`.
    pub state: String,
    /// Time allocated to a partition, ps; 0 of one that no partition uses.
    pub allocated_ps: u64,
    /// Requests that ended.
    pub requests: u64,
    /// Sum of their times in queues, ps.
    pub queue_ps: u64,
    /// Sum of their times in the engine, ps.
    pub execution_ps: u64,
    /// Bytes that the card read.
    pub read_bytes: u64,
    /// Bytes that it wrote.
    pub written_bytes: u64,
}

/// One program that compresses, or inflates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CompressionInterval {
    /// Name in the workload.
    pub name: String,
    /// Its partition.
    pub lpar: String,
    /// Program, such as `smf`.
    pub exploiter: String,
    /// Function of the card: `deflate` or `inflate`.
    pub operation: String,
    /// Requests that it started.
    pub started: u64,
    /// Requests that cards did.
    pub requests: u64,
    /// Sum of their times from start to end, ps.
    pub response_ps: u64,
    /// Longest of these times, ps.
    pub response_max_ps: u64,
    /// Data of theirs before compression, bytes.
    pub plain_bytes: u64,
    /// Length of these data once compressed, bytes.
    pub compressed_bytes: u64,
    /// Requests that software did, since no card took them.
    pub software_requests: u64,
    /// Data of theirs before compression, bytes.
    pub software_bytes: u64,
    /// Processor time that software took for these, ps; `None` where the workload has no rate of software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_ps: Option<u64>,
    /// Processor time that software would have taken for what cards did, ps; `None` likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_ps: Option<u64>,
}
