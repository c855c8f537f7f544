//! The gamma distribution, cut into slices of equal chance.
//!
//! All of it is arithmetic of the `libm` crate, never the platform's, so that the same bits come out on every machine.

/// Terms of a series or fraction, far more than any converges in.
const MOST_TERMS: usize = 10_000;
const PRECISION: f64 = 1e-15;

/// Returns the regularised lower incomplete gamma function P(a, x), for a > 0 and x >= 0. Abramowitz and Stegun
/// 6.5.29 below a + 1; above, the continued fraction 6.5.31 by Lentz's method.
fn lower_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let scale = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..MOST_TERMS {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * PRECISION {
                break;
            }
        }
        return (sum * scale).min(1.0);
    }
    let tiny = f64::MIN_POSITIVE / PRECISION;
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / tiny, 1.0 / b);
    let mut fraction = d;
    for n in 1..MOST_TERMS {
        let n = n as f64;
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / nonzero(numerator * d + b, tiny);
        c = nonzero(b + numerator / c, tiny);
        let change = d * c;
        fraction *= change;
        if libm::fabs(change - 1.0) < PRECISION {
            break;
        }
    }
    1.0 - fraction * scale
}

fn nonzero(value: f64, tiny: f64) -> f64 {
    if libm::fabs(value) < tiny { tiny } else { value }
}

/// Returns the x at which P(a, x) is `chance`, not below `from`. Newton's method, kept inside a bracket that is
/// halved where it would leave it.
fn quantile(a: f64, chance: f64, from: f64) -> f64 {
    let (mut low, mut high) = (from, libm::fmax(2.0 * from, a));
    while lower_gamma(a, high) < chance {
        (low, high) = (high, 2.0 * high);
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..200 {
        let above = lower_gamma(a, x) - chance;
        if above < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let density = libm::exp((a - 1.0) * libm::log(x) - x - libm::lgamma(a));
        let newton = x - above / density;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if libm::fabs(next - x) <= PRECISION * x {
            return next;
        }
        x = next;
    }
    x
}

/// Returns the means of `slices` slices of equal chance of a gamma distribution, in rising order. Its mean is 1 and
/// its squared coefficient of variation is above 0.
pub(crate) fn slice_means(scv: f64, slices: usize) -> Vec<f64> {
    let shape = 1.0 / scv;
    let (mut at, mut below) = (0.0, 0.0);
    let mut means = Vec::with_capacity(slices);
    for slice in 1..=slices {
        // The mean of the part below x is P(shape + 1, x).
        let part = if slice == slices {
            1.0
        } else {
            at = quantile(shape, slice as f64 / slices as f64, at);
            lower_gamma(shape + 1.0, at)
        };
        means.push((part - below) * slices as f64);
        below = part;
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(1, x) = 1 - exp(-x); P(3, x) = 1 - exp(-x) (1 + x + x²/2).
    #[test]
    fn whole_shapes_have_closed_forms() {
        for x in [1e-6, 0.1, 0.9, 1.0, 2.5, 7.0, 30.0] {
            let rest = libm::exp(-x);
            assert!((lower_gamma(1.0, x) - (1.0 - rest)).abs() < 1e-13, "{x}");
            let third = 1.0 - rest * (1.0 + x + x * x / 2.0);
            assert!((lower_gamma(3.0, x) - third).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn quantiles_are_the_inverse() {
        for shape in [0.25, 1.0, 4.0, 16.0, 400.0] {
            for chance in [1e-6, 0.001, 0.2, 0.5, 0.999, 0.999_999] {
                let x = quantile(shape, chance, 0.0);
                assert!((lower_gamma(shape, x) - chance).abs() < 1e-11, "{shape} {chance}");
            }
        }
    }

    /// Mean and variance of the slices are those of the distribution, short of what varies within a slice.
    #[test]
    fn slices_have_the_moments() {
        for scv in [0.01, 0.25, 0.5, 1.0, 2.0] {
            let means = slice_means(scv, 1024);
            assert!(means.windows(2).all(|pair| pair[0] <= pair[1]), "{scv}");
            let mean = means.iter().sum::<f64>() / 1024.0;
            let variance = means.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / 1024.0;
            assert!((mean - 1.0).abs() < 1e-12, "{scv}: {mean}");
            assert!(variance < scv && variance > 0.98 * scv, "{scv}: {variance}");
        }
    }
}
