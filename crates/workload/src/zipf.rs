//! Zipf-distributed choice in constant time.

use halftrack_engine::RandomStream;

/// Chooses `k` of `0..n` with a weight of `(k + 1)^-exponent`.
///
/// The alias method (Walker 1977; construction after Vose, "A linear algorithm for generating random numbers with a
/// given distribution", IEEE Trans. Software Eng. 17, 1991): a column is chosen evenly and keeps its own item with
/// some probability, else gives its alias. Powers come from the `libm` crate, so that tables are the same everywhere.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Zipf {
    columns: Vec<Column>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    /// Probability of keeping the column's own item.
    keep: f64,
    /// The item given otherwise.
    alias: u32,
}

impl Zipf {
    /// Returns the distribution over `n` items.
    pub fn new(n: u32, exponent: f64) -> Self {
        Self { columns: alias_columns(&Self::weights(n, exponent)) }
    }

    /// Returns the weights of `0..n`.
    pub fn weights(n: u32, exponent: f64) -> Vec<f64> {
        (1..=n).map(|k| libm::pow(f64::from(k), -exponent)).collect()
    }

    /// Returns the next choice: two draws.
    #[inline]
    pub fn choose(&self, random: &mut RandomStream) -> u32 {
        let item = random.below(self.columns.len() as u64);
        let column = &self.columns[item as usize];
        if random.unit_f64() < column.keep { item as u32 } else { column.alias }
    }
}

/// Returns the pairs each item whose share of the weight is below the mean with one above it, until none is left.
fn alias_columns(weights: &[f64]) -> Vec<Column> {
    let scale = weights.len() as f64 / weights.iter().sum::<f64>();
    let mut shares: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let mut columns: Vec<Column> =
        (0..).zip(weights).map(|(item, _)| Column { keep: 1.0, alias: item }).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..shares.len()).rev().partition(|&item| shares[item] < 1.0);
    while let (Some(below), Some(&above)) = (small.pop(), large.last()) {
        columns[below] = Column { keep: shares[below], alias: above as u32 };
        shares[above] -= 1.0 - shares[below];
        if shares[above] < 1.0 {
            large.pop();
            small.push(above);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the probability of each item that the columns stand for.
    fn probabilities(zipf: &Zipf) -> Vec<f64> {
        let n = zipf.columns.len();
        let mut probabilities = vec![0.0; n];
        for (item, column) in zipf.columns.iter().enumerate() {
            probabilities[item] += column.keep / n as f64;
            probabilities[column.alias as usize] += (1.0 - column.keep) / n as f64;
        }
        probabilities
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
    }

    /// 1 + 1/2 + 1/3 + 1/4 = 25/12.
    #[test]
    fn exponent_one_gives_harmonic_shares() {
        assert_close(&probabilities(&Zipf::new(4, 1.0)), &[12.0, 6.0, 4.0, 3.0].map(|part| part / 25.0));
    }

    /// 1 + 1/4 + 1/9 = 49/36.
    #[test]
    fn exponent_two_gives_inverse_squares() {
        assert_close(&probabilities(&Zipf::new(3, 2.0)), &[36.0, 9.0, 4.0].map(|part| part / 49.0));
    }

    #[test]
    fn a_single_item_is_always_chosen() {
        let zipf = Zipf::new(1, 1.0);
        let mut random = RandomStream::new(1, "one");
        assert!((0..100).all(|_| zipf.choose(&mut random) == 0));
    }

    #[test]
    fn a_steep_exponent_leaves_only_the_first() {
        let zipf = Zipf::new(1000, 1e9);
        let mut random = RandomStream::new(1, "steep");
        assert!((0..1000).all(|_| zipf.choose(&mut random) == 0));
    }

    proptest! {
        #[test]
        fn columns_stand_for_the_weights(n in 1u32..2000, exponent in 0.01..4.0f64) {
            let total: f64 = (1..=n).map(|k| f64::from(k).powf(-exponent)).sum();
            let expected: Vec<f64> = (1..=n).map(|k| f64::from(k).powf(-exponent) / total).collect();
            assert_close(&probabilities(&Zipf::new(n, exponent)), &expected);
        }
    }
}
