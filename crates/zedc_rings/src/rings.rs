//! The two rings of a connection: submissions of the program, and ends that the card gives back.
//!
//! Each end keeps its own counts where the other one cannot change them, and believes the counts of the other one only within
//! what they can be. A request has an entry of the submissions until it is taken, and one of the ends from then on, so that
//! there is always room for its end.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

use halftrack_base::Span;
use halftrack_shared_memory::{SealedMemory, sleep_while, wake_all};
use halftrack_zedc::{Answer, Completion, FunctionState, RequestId};
use thiserror::Error;

use crate::layout::{
    ASLEEP_WORD, BACKLOG_WORD, BELL_HALF_WORD, COLLECTED_WORD, DEPTH, ENDED_WORD, MEMORY_BYTES, STATE_WORD,
    SUBMITTED_WORD, TAKEN_WORD, WAITS_HALF_WORD, end_word, submission_word,
};
use crate::submission::Submission;

/// Counts of the other end that cannot be: its memory is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the counts of the rings contradict each other")]
pub struct Malformed;

/// Returns how many entries of a ring are in use.
fn used(of: &AtomicU64, until: u64) -> Result<u64, Malformed> {
    let count = until.wrapping_sub(of.load(Ordering::Acquire));
    if count <= DEPTH { Ok(count) } else { Err(Malformed) }
}

/// States of a function, in the order of their words.
const STATES: [FunctionState; 5] = [
    FunctionState::Configured,
    FunctionState::Allocated,
    FunctionState::DeallocatePending,
    FunctionState::InError,
    FunctionState::InUpdate,
];

/// The card's end.
#[derive(Debug)]
pub struct CardRings {
    memory: SealedMemory,
    taken: u64,
    ended: u64,
    state: Option<FunctionState>,
}

impl CardRings {
    /// Creates empty rings; returns the file for the program, too.
    ///
    /// # Errors
    /// No memory, or no descriptor.
    pub fn create() -> io::Result<(Self, OwnedFd)> {
        let (memory, fd) = SealedMemory::create("zedc", MEMORY_BYTES)?;
        Ok((Self { memory, taken: 0, ended: 0, state: None }, fd))
    }

    /// Returns how many submissions wait.
    ///
    /// # Errors
    /// [`Malformed`].
    #[inline]
    pub fn waiting(&self) -> Result<u64, Malformed> {
        let count = self.memory.words()[SUBMITTED_WORD].load(Ordering::Acquire).wrapping_sub(self.taken);
        if count <= DEPTH { Ok(count) } else { Err(Malformed) }
    }

    /// Takes the next submission, when there is one, and room for its end.
    ///
    /// # Errors
    /// [`Malformed`].
    #[inline]
    pub fn take(&mut self, into: &mut Submission) -> Result<bool, Malformed> {
        // Of each submission that was taken the end stands in its ring, or will.
        let has_room = used(&self.memory.words()[COLLECTED_WORD], self.taken)? < DEPTH;
        if self.waiting()? == 0 || !has_room {
            return Ok(false);
        }
        into.load(self.memory.words(), submission_word(self.taken));
        self.taken += 1;
        self.memory.words()[TAKEN_WORD].store(self.taken, Ordering::Release);
        Ok(true)
    }

    /// Gives the end of a submission back, and wakes the program when it sleeps.
    pub fn end(&mut self, id: u64, completion: &Completion) {
        let words = self.memory.words();
        let first = end_word(self.ended);
        let values = [
            id,
            u64::from(completion.answer.return_code() as u8) << 16 | u64::from(completion.answer.reason()),
            u64::from(completion.consumed_bytes),
            u64::from(completion.produced_bytes),
            u64::from(completion.crc32),
            u64::from(completion.adler32),
            completion.queue_time.as_ps(),
            completion.execution_time.as_ps(),
        ];
        for (word, value) in words[first..].iter().zip(values) {
            word.store(value, Ordering::Relaxed);
        }
        self.ended += 1;
        words[ENDED_WORD].store(self.ended, Ordering::Release);
        let bell = &self.memory.half_words()[BELL_HALF_WORD];
        bell.store(self.ended as u32, Ordering::Release);
        // With the fence of `sleep`: either the program sees the end, or this end sees that it sleeps.
        fence(Ordering::SeqCst);
        if self.memory.half_words()[WAITS_HALF_WORD].load(Ordering::Relaxed) != 0 {
            wake_all(bell);
        }
    }

    /// Shows the program the state of the function, and the octets that wait there.
    #[inline]
    pub fn show(&mut self, state: FunctionState, backlog_bytes: usize) {
        if self.state != Some(state) {
            self.state = Some(state);
            let word = STATES.iter().position(|one| *one == state).unwrap_or_default();
            self.memory.words()[STATE_WORD].store(word as u64, Ordering::Release);
        }
        self.memory.words()[BACKLOG_WORD].store(backlog_bytes as u64, Ordering::Relaxed);
    }

    /// Notes that the card is about to sleep, or is awake. After the note that it sleeps it has to poll once more.
    pub fn set_asleep(&self, asleep: bool) {
        self.memory.words()[ASLEEP_WORD].store(u64::from(asleep), Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }
}

/// The program's end.
#[derive(Debug)]
pub struct ProgramRings {
    memory: SealedMemory,
    submitted: u64,
    collected: u64,
}

impl ProgramRings {
    /// Maps the rings that a card has made.
    ///
    /// # Errors
    /// A file of another length, or one that could be cut.
    pub fn open(fd: OwnedFd) -> io::Result<Self> {
        Ok(Self { memory: SealedMemory::open(fd, MEMORY_BYTES)?, submitted: 0, collected: 0 })
    }

    /// Returns whether there is room for a submission.
    pub fn has_room(&self) -> bool {
        self.submitted - self.collected < DEPTH
    }

    /// Submits a request; the caller has checked that there is room. Returns whether the card has to be woken.
    pub fn submit(&mut self, submission: &Submission) -> bool {
        let words = self.memory.words();
        submission.store(words, submission_word(self.submitted));
        self.submitted += 1;
        words[SUBMITTED_WORD].store(self.submitted, Ordering::Release);
        // With the fence of `set_asleep`: either this end sees that the card sleeps, or the card sees what was submitted.
        fence(Ordering::SeqCst);
        words[ASLEEP_WORD].load(Ordering::Relaxed) != 0
    }

    /// Takes the first end that was not collected. Its id is that of the submission.
    ///
    /// # Errors
    /// [`Malformed`]: counts or an answer that there are not.
    #[inline]
    pub fn collect(&mut self) -> Result<Option<Completion>, Malformed> {
        let words = self.memory.words();
        let count = words[ENDED_WORD].load(Ordering::Acquire).wrapping_sub(self.collected);
        if count == 0 {
            return Ok(None);
        }
        if count > self.submitted - self.collected {
            return Err(Malformed);
        }
        let first = end_word(self.collected);
        let load = |at: usize| words[first + at].load(Ordering::Relaxed);
        let half = |at: usize| u32::try_from(load(at)).map_err(|_| Malformed);
        let codes = load(1);
        let answer = Answer::ALL.iter().copied();
        let answer = answer
            .clone()
            .find(|one| codes == u64::from(one.return_code() as u8) << 16 | u64::from(one.reason()));
        let completion = Completion {
            id: RequestId(load(0)),
            answer: answer.ok_or(Malformed)?,
            consumed_bytes: half(2)?,
            produced_bytes: half(3)?,
            crc32: half(4)?,
            adler32: half(5)?,
            queue_time: Span::from_ps(load(6)),
            execution_time: Span::from_ps(load(7)),
        };
        self.collected += 1;
        words[COLLECTED_WORD].store(self.collected, Ordering::Release);
        Ok(Some(completion))
    }

    /// Returns the state of the function and the octets that wait there, as the card has shown them last.
    ///
    /// # Errors
    /// [`Malformed`]: a state that there is not.
    pub fn shown(&self) -> Result<(FunctionState, usize), Malformed> {
        let words = self.memory.words();
        let state = words[STATE_WORD].load(Ordering::Acquire);
        let state = usize::try_from(state).ok().and_then(|at| STATES.get(at)).ok_or(Malformed)?;
        Ok((*state, words[BACKLOG_WORD].load(Ordering::Relaxed) as usize))
    }

    /// Sleeps until an end is there, at most as long as `limit`. Returns early for no reason, too.
    pub fn sleep(&self, limit: Duration) {
        let halves = self.memory.half_words();
        let bell = halves[BELL_HALF_WORD].load(Ordering::Acquire);
        halves[WAITS_HALF_WORD].store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.memory.words()[ENDED_WORD].load(Ordering::Acquire) == self.collected {
            sleep_while(&halves[BELL_HALF_WORD], bell, limit);
        }
        halves[WAITS_HALF_WORD].store(0, Ordering::Relaxed);
    }
}
