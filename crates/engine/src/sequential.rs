//! Estimates from a run whose length is decided while it runs.
//!
//! The procedure follows Law and Carson, *A sequential procedure for determining the length of a steady-state
//! simulation*, Operations Research 27 (1979): keep between 400 and 800 batches, judge from their lag-1
//! autocorrelation whether batches ten times as long would be uncorrelated, and estimate from 40 of those. Batches
//! here are spans of virtual time, so that stopping depends on nothing else.

use crate::batch_means::{Batch, BatchMeans, counts, half_width, mean_half_width, means};
use halftrack_base::{Span, Time};

/// Batches that are kept; 400 of them are left when they are joined.
const FINE: usize = 800;
/// Batches that estimates are made from.
const COARSE: usize = 40;
/// A decision is made whenever every coarse batch can be two fine ones longer.
const STEP: u64 = 2 * COARSE as u64;
/// Highest lag-1 autocorrelation of the fine batches: with it, that of batches ten times as long is near 0.05
/// (Law and Carson).
const FINE_CORRELATION_MAX: f64 = 0.4;
/// One-sided 95 % quantile of the normal distribution, for the test of the coarse batches.
const NORMAL_95: f64 = 1.645;
/// Fewest values in a coarse batch on average, so that its mean may pass for normally distributed.
const VALUES_MIN: u64 = 10;

/// Estimate of one quantity at the end of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialEstimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of its confidence interval; infinite without values.
    pub half_width: f64,
    /// The batches are long enough, and have values enough, for the half-width to be believed.
    pub sound: bool,
    /// Half the width if the batches were wholly correlated, worth one of them; infinite with too few values.
    pub safe_half_width: f64,
}

impl SequentialEstimate {
    /// Returns true when the half-width is at most `relative` of the mean, and reliable. A regular pattern, whose
    /// batches are correlated however long they are, is judged by its safe half-width.
    pub fn within(&self, relative: f64) -> bool {
        let allowed = relative * self.mean.abs();
        self.safe_half_width <= allowed || (self.sound && self.half_width <= allowed)
    }

    /// Makes the estimate from the coarse batches' mean and half-width, and the residuals of both kinds of batch.
    fn new(mean: f64, half_width: f64, fine: &[f64], coarse: &[f64], values: u64) -> Self {
        let enough = values >= VALUES_MIN * COARSE as u64;
        let single = half_width * libm::sqrt(coarse.len() as f64);
        Self {
            mean,
            half_width,
            sound: enough && uncorrelated(fine, coarse),
            safe_half_width: if enough { single } else { f64::INFINITY },
        }
    }
}

/// The instants at which a run may stop: ends of batches, each later than the last by a fifth at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    start: Time,
    fine: Span,
    ended: u64,
}

impl Stages {
    /// Returns the decisions from `start` + `first` on; `first` is a multiple of 400 ps at least.
    ///
    /// # Panics
    /// When `first` is shorter than 400 ps.
    pub fn new(start: Time, first: Span) -> Self {
        let ended = FINE as u64 / 2;
        Self { start, fine: first / ended, ended }
    }

    /// Returns the batches that a quantity must be recorded in to be estimated at these instants.
    pub fn batches(&self) -> BatchMeans {
        BatchMeans::doubling(self.start, self.fine, FINE)
    }

    /// Returns the next instant.
    pub fn next_end(&self) -> Time {
        self.start + self.fine * self.ended
    }

    /// Goes on to the instant after the next.
    pub fn advance(&mut self) {
        self.ended += STEP;
        if self.ended > FINE as u64 {
            (self.fine, self.ended) = (self.fine * 2, FINE as u64 / 2 + STEP);
        }
    }
}

impl BatchMeans {
    /// Returns the mean of the values at `now`, in their unit. For batches of [`Stages::batches`].
    pub fn sequential_estimate(&self, now: Time, confidence: f64) -> SequentialEstimate {
        let (fine, _) = self.ended(now);
        let coarse = coarse(fine);
        let (mean, residuals) = means(&coarse);
        let half_width = mean_half_width(&coarse, &residuals, confidence);
        let values = Batch::joined(&coarse).count;
        SequentialEstimate::new(mean, half_width, &means(fine).1, &residuals, values)
    }

    /// Returns the values per second of virtual time at `now`. For batches of [`Stages::batches`].
    pub fn sequential_rate_estimate(&self, now: Time, confidence: f64) -> SequentialEstimate {
        let (fine, fine_length) = self.ended(now);
        let coarse = coarse(fine);
        let (mean, residuals) = counts(&coarse);
        let length_s = fine_length.as_s_f64() * (fine.len() / COARSE).max(1) as f64;
        let half_width = half_width(&residuals, confidence) / length_s;
        let values = Batch::joined(&coarse).count;
        SequentialEstimate::new(mean / length_s, half_width, &counts(fine).1, &residuals, values)
    }
}

/// Returns the fine batches as 40 of equal length; the first few are left out when they do not divide.
fn coarse(fine: &[Batch]) -> Vec<Batch> {
    let each = fine.len() / COARSE;
    if each == 0 {
        return Vec::new();
    }
    fine[fine.len() - each * COARSE..].chunks_exact(each).map(Batch::joined).collect()
}

/// Returns the result of both tests of residuals: Law and Carson's on the fine batches, and von Neumann's ratio on
/// the coarse ones. The latter detects slow and weak correlation.
fn uncorrelated(fine: &[f64], coarse: &[f64]) -> bool {
    let n = coarse.len() as f64;
    if n < 3.0 {
        return false;
    }
    let deviation = libm::sqrt((n - 2.0) / (n * n - 1.0));
    correlation(fine) < FINE_CORRELATION_MAX && correlation(coarse) <= NORMAL_95 * deviation
}

/// Returns the lag-1 autocorrelation from von Neumann's ratio of the mean square successive difference to the
/// variance. (Fishman, *Grouping observations in digital simulation*, Management Science 24, 1978); zero for values
/// that are all alike.
fn correlation(residuals: &[f64]) -> f64 {
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    if squares == 0.0 {
        return 0.0;
    }
    let steps: f64 = residuals.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0])).sum();
    1.0 - steps / (2.0 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    const US: Span = Span::from_us(1);

    fn stages() -> Stages {
        Stages::new(Time::ZERO, US * 400)
    }

    #[test]
    fn decisions_fall_on_ends_of_fine_batches() {
        let mut stages = stages();
        let mut batches = stages.batches();
        let mut last = Time::ZERO;
        for _ in 0..40 {
            let at = stages.next_end();
            // The last value before the decision has made the batches as long as they are at the decision.
            batches.record(at - Span::from_ps(1), 1);
            let (ended, length) = batches.ended(at);
            assert_eq!(Time::ZERO + length * ended.len() as u64, at);
            assert!(ended.len().is_multiple_of(STEP as usize) && (400..=800).contains(&ended.len()));
            assert!(last == Time::ZERO || at - last <= (last - Time::ZERO) / 5);
            last = at;
            stages.advance();
        }
    }

    /// Adds one value each µs, from `next`, until the first decision after `decisions` others.
    fn recorded(decisions: usize, mut next: impl FnMut() -> u64) -> (BatchMeans, Time) {
        let mut stages = stages();
        let mut batches = stages.batches();
        for _ in 0..decisions {
            stages.advance();
        }
        let mut at = Time::ZERO;
        while at < stages.next_end() {
            batches.record(at, next());
            at += US;
        }
        (batches, at)
    }

    #[test]
    fn a_constant_is_known_at_once() {
        let (batches, at) = recorded(0, || 7);
        let found = batches.sequential_estimate(at, 0.95);
        let known = SequentialEstimate { mean: 7.0, half_width: 0.0, sound: true, safe_half_width: 0.0 };
        assert_eq!(found, known);
        let rate = batches.sequential_rate_estimate(at, 0.95);
        assert!((rate.mean - 1e6).abs() < 1e-6 && rate.half_width == 0.0 && rate.within(1e-12));
    }

    /// A slow wave is correlated at every length tried, but it stays within one part in a thousand.
    #[test]
    fn a_regular_pattern_is_known_by_its_range() {
        let mut index = 0;
        let (batches, at) = recorded(0, || {
            index += 1;
            100_000 + if index / 100 % 2 == 0 { 50 } else { 0 }
        });
        let found = batches.sequential_estimate(at, 0.95);
        assert!(!found.sound && found.within(0.001), "{found:?}");
        assert!(!found.within(0.000_1), "{found:?}");
    }

    #[test]
    fn nothing_recorded_is_never_precise() {
        let batches = stages().batches();
        for now in [Time::ZERO, stages().next_end()] {
            assert!(!batches.sequential_estimate(now, 0.95).within(1.0));
            assert!(!batches.sequential_rate_estimate(now, 0.95).within(1.0));
        }
    }

    /// An autoregressive series of correlation 0.99 has a time constant of 100 values. Fine batches of one value are far
    /// too short; of 256 values they are long enough (lag-1 autocorrelation 0.26), and what the test of the coarse
    /// batches then refuses is its share of 5 %.
    #[test]
    fn correlated_batches_are_refused_until_they_are_long_enough() {
        let sound = |seed, decisions| {
            let mut random = RandomStream::new(seed, "series");
            let mut value = 0.0;
            let (batches, at) = recorded(decisions, || {
                let noise = random.exponential(US).as_ps() as f64 / 1e6 - 1.0;
                value = 0.99 * value + noise;
                (1000.0 + value).max(0.0) as u64
            });
            batches.sequential_estimate(at, 0.95).sound
        };
        assert_eq!((0..20).filter(|seed| sound(*seed, 0)).count(), 0);
        // Five decisions double the length.
        let long = (0..20).filter(|seed| sound(*seed, 45)).count();
        assert!(long >= 17, "{long} of 20");
    }

    #[test]
    fn a_higher_confidence_is_a_wider_interval() {
        let mut random = RandomStream::new(1, "noise");
        let (batches, at) = recorded(3, || random.exponential(US).as_ps());
        let width = |confidence| batches.sequential_estimate(at, confidence).half_width;
        let ratio = width(0.99) / width(0.9);
        // t(39): 2.708 and 1.685.
        assert!((ratio - 2.708 / 1.685).abs() < 1e-9, "{ratio}");
    }
}
