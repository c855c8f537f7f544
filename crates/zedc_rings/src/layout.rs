//! Memory of a program's connection to a card: where the words of both rings stand.
//!
//! ```text
//! header │ ends, 64 of 8 words │ submissions, 64 of 1552 words
//! ```
//!
//! Words that one end writes and the other reads stand in lines of the cache of their own.

use halftrack_zedc::SEGMENTS_MAX;

/// Entries of either ring.
pub const DEPTH: u64 = halftrack_zedc::DEPTH_DEFAULT as u64;

/// The card sleeps: 1, or 0. Written by the card.
pub const ASLEEP_WORD: usize = 0;
/// Submissions so far. Written by the program.
pub const SUBMITTED_WORD: usize = 8;
/// Submissions that were taken. Written by the card.
pub const TAKEN_WORD: usize = 16;
/// Ends so far. Written by the card.
pub const ENDED_WORD: usize = 24;
/// Ends that were collected. Written by the program.
pub const COLLECTED_WORD: usize = 32;
/// State of the function. Written by the card.
pub const STATE_WORD: usize = 40;
/// Octets that wait at the function. Written by the card.
pub const BACKLOG_WORD: usize = 48;
/// Half word that changes with each end, on which the program sleeps. Written by the card.
pub const BELL_HALF_WORD: usize = 2 * 56;
/// Half word: the program sleeps, 1, or 0. Written by the program.
pub const WAITS_HALF_WORD: usize = 2 * 64;
const HEADER_WORDS: usize = 128;

/// Words of an end.
pub const END_WORDS: usize = 8;
/// Words of a submission before its segments.
pub const SUBMISSION_HEADER_WORDS: usize = 5;
/// Words of a segment.
pub const SEGMENT_WORDS: usize = 3;
/// Words of a submission.
pub const SUBMISSION_WORDS: usize =
    (SUBMISSION_HEADER_WORDS + 2 * SEGMENTS_MAX * SEGMENT_WORDS).next_multiple_of(8);

/// Octets of the memory, whole pages.
pub const MEMORY_BYTES: usize =
    (8 * (HEADER_WORDS + DEPTH as usize * (END_WORDS + SUBMISSION_WORDS))).next_multiple_of(4096);

/// Returns the first word of an end, counted from the first end of all.
pub const fn end_word(number: u64) -> usize {
    HEADER_WORDS + (number % DEPTH) as usize * END_WORDS
}

/// Returns the first word of a submission, counted from the first one of all.
pub const fn submission_word(number: u64) -> usize {
    HEADER_WORDS + DEPTH as usize * END_WORDS + (number % DEPTH) as usize * SUBMISSION_WORDS
}
