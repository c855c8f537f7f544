//! Rounds of a measurement, and medians over them.

/// Rounds of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounds {
    /// Rounds; odd, so that one of them is the median.
    pub count: usize,
    /// Duration of each figure's measurement in a round, s.
    pub measured_s: f64,
}

impl Rounds {
    /// One short round.
    pub const QUICK: Self = Self { count: 1, measured_s: 0.5 };

    /// Returns how often a measurement of so many figures calls `stage`. That is for each of them in each round, for the
    /// calibration, and for what is made before.
    #[must_use]
    pub const fn stages(self, figures: usize) -> u64 {
        (self.count * figures + 2) as u64
    }
}

/// Returns the median; 0 of nothing.
pub(crate) fn median(mut found: Vec<f64>) -> f64 {
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied().unwrap_or(0.0)
}
