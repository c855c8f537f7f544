//! The choice of the IOP thread that takes a request: the next free one in the round, or the one that is free first.
//!
//! A machine has up to 64 threads, every I/O needs one twice, and under load all of them are busy. So the times at which they
//! are free are the leaves of a tree whose every node has the lesser of the two below it.

use halftrack_base::Time;

/// Levels of the tree of a machine with no more threads than any has.
const LEVELS: u32 = 6;

/// The times at which threads are free. Node 1 is the root, nodes 2n and 2n + 1 stand below node n, and the last half are the threads,
/// with some that are never free after them.
#[derive(Debug)]
pub(super) struct IopChoice(Vec<Time>);

impl IopChoice {
    /// Makes a choice among `threads` that are all free.
    pub(super) fn new(threads: usize) -> Self {
        let leaves = threads.next_power_of_two().max(1 << LEVELS);
        let mut choice = Self(vec![Time::MAX; 2 * leaves]);
        (0..threads).for_each(|thread| choice.engage(thread, Time::ZERO));
        choice
    }

    /// Returns the first thread from `from` on, round the end, that is free at `now`. Where none is, it is the thread that
    /// is free first, of equals the first from `from` on.
    #[inline(always)]
    pub(super) fn of_all(&self, now: Time, from: usize) -> usize {
        // With the size known hardly an index needs a check.
        match <&[Time; 2 << LEVELS]>::try_from(self.0.as_slice()) {
            Ok(tree) => first_free(tree, LEVELS, now, from),
            Err(_) => self.of_many(now, from),
        }
    }

    #[cold]
    fn of_many(&self, now: Time, from: usize) -> usize {
        first_free(&self.0, self.levels(), now, from)
    }

    /// Returns the first of `threads` threads from `first` on that is free at `now`. Where none is, it is the thread that is
    /// free first, of equals the first. The last core may have fewer.
    #[inline(always)]
    pub(super) fn of_core(&self, now: Time, first: usize, threads: usize) -> usize {
        let leaves = &self.0[self.0.len() / 2..];
        let (mut best, mut free_at) = (first, leaves[first]);
        let mut thread = first + 1;
        while free_at > now && thread < leaves.len().min(first + threads) {
            if leaves[thread] < free_at {
                (best, free_at) = (thread, leaves[thread]);
            }
            thread += 1;
        }
        best
    }

    /// Returns the time at which the first of all threads is free.
    #[inline(always)]
    pub(super) fn first_free_at(&self) -> Time {
        self.0[1]
    }

    /// Keeps `thread` busy until `free_at`.
    #[inline(always)]
    pub(super) fn engage(&mut self, thread: usize, free_at: Time) {
        match <&mut [Time; 2 << LEVELS]>::try_from(self.0.as_mut_slice()) {
            Ok(tree) => replay(tree, LEVELS, thread, free_at),
            Err(_) => self.engage_one_of_many(thread, free_at),
        }
    }

    #[cold]
    fn engage_one_of_many(&mut self, thread: usize, free_at: Time) {
        let levels = self.levels();
        replay(&mut self.0, levels, thread, free_at);
    }

    fn levels(&self) -> u32 {
        self.0.len().trailing_zeros() - 1
    }
}

/// Returns the first thread from `from` on, round the end, that is free at `now`, in a tree of so many levels. Where none
/// is, it is the first that is free when the first of all is.
#[inline(always)]
fn first_free(tree: &[Time], levels: u32, now: Time, from: usize) -> usize {
    let leaves: usize = 1 << levels;
    let at = now.max(tree[1]);
    let mut node = leaves + from;
    while tree[node & (2 * leaves - 1)] > at {
        // What follows this node and is as high up as begins there; behind the last one that is the root.
        node += 1;
        node >>= node.trailing_zeros();
    }
    while node < leaves {
        node *= 2;
        node += usize::from(tree[node] > at);
    }
    node - leaves
}

/// Writes the time of a thread into the tree of so many levels and every node above it.
#[inline(always)]
fn replay(tree: &mut [Time], levels: u32, thread: usize, free_at: Time) {
    let leaves = 1 << levels;
    let (mut node, mut least) = (leaves | (thread & (leaves - 1)), free_at);
    tree[node] = least;
    for _ in 0..levels {
        least = least.min(tree[node ^ 1]);
        node /= 2;
        tree[node] = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_base::Span;
    use proptest::prelude::*;

    /// Applies the rule thread by thread.
    fn scanned(free_at: &[Time], now: Time, mut round: impl Iterator<Item = usize> + Clone) -> usize {
        let free = round.clone().find(|thread| free_at[*thread] <= now);
        let first = round.next().expect("there is a thread");
        let sooner = |best: usize, thread| if free_at[thread] < free_at[best] { thread } else { best };
        free.unwrap_or_else(|| round.fold(first, sooner))
    }

    /// A request for a thread.
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
            let mut free_at = vec![Time::ZERO; threads];
            let (mut now, mut next) = (Time::ZERO, 0);
            for (wait, service, asks) in turns {
                now += Span::from_ps(wait);
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
                        let chosen = choice.of_core(now, first, of_core);
                        prop_assert_eq!(chosen, scanned(&free_at, now, core));
                        chosen
                    }
                    Asks::Retry(thread) => thread % threads,
                };
                free_at[chosen] = free_at[chosen].max(now) + Span::from_ps(service);
                choice.engage(chosen, free_at[chosen]);
            }
        }
    }
}
