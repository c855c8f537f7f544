//! Which IOP thread takes a request: the next free one in the round, or the one that is free first.
//!
//! A machine has up to 64 threads, and every I/O asks twice. So free threads are bits of a word, and busy ones stand
//! in a line by the time at which they are free: whoever has come free leaves it at its head, and who is engaged is
//! mostly free last and passes few.

use std::ops::Range;

use halftrack_engine::SimTime;

/// Place of a busy thread in the line.
#[derive(Debug, Clone, Copy)]
struct Place {
    free_at: SimTime,
    before: u32,
    behind: u32,
}

/// A set of threads, 64 a word.
#[derive(Debug)]
struct ThreadSet(Vec<u64>);

impl ThreadSet {
    /// The first so many.
    fn all(threads: usize) -> Self {
        let mut set = Self(vec![0; threads.div_ceil(64)]);
        (0..threads).for_each(|thread| set.insert(thread));
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

    /// The first from `from` on, round the end.
    #[inline(always)]
    fn next(&self, from: usize) -> Option<usize> {
        let first_of = |word: usize, bits: u64| word * 64 + bits.trailing_zeros() as usize;
        let home = from / 64;
        let here = self.0[home];
        let ahead = here >> (from % 64) << (from % 64);
        if ahead != 0 {
            return Some(first_of(home, ahead));
        }
        for word in (home + 1..self.0.len()).chain(0..home) {
            if self.0[word] != 0 {
                return Some(first_of(word, self.0[word]));
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
        Self { free: ThreadSet::all(threads), places: vec![place; threads + 1] }
    }

    /// The first from `from` on, round the end, that is free at `now`; where none is, the one that is free first, of
    /// equals the first from `from` on. `now` may not be before that of an earlier call.
    #[inline]
    pub(super) fn of_all(&mut self, now: SimTime, from: usize) -> usize {
        self.release(now);
        match self.free.next(from) {
            Some(thread) => thread,
            None => self.free_first(from),
        }
    }

    /// The first of `threads` that is free at `now`; where none is, the one that is free first, of equals the first.
    #[inline]
    pub(super) fn of_core(&mut self, now: SimTime, threads: Range<usize>) -> usize {
        self.release(now);
        let mut best = threads.start;
        for thread in threads {
            if self.free.contains(thread) {
                return thread;
            }
            if self.places[thread].free_at < self.places[best].free_at {
                best = thread;
            }
        }
        best
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

    /// Of all threads, none of which is free, the one that is free first, of equals the first from `from` on, round
    /// the end.
    fn free_first(&self, from: usize) -> usize {
        let end = self.places.len() - 1;
        let distance = |thread: usize| if thread >= from { thread - from } else { thread + end - from };
        let mut best = self.places[end].behind as usize;
        let mut next = self.places[best].behind as usize;
        while next != end && self.places[next].free_at == self.places[best].free_at {
            if distance(next) < distance(best) {
                best = next;
            }
            next = self.places[next].behind as usize;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_engine::SimDuration;
    use proptest::prelude::*;

    /// The rule by looking at one thread after the other.
    fn scanned(free_at: &[SimTime], now: SimTime, mut round: impl Iterator<Item = usize> + Clone) -> usize {
        let free = round.clone().find(|thread| free_at[*thread] <= now);
        let first = round.next().expect("there is a thread");
        let sooner = |best: usize, thread| if free_at[thread] < free_at[best] { thread } else { best };
        free.unwrap_or_else(|| round.fold(first, sooner))
    }

    /// Who asks for a thread.
    #[derive(Debug, Clone, Copy)]
    enum Asks {
        /// One that any may serve.
        Start,
        /// One that belongs to this core.
        Interrupt(usize),
        /// One that stays on this thread.
        Retry(usize),
    }

    fn turn() -> impl Strategy<Value = (u64, u64, Asks)> {
        // Few distinct times, so that many threads are free at the same instant.
        let wait = prop_oneof![4 => Just(0), 4 => 0_u64..3, 1 => 0_u64..400];
        let asks = prop_oneof![
            5 => Just(Asks::Start),
            4 => (0_usize..1000).prop_map(Asks::Interrupt),
            1 => (0_usize..1000).prop_map(Asks::Retry),
        ];
        (wait, prop_oneof![Just(27_u64), Just(17), 1_u64..60], asks)
    }

    proptest! {
        #[test]
        fn the_choice_is_that_of_a_look_at_every_thread(
            threads in prop_oneof![1_usize..12, Just(48), 60_usize..70, 120_usize..140],
            of_core in 1_usize..5,
            turns in proptest::collection::vec(turn(), 1..800),
        ) {
            let mut choice = IopChoice::new(threads);
            let mut free_at = vec![SimTime::ZERO; threads];
            let (mut now, mut next) = (SimTime::ZERO, 0);
            for (wait, service, asks) in turns {
                now += SimDuration::from_ps(wait);
                let chosen = match asks {
                    Asks::Start => {
                        let chosen = choice.of_all(now, next);
                        prop_assert_eq!(chosen, scanned(&free_at, now, (next..threads).chain(0..next)));
                        next = (chosen + 1) % threads;
                        chosen
                    }
                    Asks::Interrupt(core) => {
                        let first = core % threads.div_ceil(of_core) * of_core;
                        let core = first..threads.min(first + of_core);
                        let chosen = choice.of_core(now, core.clone());
                        prop_assert_eq!(chosen, scanned(&free_at, now, core));
                        chosen
                    }
                    Asks::Retry(thread) => thread % threads,
                };
                free_at[chosen] = free_at[chosen].max(now) + SimDuration::from_ps(service);
                choice.engage(chosen, free_at[chosen]);
            }
        }
    }
}
