//! Jobs of a processor-sharing station in the order in which they will finish.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::quaternary_heap::QuaternaryHeap;

/// Attained service at which a job finishes, and the number of its arrival.
pub(crate) type Finish = (u128, u64);

/// Jobs by [`Finish`].
///
/// A job that will finish after all that wait in a line joins that line: where works are of two kinds, a long and a
/// short one, that is every job, and constant time. The others go through a heap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FinishQueue {
    lines: [VecDeque<(Finish, u32)>; 2],
    others: QuaternaryHeap<Finish, u32>,
}

impl FinishQueue {
    /// An empty queue with room for `jobs` jobs.
    pub(crate) fn with_capacity(jobs: usize) -> Self {
        let line = || VecDeque::with_capacity(jobs);
        Self { lines: [line(), line()], others: QuaternaryHeap::with_capacity(jobs) }
    }

    /// Jobs in it.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.lines[0].len() + self.lines[1].len() + self.others.len()
    }

    /// Puts a job in; finishes are distinct.
    #[inline]
    pub(crate) fn push(&mut self, finish: Finish, job: u32) {
        for line in &mut self.lines {
            if line.back().is_none_or(|(last, _)| *last < finish) {
                line.push_back((finish, job));
                return;
            }
        }
        self.others.push(finish, job);
    }

    /// The line whose first job finishes first, and that job's finish.
    #[inline]
    fn first_in_line(&self) -> Option<(usize, Finish)> {
        let [one, other] = self.lines.each_ref().map(|line| line.front().map(|(finish, _)| *finish));
        match (one, other) {
            (Some(one), Some(other)) => Some(if other < one { (1, other) } else { (0, one) }),
            (Some(one), None) => Some((0, one)),
            (None, other) => other.map(|other| (1, other)),
        }
    }

    /// The finish of the job that finishes first.
    #[inline]
    pub(crate) fn first(&self) -> Option<Finish> {
        let in_line = self.first_in_line().map(|(_, finish)| finish);
        if self.others.len() == 0 { in_line } else { self.first_with_others(in_line) }
    }

    #[cold]
    fn first_with_others(&self, in_line: Option<Finish>) -> Option<Finish> {
        let other = self.others.peek().map(|(finish, _)| finish);
        in_line.into_iter().chain(other).min()
    }

    #[cold]
    fn other_is_first(&self, in_line: Option<Finish>) -> bool {
        let other = self.others.peek().map(|(finish, _)| finish);
        in_line.is_none_or(|finish| other.is_some_and(|other| other < finish))
    }

    /// Takes the job that finishes first.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let in_line = self.first_in_line();
        if self.others.len() > 0 && self.other_is_first(in_line.map(|(_, finish)| finish)) {
            return self.others.pop().map(|(_, job)| job);
        }
        let (line, _) = in_line?;
        self.lines[line].pop_front().map(|(_, job)| job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_out_in_the_order_of_their_finish_whatever_the_order_they_came_in() {
        let mut queue = FinishQueue::with_capacity(8);
        let finishes = [5_u128, 9, 7, 9, 1, 12, 6, 3];
        for (arrival, finish) in finishes.into_iter().enumerate() {
            queue.push((finish, arrival as u64), arrival as u32);
        }
        assert_eq!(queue.len(), 8);
        let mut expected: Vec<_> = finishes.into_iter().zip(0_u32..).collect();
        expected.sort_unstable();
        for (finish, job) in expected {
            assert_eq!(queue.first(), Some((finish, u64::from(job))));
            assert_eq!(queue.pop(), Some(job));
        }
        assert_eq!((queue.first(), queue.pop(), queue.len()), (None, None, 0));
    }
}
