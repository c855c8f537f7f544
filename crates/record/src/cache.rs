//! Hits, misses and destages of the caches of control units.

use serde::{Deserialize, Serialize};

/// The cache of one storage box in one interval, for the streams that draw tracks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CacheInterval {
    /// Name of the box in the plant.
    pub control_unit: String,
    /// Reads that were looked up.
    pub reads: u64,
    /// Of which the track was there.
    pub read_hits: u64,
}
