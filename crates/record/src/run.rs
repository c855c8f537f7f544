//! A run and its intervals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::cpc::{DefinitionFile, SapCore};
use crate::zero::is_zero;
use crate::{
    CacheInterval, ChannelInterval, CompressionFunctionInterval, CompressionInterval, ConnectionChange,
    ConversationInterval, CpcHeader, CreditShortage, DataSummary, DeviceInterval, EadmInterval, IopInterval,
    IsLinkDeviceInterval, IsLinkFlowInterval, LcuInterval, LinkInterval, OfferedTooMuch, OpenLoad,
    PoolInterval, PrecisionSummary, ProgramSummary, RelocationSummary, ResponseTimes,
    SynchronousLinkInterval, WarmupSummary,
};

/// Everything that one run yields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Machines, systems and options of the run.
    pub header: RunHeader,
    /// Warm-up before measuring began.
    #[serde(default)]
    pub warmup: WarmupSummary,
    /// How sharp the estimates were to be; `None` when the workload alone decided the length of the run.
    #[serde(default)]
    pub precision: Option<PrecisionSummary>,
    /// The measured intervals in time order; warm-up is not among them. The last is shorter than the others when the
    /// run stopped as soon as its estimates were sharp.
    pub intervals: Vec<Interval>,
    /// Per stream: rate and response with confidence over the measured time.
    pub streams: Vec<StreamSummary>,
    /// Per stream: what each kind of its I/Os puts on the fibre.
    #[serde(default)]
    pub programs: Vec<ProgramSummary>,
    /// Links whose credits do not cover their distance, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credit_shortages: Vec<CreditShortage>,
    /// Stations and pools that are too small for the open streams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered_too_much: Vec<OfferedTooMuch>,
    /// Changes of connections under endpoint security over the whole run, warm-up included, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connection_changes: Vec<ConnectionChange>,
    /// Guests that were moved over logical links, over the whole run, warm-up included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<RelocationSummary>,
    /// Findings of the law checkers over the whole run, warm-up included.
    pub checkers: Vec<CheckerReport>,
    /// Verification of the data over the whole run; `None` where only their lengths are simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSummary>,
}

/// Machines, systems and options of a run, so that a report can head its pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Name of the study.
    pub study: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// `burst` or `frame`.
    pub fidelity: String,
    /// Machine type of the deck, such as 3931; as what follows, of the first machine of several.
    pub machine_type: u16,
    /// Model of the plant, such as `Max39`.
    pub model: String,
    /// IOCDS name (MSG1 of the deck), blank when the deck has none.
    pub iocds: String,
    /// The definition file that the deck was written from; `None` when the deck does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_file: Option<DefinitionFile>,
    /// Virtual date and time at which measuring begins, `YYYY-MM-DDThh:mm:ss`.
    pub start: String,
    /// RMF sampling cycle, ms.
    pub cycle_ms: u32,
    /// How the machine is divided.
    #[serde(default, skip_serializing_if = "Mode::is_lpar")]
    pub mode: Mode,
    /// Processor drawers; 0 where they are not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drawers: u8,
    /// Where the SAP cores are, in the order of their IOP threads; empty where the structure is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sap_cores: Vec<SapCore>,
    /// Every machine, where they have names; none where one machine has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpcs: Vec<CpcHeader>,
    /// The load or the machine changes during the run: a stream follows a trace, or something is disturbed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub varies: bool,
    /// The systems (one a logical partition with work), by machine, CSS and MIF id.
    pub systems: Vec<SystemHeader>,
}

impl RunHeader {
    /// Returns every machine, by name.
    #[must_use]
    pub fn machines(&self) -> Cow<'_, [CpcHeader]> {
        if !self.cpcs.is_empty() {
            return Cow::Borrowed(&self.cpcs);
        }
        Cow::Owned(vec![CpcHeader {
            name: String::new(),
            machine_type: self.machine_type,
            model: self.model.clone(),
            iocds: self.iocds.clone(),
            definition_file: self.definition_file.clone(),
            mode: self.mode,
            drawers: self.drawers,
            sap_cores: self.sap_cores.clone(),
        }])
    }

    /// Returns the prefix of the names of the parts of machine `index`: `B.`, nothing when it has no name.
    #[must_use]
    pub fn prefix(&self, index: u8) -> String {
        self.cpcs.get(usize::from(index)).map_or(String::new(), CpcHeader::prefix)
    }

    /// Returns the prefix of names on the machine of the system in partition `lpar`.
    #[must_use]
    pub fn prefix_of(&self, lpar: &str) -> String {
        let system = self.systems.iter().find(|system| system.name == lpar);
        self.prefix(system.map_or(0, |system| system.cpc))
    }

    /// Returns the machine `index`; the first when there is none.
    #[must_use]
    pub fn machine(&self, index: u8) -> CpcHeader {
        let machines = self.machines();
        machines.get(usize::from(index)).unwrap_or(&machines[0]).clone()
    }
}

/// How a machine is divided among systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Mode {
    /// Into logical partitions.
    #[default]
    #[serde(rename = "LPAR")]
    Lpar,
    /// Not at all: one system has the machine.
    #[serde(rename = "BASIC")]
    Basic,
}

impl Mode {
    /// Returns the name as reports print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lpar => "LPAR",
            Self::Basic => "BASIC",
        }
    }

    /// Returns true for LPAR mode, the only one in files from before BASIC mode.
    pub(crate) fn is_lpar(&self) -> bool {
        *self == Self::Lpar
    }
}

/// One z/OS image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemHeader {
    /// Partition name.
    pub name: String,
    /// SMF system id, by which reports call it; empty in records of before there was one, which have the first four
    /// characters of the name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub smfid: String,
    /// Index of its machine, in a run of several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpc: u8,
    /// Channel subsystem.
    pub css: u8,
    /// MIF image id.
    pub mif: u8,
    /// Its processors are IFLs: it runs Linux or z/VM, of which RMF measures channels alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub has_ifls: bool,
}

/// One measured interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// From 0.
    pub index: u32,
    /// Beginning, in picoseconds after the start of measuring.
    pub start_ps: u64,
    /// Length in picoseconds.
    pub length_ps: u64,
    /// One per channel path (physical channel) in canonical order.
    pub channels: Vec<ChannelInterval>,
    /// One per IOP thread.
    pub iops: Vec<IopInterval>,
    /// One per logical control unit and system.
    pub lcus: Vec<LcuInterval>,
    /// One per base device and system that used it.
    pub devices: Vec<DeviceInterval>,
    /// Busy time of every station of the machine, for finding the bottleneck.
    pub stations: Vec<StationInterval>,
    /// One per one-way link, by name.
    #[serde(default)]
    pub links: Vec<LinkInterval>,
    /// Pools of which any was taken or waited for, by kind and name; bases and aliases only where they were waited for, credits
    /// also where a larger share of them was out than the link was busy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<PoolInterval>,
    /// One per storage box, in a run whose streams draw tracks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<CacheInterval>,
    /// One per zHyperLink, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synchronous_links: Vec<SynchronousLinkInterval>,
    /// One per channel-to-channel device of a logical link and end, by link, end and number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub islinks: Vec<IsLinkDeviceInterval>,
    /// One per bulk, requests and guest of a logical link, in the order of the workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub islink_flows: Vec<IsLinkFlowInterval>,
    /// One per PCIe function of a compression card, by machine and identifier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compression_functions: Vec<CompressionFunctionInterval>,
    /// One per flow of operations on EADM subchannels, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eadm: Vec<EadmInterval>,
    /// One per program that compresses, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compression: Vec<CompressionInterval>,
    /// One per conversation between partitions, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<ConversationInterval>,
}

/// Utilisation of one station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StationInterval {
    /// Canonical name, such as `channel 0.40 processor`.
    pub name: String,
    /// Servers in parallel; 0 of what only counts time that was lost.
    pub servers: u32,
    /// Sum over the servers of busy time in the interval, ps.
    pub busy_ps: u64,
    /// Visits completed in the interval.
    pub completions: u64,
}

/// An estimate with its confidence interval by batch means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean over the batches.
    pub mean: f64,
    /// Half-width of the confidence interval; 0 with fewer than two batches, or without I/Os.
    pub half_width: f64,
    /// Confidence level of the interval.
    #[serde(default = "usual_confidence")]
    pub confidence: f64,
}

/// Returns the level of interval files that do not name one.
fn usual_confidence() -> f64 {
    0.95
}

/// Measured behaviour of one stream of the workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// Stream name.
    pub name: String,
    /// I/Os completed.
    pub completed: u64,
    /// I/Os that ended with anything but normal ending status.
    pub failed: u64,
    /// I/Os per second.
    pub rate_per_s: Estimate,
    /// Response time (IOSQ + PEND + DISC + CONN), µs.
    pub response_us: Estimate,
    /// Offered and served load; `None` for a stream whose jobs wait for their I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<OpenLoad>,
    /// Its response times over the measured time; empty in files of runs that did not count them.
    #[serde(default, skip_serializing_if = "ResponseTimes::is_empty")]
    pub response_times: ResponseTimes,
}

/// One law checker's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckerReport {
    /// Name of the law.
    pub law: String,
    /// How many times it was applied.
    pub checks: u64,
    /// Violations that it found, empty when the law held.
    pub violations: Vec<String>,
}
