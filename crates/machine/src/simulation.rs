//! A run from wiring to intervals.

use std::sync::Arc;

use halftrack_config::Configuration;
use halftrack_engine::{SimDuration, SimTime, windows};
use halftrack_interval::{CheckerReport, Interval, Run, RunHeader, SystemHeader};

use crate::census::Census;
use crate::disturbance;
use crate::host::HostState;
use crate::law::{Law, check_traffic};
use crate::options::Options;
use crate::process::{HOST, Process, STORAGE, Side, assert_routed};
use crate::storage::StorageState;
use crate::wiring::{Wiring, WiringError};

#[cfg(test)]
mod law_faults;

/// Steps into which a run is cut for reporting progress; the result does not depend on it.
const PROGRESS_STEPS: u64 = 200;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Virtual time simulated.
    pub done: SimDuration,
    /// Virtual time of the whole run, warm-up included.
    pub total: SimDuration,
    /// I/Os ended.
    pub ios: u64,
}

/// Counts of a whole run, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunCounters {
    /// I/Os ended.
    pub ios: u64,
    /// Events handled.
    pub events: u64,
    /// Virtual time simulated.
    pub simulated: SimDuration,
}

/// One machine, wired and at some instant of its run.
#[derive(Debug)]
pub struct Simulation {
    wiring: Arc<Wiring>,
    processes: [Process; 2],
    now: SimTime,
}

impl Simulation {
    /// Wires `configuration`: plans are recorded, components built, the first arrivals scheduled.
    ///
    /// # Errors
    /// [`WiringError`] when a stream's program cannot be exchanged over its paths.
    pub fn new(configuration: Arc<Configuration>, options: Options) -> Result<Self, WiringError> {
        assert_routed(&configuration);
        let wiring = Arc::new(Wiring::new(configuration, options)?);
        let mut processes = Process::both(&wiring);
        disturbance::schedule(&wiring, &mut processes);
        Ok(Self { wiring, processes, now: SimTime::ZERO })
    }

    /// Simulates `span` more of virtual time.
    pub fn advance(&mut self, span: SimDuration) {
        self.now += span;
        let ran = windows::run(&mut self.processes, self.now, self.wiring.options.threads);
        // Lookaheads come from the links' own delays, so a broken window is a defect of the model.
        ran.unwrap_or_else(|error| panic!("the cut at the fibre is wrong: {error}"));
    }

    /// Counts so far.
    pub fn counters(&mut self) -> RunCounters {
        let simulated = self.now.since(SimTime::ZERO);
        let (host, storage) = self.sides();
        RunCounters { ios: host.ios_ended(), events: host.events() + storage.events(), simulated }
    }

    /// Runs warm-up and every interval, telling `progress` about 200 times how far it has come.
    pub fn run(mut self, progress: &mut dyn FnMut(Progress)) -> (Run, RunCounters) {
        let run = self.wiring.configuration.run.clone();
        let total = run.warmup + run.interval * u64::from(run.intervals);
        self.advance_with_progress(run.warmup, total, progress);
        // What warm-up counted is thrown away.
        self.collect(0, run.interval);
        let mut intervals = Vec::new();
        for index in 0..run.intervals {
            self.advance_with_progress(run.interval, total, progress);
            intervals.push(self.collect(index, run.interval));
        }
        let checkers = self.check();
        let wiring = Arc::clone(&self.wiring);
        let streams = self.sides().0.streams(&wiring);
        let counters = self.counters();
        (Run { header: header(&wiring), intervals, streams, checkers }, counters)
    }

    fn advance_with_progress(
        &mut self,
        span: SimDuration,
        total: SimDuration,
        progress: &mut dyn FnMut(Progress),
    ) {
        let step = (total / PROGRESS_STEPS).max(SimDuration::from_ps(1));
        let end = self.now + span;
        while self.now < end {
            self.advance(step.min(end.since(self.now)));
            let counters = self.counters();
            progress(Progress { done: counters.simulated, total, ios: counters.ios });
        }
    }

    fn collect(&mut self, index: u32, length: SimDuration) -> Interval {
        let (wiring, now) = (Arc::clone(&self.wiring), self.now);
        let (host, storage) = self.sides();
        let counters = host.collect(&wiring, now);
        let mut stations = counters.stations;
        stations.extend(storage.collect(&wiring, now));
        Interval {
            index,
            start_ps: length.as_ps() * u64::from(index),
            length_ps: length.as_ps(),
            channels: counters.channels,
            iops: counters.iops,
            lcus: counters.lcus,
            devices: counters.devices,
            stations,
        }
    }

    /// Applies the laws that hold at any instant to the whole run so far.
    pub fn check(&mut self) -> Vec<CheckerReport> {
        let (wiring, now) = (Arc::clone(&self.wiring), self.now);
        let (host, storage) = self.sides();
        let mut traffic = Law::new("frames and bytes are conserved");
        let mut census = Census::new(&wiring);
        host.census(&wiring, &mut census);
        storage.census(&wiring, &mut census);
        check_traffic(&mut traffic, "outbound", &host.traffic, &storage.traffic, census.outbound);
        check_traffic(&mut traffic, "inbound", &storage.traffic, &host.traffic, census.inbound);
        let mut little = Law::new("Little's law for the open exchanges of every channel");
        host.check_little(&wiring, now, &mut little);
        let mut utilisation = Law::new("utilisation law of every IOP");
        host.check_utilisation(now, &mut utilisation);
        let mut credits = Law::new("credits are never negative, leaked or left while frames wait");
        host.check_credits(&wiring, &census, &mut credits);
        storage.check_credits(&wiring, &census, &mut credits);
        let laws = [&traffic, &little, &utilisation, &credits, &host.additive].map(Law::report);
        std::iter::once(host.ledger.report()).chain(laws).collect()
    }

    fn sides(&mut self) -> (&mut HostState, &mut StorageState) {
        let [host, storage] = &mut self.processes;
        match (&mut host.side, &mut storage.side) {
            (Side::Host(host), Side::Storage(storage)) => (host, storage),
            _ => unreachable!("process {HOST} is the host and {STORAGE} the storage"),
        }
    }
}

fn header(w: &Wiring) -> RunHeader {
    let c = &w.configuration;
    let systems = c
        .lpars
        .iter()
        .enumerate()
        .filter(|(index, _)| c.streams.iter().any(|stream| stream.lpar as usize == *index));
    RunHeader {
        study: c.study.clone(),
        seed: w.options.seed,
        fidelity: w.options.fidelity.name().into(),
        machine_type: c.cpc.machine_type,
        model: c.cpc.model.clone(),
        iocds: c.iocds.clone(),
        start: c.run.start.clone(),
        cycle_ms: c.run.cycle_ms,
        systems: systems
            .map(|(_, lpar)| SystemHeader { name: lpar.name.clone(), css: lpar.css, mif: lpar.mif })
            .collect(),
    }
}
