//! A run from its first event to its record: warm-up, intervals, and when it is over.

use std::ops::ControlFlow;
use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_config::workload_file::RUN_MAX_S;
use halftrack_config::{Arrivals, Cpc, Lpar, RunOptions};
use halftrack_engine::windows::{self, Watch};
use halftrack_engine::{BatchMeans, SequentialEstimate, Stages, WarmUp};
use halftrack_record::{
    CpcHeader, DataSummary, DefinitionFile, DetectedWarmup, Estimate, Interval, MissedPrecision, Mode,
    PrecisionSummary, Run, RunHeader, SapCore, SystemHeader, WarmupSummary,
};

use super::{Cancelled, Progress, RunCounters, Simulation, expect_run};
use crate::capture::{Capture, Recorder};
use crate::run::process::Process;
use crate::run::throughput_bounds;
use crate::wiring::Wiring;
use crate::wiring::error::WiringError;
use crate::wiring::options::{Options, Precision};
use crate::wiring::programs::programs;

/// Steps into which a run is cut for reporting progress; the result does not depend on it.
const PROGRESS_STEPS: u64 = 200;
/// The part of an interval that the first pilot has, in which the transient is searched: at 20,000 I/Os per second and
/// intervals of a second, one I/O to an observation.
const PILOTS_PER_INTERVAL: u64 = 64;
/// The first decision on precision comes after this part of an interval, and after so long at the latest, ms: what is sharp
/// enough after a second is not to wait for the tenth part of a quarter of an hour.
const DECISIONS_PER_INTERVAL: u64 = 10;
const FIRST_DECISION_MAX_MS: u64 = 100;
/// Confidence level of the estimates when no precision is given.
const CONFIDENCE: f64 = Precision::CONFIDENCE_DEFAULT;

/// Observer of how far the run has come, which may cancel it.
type Watcher<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Most events between two calls of the observer, judged by the run so far: milliseconds of work, so that a run is cancelled
/// without delay.
const EVENTS_PER_STEP: u64 = 50_000;
/// The first call comes after so long, ns.
const FIRST_STEP_NS: u64 = 100_000;

/// Refuses a run that may take longer than virtual time is made for.
pub(super) fn check_length(run: &RunOptions, options: &Options) -> Result<(), WiringError> {
    let intervals = f64::from(most_intervals(run, options));
    let longest_s = run.warmup.as_s_f64() + run.interval.as_s_f64() * intervals;
    if longest_s > RUN_MAX_S { Err(WiringError::TooLong(longest_s)) } else { Ok(()) }
}

/// Returns the time from the start of measuring to the first decision on precision.
fn to_first_decision(run: &RunOptions) -> Span {
    (run.interval / DECISIONS_PER_INTERVAL).min(Span::from_ms(FIRST_DECISION_MAX_MS))
}

fn most_intervals(run: &RunOptions, options: &Options) -> u32 {
    options.precision.map_or(run.intervals, |precision| precision.at_most.max(1))
}

impl Simulation {
    /// Runs warm-up and every interval, and reports about 200 times to `progress` how far it has come.
    ///
    /// With a precision in the options the run ends at the first decision at which every stream's rate and response
    /// are sharp enough, and cuts its last interval there, or after the most intervals allowed.
    pub fn run(&mut self, progress: &mut dyn FnMut(Progress)) -> (Run, RunCounters) {
        let run = self.try_run(&mut |now| {
            progress(now);
            ControlFlow::Continue(())
        });
        run.expect("nothing cancels it")
    }

    /// Captures the first `frames_max` FC-2 frames that cross the fibres of the channels from now on.
    pub fn capture(&mut self, frames_max: u64) {
        let recorder = Recorder::new(&self.wiring, frames_max, self.now);
        self.sides().0.capture(recorder);
    }

    /// Ends the capture and returns its frames; none where nothing is captured.
    pub fn take_capture(&mut self) -> Capture {
        self.sides().0.take_recorder().map(|recorder| recorder.finish()).unwrap_or_default()
    }

    /// Runs as [`Simulation::run`] does until `progress` breaks it off. It is called every some ten thousand events.
    ///
    /// # Errors
    /// [`Cancelled`] when `progress` broke the run off; the machine is then in no defined state.
    pub fn try_run(&mut self, progress: Watcher<'_>) -> Result<(Run, RunCounters), Cancelled> {
        let warmup = self.warm_up(progress)?;
        let began = self.now;
        // What warm-up counted is thrown away.
        self.collect(0, began);
        let wiring = Arc::clone(&self.wiring);
        self.count_flows();
        let (intervals, missed) = match wiring.options.precision {
            None => (self.measure_all(progress)?, None),
            Some(precision) => {
                let (intervals, missed) = self.measure_until(precision, progress)?;
                (intervals, Some((precision, missed)))
            }
        };
        let mut checkers = self.check();
        let now = self.now;
        let measured = (now.since(began), now);
        let streams = self.images().streams(&wiring, measured, |responses| match wiring.options.precision {
            None => estimates(responses),
            Some(precision) => sequential_estimates(responses, now, precision.confidence),
        });
        checkers.push(throughput_bounds::check(&wiring, &streams, &intervals));
        let precision = missed.map(|(asked, missed)| PrecisionSummary {
            confidence: asked.confidence,
            relative: asked.relative,
            at_most_intervals: asked.at_most,
            missed,
        });
        let (header, programs) = (header(&wiring), programs(&wiring));
        let data = self.finish_data();
        let connection_changes = self.sides().0.connection_changes(&wiring);
        let relocations = self.sides().0.relocations(&wiring);
        let run = Run {
            header,
            warmup,
            precision,
            intervals,
            streams,
            programs,
            credit_shortages: self.credit_shortages(),
            offered_too_much: self.offered_too_much(),
            connection_changes,
            relocations,
            checkers,
            data,
        };
        Ok((run, self.counters()))
    }

    /// Begins to count what the streams offer from now on, for as long as is measured, or to the first decision on
    /// precision.
    fn count_flows(&mut self) {
        let (wiring, now) = (Arc::clone(&self.wiring), self.now);
        let run = &wiring.configuration.run;
        let length = match wiring.options.precision {
            None => run.interval * u64::from(run.intervals),
            Some(_) => to_first_decision(run),
        };
        self.images().count_flows(now, length);
    }

    /// Compares what is on the volumes of a run with real data.
    fn finish_data(&mut self) -> Option<DataSummary> {
        let wiring = Arc::clone(&self.wiring);
        let (host, storage) = self.sides();
        let (ledger, volumes) = (host.take_data()?, storage.volumes()?);
        Some(ledger.finish(wiring.data.as_deref()?, volumes))
    }

    /// Simulates what is not measured: the workload's warm-up, or until the transient of every stream is over.
    fn warm_up(&mut self, progress: Watcher<'_>) -> Result<WarmupSummary, Cancelled> {
        let wiring = Arc::clone(&self.wiring);
        let run = &wiring.configuration.run;
        let detected = if run.detect_warmup {
            Some(DetectedWarmup { transient_ps: self.find_transient(progress)?.map(Span::as_ps) })
        } else {
            self.advance_to(Time::ZERO + run.warmup, progress)?;
            None
        };
        Ok(WarmupSummary { discarded_ps: self.now.since(Time::ZERO).as_ps(), detected })
    }

    /// Simulates pilots, each twice as long as the one before, until the transients of all streams end in the first
    /// half of one: the longest. No pilot is longer than what the workload measures; `None` when that was not enough.
    fn find_transient(&mut self, progress: Watcher<'_>) -> Result<Option<Span>, Cancelled> {
        let wiring = Arc::clone(&self.wiring);
        let run = &wiring.configuration.run;
        let latest = Time::ZERO + run.interval * u64::from(run.intervals);
        let mut watch = WarmUp::new(Time::ZERO, run.interval / PILOTS_PER_INTERVAL);
        self.images().record_streams_in(&watch.batches());
        loop {
            self.advance_to(watch.pilot_end(), progress)?;
            let transients: Option<Vec<Span>> =
                self.images().responses().map(|responses| watch.transient(responses)).collect();
            if let Some(transients) = transients {
                return Ok(Some(transients.into_iter().max().unwrap_or(Span::ZERO)));
            }
            watch.extend();
            if watch.pilot_end() > latest {
                return Ok(None);
            }
        }
    }

    /// Measures the workload's intervals.
    fn measure_all(&mut self, progress: Watcher<'_>) -> Result<Vec<Interval>, Cancelled> {
        let wiring = Arc::clone(&self.wiring);
        let run = &wiring.configuration.run;
        if run.detect_warmup {
            let batches = run.batches.max(1);
            let length = run.interval * u64::from(run.intervals) / u64::from(batches);
            let batches = BatchMeans::new(self.now, length, batches as usize);
            self.images().record_streams_in(&batches);
        }
        let mut intervals = Vec::new();
        let began = self.now;
        for index in 0..run.intervals {
            self.advance_to(self.now + run.interval, progress)?;
            intervals.push(self.collect(index, began));
        }
        Ok(intervals)
    }

    /// Measures intervals until a decision finds nothing missed, or the most are over: the intervals, and what is
    /// missed in the end.
    fn measure_until(
        &mut self,
        precision: Precision,
        progress: Watcher<'_>,
    ) -> Result<(Vec<Interval>, Vec<MissedPrecision>), Cancelled> {
        let began = self.now;
        let wiring = Arc::clone(&self.wiring);
        let run = &wiring.configuration.run;
        let interval = run.interval;
        let end = began + interval * u64::from(most_intervals(run, &wiring.options));
        let mut stages = Stages::new(began, to_first_decision(run));
        self.images().record_streams_in(&stages.batches());
        let (mut intervals, mut interval_end) = (Vec::new(), began + interval);
        loop {
            let decision = stages.next_end();
            self.advance_to(decision.min(interval_end), progress)?;
            let mut missed = None;
            if self.now == decision || self.now == end {
                missed = Some(self.missed(precision));
            }
            if self.now == decision {
                stages.advance();
            }
            let over = missed.filter(|missed| missed.is_empty() || self.now == end);
            if over.is_some() || self.now == interval_end {
                intervals.push(self.collect(intervals.len() as u32, began));
                interval_end += interval;
            }
            if let Some(missed) = over {
                return Ok((intervals, missed));
            }
        }
    }

    /// Returns the estimates that are not yet as sharp as required.
    fn missed(&mut self, precision: Precision) -> Vec<MissedPrecision> {
        let (wiring, now) = (Arc::clone(&self.wiring), self.now);
        let mut missed = Vec::new();
        for (stream, responses) in wiring.configuration.streams.iter().zip(self.images().responses()) {
            let rate = responses.sequential_rate_estimate(now, precision.confidence);
            let response = responses.sequential_estimate(now, precision.confidence);
            for (quantity, found) in [("rate", rate), ("response", response)] {
                let relative = found.half_width / found.mean;
                if !found.within(precision.relative) {
                    missed.push(MissedPrecision {
                        stream: stream.name.clone(),
                        quantity: quantity.into(),
                        relative: relative.is_finite().then_some(relative),
                        sound: found.sound,
                    });
                }
            }
        }
        missed
    }

    fn advance_to(&mut self, end: Time, progress: Watcher<'_>) -> Result<(), Cancelled> {
        if self.now >= end {
            return Ok(());
        }
        let run = &self.wiring.configuration.run;
        let total = run.warmup + run.interval * u64::from(most_intervals(run, &self.wiring.options));
        let longest = total / PROGRESS_STEPS;
        let mut show = |now: Time, ios| {
            let done = now.since(Time::ZERO);
            progress(Progress { done, total: total.max(done), ios })
        };
        let first = Span::from_ns(FIRST_STEP_NS).min(longest);
        let watch = Watch::new(self.now, first, |now, host: &Process| {
            if now < end {
                show(now, host.ios_ended())?;
            }
            ControlFlow::Continue(step(now, host.events()).min(longest))
        });
        let ran = windows::run_watched(&mut self.processes, end, self.threads, watch);
        expect_run(ran)?;
        self.now = end;
        match show(end, self.counters().ios) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }

    /// Collects the interval `index` that ends now, in a run that began to measure at `began`.
    fn collect(&mut self, index: u32, began: Time) -> Interval {
        let (wiring, now) = (Arc::clone(&self.wiring), self.now);
        let interval = wiring.configuration.run.interval;
        let start = interval * u64::from(index);
        let images = self.images().collect(&wiring, now);
        let (synchronous_links, of_links) = self.images().collect_synchronous_links(now);
        let (compression_functions, compression, of_cards) =
            self.images().collect_compression(&wiring.configuration.cpcs, now);
        let (conversations, of_ports) = self.images().collect_conversations(&wiring.configuration, now);
        let saps = self.saps().collect(&wiring.configuration, now);
        let (host, storage) = self.sides();
        let counters = host.collect(&wiring, now, images, saps);
        let mut stations = counters.stations;
        stations.extend(storage.collect(&wiring, now));
        stations.extend(of_links.into_iter().chain(of_cards).chain(of_ports));
        let mut pools = counters.pools;
        pools.extend(storage.collect_pools(&wiring, now));
        let caches = storage.collect_caches(&wiring);
        let (links, short_of_credits) = self.collect_links();
        pools.extend(short_of_credits);
        Interval {
            index,
            start_ps: start.as_ps(),
            length_ps: now.saturating_since(began + start).as_ps(),
            channels: counters.channels,
            iops: counters.iops,
            lcus: counters.lcus,
            devices: counters.devices,
            stations,
            links,
            pools,
            caches,
            synchronous_links,
            islinks: counters.islinks,
            islink_flows: counters.islink_flows,
            eadm: counters.eadm,
            compression_functions,
            compression,
            conversations,
        }
    }
}

/// Returns the virtual time in which a process that has handled `events` until `now` handles [`EVENTS_PER_STEP`].
fn step(now: Time, events: u64) -> Span {
    let so_far_ps = u128::from(now.since(Time::ZERO).as_ps());
    let step_ps = so_far_ps * u128::from(EVENTS_PER_STEP) / u128::from(events.max(1));
    Span::from_ps(u64::try_from(step_ps).unwrap_or(u64::MAX))
}

fn system(lpar: &Lpar) -> SystemHeader {
    let (name, smfid) = (lpar.name.clone(), lpar.smfid.clone());
    SystemHeader {
        name,
        smfid,
        cpc: lpar.cpc,
        css: lpar.css,
        mif: lpar.mif,
        has_ifls: lpar.ifl_threads.is_some(),
    }
}

/// Computes the estimates of rate per second and response in µs over all batches.
fn estimates(responses: &BatchMeans) -> (Estimate, Estimate) {
    let (rate, response) = (responses.rate_estimate(), responses.estimate());
    (estimate(rate.0, rate.1, CONFIDENCE), estimate(response.0 / 1e6, response.1 / 1e6, CONFIDENCE))
}

/// Returns the estimates as they were at the decision at `now`.
fn sequential_estimates(responses: &BatchMeans, now: Time, confidence: f64) -> (Estimate, Estimate) {
    let SequentialEstimate { mean: rate, half_width: rate_width, .. } =
        responses.sequential_rate_estimate(now, confidence);
    let SequentialEstimate { mean, half_width, .. } = responses.sequential_estimate(now, confidence);
    (estimate(rate, rate_width, confidence), estimate(mean / 1e6, half_width / 1e6, confidence))
}

fn estimate(mean: f64, half_width: f64, confidence: f64) -> Estimate {
    Estimate { mean, half_width: if half_width.is_finite() { half_width } else { 0.0 }, confidence }
}

fn sap_core(at: &halftrack_config::SapCore) -> SapCore {
    SapCore { drawer: at.drawer, dcm: at.dcm, chip: at.chip, core: at.core }
}

fn definition_file(of: &halftrack_config::DefinitionFile) -> DefinitionFile {
    DefinitionFile { name: of.name.clone(), created: of.created.clone() }
}

fn header(w: &Wiring) -> RunHeader {
    let c = &w.configuration;
    let systems = c.lpars.iter().enumerate().filter(|(index, _)| c.has_work(*index as u32));
    let cpc = |cpc: &Cpc| CpcHeader {
        name: cpc.name.to_string(),
        machine_type: cpc.machine_type,
        model: cpc.model.clone(),
        iocds: cpc.iocds.clone(),
        definition_file: cpc.definition_file.as_ref().map(definition_file),
        mode: if cpc.basic { Mode::Basic } else { Mode::Lpar },
        drawers: cpc.drawers,
        sap_cores: cpc.sap_cores.iter().map(sap_core).collect(),
    };
    let cpcs: Vec<_> = c.cpcs.iter().map(cpc).collect();
    let first = cpcs[0].clone();
    let are_named = !first.name.is_empty();
    let follows_trace = c.streams.iter().any(|stream| matches!(stream.arrivals, Arrivals::Traced(_)));
    RunHeader {
        study: c.study.clone(),
        seed: w.options.seed,
        fidelity: w.options.fidelity.name().into(),
        machine_type: first.machine_type,
        model: first.model,
        iocds: first.iocds,
        definition_file: first.definition_file,
        start: c.run.start.clone(),
        cycle_ms: c.run.cycle_ms,
        mode: first.mode,
        drawers: first.drawers,
        sap_cores: first.sap_cores,
        cpcs: if are_named { cpcs } else { Vec::new() },
        varies: !c.disturbances.is_empty() || follows_trace,
        systems: systems.map(|(_, lpar)| system(lpar)).collect(),
    }
}
