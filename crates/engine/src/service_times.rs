//! Service times that vary about their mean.

use std::sync::Arc;

use crate::gamma::slice_means;
use crate::random::{name_state, splitmix64};
use halftrack_base::Span;

/// Slices of equal chance that the distribution is cut into; a power of two.
const SLICES: usize = 1024;
/// Fraction bits of a factor.
const FACTOR_BITS: u32 = 24;
const ONE: u32 = 1 << FACTOR_BITS;

/// A distribution of service times by its factors on the mean: one for each slice of equal chance. Their mean is one
/// exactly, so that utilisations are those of the means.
#[derive(Debug, PartialEq, Eq)]
pub struct ServiceDistribution {
    factors: [u32; SLICES],
}

impl ServiceDistribution {
    /// Creates services that all take their mean.
    pub fn constant() -> Self {
        Self { factors: [ONE; SLICES] }
    }

    /// Returns the gamma distribution with this squared coefficient of variation (variance over squared mean), at most 4; 1 is the
    /// exponential distribution, 0 no variation. Less than 2 % of the variance is lost within the slices.
    ///
    /// # Panics
    /// When `scv` is negative, above 4 or not a number.
    pub fn gamma(scv: f64) -> Self {
        assert!((0.0..=4.0).contains(&scv), "a squared coefficient of variation of {scv}");
        // Below this the factors round to one.
        if scv < 1e-12 {
            return Self::constant();
        }
        let mut factors = [0; SLICES];
        let mut left = (SLICES as u64) << FACTOR_BITS;
        for (factor, mean) in factors.iter_mut().zip(slice_means(scv, SLICES)) {
            *factor = libm::round(mean * f64::from(ONE)) as u32;
            left = left.wrapping_sub(u64::from(*factor));
        }
        // What rounding left, some hundred units of 2^-24, belongs to the longest, which is far more.
        factors[SLICES - 1] = factors[SLICES - 1].wrapping_add(left as u32);
        Self { factors }
    }
}

impl ServiceDistribution {
    /// Returns the shortest service of those that take `mean` on average.
    pub fn shortest(&self, mean: Span) -> Span {
        scaled(mean, self.factors[0])
    }
}

/// Returns `mean` times `factor`, rounded down to whole picoseconds.
#[inline(always)]
fn scaled(mean: Span, factor: u32) -> Span {
    Span::from_ps(((u128::from(mean.as_ps()) * u128::from(factor)) >> FACTOR_BITS) as u64)
}

/// The service times of one station: a distribution, and the station's own random numbers (splitmix64).
#[derive(Debug, Clone)]
pub struct ServiceTimes {
    distribution: Arc<ServiceDistribution>,
    state: u64,
}

impl ServiceTimes {
    /// Returns the service times of the station called `name` in a run with `seed`.
    pub fn new(distribution: Arc<ServiceDistribution>, seed: u64, name: &str) -> Self {
        Self { distribution, state: name_state(seed, name) }
    }

    /// Returns the shortest service of those that take `mean` on average.
    pub fn shortest(&self, mean: Span) -> Span {
        self.distribution.shortest(mean)
    }

    /// Returns the next service that takes `mean` on average, in whole picoseconds. Nothing takes nothing, and no number is drawn.
    #[inline(always)]
    pub fn draw(&mut self, mean: Span) -> Span {
        if mean.is_zero() {
            return mean;
        }
        let slice = splitmix64(&mut self.state) as usize % SLICES;
        scaled(mean, self.distribution.factors[slice])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(distribution: ServiceDistribution, count: u64) -> (f64, f64) {
        let mut times = ServiceTimes::new(Arc::new(distribution), 7, "station");
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let us = times.draw(Span::from_us(50)).as_ps() as f64 / 1e6;
            sum += us;
            squares += us * us;
        }
        let mean = sum / count as f64;
        (mean, (squares / count as f64 - mean * mean) / (mean * mean))
    }

    #[test]
    fn the_factors_have_a_mean_of_one_exactly() {
        for scv in [0.0, 1e-6, 0.04, 0.25, 1.0, 4.0] {
            let sum: u64 =
                ServiceDistribution::gamma(scv).factors.iter().map(|factor| u64::from(*factor)).sum();
            assert_eq!(sum, (SLICES as u64) << FACTOR_BITS, "{scv}");
        }
    }

    /// Of 400,000 services: standard deviation of the mean 0.16 % at the largest variation.
    #[test]
    fn services_have_mean_and_variation() {
        for scv in [0.04, 0.25, 1.0] {
            let (mean, variation) = drawn(ServiceDistribution::gamma(scv), 400_000);
            assert!((mean / 50.0 - 1.0).abs() < 0.006, "{scv}: {mean}");
            assert!((variation / scv - 1.0).abs() < 0.03, "{scv}: {variation}");
        }
    }

    #[test]
    fn constant_services_take_their_mean_and_none_takes_nothing() {
        let mut times = ServiceTimes::new(Arc::new(ServiceDistribution::constant()), 7, "station");
        for ps in [0, 1, 999, 53_200_000, u64::MAX] {
            assert_eq!(times.draw(Span::from_ps(ps)).as_ps(), ps);
        }
        assert_eq!(ServiceDistribution::gamma(0.0), ServiceDistribution::constant());
    }

    #[test]
    fn stations_draw_apart_and_alike_in_every_run() {
        let distribution = Arc::new(ServiceDistribution::gamma(0.25));
        let first = |seed, name| {
            let mut times = ServiceTimes::new(Arc::clone(&distribution), seed, name);
            [(); 4].map(|()| times.draw(Span::from_us(1)).as_ps())
        };
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_ne!(first(1, "a"), first(2, "a"));
    }
}
