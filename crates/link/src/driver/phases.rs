//! Phases of a run: when I/Os are requested, and which of them are measured.

use halftrack_base::{Span, Time};
use halftrack_config::channel_file::DriveRun;

/// I/Os that may fail before the run is broken off.
const FAILURES_MAX: u64 = 1000;

/// Phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No I/O was requested yet.
    Before,
    /// I/O runs and is not measured.
    WarmUp,
    /// I/O runs and is measured.
    Measured,
    /// I/Os under way come to their end.
    Draining,
}

/// Phases of a run, as its channel file gives them.
#[derive(Debug)]
pub struct Phases {
    run: DriveRun,
    phase: Phase,
    measured_from: Time,
    measured_to: Time,
    /// I/Os requested in the measured phase.
    requested: u64,
    failures: u64,
}

impl Phases {
    /// Returns the phases before the run begins.
    pub fn new(run: DriveRun) -> Self {
        Self {
            run,
            phase: Phase::Before,
            measured_from: Time::MAX,
            measured_to: Time::MAX,
            requested: 0,
            failures: 0,
        }
    }

    /// Begins the run.
    pub fn begin(&mut self, now: Time) {
        self.phase = if self.run.warmup == Span::ZERO { Phase::Measured } else { Phase::WarmUp };
        self.measured_from = now.saturating_add(self.run.warmup);
        if let Some(duration) = self.run.duration {
            self.measured_to = self.measured_from.saturating_add(duration);
        }
    }

    /// Goes on to the measured phase when it is time to; true when that begins.
    #[inline]
    pub fn advance(&mut self, now: Time) -> bool {
        let begins = self.phase == Phase::WarmUp && now >= self.measured_from;
        if begins {
            self.phase = Phase::Measured;
            self.measured_from = now;
            if let Some(duration) = self.run.duration {
                self.measured_to = now.saturating_add(duration);
            }
        }
        begins
    }

    /// Ends the requests; false when they had ended.
    pub fn drain(&mut self, now: Time) -> bool {
        if self.phase == Phase::Draining {
            return false;
        }
        self.phase = Phase::Draining;
        self.measured_to = self.measured_to.min(now);
        true
    }

    /// Counts an I/O that a stream wants; false, and it is not to be, when all of the run were requested.
    #[inline]
    pub fn request(&mut self) -> bool {
        if self.phase != Phase::Measured {
            return true;
        }
        let is_one_more = !self.all_requested();
        self.requested += u64::from(is_one_more);
        is_one_more
    }

    /// Counts an I/O that failed.
    pub fn fail(&mut self) {
        self.failures += 1;
    }

    fn all_requested(&self) -> bool {
        self.run.ios.is_some_and(|ios| self.requested >= ios)
    }

    /// Returns the phase.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether I/Os are requested.
    #[inline]
    pub fn has_requests(&self) -> bool {
        matches!(self.phase, Phase::WarmUp | Phase::Measured)
    }

    /// Returns whether an I/O that ends at `now` belongs to the results.
    #[inline]
    pub fn counts(&self, now: Time) -> bool {
        self.phase == Phase::WarmUp || now <= self.measured_to
    }

    /// Returns whether the measured phase is over: by time, by I/Os of which none is left, as `is_idle` has it, or by failures.
    #[inline]
    pub fn is_over(&self, now: Time, is_idle: impl FnOnce() -> bool) -> bool {
        let is_late = now >= self.measured_to || self.failures >= FAILURES_MAX;
        self.phase == Phase::Measured && (is_late || self.all_requested() && is_idle())
    }

    /// Returns the time that is measured, as far as it has come at `now`.
    pub fn measured(&self, now: Time) -> Span {
        self.measured_to.min(now).saturating_since(self.measured_from)
    }

    /// Returns how much of the measured part is over at `now`, 0 to 1.
    pub fn part(&self, now: Time) -> Option<f64> {
        let by_time = self.run.duration.map(|duration| self.measured(now).as_s_f64() / duration.as_s_f64());
        let by_ios = self.run.ios.map(|ios| self.requested as f64 / ios as f64);
        by_time.into_iter().chain(by_ios).reduce(f64::max)
    }

    /// Returns when the phase ends; nothing before the run begins.
    #[inline]
    pub fn ends_at(&self) -> Option<Time> {
        match self.phase {
            Phase::Before => None,
            Phase::WarmUp => Some(self.measured_from),
            Phase::Measured => Some(self.measured_to),
            Phase::Draining => Some(Time::MAX),
        }
    }
}
