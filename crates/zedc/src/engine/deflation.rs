//! Deflation of a request, in which slices that do not shrink are stored, and most of them are not tried.
//!
//! A slice that does not shrink takes an engine as long as any other, and data that are compressed already come in long runs.
//! So after a slice that did not shrink a few are stored without a trial when their octets are spread evenly: no code makes such
//! octets shorter. Repetitions do not show in the spread, so that one in sixteen of such slices is tried.

use super::{Engine, Position, SLICE_BYTES_MAX, STORED_HEADER_BYTES, store};

/// Octets of a buffer into which any engine deflates any slice, or it would grow so much that it is stored.
pub const SCRATCH_BYTES: usize = 2 * SLICE_BYTES_MAX;

/// Most slices in succession that are not tried (our choice): one in sixteen takes an engine little time.
const UNTRIED_MAX: usize = 15;

/// Octets of a slice of which the first are sampled, and how many these are (our choice).
const STRETCH_BYTES: usize = 512;
const SAMPLED_BYTES: usize = 64;
/// Octets of the sample of a whole slice.
const SAMPLE: usize = SLICE_BYTES_MAX / STRETCH_BYTES * SAMPLED_BYTES;
/// Largest chi-squared of the sample that is even (our choice): four deviations above its mean of 255 for random octets.
///
/// The best code of octets with this value saves 0.2 %.
const CHI_SQUARED_MAX: usize = 350;

/// Deflation of one request. Nothing of it is kept for another one.
#[derive(Debug, Clone, Default)]
pub struct Deflation {
    /// Slices that need no trial any more, if they are even.
    untried: usize,
}

impl Deflation {
    /// Deflates the next slice, or stores it; returns the octets in `scratch`, within [`deflate_bound_bytes`].
    ///
    /// [`deflate_bound_bytes`]: super::deflate_bound_bytes
    pub fn deflate(
        &mut self,
        engine: &mut dyn Engine,
        slice: &[u8],
        position: Position,
        scratch: &mut [u8; SCRATCH_BYTES],
    ) -> usize {
        if self.untried != 0 && is_even(slice) {
            self.untried -= 1;
            return store(slice, position, scratch);
        }
        let deflated = engine.deflate(slice, position, scratch).ok();
        self.untried = if deflated.is_some_and(|bytes| bytes < slice.len()) { 0 } else { UNTRIED_MAX };
        deflated
            .filter(|bytes| *bytes <= slice.len() + STORED_HEADER_BYTES)
            .unwrap_or_else(|| store(slice, position, scratch))
    }
}

/// Returns whether the octets of a whole slice are spread so evenly that no code makes them shorter.
fn is_even(slice: &[u8]) -> bool {
    if slice.len() != SLICE_BYTES_MAX {
        return false;
    }
    let mut counts = [0_u32; 256];
    for stretch in slice.chunks_exact(STRETCH_BYTES) {
        stretch[..SAMPLED_BYTES].iter().for_each(|octet| counts[usize::from(*octet)] += 1);
    }
    // Chi-squared is 256 / SAMPLE times the sum of the squares of the counts, less SAMPLE.
    let squares: usize = counts.iter().map(|count| (count * count) as usize).sum();
    squares * counts.len() <= SAMPLE * (SAMPLE + CHI_SQUARED_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::{EngineFault, Inflated, ZlibRs, deflate_bound_bytes};
    use crate::rig::{incompressible, inflated_elsewhere, text};
    use crate::software;

    /// Engine that counts the slices that it tries.
    #[derive(Default)]
    struct Counting {
        engine: ZlibRs,
        trials: usize,
    }

    impl Engine for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn deflate(
            &mut self,
            slice: &[u8],
            position: Position,
            output: &mut [u8],
        ) -> Result<usize, EngineFault> {
            self.trials += 1;
            self.engine.deflate(slice, position, output)
        }

        fn inflate(&mut self, stream: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault> {
            self.engine.inflate(stream, output)
        }
    }

    /// Deflates a request, and checks the stream; returns its octets, and how many slices were tried.
    fn deflated(data: &[u8]) -> (usize, usize) {
        let mut engine = Counting::default();
        let mut output = vec![0; deflate_bound_bytes(data.len())];
        let bytes = software::deflate(&mut engine, data, &mut output).expect("it is within the bound");
        assert!(inflated_elsewhere(&output[..bytes]) == data);
        (bytes, engine.trials)
    }

    /// Returns slices of random octets.
    fn random(slices: usize) -> Vec<u8> {
        incompressible(slices * SLICE_BYTES_MAX)
    }

    #[test]
    fn one_in_sixteen_slices_that_do_not_shrink_is_tried() {
        assert_eq!(deflated(&random(32)), (deflate_bound_bytes(1 << 20), 2));
        assert_eq!(deflated(&random(1)).1, 1, "nothing is stored before a trial");
        assert_eq!(deflated(&incompressible(SLICE_BYTES_MAX + 100)).1, 2, "part of a slice is tried");
    }

    #[test]
    fn every_slice_that_may_shrink_is_tried() {
        assert_eq!(deflated(&text(1 << 20)).1, 32);
        let data = [random(2), text(3 * SLICE_BYTES_MAX), random(2)].concat();
        assert_eq!(deflated(&data).1, 1 + 3 + 1, "what follows text is tried again");
        // Octets of which the best code saves a hundredth.
        let skewed: Vec<u8> = random(32).into_iter().map(|octet| octet.max(24)).collect();
        assert_eq!(deflated(&skewed).1, 32);
    }

    #[test]
    fn repetitions_of_random_octets_are_found_at_the_next_trial() {
        // Of another length than stretches, so that a sample has no octet of the piece twice.
        let piece = incompressible(4160);
        let repeated: Vec<u8> = piece.iter().copied().cycle().take(31 * SLICE_BYTES_MAX).collect();
        let data = [random(1), repeated].concat();
        let (bytes, trials) = deflated(&data);
        assert_eq!(trials, 1 + 16, "all are tried from the first that shrinks");
        assert!(bytes < (16 + 3) * SLICE_BYTES_MAX, "{bytes}");
        let (bytes, _) = deflated(&piece.repeat(252));
        assert!(bytes < 6 * SLICE_BYTES_MAX, "{bytes}: no slice is stored before one did not shrink");
    }

    #[test]
    fn requests_are_deflated_as_if_they_were_the_first() {
        let page = incompressible(4096).repeat(8);
        let mut engine = ZlibRs::default();
        let mut scratch = Box::new([0; SCRATCH_BYTES]);
        Deflation::default().deflate(&mut engine, &random(1), Position::Last, &mut scratch);
        let bytes = Deflation::default().deflate(&mut engine, &page, Position::Last, &mut scratch);
        assert!(bytes < 2 * 4096, "{bytes}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Whatever the slices are, the stream is one of the data within the bound.
        #[test]
        fn the_stream_is_one_of_the_data(
            pieces in prop::collection::vec((0..4_u8, 1..6_usize), 1..6),
            cut in 0..SLICE_BYTES_MAX,
        ) {
            let mut data = Vec::new();
            for (kind, slices) in pieces {
                match kind {
                    0 => data.extend(random(slices)),
                    1 => data.extend(text(slices * SLICE_BYTES_MAX)),
                    2 => data.extend(incompressible(4096).repeat(8 * slices)),
                    _ => data.extend(random(slices).into_iter().map(|octet| octet & 0x7F)),
                }
            }
            data.truncate(data.len() - cut);
            deflated(&data);
        }
    }
}
