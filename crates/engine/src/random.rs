//! Named random streams.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use halftrack_base::Span;

/// A stream of pseudo-random numbers that belongs to a seed and a canonical name.
///
/// The generator is xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47,
/// 2021). Its four state words are four successive outputs of splitmix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014) started from FNV-1a-64(name) xor splitmix64(seed). All of it is
/// integer arithmetic, the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomStream {
    generator: Xoshiro256PlusPlus,
}

/// Returns the FNV-1a, 64 bits (Fowler, Noll and Vo; draft-eastlake-fnv).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Takes one step of splitmix64: advances `state` and returns the mixed output.
#[inline(always)]
pub(crate) fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns where the numbers of the component called `name` in a run with `seed` begin.
pub(crate) fn name_state(seed: u64, name: &str) -> u64 {
    let mut seed_state = seed;
    fnv1a(name.as_bytes()) ^ splitmix64(&mut seed_state)
}

impl RandomStream {
    /// Returns the stream of the component called `name` in a run with `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut state = name_state(seed, name);
        let mut words = [0_u8; 32];
        for word in words.chunks_exact_mut(8) {
            word.copy_from_slice(&splitmix64(&mut state).to_le_bytes());
        }
        Self { generator: Xoshiro256PlusPlus::from_seed(words) }
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Returns a number below `n`, each equally likely (Lemire, "Fast random integer generation in an interval", ACM TOMACS 29,
    /// 2019).
    ///
    /// # Panics
    /// When `n` is zero.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no number is below zero");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let unfair = n.wrapping_neg() % n;
            while (product as u64) < unfair {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Returns true `ppm` times in a million, exactly; always from 1,000,000 on.
    #[inline]
    pub fn chance_ppm(&mut self, ppm: u32) -> bool {
        self.below(1_000_000) < u64::from(ppm)
    }

    /// Returns a number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns a span from the exponential distribution with `mean`, rounded to the nearest picosecond.
    ///
    /// The logarithm is the `libm` crate's, never the platform's, so that the bytes of a run are portable.
    #[inline]
    pub fn exponential(&mut self, mean: Span) -> Span {
        let survivor = 1.0 - self.unit_f64();
        Span::from_ps(libm::round(-libm::log(survivor) * mean.as_ps() as f64) as u64)
    }
}

impl RandomStream {
    /// Returns the failures before the first success where each attempt succeeds with `chance`, above 0 and at most 1; most
    /// are [`u64::MAX`].
    #[inline]
    pub fn geometric(&mut self, chance: f64) -> u64 {
        let survivor = 1.0 - self.unit_f64();
        // A conversion to an integer saturates.
        libm::floor(libm::log(survivor) / libm::log1p(-chance)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed apart from this code, from the definitions above.
    #[test]
    fn vectors_are_fixed() {
        let mut stream = RandomStream::new(1, "alpha");
        let drawn: Vec<u64> = (0..4).map(|_| stream.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                15_720_477_904_690_679_424,
                10_921_054_301_744_403_526,
                1_860_984_557_424_474_604,
                11_706_404_747_482_937_009
            ]
        );
        let mean = Span::from_us(100);
        let spans: Vec<u64> = (0..3).map(|_| stream.exponential(mean).as_ps()).collect();
        assert_eq!(spans, [67_850_573, 130_105_568, 119_212_763]);
    }

    #[test]
    fn parts_match_their_publications() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        let mut state = 1_234_567;
        assert_eq!(splitmix64(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(&mut state), 3_203_168_211_198_807_973);
    }

    /// Bits that agree between two unrelated streams are binomial: 32,000 of 64,000, standard deviation 126.
    #[test]
    fn names_and_seeds_give_unrelated_streams() {
        let pairs = [((1, "a"), (1, "b")), ((1, "a"), (2, "a")), ((0, "0001"), (0, "0002"))];
        for ((seed, name), (other_seed, other_name)) in pairs {
            let mut left = RandomStream::new(seed, name);
            let mut right = RandomStream::new(other_seed, other_name);
            let agree: u32 = (0..1000).map(|_| (left.next_u64() ^ right.next_u64()).count_zeros()).sum();
            assert!(agree.abs_diff(32_000) < 500, "{name} and {other_name}: {agree} of 64000 bits agree");
        }
    }

    /// Each of 6 faces 10,000 times of 60,000, standard deviation 91.
    #[test]
    fn below_is_even() {
        let mut stream = RandomStream::new(7, "die");
        let mut faces = [0_u32; 6];
        for _ in 0..60_000 {
            faces[stream.below(6) as usize] += 1;
        }
        assert!(faces.iter().all(|&count| count.abs_diff(10_000) < 400), "{faces:?}");
    }

    #[test]
    fn below_is_even_where_rejection_matters() {
        let mut stream = RandomStream::new(7, "wide");
        let n = (1_u64 << 63) + (1 << 62);
        let low = (0..30_000).filter(|_| stream.below(n) < n / 3).count();
        assert!(low.abs_diff(10_000) < 400, "{low} of 30000 in the lowest third");
    }

    #[test]
    fn chances() {
        let mut stream = RandomStream::new(7, "coin");
        assert!((0..1000).all(|_| !stream.chance_ppm(0)));
        assert!((0..1000).all(|_| stream.chance_ppm(1_000_000)));
        let heads = (0..40_000).filter(|_| stream.chance_ppm(250_000)).count();
        assert!(heads.abs_diff(10_000) < 450, "{heads} of 40000 at one in four");
    }

    #[test]
    fn exponential_has_its_mean_and_is_memoryless() {
        let mut stream = RandomStream::new(7, "decay");
        let mean = Span::from_us(50);
        let spans: Vec<u64> = (0..40_000).map(|_| stream.exponential(mean).as_ps()).collect();
        let average = spans.iter().sum::<u64>() / 40_000;
        assert!(average.abs_diff(mean.as_ps()) < mean.as_ps() / 40, "{average} ps");
        let beyond = spans.iter().filter(|&&span| span > mean.as_ps()).count();
        assert!(beyond.abs_diff(14_715) < 500, "{beyond} of 40000 beyond the mean, 1/e expected");
    }

    /// (1 - p) / p failures on average, of a standard deviation of as many: 20,000 draws are known to 0.7 % of it.
    #[test]
    fn failures_before_a_success_have_their_mean() {
        for chance in [0.5, 1e-3, 1e-9] {
            let mut stream = RandomStream::new(3, "errors");
            let draws = 20_000;
            let sum: f64 = (0..draws).map(|_| stream.geometric(chance) as f64).sum();
            let mean = (1.0 - chance) / chance;
            assert!(
                (sum / f64::from(draws) / mean - 1.0).abs() < 0.03,
                "{chance}: {}",
                sum / f64::from(draws)
            );
        }
        assert_eq!(RandomStream::new(3, "errors").geometric(1.0), 0);
    }
}
