//! A program that compresses: when its requests come, and what came of them.

use halftrack_base::{Span, Time};
use halftrack_config::CompressionWork;
use halftrack_engine::{RandomStream, Sequencer};
use halftrack_record::CompressionInterval;
use halftrack_zedc::Operation;
use halftrack_zedc_twin::Stream;

use crate::laws::compression::CompressionLedger;
use crate::wiring::{ComponentKind, Wiring};

/// Program in a run.
#[derive(Debug)]
pub(super) struct CompressionFlow {
    stream: Stream,
    /// Index of its machine among those with cards, and of itself among the clients of that.
    pub machine: u32,
    pub client: u32,
    arrivals: RandomStream,
    interarrival: Span,
    pub sequencer: Sequencer,
    /// Data that one processor compresses in software, MB/s.
    software_mb_per_s: Option<f64>,
    /// In this interval.
    counted: CompressionInterval,
    pub ledger: CompressionLedger,
}

impl CompressionFlow {
    /// Makes the program `index` of the workload, which is client `client` of the cards of `machine`.
    pub(super) fn new(
        w: &Wiring,
        index: usize,
        work: &CompressionWork,
        (machine, client): (u32, u32),
    ) -> Self {
        let stream = &work.stream;
        let name = &stream.name;
        let mut flow = Self {
            stream: stream.clone(),
            machine,
            client,
            arrivals: RandomStream::new(w.options.seed, &format!("compression {name}")),
            interarrival: stream.between_arrivals(),
            sequencer: w.sequencer(ComponentKind::Compression, index),
            software_mb_per_s: w.configuration.compression.software_mb_per_s,
            counted: CompressionInterval::default(),
            ledger: CompressionLedger::default(),
        };
        flow.counted = flow.nothing();
        flow
    }

    /// Returns an interval in which nothing happens.
    fn nothing(&self) -> CompressionInterval {
        let operation = match self.stream.operation {
            Operation::Deflate => "deflate",
            Operation::Inflate => "inflate",
        };
        let measured = self.software_mb_per_s.map(|_| 0);
        CompressionInterval {
            name: self.stream.name.clone(),
            lpar: self.stream.partition.clone(),
            exploiter: self.stream.exploiter.name().to_owned(),
            operation: operation.to_owned(),
            software_ps: measured,
            saved_ps: measured,
            ..CompressionInterval::default()
        }
    }

    /// Returns its name.
    pub(super) fn name(&self) -> &str {
        &self.stream.name
    }

    /// Returns the data of a request before compression, bytes.
    pub(super) fn request_bytes(&self) -> u32 {
        self.stream.request_bytes
    }

    /// Draws the time to the next request.
    pub(super) fn next_interarrival(&mut self) -> Span {
        self.arrivals.exponential(self.interarrival)
    }

    /// Counts a request that begins.
    pub(super) fn starts(&mut self, bytes: u32) {
        self.counted.started += 1;
        self.ledger.starts(bytes);
    }

    /// Counts a request that a card has done, and that began at `begun`.
    pub(super) fn done(&mut self, bytes: u32, begun: Time, now: Time) {
        let response_ps = now.since(begun).as_ps();
        self.ledger.ends(bytes);
        let saved = self.software_time(bytes).map(Span::as_ps);
        let counted = &mut self.counted;
        counted.requests += 1;
        counted.response_ps += response_ps;
        counted.response_max_ps = counted.response_max_ps.max(response_ps);
        counted.plain_bytes += u64::from(bytes);
        counted.compressed_bytes += (f64::from(bytes) / self.stream.ratio).ceil() as u64;
        counted.saved_ps = counted.saved_ps.zip(saved).map(|(all, one)| all + one);
    }

    /// Counts a request that software does.
    pub(super) fn done_in_software(&mut self, bytes: u32) {
        self.ledger.ends(bytes);
        let taken = self.software_time(bytes).map(Span::as_ps);
        let counted = &mut self.counted;
        counted.software_requests += 1;
        counted.software_bytes += u64::from(bytes);
        counted.software_ps = counted.software_ps.zip(taken).map(|(all, one)| all + one);
    }

    /// Returns the processor time that software takes for so many bytes.
    fn software_time(&self, bytes: u32) -> Option<Span> {
        self.software_mb_per_s.map(|rate| Span::from_us_f64(f64::from(bytes) / rate))
    }

    /// Collects the counts since the last collection.
    pub(super) fn collect(&mut self) -> CompressionInterval {
        let nothing = self.nothing();
        std::mem::replace(&mut self.counted, nothing)
    }
}
