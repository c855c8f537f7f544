//! Quantiles of Student's t distribution for 95 % confidence.

/// Two-sided 95 % (one-sided 97.5 %) quantiles for 1 to 30 degrees of freedom.
///
/// Source: NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, critical values of Student's t.
const QUANTILES_95: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The same for more degrees of freedom, each valid from its first number on (rounded up, to the safe side).
const QUANTILES_95_ABOVE: [(usize, f64); 5] =
    [(100, 1.984), (80, 1.990), (60, 2.000), (50, 2.009), (40, 2.021)];

/// The factor on the standard error that covers 95 %, for `degrees` of freedom; never too small.
pub(crate) fn quantile_95(degrees: usize) -> f64 {
    match degrees {
        0 => f64::INFINITY,
        1..=30 => QUANTILES_95[degrees - 1],
        _ => QUANTILES_95_ABOVE
            .iter()
            .find(|&&(from, _)| degrees >= from)
            .map_or(2.042, |&(_, quantile)| quantile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falls_towards_the_normal_quantile() {
        assert_eq!(quantile_95(0), f64::INFINITY);
        assert_eq!((quantile_95(1), quantile_95(19), quantile_95(30)), (12.706, 2.093, 2.042));
        assert_eq!(
            (quantile_95(39), quantile_95(40), quantile_95(99), quantile_95(1000)),
            (2.042, 2.021, 1.990, 1.984)
        );
        assert!((1..200).all(|degrees| quantile_95(degrees) >= quantile_95(degrees + 1)));
    }
}
