//! Which IOP thread takes a request: the next free one in the round, or the one that is free first.
//!
//! A machine has up to 64 threads, and every I/O asks twice. So free threads are bits of a word, and busy ones stand
//! in a line by the time at which they are free: whoever has come free leaves it at its head, and who is engaged is
//! mostly free last and passes few.

use halftrack_engine::SimTime;

/// Place of a busy thread in the line.
#[derive(Debug, Clone, Copy)]
struct Place {
    free_at: SimTime,
    before: u32,
    behind: u32,
}

/// A set of threads, 64 a word.
#[derive(Debug, Clone)]
pub(super) struct ThreadSet(Vec<u64>);

impl ThreadSet {
    /// Every `stride`-th of `threads`, from the first on.
    pub(super) fn every(stride: usize, threads: usize) -> Self {
        let mut set = Self(vec![0; threads.div_ceil(64)]);
        (0..threads).step_by(stride).for_each(|thread| set.insert(thread));
        set
    }

    #[inline(always)]
    fn insert(&mut self, thread: usize) {
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    #[inline(always)]
    fn remove(&mut self, thread: usize) {
        self.0[thread / 64] &= !(1 << (thread % 64));
    }

    #[inline(always)]
    fn contains(&self, thread: usize) -> bool {
        self.0[thread / 64] >> (thread % 64) & 1 == 1
    }

    /// The first from `from` on, round the end, that is in `other` too.
    #[inline(always)]
    fn next_common(&self, other: &Self, from: usize) -> Option<usize> {
        let common = |word: usize| self.0[word] & other.0[word];
        let first_of = |word: usize, bits: u64| word * 64 + bits.trailing_zeros() as usize;
        let home = from / 64;
        let here = common(home);
        let ahead = here >> (from % 64) << (from % 64);
        if ahead != 0 {
            return Some(first_of(home, ahead));
        }
        for word in (home + 1..self.0.len()).chain(0..home) {
            let bits = common(word);
            if bits != 0 {
                return Some(first_of(word, bits));
            }
        }
        (here != 0).then(|| first_of(home, here))
    }
}

/// Free threads, and the busy ones by the time at which they are free.
#[derive(Debug)]
pub(super) struct IopChoice {
    free: ThreadSet,
    /// By thread; and one more, which stands before the first of the line and behind its last.
    places: Vec<Place>,
}

impl IopChoice {
    /// `threads` that are all free.
    pub(super) fn new(threads: usize) -> Self {
        let end = threads as u32;
        let place = Place { free_at: SimTime::ZERO, before: end, behind: end };
        Self { free: ThreadSet::every(1, threads), places: vec![place; threads + 1] }
    }

    /// Of `candidates` the first from `from` on, round the end, that is free at `now`; where none is, the one that is
    /// free first, of equals the first from `from` on. `now` may not be before that of an earlier call.
    #[inline]
    pub(super) fn choose(&mut self, now: SimTime, from: usize, candidates: &ThreadSet) -> usize {
        self.release(now);
        match self.free.next_common(candidates, from) {
            Some(thread) => thread,
            None => self.free_first(from, candidates),
        }
    }

    /// `thread` is busy until `free_at`, which is not before the time at which it would have been free.
    #[inline]
    pub(super) fn engage(&mut self, thread: usize, free_at: SimTime) {
        if self.free.contains(thread) {
            self.free.remove(thread);
        } else {
            self.unlink(thread);
        }
        let mut behind = self.places.len() - 1;
        let end = behind;
        let mut before = self.places[end].before as usize;
        while before != end && self.places[before].free_at > free_at {
            behind = before;
            before = self.places[before].before as usize;
        }
        self.places[thread] = Place { free_at, before: before as u32, behind: behind as u32 };
        self.places[before].behind = thread as u32;
        self.places[behind].before = thread as u32;
    }

    /// Lets the threads that are free at `now` leave the line.
    #[inline(always)]
    fn release(&mut self, now: SimTime) {
        let end = self.places.len() - 1;
        loop {
            let first = self.places[end].behind as usize;
            if first == end || self.places[first].free_at > now {
                return;
            }
            self.unlink(first);
            self.free.insert(first);
        }
    }

    #[inline(always)]
    fn unlink(&mut self, thread: usize) {
        let Place { before, behind, .. } = self.places[thread];
        self.places[before as usize].behind = behind;
        self.places[behind as usize].before = before;
    }

    /// Of `candidates`, all busy, the one that is free first, of equals the first from `from` on, round the end.
    fn free_first(&self, from: usize, candidates: &ThreadSet) -> usize {
        let end = self.places.len() - 1;
        let distance = |thread: usize| if thread >= from { thread - from } else { thread + end - from };
        let mut best = from;
        let mut thread = self.places[end].behind as usize;
        let mut earliest = SimTime::MAX;
        while thread != end && self.places[thread].free_at <= earliest {
            if candidates.contains(thread) {
                if earliest == SimTime::MAX || distance(thread) < distance(best) {
                    best = thread;
                }
                earliest = self.places[thread].free_at;
            }
            thread = self.places[thread].behind as usize;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rule by looking at one thread after the other.
    fn scanned(free_at: &[SimTime], now: SimTime, from: usize, stride: usize) -> usize {
        let round = || (from..free_at.len()).step_by(stride).chain((0..from).step_by(stride));
        let free = round().find(|thread| free_at[*thread] <= now);
        // The first of equals, as `min_by_key` has it.
        free.unwrap_or_else(|| round().min_by_key(|thread| free_at[*thread]).unwrap())
    }

    #[derive(Debug, Clone)]
    struct Turn {
        wait: u64,
        service: u64,
        /// Of an interrupt; else of a start, or of a retry on this thread.
        interrupt: bool,
        retry: Option<usize>,
    }

    fn turn() -> impl Strategy<Value = Turn> {
        // Few distinct times, so that many threads are free at the same instant.
        let wait = prop_oneof![4 => Just(0), 4 => 0_u64..3, 1 => 0_u64..400];
        let retry = proptest::option::weighted(0.1, 0_usize..1000);
        (wait, prop_oneof![Just(27_u64), Just(17), 1_u64..60], any::<bool>(), retry)
            .prop_map(|(wait, service, interrupt, retry)| Turn { wait, service, interrupt, retry })
    }

    proptest! {
        #[test]
        fn the_choice_is_that_of_a_look_at_every_thread(
            threads in prop_oneof![1_usize..12, Just(48), 60_usize..70, 120_usize..140],
            stride in 1_usize..4,
            turns in proptest::collection::vec(turn(), 1..800),
        ) {
            let (all, takers) = (ThreadSet::every(1, threads), ThreadSet::every(stride, threads));
            let mut choice = IopChoice::new(threads);
            let mut free_at = vec![SimTime::ZERO; threads];
            let (mut now, mut next_start, mut next_interrupt) = (0, 0, 0);
            for Turn { wait, service, interrupt, retry } in turns {
                now += wait;
                let at = SimTime::from_ps(now);
                let chosen = match retry {
                    Some(thread) => thread % threads,
                    None if interrupt => {
                        let chosen = choice.choose(at, next_interrupt, &takers);
                        prop_assert_eq!(chosen, scanned(&free_at, at, next_interrupt, stride));
                        next_interrupt = if chosen + stride < threads { chosen + stride } else { 0 };
                        chosen
                    }
                    None => {
                        let chosen = choice.choose(at, next_start, &all);
                        prop_assert_eq!(chosen, scanned(&free_at, at, next_start, 1));
                        next_start = (chosen + 1) % threads;
                        chosen
                    }
                };
                free_at[chosen] = free_at[chosen].max(at) + halftrack_engine::SimDuration::from_ps(service);
                choice.engage(chosen, free_at[chosen]);
            }
        }
    }
}
