//! Where the transient of a series ends.
//!
//! MSER-5: of all truncations of the series of means of five observations, take the one after which the standard error
//! of the mean is least. White, Cobb and Spratt, *A comparison of five steady-state truncation heuristics for
//! simulation*, Proceedings of the Winter Simulation Conference 2000, found it the most dependable of the simple rules;
//! Hoad, Robinson and Davies (*Automating warm-up length estimation*, Journal of the Operational Research Society 61,
//! 2010) chose it among 44 for automation. Observations here are batches of equal virtual length.

use crate::batch_means::{Batch, BatchMeans};
use halftrack_base::{Span, Time};

/// Observations to a mean.
const GROUP: usize = 5;
/// Means to a series when the pilot can be judged.
const MEANS: usize = 64;

/// A run watched from its start until its transient is over, in pilots of twice the length each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    start: Time,
    pilot: Span,
}

impl WarmUp {
    /// Watches from `start`, first for about `pilot`.
    ///
    /// # Panics
    /// When `pilot` is shorter than 320 ps.
    pub fn new(start: Time, pilot: Span) -> Self {
        let batches = (GROUP * MEANS) as u64;
        Self { start, pilot: pilot / batches * batches }
    }

    /// Returns the batches that a quantity must be recorded in to be judged at the end of pilots.
    pub fn batches(&self) -> BatchMeans {
        let batches = GROUP * MEANS;
        BatchMeans::doubling(self.start, self.pilot / batches as u64, batches)
    }

    /// Returns the time at which the pilot ends.
    pub fn pilot_end(&self) -> Time {
        self.start + self.pilot
    }

    /// Watches twice as long.
    pub fn extend(&mut self) {
        self.pilot = self.pilot * 2;
    }

    /// Returns the length of the transient of the rate and of the mean value, judged at the end of the pilot. It is
    /// `None` when the transient is not over in the first half, or when there are fewer values than observations.
    pub fn transient(&self, batches: &BatchMeans) -> Option<Span> {
        let (ended, length) = batches.ended(self.pilot_end());
        if Batch::joined(ended).count < (GROUP * MEANS) as u64 {
            return None;
        }
        let groups: Vec<Batch> = ended.chunks_exact(GROUP).map(Batch::joined).collect();
        let rates: Vec<f64> = groups.iter().map(|group| group.count as f64).collect();
        let of_rate = truncation(&rates)?;
        // A group without values has no mean; the groups around it stand for their own time.
        let valued: Vec<usize> = (0..groups.len()).filter(|group| groups[*group].count > 0).collect();
        let mean = |group: &usize| groups[*group].sum_ps as f64 / groups[*group].count as f64;
        let of_means = valued[truncation(&valued.iter().map(mean).collect::<Vec<f64>>())?];
        // The first mean that is kept may stand in a group after others that have none.
        let of_means = if of_means == valued[0] { 0 } else { of_means };
        Some(length * (GROUP * of_rate.max(of_means)) as u64)
    }
}

/// Returns how many of the first `values` belong to a transient, by MSER. It is `None` when no truncation in the
/// first half of the values is a minimum, so that the transient may go on.
pub fn truncation(values: &[f64]) -> Option<usize> {
    let half = values.len() / 2;
    let errors: Vec<f64> = (0..=half).map(|cut| squared_error(&values[cut..])).collect();
    let mut best = 0;
    for cut in 1..errors.len() {
        if errors[cut] < errors[best] {
            best = cut;
        }
    }
    (best < half || half == 0).then_some(best)
}

/// Returns the square of the standard error of the mean of `values`, as if they were independent.
fn squared_error(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    squares / (n * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    fn noise(random: &mut RandomStream) -> f64 {
        let unit = Span::from_us(1);
        random.exponential(unit).as_ps() as f64 / 1e6 - 1.0
    }

    #[test]
    fn a_step_is_cut_off_exactly() {
        for step in 1..30 {
            let values: Vec<f64> = (0..64).map(|index| if index < step { 5.0 } else { 1.0 }).collect();
            assert_eq!(truncation(&values), Some(step));
        }
    }

    #[test]
    fn nothing_is_cut_off_a_constant() {
        assert_eq!(truncation(&[3.0; 64]), Some(0));
        assert_eq!(truncation(&[]), Some(0));
    }

    #[test]
    fn a_trend_without_end_has_no_truncation() {
        let rising: Vec<f64> = (0..64).map(f64::from).collect();
        assert_eq!(truncation(&rising), None);
    }

    fn watched(values_per_us: u64, mut value: impl FnMut(u64) -> u64) -> Option<Span> {
        let warm_up = WarmUp::new(Time::ZERO, Span::from_us(320));
        let mut batches = warm_up.batches();
        for index in 0..320 * values_per_us {
            let at = Time::ZERO + Span::from_ps(1_000_000 * index / values_per_us);
            batches.record(at, value(index / values_per_us));
        }
        warm_up.transient(&batches)
    }

    #[test]
    fn the_transient_ends_with_the_group_in_which_values_settle() {
        assert_eq!(watched(3, |_| 9), Some(Span::ZERO));
        let at = watched(3, |us| if us < 23 { 90 } else { 9 }).unwrap();
        assert_eq!(at, Span::from_us(25));
        assert_eq!(watched(3, |us| us), None);
    }

    #[test]
    fn too_few_values_settle_nothing() {
        let warm_up = WarmUp::new(Time::ZERO, Span::from_us(320));
        assert_eq!(warm_up.transient(&warm_up.batches()), None);
    }

    #[test]
    fn a_pilot_grows_with_its_batches() {
        let mut warm_up = WarmUp::new(Time::ZERO, Span::from_us(320));
        let mut batches = warm_up.batches();
        for us in 0..640 {
            batches.record(Time::ZERO + Span::from_us(us), if us < 100 { 9 } else { 1 });
        }
        warm_up.extend();
        assert_eq!(warm_up.pilot_end(), Time::ZERO + Span::from_us(640));
        assert_eq!(warm_up.transient(&batches), Some(Span::from_us(100)));
    }

    /// A decaying transient in noise: the cut leaves little of it, and does not throw half of the series away.
    #[test]
    fn a_decay_is_cut_off_where_noise_hides_it() {
        for seed in 0..50 {
            let mut random = RandomStream::new(seed, "noise");
            let values: Vec<f64> =
                (0..64).map(|index| 10.0 * libm::exp(-f64::from(index) / 4.0) + noise(&mut random)).collect();
            let cut = truncation(&values).unwrap_or(32);
            assert!(cut >= 5, "seed {seed}: {cut} leaves a transient of three deviations");
        }
    }
}
