//! Jobs of a processor-sharing station in the order in which they will finish.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::quaternary_heap::QuaternaryHeap;

/// Attained service at which a job finishes above the number of its arrival, in one integer, whose comparison needs no
/// branch.
type Finish = u128;

/// Bits of a [`Finish`] that hold the number of the arrival: 1.1 * 10^12 jobs. Those above hold 2^88: 2^-16 ps of
/// service in 64 bits of picoseconds take 80.
const ARRIVAL_BITS: u32 = 40;

/// The finish of nobody.
const NEVER: Finish = Finish::MAX;

/// Jobs by [`Finish`].
///
/// A job that will finish after all that wait in a line joins that line: where works are of two kinds, a long and a
/// short one, that is every job, and constant time. The others go through a heap. The first job stands apart, so that a
/// lone one touches neither.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FinishQueue {
    lines: [VecDeque<(Finish, u32)>; 2],
    others: QuaternaryHeap<Finish, u32>,
    /// How many jobs there are, and the first of them with its finish.
    jobs: usize,
    first: Finish,
    first_job: u32,
}

impl FinishQueue {
    /// An empty queue with room for `jobs` jobs.
    pub(crate) fn with_capacity(jobs: usize) -> Self {
        let line = || VecDeque::with_capacity(jobs);
        let others = QuaternaryHeap::with_capacity(jobs);
        Self { lines: [line(), line()], others, jobs: 0, first: NEVER, first_job: 0 }
    }

    /// Jobs in it.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.jobs
    }

    /// Puts in a job that finishes at the attained service `finish`, of several the one with the least number of
    /// `arrival` first.
    ///
    /// # Panics
    /// When `arrival` is 2^40 or more.
    #[inline]
    pub(crate) fn push(&mut self, finish: u128, arrival: u64, job: u32) {
        assert!(arrival >> ARRIVAL_BITS == 0, "a station has at most 2^40 jobs");
        let (mut finish, mut job) = (finish << ARRIVAL_BITS | u128::from(arrival), job);
        self.jobs += 1;
        if finish < self.first {
            std::mem::swap(&mut self.first, &mut finish);
            std::mem::swap(&mut self.first_job, &mut job);
        }
        if self.jobs > 1 {
            self.wait(finish, job);
        }
    }

    /// Puts a job behind the first.
    fn wait(&mut self, finish: Finish, job: u32) {
        for line in &mut self.lines {
            if line.back().is_none_or(|(last, _)| *last < finish) {
                line.push_back((finish, job));
                return;
            }
        }
        self.others.push(finish, job);
    }

    /// Attained service at which the first job finishes.
    #[inline]
    pub(crate) fn first(&self) -> Option<u128> {
        (self.jobs > 0).then_some(self.first >> ARRIVAL_BITS)
    }

    /// Takes the job that finishes first.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.jobs = self.jobs.checked_sub(1)?;
        let job = self.first_job;
        self.first = NEVER;
        if self.jobs > 0 {
            self.next();
        }
        Some(job)
    }

    /// Makes the least of those who wait the first.
    fn next(&mut self) {
        let first = front(&self.lines[0]).min(front(&self.lines[1]));
        let next = if self.others.peek().is_some_and(|(finish, _)| finish < first) {
            self.others.pop()
        } else {
            self.lines.iter_mut().find(|line| front(line) == first).and_then(VecDeque::pop_front)
        };
        if let Some((finish, job)) = next {
            (self.first, self.first_job) = (finish, job);
        }
    }
}

/// The finish of the first job in `line`.
#[inline]
fn front(line: &VecDeque<(Finish, u32)>) -> Finish {
    line.front().map_or(NEVER, |(finish, _)| *finish)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_out_in_the_order_of_their_finish_whatever_the_order_they_came_in() {
        let mut queue = FinishQueue::with_capacity(8);
        let finishes = [5_u128, 9, 7, 9, 1, 12, 6, 3];
        for (arrival, finish) in finishes.into_iter().enumerate() {
            queue.push(finish, arrival as u64, arrival as u32);
        }
        assert_eq!(queue.len(), 8);
        let mut expected: Vec<_> = finishes.into_iter().zip(0_u32..).collect();
        expected.sort_unstable();
        for (finish, job) in expected {
            assert_eq!(queue.first(), Some(finish));
            assert_eq!(queue.pop(), Some(job));
        }
        assert_eq!((queue.first(), queue.pop(), queue.len()), (None, None, 0));
    }
}
