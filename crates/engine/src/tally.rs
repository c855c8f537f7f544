//! Integer sums of observed values.

use halftrack_base::Span;

/// Count, sum, sum of squares, least and greatest of observed values, all integers; usually picoseconds.
///
/// Integer sums do not depend on the order of addition, so tallies merge to the same bytes however the work was dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    count: u64,
    min: u64,
    max: u64,
    sum_ps: u128,
    sum_squares: u128,
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl Tally {
    /// Makes a tally without observations.
    pub const fn new() -> Self {
        Self { count: 0, min: u64::MAX, max: 0, sum_ps: 0, sum_squares: 0 }
    }

    /// Observes a span.
    #[inline]
    pub fn record(&mut self, span: Span) {
        self.record_ps(span.as_ps());
    }

    /// Observes a value.
    ///
    /// The sum of squares holds 10^14 observations of one second each; beyond its range it stays at its greatest.
    #[inline]
    pub fn record_ps(&mut self, value: u64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum_ps += u128::from(value);
        self.sum_squares = self.sum_squares.saturating_add(u128::from(value) * u128::from(value));
    }

    /// Adds what `other` has observed.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum_ps += other.sum_ps;
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
    }

    /// Takes what was observed and starts anew, as at the end of an interval.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Returns the number of values.
    #[inline]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of the values.
    #[inline]
    pub const fn sum_ps(&self) -> u128 {
        self.sum_ps
    }

    /// Returns the least value, if any was observed.
    pub fn min_ps(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Returns the greatest value, if any was observed.
    pub fn max_ps(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Returns the mean, or zero if nothing was observed.
    pub fn mean_ps(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum_ps as f64 / self.count as f64 }
    }

    /// Returns the standard deviation of the values observed (divisor n), or zero if nothing was.
    pub fn deviation_ps(&self) -> f64 {
        let mean = self.mean_ps();
        let variance =
            if self.count == 0 { 0.0 } else { self.sum_squares as f64 / self.count as f64 - mean * mean };
        libm::sqrt(variance.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Tally {
        let mut tally = Tally::new();
        values.iter().for_each(|&value| tally.record_ps(value));
        tally
    }

    #[test]
    fn sums_and_extremes() {
        let mut tally = of(&[2, 4, 4, 4, 5, 5, 7]);
        tally.record(Span::from_ps(9));
        assert_eq!(
            (tally.count(), tally.sum_ps(), tally.min_ps(), tally.max_ps()),
            (8, 40, Some(2), Some(9))
        );
        assert_eq!((tally.mean_ps(), tally.deviation_ps()), (5.0, 2.0));
    }

    #[test]
    fn merging_is_observing_all() {
        let mut left = of(&[5, 1]);
        left.merge(&of(&[9]));
        left.merge(&Tally::new());
        assert_eq!(left, of(&[9, 5, 1]));
        assert_eq!(left.take(), of(&[1, 5, 9]));
        assert_eq!(left, Tally::default());
        assert_eq!(
            (left.min_ps(), left.max_ps(), left.mean_ps(), left.deviation_ps()),
            (None, None, 0.0, 0.0)
        );
    }
}
