//! The core of a subchannel, whose threads take its interrupts.

/// The cores, each of as many threads, and to which of them a subchannel belongs: they go round its number.
#[derive(Debug)]
pub(super) struct CoreOf {
    pub threads: usize,
    cores: u32,
    /// 2^64 over `cores`, rounded up.
    reciprocal: u64,
}

impl CoreOf {
    /// Makes the choice among so many `cores` of so many `threads` each.
    pub(super) fn new(threads: usize, cores: u32) -> Self {
        Self { threads, cores, reciprocal: (u64::MAX / u64::from(cores)).wrapping_add(1) }
    }

    /// Returns the first thread of the core of `subchannel`. It is the remainder by two multiplications, exact for every
    /// divisor and dividend of 32 bits (D. Lemire, O. Kaser, N. Kurz, "Faster remainder by direct computation", 2019).
    #[inline(always)]
    pub(super) fn first_thread(&self, subchannel: u32) -> usize {
        let fraction = self.reciprocal.wrapping_mul(u64::from(subchannel));
        let core = (u128::from(fraction) * u128::from(self.cores)) >> 64;
        core as usize * self.threads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_of_a_subchannel_is_the_remainder_of_its_number() {
        for cores in 1..70 {
            let core_of = CoreOf::new(2, cores);
            for number in (0..500).chain(u32::MAX - 200..=u32::MAX) {
                assert_eq!(core_of.first_thread(number), 2 * (number % cores) as usize);
            }
        }
    }
}
