//! Verification of the data of a run with real data.

use serde::{Deserialize, Serialize};

/// Real data of a run: how much was compared, and what did not arrive as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSummary {
    /// Records read and compared with what they must hold.
    pub records_read: u64,
    /// Records written by I/Os that ended normally.
    pub records_written: u64,
    /// Records that I/Os touched, compared on the volumes at the end of the run.
    pub records_scanned: u64,
    /// I/Os that found no record free of others and moved data that nobody can vouch for.
    pub unverified_ios: u64,
    /// I/Os in which an octet was to be changed on the way.
    pub to_corrupt: u32,
    /// I/Os in which one was.
    pub corrupted: u32,
    /// Records that were not as they must be, in the order in which they were found.
    pub corrupt: Vec<CorruptRecord>,
}

impl DataSummary {
    /// Returns true when exactly what was to be changed on the way was found to be wrong.
    pub fn holds(&self) -> bool {
        self.corrupted == self.to_corrupt && self.corrupt.len() == self.to_corrupt as usize
    }
}

/// A record that is not as it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorruptRecord {
    /// Device number of the volume.
    pub device: u16,
    /// Cylinder.
    pub cylinder: u32,
    /// Head.
    pub head: u8,
    /// Record number.
    pub record: u8,
    /// How it was found.
    pub found_by: FoundBy,
}

/// How a wrong record was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// A program read it.
    Read,
    /// The scan of the volumes at the end of the run.
    Scan,
}
