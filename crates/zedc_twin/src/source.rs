//! A stream at work: its arrivals, and what came of its requests.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_zedc::{Operation, RequestId};

use crate::activity::StreamActivity;
use crate::load::Load;
use crate::software::SoftwareCounts;
use crate::stream::Stream;

/// Stream at work.
pub struct Source<'a> {
    /// Its keys.
    pub stream: &'a Stream,
    arrivals: RandomStream,
    /// Mean time between two of its requests.
    between_arrivals: Span,
    /// Starts of the requests that have not ended.
    begun: BTreeMap<RequestId, Time>,
    requests: u64,
    response_time: Span,
    response_time_max: Span,
    /// Requests that software did.
    pub software: SoftwareCounts,
}

impl<'a> Source<'a> {
    /// Makes a stream at the beginning of a run with `seed`.
    pub fn new(stream: &'a Stream, seed: u64) -> Self {
        Self {
            stream,
            arrivals: RandomStream::new(seed, &format!("compression {}", stream.name)),
            between_arrivals: stream.between_arrivals(),
            begun: BTreeMap::new(),
            requests: 0,
            response_time: Span::ZERO,
            response_time_max: Span::ZERO,
            software: SoftwareCounts::default(),
        }
    }

    /// Draws the time to the next request.
    pub fn next_arrival(&mut self) -> Span {
        self.arrivals.exponential(self.between_arrivals)
    }

    /// Takes the start of a request on a card.
    pub fn begins(&mut self, id: RequestId, now: Time) {
        self.begun.insert(id, now);
    }

    /// Takes the end of a request; one that a card has not done is done by software.
    pub fn end(&mut self, id: RequestId, is_done: bool, now: Time) {
        let begun = self.begun.remove(&id).unwrap_or(now);
        if !is_done {
            self.software.count(self.stream.request_bytes);
            return;
        }
        let response = now.saturating_since(begun);
        self.requests += 1;
        self.response_time += response;
        self.response_time_max = self.response_time_max.max(response);
    }

    /// Forgets what was counted.
    pub fn forget(&mut self) {
        self.requests = 0;
        self.response_time = Span::ZERO;
        self.response_time_max = Span::ZERO;
        self.software = SoftwareCounts::default();
    }

    /// Returns what was counted in the measured time of `load`.
    pub fn activity(&self, load: &Load) -> StreamActivity {
        let Stream { name, partition, exploiter, request_bytes, ratio, .. } = self.stream;
        let bytes = self.requests * u64::from(*request_bytes) + self.software.bytes;
        let plain_mb_per_s = bytes as f64 / load.measured.as_us_f64();
        let rate = load.software_mb_per_s;
        StreamActivity {
            name: name.clone(),
            partition: partition.clone(),
            exploiter: *exploiter,
            operation: match self.stream.operation {
                Operation::Deflate => "deflate",
                Operation::Inflate => "inflate",
            },
            requests: self.requests,
            response_us: self.response_time.as_us_f64() / self.requests.max(1) as f64,
            response_us_max: self.response_time_max.as_us_f64(),
            plain_mb_per_s,
            compressed_mb_per_s: plain_mb_per_s / ratio,
            software: self.software,
            software_processors: rate.map(|rate| self.software.processors(rate, load.measured)),
        }
    }
}
