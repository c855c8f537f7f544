//! Confidence in a steady-state mean by batches of equal virtual length.

use crate::student_t::quantile;
use halftrack_base::{Span, Time};

/// Confidence level of the estimates that name none.
const CONFIDENCE: f64 = 0.95;

/// Sums of one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub count: u64,
    pub sum_ps: u128,
}

impl Batch {
    /// Neighbours, or any others, as one.
    pub(crate) fn joined(batches: &[Batch]) -> Batch {
        batches.iter().fold(Batch::default(), |sum, batch| Batch {
            count: sum.count + batch.count,
            sum_ps: sum.sum_ps + batch.sum_ps,
        })
    }
}

/// Batches of equal virtual length of consecutive values, and their estimates of the steady state.
///
/// Batches must be long against the correlation of the values (Law, *Simulation Modeling and Analysis*, ch. 9). All
/// is kept in integers; floating-point arithmetic begins in the estimates, in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchMeans {
    start: Time,
    batch_length: Span,
    batches: Vec<Batch>,
    /// The batch that took the last value, when it begins and when it ends: most values fall into the same one.
    current: usize,
    current_start: Time,
    current_end: Time,
    /// Batches grow when the last one has ended.
    doubling: bool,
}

impl BatchMeans {
    /// Returns `batches` batches of `batch_length`, the first from `start` on.
    ///
    /// # Panics
    /// When `batch_length` is zero.
    pub fn new(start: Time, batch_length: Span, batches: usize) -> Self {
        assert!(!batch_length.is_zero(), "a batch has a length");
        Self {
            start,
            batch_length,
            batches: vec![Batch::default(); batches],
            current: 0,
            current_start: start,
            // The first value locates its batch.
            current_end: start,
            doubling: false,
        }
    }

    /// Makes batches as [`Self::new`], for an unknown length of run. A value after the last batch joins every two
    /// neighbours into one of twice the length, until there is a batch for it. From the first doubling on, at least
    /// half of the batches have ended.
    ///
    /// # Panics
    /// When `batch_length` is zero or `batches` is not an even number above zero.
    pub fn doubling(start: Time, batch_length: Span, batches: usize) -> Self {
        assert!(batches > 0 && batches.is_multiple_of(2), "batches are joined two by two");
        Self { doubling: true, ..Self::new(start, batch_length, batches) }
    }

    /// Adds `value_ps` to the batch of `at`; values before the first batch (warm-up) or after the last are ignored.
    #[inline(always)]
    pub fn record(&mut self, at: Time, value_ps: u64) {
        if (at < self.current_start || at >= self.current_end) && !self.find_batch(at) {
            return;
        }
        if let Some(batch) = self.batches.get_mut(self.current) {
            batch.count += 1;
            batch.sum_ps += u128::from(value_ps);
        }
    }

    /// Makes the batch of `at` the current one; false if there is none.
    #[cold]
    #[inline(never)]
    fn find_batch(&mut self, at: Time) -> bool {
        if at < self.start {
            return false;
        }
        while self.doubling && at >= self.end() {
            self.double();
        }
        let index = (at - self.start).as_ps() / self.batch_length.as_ps();
        if index >= self.batches.len() as u64 {
            return false;
        }
        self.current = index as usize;
        self.current_start = self.start + self.batch_length * index;
        self.current_end = self.current_start + self.batch_length;
        true
    }

    fn double(&mut self) {
        let half = self.batches.len() / 2;
        for index in 0..half {
            self.batches[index] = Batch::joined(&self.batches[2 * index..2 * index + 2]);
        }
        self.batches[half..].fill(Batch::default());
        self.batch_length = self.batch_length * 2;
    }

    /// Returns the batches that have ended at `now`, and their length.
    pub(crate) fn ended(&self, now: Time) -> (&[Batch], Span) {
        (&self.batches[..self.ended_at(now)], self.batch_length)
    }

    /// Returns the time at which the last batch ends.
    pub fn end(&self) -> Time {
        self.start + self.batch_length * self.batches.len() as u64
    }

    /// Returns the batches that have ended at `now`.
    pub fn ended_at(&self, now: Time) -> usize {
        let ended = now.saturating_since(self.start).as_ps() / self.batch_length.as_ps();
        self.batches.len().min(usize::try_from(ended).unwrap_or(usize::MAX))
    }

    /// Returns the values in all batches.
    pub fn count(&self) -> u64 {
        self.all().count
    }

    /// Returns all batches as one.
    pub(crate) fn all(&self) -> Batch {
        Batch::joined(&self.batches)
    }

    /// Returns the mean of the values, in their unit, and half the width of its 95 % confidence interval.
    ///
    /// The mean is the ratio of all values' sum to their number, its variance that of a ratio (Cochran, *Sampling
    /// Techniques*, ch. 6), so that batches with few values weigh little. Zero with an infinite half-width if there
    /// are no values or fewer than two batches.
    pub fn estimate(&self) -> (f64, f64) {
        let (mean, residuals) = means(&self.batches);
        (mean, mean_half_width(&self.batches, &residuals, CONFIDENCE))
    }

    /// Returns the values per second of virtual time, and half the width of the 95 % confidence interval, infinite below two
    /// batches.
    pub fn rate_estimate(&self) -> (f64, f64) {
        let (mean, residuals) = counts(&self.batches);
        let length_s = self.batch_length.as_s_f64();
        (mean / length_s, half_width(&residuals, CONFIDENCE) / length_s)
    }
}

/// Returns the mean of the values in `batches`, and by how much the sum of each batch differs from that mean of its values.
pub(crate) fn means(batches: &[Batch]) -> (f64, Vec<f64>) {
    let all = Batch::joined(batches);
    let mean = if all.count == 0 { 0.0 } else { all.sum_ps as f64 / all.count as f64 };
    (mean, batches.iter().map(|batch| batch.sum_ps as f64 - mean * batch.count as f64).collect())
}

/// Returns the mean number of values in a batch, and by how much each batch differs from it.
pub(crate) fn counts(batches: &[Batch]) -> (f64, Vec<f64>) {
    let mean = Batch::joined(batches).count as f64 / batches.len().max(1) as f64;
    (mean, batches.iter().map(|batch| batch.count as f64 - mean).collect())
}

/// Returns half the width of the confidence interval of the mean of the values in `batches`, given the residuals of
/// [`means`]. It is infinite without values or with fewer than two batches.
pub(crate) fn mean_half_width(batches: &[Batch], residuals: &[f64], confidence: f64) -> f64 {
    match Batch::joined(batches).count {
        0 => f64::INFINITY,
        count => half_width(residuals, confidence) / (count as f64 / batches.len() as f64),
    }
}

/// Returns the half the width of the confidence interval of the mean of batch values, given their residuals.
pub(crate) fn half_width(residuals: &[f64], confidence: f64) -> f64 {
    let n = residuals.len();
    if n < 2 {
        return f64::INFINITY;
    }
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    quantile(confidence, n - 1) * libm::sqrt(squares / ((n - 1) as f64 * n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn values_outside_the_batches_are_ignored() {
        let mut means = BatchMeans::new(at(100), Span::from_ps(10), 3);
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
        let mut means = BatchMeans::new(at(0), Span::from_s(1), 3);
        for batch in 0..3 {
            for value in [batch, batch + 2] {
                means.record(Time::ZERO + Span::from_s(batch), value);
            }
        }
        let (mean, half_width) = means.estimate();
        assert_eq!(mean, 2.0);
        assert!((half_width - 4.303 / libm::sqrt(3.0)).abs() < 1e-12, "{half_width}");
        assert_eq!(means.rate_estimate(), (2.0, 0.0));
        let mut one = BatchMeans::new(at(0), Span::from_s(1), 1);
        one.record(at(0), 1);
        assert_eq!(one.estimate(), (1.0, f64::INFINITY));
    }

    #[test]
    fn nothing_recorded_is_no_confidence() {
        let means = BatchMeans::new(at(0), Span::from_s(1), 3);
        assert_eq!(means.estimate(), (0.0, f64::INFINITY));
        assert_eq!(means.rate_estimate(), (0.0, 0.0));
    }

    #[test]
    fn doubling_batches_keep_every_value_in_its_time() {
        let mut means = BatchMeans::doubling(at(100), Span::from_ps(10), 4);
        for ps in [100, 119, 125, 139, 140, 99, 190, 500] {
            means.record(at(ps), ps);
        }
        // 400 ps after the start, four batches of 160 ps hold it.
        assert_eq!(means.batch_length, Span::from_ps(160));
        let sums: Vec<_> = means.batches.iter().map(|batch| (batch.count, batch.sum_ps)).collect();
        assert_eq!(sums, [(6, 813), (0, 0), (1, 500), (0, 0)]);
        assert_eq!((means.ended_at(at(419)), means.ended_at(at(420))), (1, 2));
        means.record(at(101), 1);
        assert_eq!((means.count(), means.batches[0].count), (8, 7));
    }
}
