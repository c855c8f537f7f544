//! The I/O driver: streams issue I/Os, jobs think, partitions' CPs start them and take their interrupts.

use halftrack_config::{Arrivals, Stream};
use halftrack_engine::{BatchMeans, Sequencer, SimTime};
use halftrack_program::Operation;
use halftrack_workload::StreamState;

use super::HostState;
use super::exposure;
use super::io::{Io, NONE};
use crate::accounting::Instants;
use crate::event::HostEvent;
use crate::wiring::Wiring;

/// One stream in a run.
#[derive(Debug)]
pub(crate) struct StreamRun {
    pub state: StreamState,
    pub lpar: u32,
    /// Unit control block of each of its devices.
    pub ucbs: Vec<u32>,
    pub closed: bool,
    pub completed: u64,
    pub failed: u64,
    /// Response time over the measured time.
    pub response: BatchMeans,
    pub sequencer: Sequencer,
}

impl StreamRun {
    pub(super) fn new(w: &Wiring, stream: &Stream, ucbs: Vec<u32>, sequencer: Sequencer) -> Self {
        let run = &w.configuration.run;
        let measured = run.interval * u64::from(run.intervals);
        let batches = run.batches.max(1);
        Self {
            state: StreamState::new(stream, w.options.seed),
            lpar: stream.lpar,
            ucbs,
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

impl HostState {
    /// Puts the first arrival of every stream into the event set.
    pub(super) fn begin_streams(&mut self, w: &Wiring) {
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let index = index as u32;
            match w.configuration.streams[index as usize].arrivals {
                Arrivals::Closed { jobs, .. } => {
                    for job in 0..jobs {
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
            }
        }
    }

    /// An I/O of an open stream arrives.
    pub(super) fn on_arrival(&mut self, w: &Wiring, stream: u32) {
        let run = &mut self.streams[stream as usize];
        let at = self.now + run.state.next_interarrival();
        self.pending.push(at, run.sequencer.next(), HostEvent::Arrival { stream });
        self.issue(w, stream, NONE);
    }

    /// Issues the next I/O of `stream`: it asks for a base or alias.
    #[inline]
    pub(super) fn issue(&mut self, w: &Wiring, stream: u32, job: u32) {
        let run = &mut self.streams[stream as usize];
        let request = run.state.next_request(if job == NONE { 0 } else { job });
        let ucb = run.ucbs[request.device as usize];
        let lpar = run.lpar;
        let io = self.ios.take();
        self.ios[io] = Io {
            stream,
            job,
            ucb,
            lpar,
            operation: if request.write { Operation::UpdateWrite } else { Operation::Read },
            hit: request.hit,
            at: Instants { requested: self.now, ..Instants::default() },
            ..Io::default()
        };
        if exposure::request(self.now, io, &mut self.ios, &mut self.ucbs, &mut self.views) {
            self.granted(w, io);
        }
    }

    /// `io` has its base or alias: a CP executes START SUBCHANNEL for it.
    #[inline]
    fn granted(&mut self, w: &Wiring, io: u32) {
        self.ios[io].at.granted = self.now;
        let lpar = &mut self.lpars[self.ios[io].lpar as usize];
        let (_, _, done) = lpar.cps.arrive(self.now, w.configuration.cpc.cp_start);
        self.pending.push(done, lpar.sequencer.next(), HostEvent::Started { io });
    }

    /// START SUBCHANNEL has been executed: the start is on an IOP's initiative queue.
    #[inline]
    pub(super) fn on_started(&mut self, _w: &Wiring, io: u32) {
        self.ledger.start(io);
        self.ios[io].at.started = self.now;
        let (iop, done) = self.iops.start(self.now);
        self.ios[io].iop = iop;
        self.pending.push(done, self.iops.sequencer.next(), HostEvent::Drive { io });
    }

    /// The IOP has processed the interrupt: a CP takes it.
    #[inline]
    pub(super) fn on_interrupt(&mut self, w: &Wiring, io: u32) {
        let lpar = &mut self.lpars[self.ios[io].lpar as usize];
        let (_, _, done) = lpar.cps.arrive(self.now, w.configuration.cpc.cp_interrupt);
        self.pending.push(done, lpar.sequencer.next(), HostEvent::Complete { io });
    }

    /// The operating system has the interrupt: the base or alias is free and the job goes on.
    #[inline]
    pub(super) fn on_complete(&mut self, w: &Wiring, io: u32) {
        let Io { stream, job, ucb, normal, at, .. } = self.ios[io];
        if normal {
            self.ucbs[ucb as usize].sums.interrupt += self.now.since(at.ended).as_ps();
        }
        let next = exposure::release(self.now, io, &mut self.ios, &mut self.ucbs, &mut self.views);
        if let Some(next) = next {
            self.granted(w, next);
        }
        self.ios.give(io);
        let run = &mut self.streams[stream as usize];
        if !run.closed {
            return;
        }
        let think = run.state.think();
        if think.is_zero() {
            self.issue(w, stream, job);
        } else {
            let at = self.now + think;
            let event = HostEvent::Ready { stream: stream as u16, job };
            self.pending.push(at, run.sequencer.next(), event);
        }
    }
}
