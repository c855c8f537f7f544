//! Statistics of the I/Os of a stream: counts, response times, errors.

use std::collections::BTreeMap;
use std::fmt;

use halftrack_base::Span;
use halftrack_control_unit::DeviceCondition;
use halftrack_exchange::Cause;
use halftrack_program::Protocol;
use hdrhistogram::Histogram;

use super::contents::{Compared, Mismatch};
use super::synchronous::SynchronousStatistics;

/// Longest response that is distinguished from longer ones, ns: a hundred seconds.
const LONGEST_NS: u64 = 100_000_000_000;
/// Significant decimal digits of a response: a thousandth.
const DIGITS: u8 = 3;
/// Mismatches that are kept to be shown.
const MISMATCHES_KEPT: usize = 16;
/// Paths of a path group.
const PATHS: usize = 8;

/// Why an I/O failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IoError {
    /// Ending status other than channel end and device end.
    Status {
        /// Device status.
        device_status: u8,
        /// First two octets of the sense, when there was any.
        sense: Option<[u8; 2]>,
    },
    /// SCSI status other than GOOD.
    Scsi {
        /// The status.
        status: u8,
        /// Sense key and additional sense code with its qualifier, when there was any.
        sense: Option<[u8; 3]>,
    },
    /// The length was incorrect, or octets were missing.
    Length,
    /// No path is operational.
    NotOperational,
    /// Interface control checks on every attempt.
    PermanentError,
    /// No end came in time.
    MissingInterrupt,
    /// It was withdrawn when the run was broken off.
    Cancelled,
    /// It was read and a record was wrong.
    Mismatch,
    /// An open stream's arrival for which there was no room any more: devices and paths are too slow for its rate.
    Overload,
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { device_status, sense: None } => write!(f, "device status {device_status:02X}"),
            Self::Status { device_status, sense: Some([first, second]) } => {
                write!(f, "device status {device_status:02X}, sense {first:02X}{second:02X}")
            }
            Self::Scsi { status, sense: None } => write!(f, "SCSI status {status:02X}"),
            Self::Scsi { status, sense: Some([key, code, qualifier]) } => {
                write!(f, "SCSI status {status:02X}, sense {key:X}/{code:02X}/{qualifier:02X}")
            }
            Self::Length => f.write_str("incorrect length"),
            Self::NotOperational => f.write_str("no path operational"),
            Self::PermanentError => f.write_str("interface control checks on every path"),
            Self::MissingInterrupt => f.write_str("missing interrupt"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Mismatch => f.write_str("wrong data"),
            Self::Overload => f.write_str("not started: more arrivals than can be queued"),
        }
    }
}

/// Statistics of the I/Os of a stream.
#[derive(Debug, Clone)]
pub struct StreamStatistics {
    /// Reads that ended normally.
    pub reads: u64,
    /// Writes that ended normally.
    pub writes: u64,
    /// User data read.
    pub read_bytes: u64,
    /// User data written.
    pub written_bytes: u64,
    /// From the request to its end, ns; what ended normally.
    pub response_ns: Histogram<u64>,
    /// Of that, waiting for the device's address, summed, ns.
    pub queued_ns: u64,
    /// I/Os by protocol: command mode, transport mode.
    pub by_protocol: [u64; 2],
    /// I/Os over FCP.
    pub fcp: u64,
    /// I/Os by the path over which they ended.
    pub by_path: [u64; PATHS],
    /// I/Os that were synchronous, without a path.
    pub synchronous: u64,
    /// Account of synchronous reads and writes.
    pub by_synchronous: [SynchronousStatistics; 2],
    /// I/Os that failed, by kind.
    pub errors: BTreeMap<IoError, u64>,
    /// Attempts that ended in an interface control check and were driven again, by cause.
    pub redriven: BTreeMap<String, u64>,
    /// Starts that ended with a condition of the device and were started again, by condition.
    pub conditions: BTreeMap<DeviceCondition, u64>,
    /// Attempts that found something busy.
    pub busy: u64,
    /// Octets compared with what they must be.
    pub verified_bytes: u64,
    /// Octets seen for the first time.
    pub learnt_bytes: u64,
    /// Records that were wrong.
    pub mismatches: u64,
    /// The first of them.
    pub first_mismatches: Vec<Mismatch>,
}

/// Carrier of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoCarrier {
    /// A channel path, in the order of the file.
    Path(Protocol, u8),
    /// A path of FCP, in the order of the file.
    Fcp(u8),
    /// A link for synchronous I/O.
    Synchronous,
}

/// An I/O that ended normally.
#[derive(Debug, Clone, Copy)]
pub struct Completed {
    /// It wrote.
    pub write: bool,
    /// User data.
    pub bytes: u32,
    /// How it ended.
    pub carrier: IoCarrier,
    /// From the request to its end.
    pub response: Span,
    /// Of that, waiting for the device's address.
    pub queued: Span,
}

impl Default for StreamStatistics {
    fn default() -> Self {
        let response_ns = Histogram::new_with_max(LONGEST_NS, DIGITS);
        Self {
            reads: 0,
            writes: 0,
            read_bytes: 0,
            written_bytes: 0,
            response_ns: response_ns.expect("bounds and digits are within those of the histogram"),
            queued_ns: 0,
            by_protocol: [0; 2],
            fcp: 0,
            by_path: [0; PATHS],
            synchronous: 0,
            by_synchronous: Default::default(),
            errors: BTreeMap::new(),
            redriven: BTreeMap::new(),
            conditions: BTreeMap::new(),
            busy: 0,
            verified_bytes: 0,
            learnt_bytes: 0,
            mismatches: 0,
            first_mismatches: Vec::new(),
        }
    }
}

impl StreamStatistics {
    /// Counts an I/O that ended normally.
    #[inline]
    pub fn completed(&mut self, io: &Completed) {
        if io.write {
            self.writes += 1;
            self.written_bytes += u64::from(io.bytes);
        } else {
            self.reads += 1;
            self.read_bytes += u64::from(io.bytes);
        }
        self.response_ns.saturating_record(io.response.as_ps() / 1000);
        self.queued_ns += io.queued.as_ps() / 1000;
        match io.carrier {
            IoCarrier::Path(protocol, path) => {
                self.by_protocol[usize::from(protocol == Protocol::Transport)] += 1;
                self.by_path[usize::from(path) % PATHS] += 1;
            }
            IoCarrier::Fcp(path) => {
                self.fcp += 1;
                self.by_path[usize::from(path) % PATHS] += 1;
            }
            IoCarrier::Synchronous => self.synchronous += 1,
        }
    }

    /// Counts an I/O that failed.
    pub fn failed(&mut self, error: IoError) {
        *self.errors.entry(error).or_default() += 1;
    }

    /// Counts an attempt that was lost; the I/O is driven again.
    pub fn redriven(&mut self, cause: Cause) {
        *self.redriven.entry(format!("{cause:?}")).or_default() += 1;
    }

    /// Counts a command that is sent again, by the reason.
    pub fn sent_again(&mut self, why: &str) {
        *self.redriven.entry(why.to_owned()).or_default() += 1;
    }

    /// Counts a start that ended with a condition of the device; the I/O is started again.
    pub fn started_again(&mut self, condition: DeviceCondition) {
        *self.conditions.entry(condition).or_default() += 1;
    }

    /// Counts the records of a read that were compared.
    #[inline]
    pub fn compared(&mut self, compared: &Compared) {
        self.verified_bytes += compared.verified_bytes;
        self.learnt_bytes += compared.learnt_bytes;
        self.mismatches += compared.mismatches;
        if let Some(first) = compared.first
            && self.first_mismatches.len() < MISMATCHES_KEPT
        {
            self.first_mismatches.push(first);
        }
    }

    /// Returns the I/Os that ended normally.
    #[inline]
    pub fn ios(&self) -> u64 {
        self.reads + self.writes
    }

    /// Returns the I/Os that failed.
    pub fn failures(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Begins anew: what came before was warm-up. Failures and mismatches stay, for they count whenever they happen.
    pub fn restart(&mut self) {
        let fresh = Self::default();
        let old = std::mem::replace(self, fresh);
        self.errors = old.errors;
        self.redriven = old.redriven;
        self.verified_bytes = old.verified_bytes;
        self.learnt_bytes = old.learnt_bytes;
        self.mismatches = old.mismatches;
        self.first_mismatches = old.first_mismatches;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_counted_to_a_thousandth_and_never_lost() {
        let mut statistics = StreamStatistics::default();
        for us in [10, 20, 30, 1_000_000_000] {
            let completed = Completed {
                write: us == 20,
                bytes: 4096,
                carrier: IoCarrier::Path(Protocol::Transport, 1),
                response: Span::from_us(us),
                queued: Span::from_us(1),
            };
            statistics.completed(&completed);
        }
        assert_eq!((statistics.ios(), statistics.reads, statistics.written_bytes), (4, 3, 4096));
        assert!(statistics.response_ns.value_at_quantile(0.5).abs_diff(20_000) < 20);
        assert!(statistics.response_ns.max() >= LONGEST_NS);
        assert_eq!((statistics.by_protocol, statistics.by_path[1]), ([0, 4], 4));
    }

    #[test]
    fn warm_up_is_forgotten_and_failures_are_not() {
        let mut statistics = StreamStatistics { reads: 7, verified_bytes: 5, ..StreamStatistics::default() };
        statistics.failed(IoError::Status { device_status: 0x0E, sense: Some([0x80, 0]) });
        statistics.restart();
        assert_eq!((statistics.reads, statistics.failures(), statistics.verified_bytes), (0, 1, 5));
        let shown: Vec<_> = statistics.errors.keys().map(ToString::to_string).collect();
        assert_eq!(shown, ["device status 0E, sense 8000"]);
        let medium = IoError::Scsi { status: 2, sense: Some([3, 0x11, 0]) };
        assert_eq!(medium.to_string(), "SCSI status 02, sense 3/11/00");
    }
}
