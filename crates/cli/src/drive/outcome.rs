//! Results of a run of the driver, in the units that are printed.

use std::collections::BTreeMap;
use std::fmt;

use halftrack_link::driver::{
    Ledger, Mismatch, PathReport, RecordPlace, Report, StreamReport, StreamStatistics,
};
use serde::Serialize;

use super::synchronous::{Synchronous, ZHyperLink};

/// A run.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// Every I/O ended normally and every record was right.
    pub right: bool,
    /// Why the run was broken off.
    pub broken_off: Option<String>,
    /// Somebody wished that it end early.
    pub interrupted: bool,
    /// Measured time, s.
    pub measured_s: f64,
    /// Processor time of this process for each I/O, µs.
    pub cpu_us_per_io: f64,
    /// I/Os a second of all streams.
    pub ios_per_s: f64,
    /// User data of all streams, 10^6 bytes a second.
    pub mb_per_s: f64,
    /// Octets compared with what they must be.
    pub bytes_verified: u64,
    /// By stream.
    pub streams: Vec<Stream>,
    /// By channel path.
    pub paths: Vec<Path>,
    /// By link for synchronous I/O.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zhyperlinks: Vec<ZHyperLink>,
    /// Every I/O, warm-up included.
    pub ledger: Account,
}

/// A stream.
#[derive(Debug, Serialize)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// Reads that ended normally.
    pub reads: u64,
    /// Writes that ended normally.
    pub writes: u64,
    /// I/Os a second.
    pub ios_per_s: f64,
    /// User data read, 10^6 bytes a second.
    pub read_mb_per_s: f64,
    /// User data written, 10^6 bytes a second.
    pub write_mb_per_s: f64,
    /// From the request to the end.
    pub response_us: Response,
    /// Of the mean response: waiting for an address of the device, µs.
    pub queued_us: f64,
    /// I/Os in command mode.
    pub command_mode: u64,
    /// I/Os in transport mode.
    pub transport_mode: u64,
    /// I/Os over FCP; nothing of a stream that has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fcp: Option<u64>,
    /// Synchronous I/Os; nothing of a stream that has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synchronous: Option<Synchronous>,
    /// I/Os by channel path.
    pub by_path: BTreeMap<String, u64>,
    /// I/Os that failed, by kind.
    pub errors: BTreeMap<String, u64>,
    /// Attempts that were lost and driven again, by cause.
    pub redriven: BTreeMap<String, u64>,
    /// Attempts that found something busy.
    pub busy: u64,
    /// Octets compared with what they must be.
    pub bytes_verified: u64,
    /// Octets seen for the first time.
    pub bytes_learnt: u64,
    /// Records that were wrong.
    pub mismatches: u64,
    /// The first of them.
    pub first_mismatches: Vec<WrongRecord>,
}

/// A distribution of responses, µs.
#[derive(Debug, Serialize)]
pub struct Response {
    /// Least.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Median.
    pub p50: f64,
    /// 90 % are not above it.
    pub p90: f64,
    /// 95 % are not above it.
    pub p95: f64,
    /// 99 % are not above it.
    pub p99: f64,
    /// 99.9 % are not above it.
    pub p99_9: f64,
    /// 99.99 % are not above it.
    pub p99_99: f64,
    /// Most.
    pub max: f64,
}

/// A record that does not hold what it must.
#[derive(Debug, Serialize)]
pub struct WrongRecord {
    /// Unit address.
    pub unit: String,
    /// Where it lies.
    #[serde(flatten)]
    pub place: WrongPlace,
    /// First octet that is wrong.
    pub octet: usize,
}

/// Where a record lies.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum WrongPlace {
    /// On a track.
    Track {
        /// Cylinder.
        cylinder: u32,
        /// Head.
        head: u8,
        /// Record.
        record: u8,
    },
    /// From a block on.
    Block {
        /// Its number.
        block: u32,
    },
}

impl WrongPlace {
    fn of(place: &RecordPlace) -> Self {
        match place {
            RecordPlace::Track(address) => {
                Self::Track { cylinder: address.cylinder, head: address.head, record: address.record }
            }
            RecordPlace::Block(block) => Self::Block { block: *block },
        }
    }
}

impl fmt::Display for WrongPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Track { cylinder, head, record } => {
                write!(formatter, "cylinder {cylinder} head {head} record {record}")
            }
            Self::Block { block } => write!(formatter, "block {block}"),
        }
    }
}

/// A channel path.
#[derive(Debug, Serialize)]
pub struct Path {
    /// Channel-path id.
    pub chpid: String,
    /// Port name.
    pub wwpn: String,
    /// Whether it was online at the end.
    pub online: bool,
    /// How often it was lost.
    pub losses: u32,
    /// Why it is not online.
    pub trouble: Option<String>,
    /// Of a path that is online: why it was not, the last time.
    pub past_trouble: Option<String>,
}

/// Every I/O.
#[derive(Debug, Serialize)]
pub struct Account {
    /// Asked for.
    pub requested: u64,
    /// Ended normally.
    pub completed: u64,
    /// Failed.
    pub failed: u64,
    /// Not begun, because the run was over.
    pub dropped: u64,
    /// Every one ended exactly once.
    pub balanced: bool,
}

impl Outcome {
    /// Makes the outcome of a run.
    pub fn new(report: &Report) -> Self {
        let measured_s = report.measured.as_s_f64();
        let per_s = |amount: f64| if measured_s > 0.0 { amount / measured_s } else { 0.0 };
        let sum = |of: fn(&StreamStatistics) -> u64| {
            report.streams.iter().map(|stream| of(&stream.statistics)).sum::<u64>()
        };
        let ios = sum(StreamStatistics::ios);
        let chpids: Vec<_> = report.paths.iter().map(|path| format!("{:02X}", path.chpid)).collect();
        let processor_us = report.processor.as_s_f64() * 1e6;
        Self {
            right: report.is_right(),
            broken_off: report.broken_off.clone(),
            interrupted: report.interrupted,
            measured_s,
            cpu_us_per_io: if ios == 0 { 0.0 } else { processor_us / ios as f64 },
            ios_per_s: per_s(ios as f64),
            mb_per_s: per_s(sum(|one| one.read_bytes + one.written_bytes) as f64 / 1e6),
            bytes_verified: sum(|one| one.verified_bytes),
            streams: report.streams.iter().map(|stream| Stream::new(stream, measured_s, &chpids)).collect(),
            paths: report.paths.iter().map(Path::new).collect(),
            zhyperlinks: report.synchronous_links.iter().map(ZHyperLink::new).collect(),
            ledger: Account::new(&report.ledger),
        }
    }

    /// Formats the outcome as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings serialise") + "\n"
    }
}

impl Stream {
    fn new(report: &StreamReport, measured_s: f64, chpids: &[String]) -> Self {
        let one = &report.statistics;
        let per_s = |amount: f64| if measured_s > 0.0 { amount / measured_s } else { 0.0 };
        let by_path = chpids.iter().cloned().zip(one.by_path).collect();
        let shown = |wrong: &Mismatch| WrongRecord {
            unit: format!("{:02X}", wrong.unit),
            place: WrongPlace::of(&wrong.place),
            octet: wrong.octet,
        };
        Self {
            name: report.name.clone(),
            reads: one.reads,
            writes: one.writes,
            ios_per_s: per_s(one.ios() as f64),
            read_mb_per_s: per_s(one.read_bytes as f64 / 1e6),
            write_mb_per_s: per_s(one.written_bytes as f64 / 1e6),
            response_us: Response::new(one),
            queued_us: one.queued_ns as f64 / 1e3 / one.ios().max(1) as f64,
            command_mode: one.by_protocol[0],
            transport_mode: one.by_protocol[1],
            fcp: (one.fcp > 0).then_some(one.fcp),
            synchronous: Synchronous::of(one, measured_s),
            by_path,
            errors: one.errors.iter().map(|(error, count)| (error.to_string(), *count)).collect(),
            redriven: one.redriven.clone(),
            busy: one.busy,
            bytes_verified: one.verified_bytes,
            bytes_learnt: one.learnt_bytes,
            mismatches: one.mismatches,
            first_mismatches: one.first_mismatches.iter().map(shown).collect(),
        }
    }
}

impl Path {
    /// Makes the result of a path.
    pub fn new(report: &PathReport) -> Self {
        let trouble = (!report.trouble.is_empty()).then(|| report.trouble.clone());
        let (trouble, past_trouble) = if report.online { (None, trouble) } else { (trouble, None) };
        Self {
            chpid: format!("{:02X}", report.chpid),
            wwpn: report.port_name.to_string(),
            online: report.online,
            losses: report.losses,
            trouble,
            past_trouble,
        }
    }
}

impl Response {
    fn new(one: &StreamStatistics) -> Self {
        let us = |ns: f64| (ns / 10.0).round() / 100.0;
        let at = |quantile| us(one.response_ns.value_at_quantile(quantile) as f64);
        let some = one.ios() > 0;
        Self {
            min: if some { us(one.response_ns.min() as f64) } else { 0.0 },
            mean: us(one.response_ns.mean()),
            deviation: us(one.response_ns.stdev()),
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p99_9: at(0.999),
            p99_99: at(0.9999),
            max: us(one.response_ns.max() as f64),
        }
    }
}

impl Account {
    fn new(ledger: &Ledger) -> Self {
        Self {
            requested: ledger.requested,
            completed: ledger.completed,
            failed: ledger.failed,
            dropped: ledger.dropped,
            balanced: ledger.is_balanced(),
        }
    }
}
