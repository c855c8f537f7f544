//! Limits of a precision that can be requested.

use halftrack_machine::Precision;

use crate::option_error::OptionError;

/// Narrowest and widest half-width, as a share of the mean.
pub const RELATIVE_LIMITS: (f64, f64) = (0.000_01, 0.5);
/// Lowest and highest confidence level.
pub const CONFIDENCE_LIMITS: (f64, f64) = (0.5, 0.999);
/// Longest run, in intervals of the workload.
pub const INTERVALS_LIMIT: u32 = 1_000_000;
/// Longest warm-up, s: a day, as in the workload.
pub const WARMUP_LIMIT_S: f64 = 86_400.0;

/// Checks that every number of `precision` is within its limits.
///
/// # Errors
/// The first that is not, in words.
pub fn check_precision(precision: &Precision) -> Result<(), OptionError> {
    let within = |value: f64, (lowest, highest): (f64, f64)| (lowest..=highest).contains(&value);
    if !within(precision.relative, RELATIVE_LIMITS) {
        let (lowest, highest) = RELATIVE_LIMITS;
        let given = precision.relative * 100.0;
        let (lowest, highest) = (lowest * 100.0, highest * 100.0);
        return Err(OptionError(format!("a precision of {given} % is not within {lowest} % to {highest} %")));
    }
    if !within(precision.confidence, CONFIDENCE_LIMITS) {
        let (lowest, highest) = CONFIDENCE_LIMITS;
        let given = precision.confidence;
        return Err(OptionError(format!("a confidence of {given} is not within {lowest} to {highest}")));
    }
    if !(1..=INTERVALS_LIMIT).contains(&precision.at_most) {
        let given = precision.at_most;
        return Err(OptionError(format!("at most {given} intervals is not within 1 to {INTERVALS_LIMIT}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_limits() {
        let good = Precision::new(0.95, 0.01);
        assert_eq!(check_precision(&good), Ok(()));
        let refused = |precision: Precision| check_precision(&precision).unwrap_err().to_string();
        for relative in [0.0, -0.1, 0.51, f64::NAN] {
            assert!(refused(Precision { relative, ..good }).starts_with("a precision of"));
        }
        for confidence in [0.0, 1.0, f64::NAN] {
            assert!(refused(Precision { confidence, ..good }).starts_with("a confidence of"));
        }
        assert!(refused(Precision { at_most: 0, ..good }).starts_with("at most 0 intervals"));
    }
}
