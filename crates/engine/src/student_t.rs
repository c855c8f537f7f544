//! Quantiles of Student's t distribution.

use core::f64::consts::PI;

/// Digits of a quantile behind the point, as in printed tables: more would promise what a sum of floats cannot keep.
const THOUSANDTHS: f64 = 1000.0;

/// Returns the factor on the standard error for a two-sided interval of the share `confidence` (between 0 and 1). It
/// is that of `degrees` of freedom, to the nearest thousandth; infinite for none.
pub(crate) fn quantile(confidence: f64, degrees: usize) -> f64 {
    if degrees == 0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 1.0);
    // At one degree the quantile of 0.999999 is still below 2^20.
    while coverage(high, degrees) < confidence && high < 1e9 {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-9 * high {
        let middle = (low + high) / 2.0;
        if coverage(middle, degrees) < confidence { low = middle } else { high = middle }
    }
    libm::round(high * THOUSANDTHS) / THOUSANDTHS
}

/// Returns the probability that a t-distributed value lies between `-t` and `t`.
///
/// Source: Abramowitz and Stegun, *Handbook of Mathematical Functions*, 26.7.3 (odd degrees) and 26.7.4 (even).
fn coverage(t: f64, degrees: usize) -> f64 {
    let angle = libm::atan(t / libm::sqrt(degrees as f64));
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let odd = degrees % 2 == 1;
    let (mut sum, mut term) = (0.0, if odd { cosine } else { 1.0 });
    // The numerators run over the numbers of one parity below `degrees`, the denominators over those one above.
    for number in (if odd { 2 } else { 1 }..degrees).step_by(2) {
        sum += term;
        term *= cosine * cosine * number as f64 / (number + 1) as f64;
    }
    if odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, critical values of Student's t.
    #[test]
    fn agrees_with_printed_tables() {
        let two_sided_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
        for (degrees, printed) in (1..).zip(two_sided_95) {
            assert_eq!(quantile(0.95, degrees), printed, "{degrees} degrees");
        }
        for (confidence, degrees, printed) in [
            (0.95, 19, 2.093),
            (0.95, 30, 2.042),
            (0.95, 39, 2.023),
            (0.95, 100, 1.984),
            (0.90, 39, 1.685),
            (0.90, 1, 6.314),
            (0.99, 19, 2.861),
            (0.99, 60, 2.660),
            (0.998, 5, 5.893),
            (0.998, 1, 318.309),
        ] {
            assert_eq!(quantile(confidence, degrees), printed, "{confidence} at {degrees} degrees");
        }
    }

    #[test]
    fn falls_towards_the_normal_quantile() {
        assert_eq!(quantile(0.95, 0), f64::INFINITY);
        assert!((1..200).all(|degrees| quantile(0.95, degrees) >= quantile(0.95, degrees + 1)));
        assert_eq!((quantile(0.95, 10_000), quantile(0.99, 10_000)), (1.960, 2.576));
    }
}
