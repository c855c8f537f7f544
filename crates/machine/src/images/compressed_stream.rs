//! Streams whose data are compressed: a write waits until a card or software has its data smaller, a job until those of its read are as
//! they were.
//!
//! ```text
//! write: issued ─► request ─► START SUBCHANNEL ─► end ─► the job goes on
//! read:  issued ─► START SUBCHANNEL ─► end ─► request ─► the job goes on
//! ```

use halftrack_base::Time;
use halftrack_config::CompressionArrivals;
use halftrack_workload::Request;
use halftrack_zedc::Operation;

use super::io_request::NONE;
use super::{Images, Outside};
use crate::wiring::Wiring;

/// Compression of a stream in a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct CompressedRun {
    /// Its flow among the programs that compress.
    flow: u32,
    /// It reads.
    pub(super) expands: bool,
}

impl CompressedRun {
    /// Makes that of stream `index`; `None` where its data are not compressed.
    pub(super) fn new(w: &Wiring, index: usize) -> Option<Self> {
        let work = &w.configuration.compression.work;
        let is_own = |arrivals| arrivals == CompressionArrivals::Stream(index as u32);
        let flow = work.iter().position(|one| is_own(one.arrivals))?;
        let expands = work[flow].request.operation == Operation::Inflate;
        Some(Self { flow: flow as u32, expands })
    }
}

/// Job of a stream that waits for a request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Waiting {
    stream: u32,
    job: u32,
    /// The write that is to be started; `None` behind a read.
    write: Option<Request>,
}

impl Images {
    /// Issues the next I/O of a stream whose data are compressed.
    #[inline(never)]
    pub(super) fn issue_compressed(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        stream: u32,
        job: u32,
        of: CompressedRun,
    ) {
        let run = &mut self.streams[stream as usize];
        let request = run.state.next_request(if job == NONE { 0 } else { job });
        if of.expands {
            self.start_arrived(outside, now, (stream, job), request);
        } else {
            self.compress(outside, now, of, Waiting { stream, job, write: Some(request) });
        }
    }

    /// Has the data of a read grow, behind which its job goes on.
    #[inline(never)]
    pub(super) fn expand(&mut self, outside: &mut impl Outside, now: Time, stream: u32, job: u32) {
        if let Some(of) = self.streams[stream as usize].compressed {
            self.compress(outside, now, of, Waiting { stream, job, write: None });
        }
    }

    /// Handles the end of a request: the write is started, or the job goes on.
    #[inline(never)]
    pub(super) fn on_compressed(&mut self, outside: &mut impl Outside, now: Time, slot: u32) {
        let Some(compression) = &mut self.compression else { return };
        let Waiting { stream, job, write } = compression.waiting[slot];
        compression.waiting.give(slot);
        if let Some(request) = write {
            self.start_arrived(outside, now, (stream, job), request);
            return;
        }
        let run = &mut self.streams[stream as usize];
        if run.closed {
            let at = now + run.state.think();
            self.think(outside, stream, job, at);
        }
    }

    fn compress(&mut self, outside: &mut impl Outside, now: Time, of: CompressedRun, waiting: Waiting) {
        if let Some(compression) = &mut self.compression {
            let slot = compression.waiting.put(waiting);
            compression.start(outside, now, of.flow, Some(slot));
        }
    }

    /// Starts an I/O, which counts as arrived only now.
    fn start_arrived(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        (stream, job): (u32, u32),
        request: Request,
    ) {
        if job == NONE {
            self.streams[stream as usize].arrives(now);
        }
        self.start_io(outside, now, (stream, job), request);
    }
}
