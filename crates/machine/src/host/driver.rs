//! The I/O driver: streams issue I/Os, jobs think, partitions' CPs start them and take their interrupts.

use halftrack_config::Arrivals;
use halftrack_engine::{BatchMeans, Prefetch, Sequencer, SimDuration, SimTime};
use halftrack_program::Operation;
use halftrack_workload::{Request, StreamState, TraceState};

use super::HostState;
use super::exposure;
use super::io::{Io, Issued, NONE};
use crate::event::HostEvent;
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

    /// That of `device`.
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
    pub completed: u64,
    pub failed: u64,
    /// Response time over the measured time.
    pub response: BatchMeans,
    pub sequencer: Sequencer,
}

impl StreamRun {
    pub(super) fn new(w: &Wiring, index: usize, ucbs: Vec<u32>, sequencer: Sequencer) -> Self {
        let stream = &w.configuration.streams[index];
        let run = &w.configuration.run;
        let measured = run.interval * u64::from(run.intervals);
        let batches = run.batches.max(1);
        Self {
            state: StreamState::new(stream, w.options.seed),
            trace: TraceState::new(stream, w.options.seed),
            first_program: w.programs.first_of(index),
            lpar: stream.lpar,
            ucbs: StreamUcbs::new(ucbs),
            closed: matches!(stream.arrivals, Arrivals::Closed { .. }),
            completed: 0,
            failed: 0,
            response: BatchMeans::new(
                SimTime::ZERO + run.warmup,
                measured / u64::from(batches),
                batches as usize,
            ),
            sequencer,
        }
    }
}

impl StreamRun {
    /// Unit control block of the device of its next I/O, where that is known beforehand.
    #[inline(always)]
    pub(super) fn upcoming(&self) -> Option<u32> {
        self.state.upcoming().map(|request| self.ucbs.of(request.device))
    }
}

impl HostState {
    /// Puts the first arrival of every stream into the event set.
    pub(super) fn begin_streams(&mut self, w: &Wiring) {
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let index = index as u32;
            match &w.configuration.streams[index as usize].arrivals {
                Arrivals::Closed { jobs, .. } => {
                    for job in 0..*jobs {
                        // A think time first, so that jobs that think do not begin in step.
                        let at = SimTime::ZERO + stream.state.think();
                        let event = HostEvent::Ready { stream: index as u16, job };
                        self.pending.push(at, stream.sequencer.next(), event);
                    }
                }
                Arrivals::Open { .. } => {
                    let at = SimTime::ZERO + stream.state.next_interarrival();
                    let event = HostEvent::Arrival { stream: index };
                    self.pending.push(at, stream.sequencer.next(), event);
                }
                Arrivals::Traced(_) => {
                    if let Some(at) = stream.trace.as_ref().and_then(TraceState::next_at) {
                        let event = HostEvent::Row { stream: index };
                        self.pending.push(SimTime::ZERO + at, stream.sequencer.next(), event);
                    }
                }
            }
        }
    }

    /// An I/O of an open stream arrives.
    pub(super) fn on_arrival(&mut self, stream: u32) {
        let run = &mut self.streams[stream as usize];
        let at = self.now + run.state.next_interarrival();
        self.pending.push(at, run.sequencer.next(), HostEvent::Arrival { stream });
        self.issue(stream, NONE);
    }

    /// The next row of a trace is due.
    #[cold]
    pub(super) fn on_row(&mut self, stream: u32) {
        let run = &mut self.streams[stream as usize];
        let Some(trace) = &mut run.trace else { return };
        let Some(request) = trace.next_request() else { return };
        if let Some(at) = trace.next_at() {
            self.pending.push(SimTime::ZERO + at, run.sequencer.next(), HostEvent::Row { stream });
        }
        if let Some(io) = self.ask(stream, NONE, request) {
            self.granted(io);
        }
    }

    /// Issues the next I/O of `stream`: it asks for a base or alias.
    #[inline(never)]
    pub(super) fn issue(&mut self, stream: u32, job: u32) {
        if let Some(io) = self.request(stream, job) {
            self.granted(io);
        }
    }

    /// The next I/O of `stream`, if it has a base or alias at once; else it waits for one.
    #[inline(always)]
    fn request(&mut self, stream: u32, job: u32) -> Option<u32> {
        let run = &mut self.streams[stream as usize];
        let request = run.state.next_request(if job == NONE { 0 } else { job });
        if let Some(upcoming) = run.upcoming() {
            Prefetch::whole(&self.ucbs[upcoming as usize]);
        }
        self.ask(stream, job, request)
    }

    /// The I/O of `stream` that asks for `request`, if it has a base or alias at once; else it waits for one.
    #[inline(always)]
    fn ask(&mut self, stream: u32, job: u32, request: Request) -> Option<u32> {
        let run = &self.streams[stream as usize];
        let ucb = run.ucbs.of(request.device);
        let (lpar, program) = (run.lpar, run.first_program + request.program);
        let operation = if request.write { Operation::UpdateWrite } else { Operation::Read };
        let io = self.ios.take();
        let (hit, track) = (request.hit, request.track);
        self.ios[io].begin(self.now, Issued { stream, program, job, ucb, lpar, operation, hit, track });
        exposure::request(self.now, io, &mut self.ios, &mut self.ucbs, &mut self.views).then_some(io)
    }

    /// `io` has its base or alias: a CP executes START SUBCHANNEL for it.
    #[inline(never)]
    fn granted(&mut self, io: u32) {
        let this = &mut self.ios[io];
        this.granted = self.now;
        let lpar = this.lpar;
        let service = self.lpars[lpar as usize].start_service;
        self.start_on_cp(io, lpar, service);
    }

    /// A CP of `lpar` works for `service`, at the end of which it executes START SUBCHANNEL for `io`.
    #[inline(always)]
    fn start_on_cp(&mut self, io: u32, lpar: u32, service: SimDuration) {
        let lpar = &mut self.lpars[lpar as usize];
        let (_, _, done) = lpar.cps.arrive(self.now, service);
        self.pending.push(done, lpar.sequencer.next(), HostEvent::Started { io });
    }

    /// A CP has done its work for the start. The serial part of its image (locks of the I/O supervisor) lets one through
    /// in each such time: who comes while it is free goes on at once, another when its turn comes.
    #[inline(never)]
    pub(super) fn on_started(&mut self, io: u32) {
        let lpar = &mut self.lpars[self.ios[io].lpar as usize];
        if !lpar.serial_service.is_zero() {
            let turn = lpar.serial.free_at().max(self.now);
            lpar.serial.arrive(self.now, lpar.serial_service);
            if turn > self.now {
                self.pending.push(turn, lpar.sequencer.next(), HostEvent::Admitted { io });
                return;
            }
        }
        self.start_subchannel(io);
    }

    /// The turn of `io` in the serial part of its image has come.
    #[cold]
    pub(super) fn on_admitted(&mut self, io: u32) {
        self.start_subchannel(io);
    }

    /// START SUBCHANNEL has been executed: the start is on an IOP's initiative queue.
    #[inline(always)]
    fn start_subchannel(&mut self, io: u32) {
        self.ledger.start(io, self.now);
        let this = &mut self.ios[io];
        this.started = self.now;
        let lpar = this.lpar;
        let now = self.now;
        let iops = self.iops_of(lpar);
        let (iop, done) = iops.start(now);
        let order = iops.sequencer.next();
        self.ios[io].iop = iop;
        self.pending.push(done, order, HostEvent::Drive { io });
    }

    /// The IOP has processed the interrupt: a CP takes it, now or when one is free.
    #[inline(never)]
    pub(super) fn on_interrupt(&mut self, io: u32) {
        let lpar = &mut self.lpars[self.ios[io].lpar as usize];
        if lpar.cps.start_of(self.now) <= self.now {
            self.take_interrupt(io);
            return;
        }
        let (_, start, _) = lpar.cps.arrive(self.now, lpar.interrupt_service);
        self.pending.push(start, lpar.sequencer.next(), HostEvent::Complete { io });
        // Interrupt delay begins when the interruption is pending, which the IOP has made it now.
        let Io { ucb, normal, .. } = self.ios[io];
        if normal {
            self.ucbs[ucb as usize].sums.interrupt += start.since(self.now).as_ps();
        }
    }

    /// A free CP takes the interrupt. A job that does not think restarts from it: the next I/O is started in
    /// the same stay on the CP, as I/O drivers do from their channel-end appendage.
    #[inline(always)]
    fn take_interrupt(&mut self, io: u32) {
        let Io { stream, job, lpar, .. } = self.ios[io];
        let next = self.end_of_io(io);
        let run = &mut self.streams[stream as usize];
        let think = if run.closed { Some(run.state.think()) } else { None };
        let restarted = if think == Some(SimDuration::ZERO) { self.request(stream, job) } else { None };
        match restarted {
            Some(io) => {
                let state = &self.lpars[lpar as usize];
                let service = state.interrupt_service + state.start_service;
                self.start_on_cp(io, lpar, service);
            }
            None => {
                let state = &mut self.lpars[lpar as usize];
                let (_, _, done) = state.cps.arrive(self.now, state.interrupt_service);
                if let Some(think) = think.filter(|think| !think.is_zero()) {
                    self.think(stream, job, done + think);
                }
            }
        }
        if let Some(next) = next {
            self.granted(next);
        }
    }

    /// A CP that was reserved for the interrupt has come free and takes it.
    #[inline(never)]
    pub(super) fn on_complete(&mut self, io: u32) {
        let Io { stream, job, lpar, .. } = self.ios[io];
        let next = self.end_of_io(io);
        if let Some(next) = next {
            self.granted(next);
        }
        let run = &mut self.streams[stream as usize];
        if run.closed {
            let at = self.now + self.lpars[lpar as usize].interrupt_service + run.state.think();
            self.think(stream, job, at);
        }
    }

    /// A job issues its next I/O at `at`.
    fn think(&mut self, stream: u32, job: u32, at: SimTime) {
        let event = HostEvent::Ready { stream: stream as u16, job };
        self.pending.push(at, self.streams[stream as usize].sequencer.next(), event);
    }

    /// The operating system has the status (TEST SUBCHANNEL): the base or alias is free. The I/O that gets it.
    #[inline(always)]
    fn end_of_io(&mut self, io: u32) -> Option<u32> {
        let next = exposure::release(self.now, io, &mut self.ios, &mut self.ucbs, &mut self.views);
        self.ios.give(io);
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
