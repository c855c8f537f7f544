//! A submission in the words of a ring.

use std::sync::atomic::{AtomicU64, Ordering};

use halftrack_zedc::{Autonomous, Options, RegionToken, Request, SEGMENTS_MAX, Segment};

use crate::layout::{SEGMENT_WORDS, SUBMISSION_HEADER_WORDS};

/// Submission, copied out of a ring: what the program does with its words afterwards is no matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Submission {
    /// Name that the program has given to it.
    pub id: u64,
    /// Time of the submission by the clock of the card, ns.
    pub submitted_ns: u64,
    /// Options of the request.
    pub options: Options,
    /// Input, with the region tokens of the program.
    pub input: Vec<Segment>,
    /// Output, with the region tokens of the program.
    pub output: Vec<Segment>,
}

impl Submission {
    /// Returns the parameters of the request.
    pub fn parameters(&self) -> Autonomous<'_> {
        Autonomous { options: self.options, input: &self.input, output: &self.output }
    }

    /// Makes it that of a request that is submitted at a time.
    pub fn fill(&mut self, request: &Request, submitted_ns: u64) {
        self.submitted_ns = submitted_ns;
        self.id = request.id.0;
        self.options = request.options();
        self.input.clear();
        self.input.extend(request.input.segments());
        self.output.clear();
        self.output.extend(request.output.segments());
    }

    /// Writes it from the word `first` on.
    pub fn store(&self, words: &[AtomicU64], first: usize) {
        let store = |at: usize, value: u64| words[first + at].store(value, Ordering::Relaxed);
        store(0, self.id);
        store(1, self.options.0);
        store(2, self.input.len() as u64);
        store(3, self.output.len() as u64);
        store(4, self.submitted_ns);
        for (at, segment) in self.input.iter().chain(&self.output).enumerate() {
            let at = SUBMISSION_HEADER_WORDS + at * SEGMENT_WORDS;
            store(at, segment.region.0);
            store(at + 1, segment.address);
            store(at + 2, u64::from(segment.length_bytes));
        }
    }

    /// Copies what stands from the word `first` on, each word once. Lists that are too long are left out: an area without
    /// segments is refused like one with too many.
    pub fn load(&mut self, words: &[AtomicU64], first: usize) {
        self.copy(|at| words[first + at].load(Ordering::Relaxed));
    }

    /// Copies the words that `load` returns; another process may change them between two calls.
    fn copy(&mut self, mut load: impl FnMut(usize) -> u64) {
        let counts = [2, 3].map(|at| usize::try_from(load(at)).ok().filter(|count| *count <= SEGMENTS_MAX));
        [self.id, self.options.0, self.submitted_ns] = [0, 1, 4].map(&mut load);
        self.input.clear();
        self.output.clear();
        let mut segment = |at: usize| {
            let at = SUBMISSION_HEADER_WORDS + at * SEGMENT_WORDS;
            let [region, address, length] = [at, at + 1, at + 2].map(&mut load);
            // A length that no area can have is as long as none can be.
            let length_bytes = u32::try_from(length).unwrap_or(u32::MAX);
            Segment { region: RegionToken(region), address, length_bytes }
        };
        if let [Some(input), Some(output)] = counts {
            self.input.extend((0..input).map(&mut segment));
            self.output.extend((input..input + output).map(&mut segment));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::SUBMISSION_WORDS;

    proptest! {
        /// No word is accessed twice, so that no other octets are checked than are used.
        #[test]
        fn each_word_is_read_at_most_once(
            header in prop::collection::vec(prop_oneof![0..=300_u64, any::<u64>()], SUBMISSION_HEADER_WORDS),
        ) {
            let mut reads = vec![0; SUBMISSION_WORDS];
            let mut submission = Submission::default();
            submission.copy(|at| {
                reads[at] += 1;
                header.get(at).copied().unwrap_or(at as u64)
            });
            prop_assert!(reads.iter().all(|count| *count <= 1));
            let is_read = [header[2], header[3]].iter().all(|count| *count <= SEGMENTS_MAX as u64);
            let lengths = [submission.input.len() as u64, submission.output.len() as u64];
            prop_assert_eq!(lengths, if is_read { [header[2], header[3]] } else { [0, 0] });
        }
    }
}
