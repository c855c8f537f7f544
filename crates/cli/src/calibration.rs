//! How fast this machine is at this moment: a fixed arithmetic loop, so that a noisy or throttled machine
//! shows beside the speed of a run.

use std::hint::black_box;
use std::time::Instant;

/// Steps of the loop; each waits for the one before, so that the time is the processor's, not the compiler's.
const STEPS: u32 = 100_000_000;
/// Any start but zero.
const START: u64 = 0x9E37_79B9_7F4A_7C15;

/// Measures the time of 100 million dependent steps of Marsaglia's xorshift64 generator, ns.
pub fn calibration_ns() -> u64 {
    let began = Instant::now();
    black_box(xorshift64(black_box(START), STEPS));
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Advances `state` by `steps` steps (Marsaglia 2003, "Xorshift RNGs", triple 13, 7, 17).
fn xorshift64(mut state: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_is_the_published_generator() {
        // First two outputs of the generator from 1, computed by hand from the three shifts.
        assert_eq!(xorshift64(1, 1), 0x4082_2041);
        assert_ne!(xorshift64(START, 1000), xorshift64(START, 1001));
        assert_eq!(xorshift64(0, 10), 0);
    }
}
