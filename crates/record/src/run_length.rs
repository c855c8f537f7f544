//! How long a run was, and why.

use serde::{Deserialize, Serialize};

/// What was simulated before measuring began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WarmupSummary {
    /// Virtual time simulated but not measured, ps.
    pub discarded_ps: u64,
    /// What was found when the end of the transient was looked for; `None` when the length was given.
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
    /// Confidence level asked for.
    pub confidence: f64,
    /// Half-width asked for, as a share of the mean.
    pub relative: f64,
    /// Most intervals allowed.
    pub at_most_intervals: u32,
    /// What was not reached when the run ended; empty when all was.
    pub missed: Vec<MissedPrecision>,
}

impl PrecisionSummary {
    /// True when every estimate is as sharp as was asked for.
    pub fn reached(&self) -> bool {
        self.missed.is_empty()
    }
}

/// An estimate that is not as sharp as was asked for.
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
