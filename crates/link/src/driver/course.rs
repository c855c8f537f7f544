//! The course of a run, as every drive follows it: its phases and their processor time, a wish that it end, paths that are all
//! lost, I/Os that do not end.

use halftrack_base::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

use super::drive_error::words;
use super::phases::Phases;
use super::{
    DRAIN_WAIT, Ledger, PathReport, Phase, Progress, Report, Stage, StreamReport, StreamStatistics,
    SynchronousLinkReport,
};
use crate::StopSignal;

/// An I/O driver as the loop of its drive follows it.
pub trait Driven {
    /// Returns the phases of the run.
    fn phases(&self) -> &Phases;
    /// Returns the phase that it is in.
    fn phase(&self) -> Phase {
        self.phases().phase()
    }
    /// Returns the part of the run that is over, where that is known.
    fn part(&self, now: Time) -> Option<f64> {
        self.phases().part(now)
    }
    /// Returns the time that was measured so far.
    fn measured(&self, now: Time) -> Span {
        self.phases().measured(now)
    }
    /// Iterates over the statistics of its streams, with their names.
    fn statistics(&self) -> impl Iterator<Item = (&str, &StreamStatistics)>;
    /// Returns every I/O so far.
    fn ledger(&self) -> Ledger;
    /// Returns the results of the links for synchronous I/O.
    fn synchronous_links(&self) -> Vec<SynchronousLinkReport> {
        Vec::new()
    }
    /// Begins no more I/Os.
    fn drain(&mut self, now: Time);
    /// Ends all that is under way.
    fn break_off(&mut self, now: Time);
}

/// The course of a run.
#[derive(Debug)]
pub(super) struct Course {
    phase: Phase,
    /// Processor time of the process when measuring began and ended, ps.
    processor_from: u64,
    processor_to: Option<u64>,
    /// When the last path was lost, and when the driver began to drain.
    lost_at: Option<Time>,
    drained_by: Option<Time>,
    /// Somebody wished that the run end early.
    interrupted: bool,
    /// Why the run was broken off.
    broken_off: Option<String>,
}

impl Course {
    /// Returns the course of a run that begins.
    pub fn new(driver: &impl Driven) -> Self {
        Self {
            phase: driver.phase(),
            processor_from: processor_time(),
            processor_to: None,
            lost_at: None,
            drained_by: None,
            interrupted: false,
            broken_off: None,
        }
    }

    /// Notes the phase of the driver.
    pub fn follow_phase(&mut self, driver: &impl Driven) {
        if driver.phase() == self.phase {
            return;
        }
        self.phase = driver.phase();
        match self.phase {
            Phase::Measured => self.processor_from = processor_time(),
            Phase::Draining => self.processor_to = Some(processor_time()),
            Phase::Before | Phase::WarmUp => {}
        }
    }

    /// Has the driver drain when somebody wishes it.
    pub fn follow_wish(&mut self, now: Time, driver: &mut impl Driven, stop: Option<&mut StopSignal>) {
        let Some(stop) = stop.filter(|stop| !self.interrupted && stop.is_wished()) else { return };
        self.interrupted = true;
        driver.drain(now);
        stop.quiet();
    }

    /// Breaks the run off when no path has been there for `path_wait`, or what is under way does not end. `troubles` are those of
    /// the paths.
    pub fn follow_end(
        &mut self,
        now: Time,
        driver: &mut impl Driven,
        (has_path, path_wait): (bool, Span),
        troubles: impl FnOnce() -> Vec<(u8, String)>,
    ) {
        if has_path {
            self.lost_at = None;
        } else if now.saturating_since(*self.lost_at.get_or_insert(now)) >= path_wait {
            self.break_off(now, driver, format!("all channel paths were lost: {}", words(&troubles())));
        }
        let drains = driver.phase() == Phase::Draining;
        if drains && now.saturating_since(*self.drained_by.get_or_insert(now)) >= DRAIN_WAIT {
            self.break_off(now, driver, "I/Os under way did not end".to_owned());
        }
    }

    /// Breaks the run off, for this reason.
    pub fn break_off(&mut self, now: Time, driver: &mut impl Driven, why: String) {
        self.broken_off = Some(why);
        driver.break_off(now);
    }

    /// Returns the results of the run.
    pub fn report(self, driver: &impl Driven, paths: Vec<PathReport>, now: Time) -> Report {
        let processor = self.processor_to.unwrap_or_else(processor_time).saturating_sub(self.processor_from);
        let streams = driver
            .statistics()
            .map(|(name, statistics)| StreamReport { name: name.to_owned(), statistics: statistics.clone() });
        Report {
            streams: streams.collect(),
            paths,
            synchronous_links: driver.synchronous_links(),
            measured: driver.measured(now),
            processor: Span::from_ps(processor),
            ledger: driver.ledger(),
            interrupted: self.interrupted,
            broken_off: self.broken_off,
        }
    }
}

/// Returns the progress of a run; its paths are left open.
pub(super) fn progress_of(driver: &impl Driven, now: Time) -> Progress {
    let statistics = || driver.statistics().map(|(_, statistics)| statistics);
    let ios: u64 = statistics().map(StreamStatistics::ios).sum();
    let total_ns: f64 = statistics().map(|one| one.response_ns.mean() * one.ios() as f64).sum();
    Progress {
        stage: match driver.phase() {
            Phase::Before | Phase::WarmUp => Stage::WarmUp,
            Phase::Measured => Stage::Running,
            Phase::Draining => Stage::Draining,
        },
        part: driver.part(now),
        ios,
        bytes: statistics().map(|one| one.read_bytes + one.written_bytes).sum(),
        measured: driver.measured(now),
        mean_us: if ios == 0 { 0.0 } else { total_ns / ios as f64 / 1000.0 },
        paths: 0,
    }
}

/// Returns the processor time of the process, ps.
fn processor_time() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000_000 + time.tv_nsec as u64 * 1000
}
