//! The quotients that reports are made of. A zero denominator gives zero, as RMF prints for no activity.

/// Picoseconds in a second.
const PS_PER_S: f64 = 1e12;
/// Picoseconds in a millisecond.
const PS_PER_MS: f64 = 1e9;

/// Returns `numerator / denominator`, 0 when the denominator is 0.
pub(crate) fn quotient(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 { 0.0 } else { numerator / denominator }
}

/// Returns seconds of a span in picoseconds.
pub(crate) fn seconds(ps: u64) -> f64 {
    ps as f64 / PS_PER_S
}

/// Returns events per second over an interval.
pub(crate) fn per_second(count: u128, length_ps: u64) -> f64 {
    quotient(count as f64, seconds(length_ps))
}

/// Returns 10^6 bytes per second over an interval.
pub(crate) fn megabytes_per_second(bytes: u128, length_ps: u64) -> f64 {
    per_second(bytes, length_ps) / 1e6
}

/// Returns busy time as a percentage of an interval of each of `servers`.
pub(crate) fn percent_busy(busy_ps: u128, servers: u64, length_ps: u64) -> f64 {
    100.0 * quotient(busy_ps as f64, servers as f64 * length_ps as f64)
}

/// Returns the mean number in progress: a sum of times over an interval.
pub(crate) fn mean_number(sum_ps: u128, length_ps: u64) -> f64 {
    quotient(sum_ps as f64, length_ps as f64)
}

/// Returns the mean of a sum of times, ms.
pub(crate) fn mean_ms(sum_ps: u128, count: u128) -> f64 {
    quotient(sum_ps as f64 / PS_PER_MS, count as f64)
}

/// Returns the sum in 128 bits: picoseconds of tens of thousands of devices pass 64 bits within an interval.
pub(crate) fn total(values: impl Iterator<Item = u64>) -> u128 {
    values.map(u128::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_denominator_gives_zero() {
        assert_eq!(per_second(5, 0), 0.0);
        assert_eq!(percent_busy(5, 0, 10), 0.0);
        assert_eq!(mean_ms(5, 0), 0.0);
        assert_eq!(mean_number(5, 0), 0.0);
    }

    #[test]
    fn units() {
        assert_eq!(per_second(1800, 900_000_000_000_000), 2.0);
        assert_eq!(megabytes_per_second(30_000_000, 1_000_000_000_000), 30.0);
        assert_eq!(percent_busy(30, 3, 40), 25.0);
        assert_eq!(mean_ms(3_000_000_000, 2), 1.5);
    }

    #[test]
    fn totals_pass_64_bits() {
        assert_eq!(total([u64::MAX, u64::MAX].into_iter()), 2 * u128::from(u64::MAX));
    }
}
