//! Jobs of a processor-sharing station in the order in which they will finish.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::quaternary_heap::QuaternaryHeap;

/// Attained service at which a job finishes, and the number of its arrival.
pub(crate) type Finish = (u128, u64);

/// Jobs by [`Finish`].
///
/// A job that will finish after all that wait in line joins the line: where works are alike that is every job, and
/// constant time. The others go through a heap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FinishQueue {
    line: VecDeque<(Finish, u32)>,
    others: QuaternaryHeap<Finish, u32>,
}

impl FinishQueue {
    /// An empty queue with room for `jobs` jobs.
    pub(crate) fn with_capacity(jobs: usize) -> Self {
        Self { line: VecDeque::with_capacity(jobs), others: QuaternaryHeap::with_capacity(jobs) }
    }

    /// Jobs in it.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.line.len() + self.others.len()
    }

    /// Puts a job in; finishes are distinct.
    #[inline]
    pub(crate) fn push(&mut self, finish: Finish, job: u32) {
        if self.line.back().is_none_or(|(last, _)| *last < finish) {
            self.line.push_back((finish, job));
        } else {
            self.others.push(finish, job);
        }
    }

    /// The finish of the job that finishes first.
    #[inline]
    pub(crate) fn first(&self) -> Option<Finish> {
        let in_line = self.line.front().map(|(finish, _)| *finish);
        if self.others.len() == 0 {
            return in_line;
        }
        let other = self.others.peek().map(|(finish, _)| finish);
        in_line.into_iter().chain(other).min()
    }

    /// Takes the job that finishes first.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let other_first = self.others.len() > 0 && {
            let other = self.others.peek().map(|(finish, _)| finish);
            self.line.front().is_none_or(|(finish, _)| other.is_some_and(|other| other < *finish))
        };
        if other_first {
            self.others.pop().map(|(_, job)| job)
        } else {
            self.line.pop_front().map(|(_, job)| job)
        }
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
