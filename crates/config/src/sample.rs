//! Data of a study that are compressed: how far they shrink is measured on them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use halftrack_zedc::software::deflate;
use halftrack_zedc::{ZlibRs, deflate_bound_bytes};

/// Octets of a file of a study.
pub struct Sample {
    octets: Box<[u8]>,
    digest: String,
    /// Ratios that were measured, by length of a request: the points of a sweep have the same sample.
    ratios: Mutex<BTreeMap<usize, f64>>,
}

impl PartialEq for Sample {
    fn eq(&self, other: &Self) -> bool {
        self.octets == other.octets
    }
}

impl Eq for Sample {}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sample({} bytes, {})", self.octets.len(), self.digest)
    }
}

impl Sample {
    /// Makes a sample of the octets of a file.
    #[must_use]
    pub fn new(octets: Vec<u8>) -> Self {
        let digest = blake3::hash(&octets).to_string();
        Self { octets: octets.into(), digest, ratios: Mutex::default() }
    }

    /// Returns the octets of the file.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Returns the BLAKE3 digest of the octets, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns true when it has no octets.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }

    /// Measures the ratio of compression in requests of `request_bytes`, which is above 0.
    ///
    /// The engine is that of cards which every machine can build, so that a study has the same result on all. A request that does
    /// not shrink counts as it is.
    #[must_use]
    pub fn ratio(&self, request_bytes: usize) -> f64 {
        let mut ratios = self.ratios.lock().unwrap_or_else(PoisonError::into_inner);
        *ratios.entry(request_bytes).or_insert_with(|| self.measured_ratio(request_bytes))
    }

    fn measured_ratio(&self, request_bytes: usize) -> f64 {
        let mut engine = ZlibRs::default();
        let mut output = vec![0; deflate_bound_bytes(request_bytes)];
        let mut length = |request: &[u8]| {
            deflate(&mut engine, request, &mut output).unwrap_or(request.len()).min(request.len())
        };
        let compressed: usize = self.octets.chunks(request_bytes).map(&mut length).sum();
        self.octets.len() as f64 / compressed.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_requests_and_never_below_one() {
        let text = Sample::new((0..100_000_u32).flat_map(|at| (at / 10).to_be_bytes()).collect());
        let (long, short) = (text.ratio(1 << 20), text.ratio(256));
        assert!(long > short && short > 1.5, "{long} and {short}");
        let mut state = 1_u64;
        let random = (0..100_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        });
        assert_eq!(Sample::new(random.collect()).ratio(4096).to_bits(), 1_f64.to_bits());
    }
}
