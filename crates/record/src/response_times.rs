//! Response times of many I/Os, counted by size.

use serde::{Deserialize, Serialize};

/// Response times counted in buckets. A response is taken for the middle of its bucket, which is no further from it
/// than 0.4 %, or 33 ns where that is more. Counts of different intervals, systems and streams add up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResponseTimes {
    /// Middles of the buckets that have counted something, ascending, ps.
    pub values_ps: Vec<u64>,
    /// I/Os in each of them.
    pub counts: Vec<u64>,
}

impl ResponseTimes {
    /// Returns true when no response was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
