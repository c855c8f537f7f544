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
    /// Blocks that this system has written, those of the protocol included.
    pub blocks: u64,
    /// Bytes of streams in them, each once.
    pub bytes: u64,
    /// Writes of this system that met a Write of the other.
    pub collisions: u64,
    /// Time that a start of this system was in progress, ps.
    pub active_ps: u64,
}

/// Work over a logical link in one interval: a bulk, requests, or a guest that moves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IsLinkFlowInterval {
    /// Name of the logical link.
    pub islink: String,
    /// Name of the requests or the guest; none of a bulk.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Partition of the system that begins it.
    pub from: String,
    /// Partition of the other one.
    pub to: String,
    /// Bytes that the other system has taken.
    pub bytes: u64,
    /// Bytes that the other system has sent back.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub answered_bytes: u64,
    /// Requests at a time; 0 of what is no requests.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Time from a response to the next request, ps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub think_ps: u64,
    /// Requests that have got their response.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub responses: u64,
    /// Sum of their response times, ps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub response_ps: u64,
    /// Longest of them, ps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub response_max_ps: u64,
}

/// Relocation of a guest over the whole run, warm-up included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelocationSummary {
    /// Name of the guest.
    pub guest: String,
    /// Name of the logical link.
    pub islink: String,
    /// Partition that it leaves.
    pub from: String,
    /// Partition to which it moves.
    pub to: String,
    /// Beginning, ps from the start of the run.
    pub start_ps: u64,
    /// Longest time for which it was to be stopped, ps.
    pub wanted_quiesce_ps: u64,
    /// Passes over its memory that are over.
    pub passes: Vec<RelocationPass>,
    /// Time for which it was stopped, ps; `None` where it goes on at its old place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiesce_ps: Option<u64>,
    /// Time of all passes, ps; `None` before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_ps: Option<u64>,
    /// Outcome.
    pub outcome: RelocationOutcome,
}

/// Pass over the memory of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelocationPass {
    /// Bytes moved.
    pub bytes: u64,
    /// Time, ps.
    pub span_ps: u64,
    /// The guest was stopped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub is_quiesced: bool,
}

/// Outcome of a relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RelocationOutcome {
    /// The guest was moved, and stopped for as long as was foreseen.
    Converged,
    /// The passes did not converge; the guest was stopped and moved nevertheless.
    Quiesced,
    /// The passes did not converge; the guest stays.
    Cancelled,
    /// The run was over before.
    Unfinished,
}
