//! Counts of a function or of an address space, in the units of the fields of SMF records 30 and 74 subtype 9.

use std::ops::AddAssign;

use halftrack_base::Span;

use crate::request::{Completion, Operation};

/// Counts of requests that a card ended, whatever the answer. Requests that were lost with a card are counted where they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counters {
    /// Requests.
    pub requests: u64,
    /// Time in queues (SMF: microseconds).
    pub queue_time: Span,
    /// Time in the engine (SMF: microseconds).
    pub execution_time: Span,
    /// Octets that were deflated.
    pub deflate_in_bytes: u64,
    /// Octets to which they were deflated.
    pub deflate_out_bytes: u64,
    /// Octets that were inflated.
    pub inflate_in_bytes: u64,
    /// Octets to which they were inflated.
    pub inflate_out_bytes: u64,
}

impl Counters {
    /// Counts the end of a request.
    pub fn count(&mut self, operation: Operation, completion: &Completion) {
        self.requests += 1;
        self.queue_time += completion.queue_time;
        self.execution_time += completion.execution_time;
        let (consumed, produced) = match operation {
            Operation::Deflate => (&mut self.deflate_in_bytes, &mut self.deflate_out_bytes),
            Operation::Inflate => (&mut self.inflate_in_bytes, &mut self.inflate_out_bytes),
        };
        *consumed += u64::from(completion.consumed_bytes);
        *produced += u64::from(completion.produced_bytes);
    }

    /// Returns the ratio of compression, of both directions: octets that are not compressed to those that are. None are 0.
    pub fn ratio(&self) -> f64 {
        let compressed = self.deflate_out_bytes + self.inflate_in_bytes;
        let plain = self.deflate_in_bytes + self.inflate_out_bytes;
        if compressed == 0 { 0.0 } else { plain as f64 / compressed as f64 }
    }

    /// Returns the part of the time `allocated` in which the engine worked, in percent (SMF 74-9).
    pub fn busy_percent(&self, allocated: Span) -> f64 {
        if allocated.is_zero() {
            return 0.0;
        }
        100.0 * self.execution_time.as_us_f64() / allocated.as_us_f64()
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.queue_time += other.queue_time;
        self.execution_time += other.execution_time;
        self.deflate_in_bytes += other.deflate_in_bytes;
        self.deflate_out_bytes += other.deflate_out_bytes;
        self.inflate_in_bytes += other.inflate_in_bytes;
        self.inflate_out_bytes += other.inflate_out_bytes;
    }
}
