//! Results of a run of the driver.

use halftrack_base::Span;
use halftrack_wire::WorldWideName;

use super::io_driver::Ledger;
use super::statistics::StreamStatistics;
use super::synchronous::SynchronousLinkReport;

/// How far a run has come.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Phase of the run.
    pub stage: Stage,
    /// Part of the stage that is over, 0 to 1; nothing when its end is not known.
    pub part: Option<f64>,
    /// I/Os that ended normally in the measured time.
    pub ios: u64,
    /// User data moved, bytes.
    pub bytes: u64,
    /// Measured time.
    pub measured: Span,
    /// Mean response, µs.
    pub mean_us: f64,
    /// Paths online.
    pub paths: usize,
}

/// Phase of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// Links, logins and logical paths come up.
    #[default]
    Connecting,
    /// Tracks are laid out.
    Formatting,
    /// I/O that is not measured.
    WarmUp,
    /// I/O that is measured.
    Running,
    /// The last I/Os come to their end.
    Draining,
}

/// Results of a run.
#[derive(Debug)]
pub struct Report {
    /// By stream, in the order of the file.
    pub streams: Vec<StreamReport>,
    /// By path, in the order of the file.
    pub paths: Vec<PathReport>,
    /// By link for synchronous I/O, in the order of the file.
    pub synchronous_links: Vec<SynchronousLinkReport>,
    /// Measured time.
    pub measured: Span,
    /// Processor time that the process used in it.
    pub processor: Span,
    /// Every I/O of the run, warm-up included.
    pub ledger: Ledger,
    /// Somebody wished that the run end early.
    pub interrupted: bool,
    /// Why the run was broken off.
    pub broken_off: Option<String>,
}

impl Report {
    /// Returns whether every I/O ended exactly once and none failed, and every record was right.
    pub fn is_right(&self) -> bool {
        let mismatches: u64 = self.streams.iter().map(|stream| stream.statistics.mismatches).sum();
        self.ledger.is_balanced() && self.ledger.failed == 0 && mismatches == 0 && self.broken_off.is_none()
    }
}

/// Results of a stream.
#[derive(Debug)]
pub struct StreamReport {
    /// Its name.
    pub name: String,
    /// Statistics of its I/Os.
    pub statistics: StreamStatistics,
}

/// Results of a path.
#[derive(Debug, Clone)]
pub struct PathReport {
    /// Channel-path id.
    pub chpid: u8,
    /// Name of the channel's port.
    pub port_name: WorldWideName,
    /// Times that it went offline within the run.
    pub losses: u32,
    /// Why it was offline the last time, which is over when it is online; empty when it never was.
    pub trouble: String,
    /// Whether it was online at the end.
    pub online: bool,
}
