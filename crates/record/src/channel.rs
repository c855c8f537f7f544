//! Channel path counters (SMF type 73).

use halftrack_program::PerProtocol;
use serde::{Deserialize, Serialize};

use crate::recoveries::Recoveries;
use crate::zero::is_zero;
use crate::{ChannelKind, ConnectionCounts};

/// One physical channel in one interval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelInterval {
    /// Index of its CPC, in a run of several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpc: u8,
    /// CHPID.
    pub chpid: u8,
    /// Channel subsystems it is defined in.
    pub css: Vec<u8>,
    /// PCHID; none on machines where a CHPID is a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pchid: Option<u16>,
    /// Kind, by its acronym in the report.
    #[serde(rename = "acronym")]
    pub kind: ChannelKind,
    /// Generation code of the report's G column (link speed and FEC), hexadecimal; 0 when none is known.
    pub generation: u8,
    /// Negotiated link speed in Gbit/s.
    pub link_gbps: u32,
    /// Shared between partitions.
    pub shared: bool,
    /// Online at the end of the interval.
    pub online: bool,
    /// Time the channel processor was busy for all partitions, ps.
    pub processor_busy_ps: u64,
    /// Time the channel's joint bus was busy, ps.
    pub bus_busy_ps: u64,
    /// Bytes read (control unit to channel), payload only, all partitions.
    pub read_bytes: u64,
    /// Bytes written, payload only, all partitions.
    pub write_bytes: u64,
    /// Operations of each protocol.
    #[serde(flatten)]
    pub operations: PerProtocol<Operations>,
    /// Recoveries of exchanges that had lost frames.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recoveries: Recoveries,
    /// Its connections by state at the end of the interval; `None` where no part of the site takes part in endpoint security.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionCounts>,
    /// The share of each partition, by (CSS, MIF).
    pub parts: Vec<ChannelPart>,
    /// Estimate that replaces the processor's busy time in reports where the channel does not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<ProcessorEstimate>,
    /// Highest advised utilisations; `None` where nothing is advised.
    #[serde(default = "usual_guideline")]
    pub guideline: Option<Guideline>,
}

/// Highest advised utilisations of a channel, percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guideline {
    /// Of its processor, or of the path that one program holds at a time.
    pub processor_percent: u8,
    /// Of its bus; `None` where nothing is advised.
    pub bus_percent: Option<u8>,
}

/// Returns guidelines of files that have none (*FICON Express32S Performance*, channel activity).
fn usual_guideline() -> Option<Guideline> {
    Some(Guideline { processor_percent: 50, bus_percent: Some(70) })
}

impl ChannelInterval {
    /// Returns operations started in all protocols.
    #[must_use]
    pub fn started(&self) -> u64 {
        self.operations.iter().map(|(_, operations)| operations.started).sum()
    }

    /// Returns the processor time that reports show for all partitions: estimated where it is not measured, ps.
    #[must_use]
    pub fn reported_processor_ps(&self) -> u64 {
        self.estimate.map_or(self.processor_busy_ps, |estimate| estimate.of(estimate.sequences))
    }

    /// Returns the processor time that reports show for one of its partitions, ps.
    #[must_use]
    pub fn reported_part_ps(&self, part: &ChannelPart) -> u64 {
        self.estimate.map_or(part.processor_busy_ps, |estimate| estimate.of(part.sequences))
    }
}

impl ProcessorEstimate {
    /// Returns the processor time that so many information units stand for, ps.
    fn of(&self, sequences: u64) -> u64 {
        sequences.saturating_mul(self.sequence_ps)
    }
}

/// Utilisation of a channel processor estimated from the information units it handled. RMF does so for channels without
/// a data router: 100 % is the rate of units at the channel's maximum of 4 KiB read hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorEstimate {
    /// Information units sent and received, all partitions.
    pub sequences: u64,
    /// Time that each counts for, ps.
    pub sequence_ps: u64,
}

/// Operations of one protocol on one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Operations {
    /// Operations attempted (EOC, ETC).
    pub started: u64,
    /// Operations that could not start at once for lack of channel resources (EOD, ETD).
    pub deferred: u64,
    /// Sum over the starts of operations of the same protocol then active on the channel, the new one
    /// included (EOS, ETS).
    pub active_sum: u64,
}

/// One partition's use of one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelPart {
    /// Partition name.
    pub lpar: String,
    /// Channel-processor time, ps.
    pub processor_busy_ps: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Information units sent and received, where the processor's busy time is estimated from them; else 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sequences: u64,
}
