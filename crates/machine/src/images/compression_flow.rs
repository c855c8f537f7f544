//! A program that compresses: when its requests come, and what came of them.

use halftrack_base::{Span, Time};
use halftrack_config::{CompressedStream, CompressionArrivals, CompressionWork};
use halftrack_engine::{RandomStream, Sequencer};
use halftrack_record::CompressionInterval;
use halftrack_zedc::Operation;

use super::Outside;
use crate::events::event::ImageEvent;
use crate::laws::compression::CompressionLedger;
use crate::wiring::{ComponentKind, Wiring};

/// Program in a run.
#[derive(Debug)]
pub(super) struct CompressionFlow {
    name: String,
    lpar: String,
    request: CompressedStream,
    /// Index of its machine among those with cards, and of itself among the clients of that.
    pub machine: u32,
    pub client: u32,
    arrivals: RandomStream,
    /// Mean time between two requests; `None` where those of a stream bring them.
    interarrival: Option<Span>,
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
        let name = &work.name;
        let interarrival = match work.arrivals {
            CompressionArrivals::Every(mean) => Some(mean),
            CompressionArrivals::Stream(_) => None,
        };
        let mut flow = Self {
            name: name.clone(),
            lpar: w.configuration.lpars[work.lpar as usize].name.clone(),
            request: work.request,
            machine,
            client,
            arrivals: RandomStream::new(w.options.seed, &format!("compression {name}")),
            interarrival,
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
        let operation = match self.request.operation {
            Operation::Deflate => "deflate",
            Operation::Inflate => "inflate",
        };
        let measured = self.software_mb_per_s.map(|_| 0);
        CompressionInterval {
            name: self.name.clone(),
            lpar: self.lpar.clone(),
            exploiter: self.request.exploiter.name().to_owned(),
            operation: operation.to_owned(),
            software_ps: measured,
            saved_ps: measured,
            ..CompressionInterval::default()
        }
    }

    /// Returns its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the data of a request before compression, bytes.
    pub(super) fn request_bytes(&self) -> u32 {
        self.request.plain_bytes
    }

    /// Draws the time to the next request; `None` where those of a stream bring them.
    pub(super) fn next_interarrival(&mut self) -> Option<Span> {
        self.interarrival.map(|mean| self.arrivals.exponential(mean))
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
        counted.compressed_bytes += (f64::from(bytes) / self.request.ratio).ceil() as u64;
        counted.saved_ps = counted.saved_ps.zip(saved).map(|(all, one)| all + one);
    }

    /// Counts a request that software does; returns how long that takes.
    pub(super) fn done_in_software(&mut self, bytes: u32) -> Span {
        self.ledger.ends(bytes);
        let time = self.software_time(bytes);
        let taken = time.map(Span::as_ps);
        let counted = &mut self.counted;
        counted.software_requests += 1;
        counted.software_bytes += u64::from(bytes);
        counted.software_ps = counted.software_ps.zip(taken).map(|(all, one)| all + one);
        time.unwrap_or_default()
    }

    /// Has the job of a slot, if there is one, go on at `at`.
    pub(super) fn go_on(&mut self, outside: &mut impl Outside, at: Time, slot: Option<u32>) {
        if let Some(slot) = slot {
            outside.push(at, self.sequencer.next(), ImageEvent::Compressed { slot });
        }
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
