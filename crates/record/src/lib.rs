//! The plain records that a run yields: counts and integer sums, nothing derived, nothing formatted.
//!
//! Times are integer picoseconds of virtual time, byte counts are bytes. Reports compute from these records
//! alone and never reach back into the machine. Names follow the SMF record fields they will fill
//! (types 73, 74-1, 74-9 and 78-3).

mod cache;
mod channel;
mod channel_kind;
mod compression;
mod connections;
mod conversation;
mod cpc;
mod data;
mod device;
mod eadm;
mod iop;
mod islink;
mod link;
mod moment;
mod offered;
mod pool;
mod program;
mod recoveries;
mod response_times;
mod run;
mod run_length;
mod synchronous;
mod zero;

pub use cache::CacheInterval;
pub use channel::{ChannelInterval, ChannelPart, Guideline, Operations, ProcessorEstimate};
pub use channel_kind::ChannelKind;
pub use compression::{CompressionFunctionInterval, CompressionInterval};
pub use connections::{ConnectionChange, ConnectionCounts, ConnectionState};
pub use conversation::ConversationInterval;
pub use cpc::{CpcHeader, DefinitionFile, SapCore};
pub use data::{CorruptRecord, DataSummary, FoundBy};
pub use device::{DeviceInterval, LcuInterval, LcuPath};
pub use eadm::EadmInterval;
pub use iop::{IopInterval, Retries};
pub use islink::{
    IsLinkDeviceInterval, IsLinkFlowInterval, RelocationOutcome, RelocationPass, RelocationSummary,
};
pub use link::{CreditShortage, LinkInterval};
pub use moment::{FunctionCondition, Moment, PathConnection, PathState};
pub use offered::{OfferedRate, OfferedTooMuch, OpenLoad};
pub use pool::PoolInterval;
pub use program::ProgramSummary;
pub use recoveries::Recoveries;
pub use response_times::ResponseTimes;
pub use run::{
    CheckerReport, Estimate, Interval, Mode, Run, RunHeader, StationInterval, StreamSummary, SystemHeader,
};
pub use run_length::{DetectedWarmup, MissedPrecision, PrecisionSummary, WarmupSummary};
pub use synchronous::{NotTried, SynchronousIo, SynchronousLinkInterval, SynchronousRequests};
