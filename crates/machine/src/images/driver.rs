//! The I/O driver: streams issue I/Os, jobs think, partitions' CPs start them and take their interrupts.

use halftrack_base::{Span, Time};
use halftrack_config::Arrivals;
use halftrack_engine::{BatchMeans, Flow, Histogram, Prefetch, Sequencer};
use halftrack_program::Operation;
use halftrack_workload::{Request, StreamState, TraceState};

use super::compressed_stream::CompressedRun;
use super::io_request::{IoRequest, NONE};
use super::synchronous::SynchronousRun;
use super::{Images, Outside};
use crate::events::crossing::Start;
use crate::events::event::ImageEvent;
use crate::wiring::Wiring;

/// Unit control blocks of the devices of a stream, in the order of its list of devices.
#[derive(Debug)]
pub(crate) enum StreamUcbs {
    /// They follow one another: the first.
    From(u32),
    /// Each by itself.
    Each(Vec<u32>),
}

impl StreamUcbs {
    pub(super) fn new(ucbs: Vec<u32>) -> Self {
        match ucbs.first() {
            Some(&first) if ucbs.iter().copied().eq(first..first + ucbs.len() as u32) => Self::From(first),
            _ => Self::Each(ucbs),
        }
    }

    /// Returns the unit control block of `device`.
    #[inline(always)]
    fn of(&self, device: u32) -> u32 {
        match self {
            Self::From(first) => first + device,
            Self::Each(ucbs) => ucbs[device as usize],
        }
    }
}

/// One stream in a run.
#[derive(Debug)]
pub(crate) struct StreamRun {
    pub state: StreamState,
    /// Its I/Os, where they were recorded.
    pub trace: Option<TraceState>,
    /// First of its programs, among those of all streams.
    pub first_program: u32,
    pub lpar: u32,
    /// Unit control block of each of its devices.
    ucbs: StreamUcbs,
    pub closed: bool,
    /// It tries synchronous I/O first.
    pub(super) synchronous: Option<SynchronousRun>,
    /// Its data are compressed.
    pub(super) compressed: Option<CompressedRun>,
    /// Its I/Os go to the channels, and nothing else.
    is_plain: bool,
    pub completed: u64,
    pub failed: u64,
    /// Response time over the measured time.
    pub response: BatchMeans,
    /// Response times by size.
    pub response_times: Histogram,
    /// Arrivals and ends over the measured time, of a stream that does not wait for its I/Os.
    pub flow: Option<Flow>,
    pub sequencer: Sequencer,
}

impl StreamRun {
    pub(super) fn new(w: &Wiring, index: usize, ucbs: Vec<u32>, sequencer: Sequencer) -> Self {
        let stream = &w.configuration.streams[index];
        let run = &w.configuration.run;
        let measured = run.interval * u64::from(run.intervals);
        let batches = run.batches.max(1);
        let (synchronous, compressed) = (SynchronousRun::new(w, index), CompressedRun::new(w, index));
        Self {
            state: StreamState::new(stream, w.options.seed),
            trace: TraceState::new(stream, w.options.seed),
            first_program: w.programs.first_of(index),
            lpar: stream.lpar,
            ucbs: StreamUcbs::new(ucbs),
            closed: matches!(stream.arrivals, Arrivals::Closed { .. }),
            is_plain: synchronous.is_none() && compressed.is_none(),
            synchronous,
            compressed,
            completed: 0,
            failed: 0,
            response: BatchMeans::new(
                Time::ZERO + run.warmup,
                measured / u64::from(batches),
                batches as usize,
            ),
            response_times: Histogram::default(),
            flow: None,
            sequencer,
        }
    }
}

impl StreamRun {
    /// Returns the unit control block of the device of its next I/O, where that is known beforehand.
    #[inline(always)]
    pub(super) fn upcoming(&self) -> Option<u32> {
        self.state.upcoming().map(|request| self.ucbs.of(request.device))
    }

    /// Returns the unit control block of its `device`.
    pub(super) fn ucb_of(&self, device: u32) -> u32 {
        self.ucbs.of(device)
    }

    /// Returns whether the data of what it has read are to grow before a job goes on.
    #[inline(always)]
    fn expands(&self) -> bool {
        !self.is_plain && self.compressed.is_some_and(|of| of.expands)
    }

    /// Counts an I/O that nothing has waited for.
    #[inline(always)]
    pub(super) fn arrives(&mut self, now: Time) {
        if let Some(flow) = &mut self.flow {
            flow.arrive(now);
        }
    }
}

impl Images {
    /// Puts the first arrival of every stream into the event set.
    pub(super) fn begin_streams(&mut self, w: &Wiring, outside: &mut impl Outside) {
        for (index, stream) in (0..).zip(&mut self.streams) {
            match &w.configuration.streams[index as usize].arrivals {
                Arrivals::Closed { jobs, .. } => {
                    for job in 0..*jobs {
                        // A think time first, so that jobs that think do not begin in step.
                        let at = Time::ZERO + stream.state.think();
                        let event = ImageEvent::Ready { stream: index as u16, job };
                        outside.push(at, stream.sequencer.next(), event);
                    }
                }
                Arrivals::Open { .. } => {
                    let at = Time::ZERO + stream.state.next_interarrival();
                    outside.push(at, stream.sequencer.next(), ImageEvent::Arrival { stream: index });
                }
                Arrivals::Traced(_) => {
                    if let Some(at) = stream.trace.as_ref().and_then(TraceState::next_at) {
                        let event = ImageEvent::Row { stream: index };
                        outside.push(Time::ZERO + at, stream.sequencer.next(), event);
                    }
                }
            }
        }
    }

    /// Issues an I/O of an open stream, which arrives.
    #[inline(always)]
    pub(super) fn on_arrival(&mut self, outside: &mut impl Outside, now: Time, stream: u32) {
        let run = &mut self.streams[stream as usize];
        if run.compressed.is_none() {
            run.arrives(now);
        }
        let at = now + run.state.next_interarrival();
        outside.push(at, run.sequencer.next(), ImageEvent::Arrival { stream });
        self.issue(outside, now, stream, NONE);
    }

    /// Issues the I/O of the next row of a trace, which is due.
    #[inline(always)]
    pub(super) fn on_row(&mut self, outside: &mut impl Outside, now: Time, stream: u32) {
        let run = &mut self.streams[stream as usize];
        let Some(trace) = &mut run.trace else { return };
        let Some(request) = trace.next_request() else { return };
        if let Some(at) = trace.next_at() {
            let event = ImageEvent::Row { stream };
            outside.push(Time::ZERO + at, run.sequencer.next(), event);
        }
        run.arrives(now);
        self.start_io(outside, now, (stream, NONE), request);
    }

    /// Issues the next I/O of `stream`, which requests a base or alias unless it tries synchronous I/O or compresses first.
    #[inline(always)]
    pub(super) fn issue(&mut self, outside: &mut impl Outside, now: Time, stream: u32, job: u32) {
        if !self.streams[stream as usize].is_plain {
            self.issue_otherwise(outside, now, stream, job);
        } else if let Some(io) = self.next_io(now, stream, job) {
            self.granted(outside, now, io);
        }
    }

    #[inline(never)]
    fn issue_otherwise(&mut self, outside: &mut impl Outside, now: Time, stream: u32, job: u32) {
        match self.streams[stream as usize].compressed {
            Some(of) => self.issue_compressed(outside, now, stream, job, of),
            None => self.issue_synchronously(outside, now, stream, job),
        }
    }

    /// Makes the next I/O of `stream`. Returns it if it has a base or alias at once; else it waits for one.
    #[inline(always)]
    fn next_io(&mut self, now: Time, stream: u32, job: u32) -> Option<u32> {
        let run = &mut self.streams[stream as usize];
        let request = run.state.next_request(if job == NONE { 0 } else { job });
        if let Some(upcoming) = run.upcoming() {
            Prefetch::begin(&self.exposures.ucbs[upcoming as usize]);
        }
        self.make_io(now, stream, job, request)
    }

    /// Makes the I/O of `stream` for `request`. Returns it if it has a base or alias at once; else it waits for one.
    #[inline(always)]
    fn make_io(&mut self, now: Time, stream: u32, job: u32, request: Request) -> Option<u32> {
        let run = &self.streams[stream as usize];
        let io = self.requests.take();
        let this = &mut self.requests[io];
        (this.stream, this.job, this.lpar) = (stream, job, run.lpar);
        (this.ucb, this.program) = (run.ucbs.of(request.device), run.first_program + request.program);
        this.operation = if request.write { Operation::UpdateWrite } else { Operation::Read };
        (this.hit, this.track) = (request.hit, request.track.unwrap_or(NONE));
        (this.requested, this.normal) = (now, false);
        self.exposures.request(now, io, &mut self.requests).then_some(io)
    }

    /// Makes the I/O of a job of a stream for `request`, and starts it as soon as it has a base or alias.
    #[inline(always)]
    pub(super) fn start_io(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        (stream, job): (u32, u32),
        request: Request,
    ) {
        if let Some(io) = self.make_io(now, stream, job, request) {
            self.granted(outside, now, io);
        }
    }

    /// Has a CP execute START SUBCHANNEL for `io`, which has its base or alias.
    #[inline(always)]
    pub(super) fn granted(&mut self, outside: &mut impl Outside, now: Time, io: u32) {
        let lpar = self.requests[io].lpar;
        let service = self.images[lpar as usize].start_service;
        self.start_on_cp(outside, now, io, lpar, service);
    }

    /// Has a CP of `lpar` work for `service`, at the end of which it executes START SUBCHANNEL for `io`.
    #[inline(always)]
    fn start_on_cp(&mut self, outside: &mut impl Outside, now: Time, io: u32, lpar: u32, service: Span) {
        let image = &mut self.images[lpar as usize];
        let (_, done) = image.cps.arrive(now, service);
        let IoRequest { view, by_queue, .. } = self.requests[io];
        let at = if by_queue { self.logged_in_at(view, done) } else { done };
        let this = &self.requests[io];
        let start = Start {
            io,
            subchannel: this.ucb,
            view: this.view,
            lpar: lpar as u16,
            program: this.program,
            track: Some(this.track).filter(|track| *track != NONE),
            unit_address: this.unit_address,
            channel_image: this.channel_image,
            operation: this.operation,
            hit: this.hit,
            by_queue: this.by_queue,
        };
        outside.start(at, self.images[lpar as usize].sequencer.next(), &start);
    }

    /// Has a CP take the interrupt that the IOP has processed, now or when one is free.
    #[inline(always)]
    pub(crate) fn on_interrupt(&mut self, outside: &mut impl Outside, now: Time, io: u32) {
        let IoRequest { ucb, lpar, normal, .. } = self.requests[io];
        let image = &mut self.images[lpar as usize];
        if image.cps.start_of(now) <= now {
            self.take_interrupt(outside, now, io);
            return;
        }
        let (start, _) = image.cps.arrive(now, image.interrupt_service);
        outside.push(start, image.sequencer.next(), ImageEvent::Complete { io });
        // Interrupt delay begins when the interruption is pending, which the IOP has made it now.
        if normal {
            self.exposures.sums[ucb as usize].interrupt += start.since(now).as_ps();
        }
    }

    /// Takes the interrupt on a free CP. A job that does not think restarts from it: the next I/O is started in the same
    /// stay on the CP, as I/O drivers do from their channel-end appendage. A job with synchronous I/O goes on behind it.
    #[inline(always)]
    fn take_interrupt(&mut self, outside: &mut impl Outside, now: Time, io: u32) {
        let service = self.images[self.requests[io].lpar as usize].interrupt_service;
        self.go_on_behind(outside, now, io, service);
    }

    /// Ends `io`, whose interrupt takes `service` of the CP that has it, and has its job go on.
    #[inline(always)]
    pub(super) fn go_on_behind(&mut self, outside: &mut impl Outside, now: Time, io: u32, taken: Span) {
        let IoRequest { stream, job, lpar, .. } = self.requests[io];
        let next = self.end_of_io(now, io);
        let run = &mut self.streams[stream as usize];
        let expands = run.expands();
        let think = if run.closed && !expands { Some(run.state.think()) } else { None };
        let restarts = think == Some(Span::ZERO) && run.is_plain;
        let restarted = if restarts { self.next_io(now, stream, job) } else { None };
        let image = &mut self.images[lpar as usize];
        match restarted {
            Some(io) => {
                let service = taken + image.start_service;
                self.start_on_cp(outside, now, io, lpar, service);
            }
            None => {
                let (_, done) = image.cps.arrive(now, taken);
                if let Some(think) = think.filter(|_| !restarts) {
                    self.think(outside, stream, job, done + think);
                }
                if expands {
                    self.expand_at(outside, stream, job, done);
                }
            }
        }
        if let Some(next) = next {
            self.granted(outside, now, next);
        }
    }

    /// Takes the interrupt on a CP that was reserved for it and has come free.
    #[inline(always)]
    pub(super) fn on_complete(&mut self, outside: &mut impl Outside, now: Time, io: u32) {
        let IoRequest { stream, job, lpar, view, by_queue, .. } = self.requests[io];
        if by_queue {
            self.take_responses(outside, now, view, Span::ZERO);
            return;
        }
        let next = self.end_of_io(now, io);
        if let Some(next) = next {
            self.granted(outside, now, next);
        }
        let run = &mut self.streams[stream as usize];
        let done = now + self.images[lpar as usize].interrupt_service;
        if run.expands() {
            self.expand_at(outside, stream, job, done);
        } else if run.closed {
            let at = done + run.state.think();
            self.think(outside, stream, job, at);
        }
    }

    /// Has the data of a read grow from `at` on.
    fn expand_at(&mut self, outside: &mut impl Outside, stream: u32, job: u32, at: Time) {
        let event = ImageEvent::Expand { stream: stream as u16, job };
        outside.push(at, self.streams[stream as usize].sequencer.next(), event);
    }

    /// Has a job issue its next I/O at `at`.
    pub(super) fn think(&mut self, outside: &mut impl Outside, stream: u32, job: u32, at: Time) {
        let event = ImageEvent::Ready { stream: stream as u16, job };
        outside.push(at, self.streams[stream as usize].sequencer.next(), event);
    }

    /// Frees the base or alias of `io`, whose status the operating system has (TEST SUBCHANNEL). Returns the I/O that gets
    /// it.
    #[inline(always)]
    fn end_of_io(&mut self, now: Time, io: u32) -> Option<u32> {
        let next = self.exposures.release(now, io, &mut self.requests);
        self.requests.give(io);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_in_a_row_and_others_have_their_own_ucbs() {
        for ucbs in [vec![4, 5, 6], vec![4, 6, 5], vec![9]] {
            let of = StreamUcbs::new(ucbs.clone());
            assert_eq!(matches!(of, StreamUcbs::From(_)), ucbs.is_sorted());
            assert!((0..).zip(ucbs).all(|(device, ucb)| of.of(device) == ucb));
        }
    }
}
