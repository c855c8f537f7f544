//! Confidence in a steady-state mean by batches of equal virtual length.

use serde::{Deserialize, Serialize};

use crate::student_t::quantile_95;
use crate::{SimDuration, SimTime};

/// Sums of one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Batch {
    count: u64,
    sum_ps: u128,
}

/// Values dealt into consecutive batches of equal virtual length, and what they say of the steady state.
///
/// Batches must be long against the correlation of the values (Law, *Simulation Modeling and Analysis*, ch. 9). All is
/// kept in integers; floating-point arithmetic begins in the estimates, in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchMeans {
    start: SimTime,
    batch_length: SimDuration,
    batches: Vec<Batch>,
    /// The batch that took the last value, and when it begins: most values fall into the same one.
    current: usize,
    current_start: SimTime,
}

impl BatchMeans {
    /// `batches` batches of `batch_length`, the first from `start` on.
    ///
    /// # Panics
    /// When `batch_length` is zero.
    pub fn new(start: SimTime, batch_length: SimDuration, batches: usize) -> Self {
        assert!(!batch_length.is_zero(), "a batch has a length");
        Self {
            start,
            batch_length,
            batches: vec![Batch::default(); batches],
            current: 0,
            current_start: start,
        }
    }

    /// Deals `value_ps` into the batch of `at`; values before the first batch (warm-up) or after the last are ignored.
    #[inline]
    pub fn record(&mut self, at: SimTime, value_ps: u64) {
        if at.checked_sub(self.batch_length).is_some_and(|from| from >= self.current_start)
            || at < self.current_start
        {
            if at < self.start {
                return;
            }
            let index = (at - self.start).as_ps() / self.batch_length.as_ps();
            if index >= self.batches.len() as u64 {
                return;
            }
            self.current = index as usize;
            self.current_start = self.start + self.batch_length * index;
        }
        if let Some(batch) = self.batches.get_mut(self.current) {
            batch.count += 1;
            batch.sum_ps += u128::from(value_ps);
        }
    }

    /// When the last batch ends.
    pub fn end(&self) -> SimTime {
        self.start + self.batch_length * self.batches.len() as u64
    }

    /// Batches that have ended at `now`: the number to give to [`Self::estimate_of`] for a decision to stop.
    pub fn ended_at(&self, now: SimTime) -> usize {
        let ended = now.saturating_since(self.start).as_ps() / self.batch_length.as_ps();
        self.batches.len().min(usize::try_from(ended).unwrap_or(usize::MAX))
    }

    /// Values in all batches.
    pub fn count(&self) -> u64 {
        self.batches.iter().map(|batch| batch.count).sum()
    }

    /// Mean of the values, in their unit, and half the width of its 95 % confidence interval. See [`Self::estimate_of`].
    pub fn estimate(&self) -> (f64, f64) {
        self.estimate_of(self.batches.len())
    }

    /// As [`Self::estimate`], from the first `batches` batches only.
    ///
    /// The mean is the ratio of all values' sum to their number, its variance that of a ratio (Cochran, *Sampling
    /// Techniques*, ch. 6), so that batches with few values weigh little. Zero with an infinite half-width if there
    /// are no values or fewer than two batches.
    pub fn estimate_of(&self, batches: usize) -> (f64, f64) {
        let used = &self.batches[..batches.min(self.batches.len())];
        let count: u64 = used.iter().map(|batch| batch.count).sum();
        if count == 0 {
            return (0.0, f64::INFINITY);
        }
        let sum: u128 = used.iter().map(|batch| batch.sum_ps).sum();
        let mean = sum as f64 / count as f64;
        let residuals = used.iter().map(|batch| batch.sum_ps as f64 - mean * batch.count as f64);
        (mean, half_width(residuals, used.len()) / (count as f64 / used.len() as f64))
    }

    /// Values per second of virtual time, and half the width of the 95 % confidence interval. See
    /// [`Self::rate_estimate_of`].
    pub fn rate_estimate(&self) -> (f64, f64) {
        self.rate_estimate_of(self.batches.len())
    }

    /// As [`Self::rate_estimate`], from the first `batches` batches only; infinite half-width below two batches.
    pub fn rate_estimate_of(&self, batches: usize) -> (f64, f64) {
        let used = &self.batches[..batches.min(self.batches.len())];
        if used.is_empty() {
            return (0.0, f64::INFINITY);
        }
        let count: u64 = used.iter().map(|batch| batch.count).sum();
        let mean = count as f64 / used.len() as f64;
        let residuals = used.iter().map(|batch| batch.count as f64 - mean);
        let length_s = self.batch_length.as_s_f64();
        (mean / length_s, half_width(residuals, used.len()) / length_s)
    }
}

/// Half the width of the 95 % confidence interval of the mean of `n` batch values, given their residuals.
fn half_width(residuals: impl Iterator<Item = f64>, n: usize) -> f64 {
    if n < 2 {
        return f64::INFINITY;
    }
    let squares: f64 = residuals.map(|residual| residual * residual).sum();
    quantile_95(n - 1) * libm::sqrt(squares / ((n - 1) as f64 * n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ps: u64) -> SimTime {
        SimTime::from_ps(ps)
    }

    #[test]
    fn values_outside_the_batches_are_ignored() {
        let mut means = BatchMeans::new(at(100), SimDuration::from_ps(10), 3);
        for (ps, value) in
            [(99, 1_000), (100, 1), (109, 3), (110, 4), (130, 1_000), (105, 2), (129, 6), (140, 1_000)]
        {
            means.record(at(ps), value);
        }
        let sums: Vec<_> = means.batches.iter().map(|batch| (batch.count, batch.sum_ps)).collect();
        assert_eq!(sums, [(3, 6), (1, 4), (1, 6)]);
        assert_eq!((means.count(), means.end()), (5, at(130)));
        assert_eq!((means.ended_at(at(0)), means.ended_at(at(119)), means.ended_at(at(999))), (0, 1, 3));
    }

    /// Equal counts reduce the ratio to the textbook mean of batch means: means 1, 2, 3; s = 1; t(2) = 4.303.
    #[test]
    fn half_width_is_students() {
        let mut means = BatchMeans::new(at(0), SimDuration::from_s(1), 3);
        for batch in 0..3 {
            for value in [batch, batch + 2] {
                means.record(SimTime::ZERO + SimDuration::from_s(batch), value);
            }
        }
        let (mean, half_width) = means.estimate();
        assert_eq!(mean, 2.0);
        assert!((half_width - 4.303 / libm::sqrt(3.0)).abs() < 1e-12, "{half_width}");
        assert_eq!(means.rate_estimate(), (2.0, 0.0));
        assert_eq!(means.estimate_of(1), (1.0, f64::INFINITY));
    }

    #[test]
    fn nothing_recorded_is_no_confidence() {
        let means = BatchMeans::new(at(0), SimDuration::from_s(1), 3);
        assert_eq!(means.estimate(), (0.0, f64::INFINITY));
        assert_eq!(means.rate_estimate(), (0.0, 0.0));
    }
}
