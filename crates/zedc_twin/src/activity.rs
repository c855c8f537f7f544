//! Activity of functions, in the counts of SMF record 74 subtype 9 and by its formulas, and of streams.

use halftrack_base::Span;
use halftrack_zedc::Counters;
use serde::Serialize;

use crate::software::SoftwareCounts;
use crate::stream::Exploiter;

/// Octets of a unit of DMA in the record.
const DMA_BYTES: u64 = 256;

/// Counts of a function, as the record has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SmfCounts {
    /// Time allocated, ms.
    pub allocated_ms: u64,
    /// Time in the engine, µs.
    pub execution_us: u64,
    /// Time in queues, µs.
    pub queue_us: u64,
    /// Requests.
    pub requests: u64,
    /// Units of 256 octets that the card read.
    pub read_units: u64,
    /// Units that it wrote.
    pub written_units: u64,
}

impl SmfCounts {
    /// Returns the counts of a function that was allocated for `allocated`.
    pub fn new(counters: &Counters, allocated: Span) -> Self {
        let us = |span: Span| span.as_us_f64().round() as u64;
        Self {
            allocated_ms: us(allocated) / 1000,
            execution_us: us(counters.execution_time),
            queue_us: us(counters.queue_time),
            requests: counters.requests,
            read_units: (counters.deflate_in_bytes + counters.inflate_in_bytes).div_ceil(DMA_BYTES),
            written_units: (counters.deflate_out_bytes + counters.inflate_out_bytes).div_ceil(DMA_BYTES),
        }
    }

    /// Returns the busy time: execution of the time allocated, percent.
    pub fn busy_percent(&self) -> f64 {
        quotient(self.execution_us as f64 * 100.0, self.allocated_ms as f64 * 1000.0)
    }

    /// Returns the mean time of a request in the engine, µs.
    pub fn execution_us_per_request(&self) -> f64 {
        quotient(self.execution_us as f64, self.requests as f64)
    }

    /// Returns the mean time of a request in the queue, µs.
    pub fn queue_us_per_request(&self) -> f64 {
        quotient(self.queue_us as f64, self.requests as f64)
    }

    /// Returns the rate of data that the card read and wrote, MB/s.
    pub fn mb_per_s(&self) -> f64 {
        quotient(self.transferred_bytes(), self.allocated_ms as f64 * 1000.0)
    }

    /// Returns what a request reads and writes, KB (1000 octets).
    pub fn kb_per_request(&self) -> f64 {
        quotient(self.transferred_bytes(), self.requests as f64 * 1000.0)
    }

    fn transferred_bytes(&self) -> f64 {
        ((self.read_units + self.written_units) * DMA_BYTES) as f64
    }
}

/// Returns what was counted after `before`.
pub fn counted_since(now: &Counters, before: &Counters) -> Counters {
    Counters {
        requests: now.requests - before.requests,
        queue_time: now.queue_time.saturating_sub(before.queue_time),
        execution_time: now.execution_time.saturating_sub(before.execution_time),
        deflate_in_bytes: now.deflate_in_bytes - before.deflate_in_bytes,
        deflate_out_bytes: now.deflate_out_bytes - before.deflate_out_bytes,
        inflate_in_bytes: now.inflate_in_bytes - before.inflate_in_bytes,
        inflate_out_bytes: now.inflate_out_bytes - before.inflate_out_bytes,
    }
}

fn quotient(of: f64, by: f64) -> f64 {
    if by == 0.0 { 0.0 } else { of / by }
}

/// Activity of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionActivity {
    /// Its identifier.
    pub fid: u16,
    /// Physical channel of its card.
    pub pchid: Option<u16>,
    /// Number of the virtual function.
    pub vf: u16,
    /// Resource group of its card; `None` while it stands by.
    pub resource_group: Option<String>,
    /// Partition that has it.
    pub partition: Option<String>,
    /// State at the end, as `D PCIE` shows it.
    pub state: &'static str,
    /// Counts; `None` when it was not allocated.
    pub counts: Option<SmfCounts>,
    /// Part of the time that the engine worked for it, percent.
    pub busy_percent: f64,
    /// Mean time of a request in the engine, µs.
    pub execution_us: f64,
    /// Mean time of a request in the queue, µs.
    pub queue_us: f64,
    /// Data read and written, MB/s.
    pub mb_per_s: f64,
    /// Data of a request, KB.
    pub kb_per_request: f64,
    /// Ratio of compression.
    pub ratio: f64,
}

/// Activity of a stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamActivity {
    /// Name.
    pub name: String,
    /// Partition.
    pub partition: String,
    /// Program.
    pub exploiter: Exploiter,
    /// Function of the card, `deflate` or `inflate`.
    pub operation: &'static str,
    /// Requests that cards did.
    pub requests: u64,
    /// Mean time from the start of a request to its end on a card, µs.
    pub response_us: f64,
    /// Longest such time, µs.
    pub response_us_max: f64,
    /// Data of all its requests before compression, MB/s.
    pub plain_mb_per_s: f64,
    /// Rate of these data when they are compressed, MB/s: what a channel carries of a data set.
    pub compressed_mb_per_s: f64,
    /// Requests that software did.
    pub software: SoftwareCounts,
    /// Processors that these took; `None` where the load has no rate of software.
    pub software_processors: Option<f64>,
}

/// Activity of the cards of a machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Activity {
    /// Time that was counted, s.
    pub measured_s: f64,
    /// Functions, by identifier.
    pub functions: Vec<FunctionActivity>,
    /// Streams.
    pub streams: Vec<StreamActivity>,
}
