//! Requests that no card takes: software does them, on processors of the partition.

use halftrack_base::Span;
use serde::Serialize;

/// Requests that software did.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SoftwareCounts {
    /// Requests.
    pub requests: u64,
    /// Data before compression, bytes.
    pub bytes: u64,
}

impl SoftwareCounts {
    /// Counts a request.
    pub const fn count(&mut self, bytes: u32) {
        self.requests += 1;
        self.bytes += bytes as u64;
    }

    /// Returns the processors that they kept busy for `span`, at the rate of one of them.
    pub fn processors(&self, mb_per_s: f64, span: Span) -> f64 {
        self.bytes as f64 / (mb_per_s * span.as_us_f64())
    }
}
