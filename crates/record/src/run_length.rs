//! How long a run was, and why.

use serde::{Deserialize, Serialize};

/// Warm-up before measuring began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WarmupSummary {
    /// Virtual time simulated but not measured, ps.
    pub discarded_ps: u64,
    /// Detected end of the transient; `None` when the length was given.
    pub detected: Option<DetectedWarmup>,
}

/// The end of the transient as it was found (MSER-5 on rate and response of every stream).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetectedWarmup {
    /// Length of the longest transient, ps; what was discarded is at least twice as long. `None` when none of the lengths
    /// tried was enough to see its end.
    pub transient_ps: Option<u64>,
}

/// How a run went that was to last until its estimates were sharp.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrecisionSummary {
    /// Requested confidence level.
    pub confidence: f64,
    /// Requested half-width, as a share of the mean.
    pub relative: f64,
    /// Most intervals allowed.
    pub at_most_intervals: u32,
    /// Estimates that were not precise enough when the run ended; empty when all were.
    pub missed: Vec<MissedPrecision>,
}

impl PrecisionSummary {
    /// Returns true when every estimate is as sharp as requested.
    pub fn reached(&self) -> bool {
        self.missed.is_empty()
    }
}

/// An estimate that is not as sharp as requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissedPrecision {
    /// Stream name.
    pub stream: String,
    /// `rate` or `response`.
    pub quantity: String,
    /// Half-width as a share of the mean; `None` without I/Os.
    pub relative: Option<f64>,
    /// Batches were long enough, with I/Os enough, for the half-width to be believed.
    pub sound: bool,
}
