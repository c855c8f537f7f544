//! Queues of a function: requests that wait, and ends that were not collected yet. Both are bounded together.

use std::collections::VecDeque;

use halftrack_base::Time;
use thiserror::Error;

use crate::function_state::FunctionError;
use crate::request::{Completion, Request};

/// Entries of a queue pair (our choice).
pub const DEPTH_DEFAULT: usize = 64;

/// Why a function does not take a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SubmitError {
    /// As many requests as the queues have entries have not ended, or their ends were not collected.
    #[error("the queues of the function are full")]
    Full,
    /// The function cannot be used.
    #[error(transparent)]
    Function(#[from] FunctionError),
}

/// Queues of a function.
///
/// A request has an entry from its submission until its end is collected. So there is always room for the end, and who does
/// not collect stops nobody else.
#[derive(Debug)]
pub struct QueuePair {
    depth: usize,
    pub(crate) submitted: VecDeque<(Request, Time)>,
    ended: VecDeque<Completion>,
}

impl QueuePair {
    /// Makes empty queues of this many entries.
    pub fn new(depth: usize) -> Self {
        Self { depth, submitted: VecDeque::with_capacity(depth), ended: VecDeque::with_capacity(depth) }
    }

    /// Returns how many entries are taken, beside those of requests at work.
    pub fn entries(&self) -> usize {
        self.submitted.len() + self.ended.len()
    }

    /// Returns whether there is room beside `at_work` requests.
    pub fn has_room(&self, at_work: usize) -> bool {
        self.entries() + at_work < self.depth
    }

    /// Returns whether a request waits.
    pub fn has_submitted(&self) -> bool {
        !self.submitted.is_empty()
    }

    /// Returns the octets of input of the requests that wait.
    pub fn submitted_bytes(&self) -> usize {
        self.submitted.iter().map(|(request, _)| request.input.length_bytes()).sum()
    }

    /// Appends a request; the caller has checked that there is room.
    pub fn submit(&mut self, request: Request, submitted: Time) {
        self.submitted.push_back((request, submitted));
    }

    /// Takes the first request that waits, and the time of its submission.
    pub fn next(&mut self) -> Option<(Request, Time)> {
        self.submitted.pop_front()
    }

    /// Takes every request that waits and is `chosen`.
    pub fn take(&mut self, chosen: impl Fn(&Request) -> bool) -> Vec<(Request, Time)> {
        let (taken, left) = self.submitted.drain(..).partition(|(request, _)| chosen(request));
        self.submitted = left;
        Vec::from_iter::<VecDeque<_>>(taken)
    }

    /// Appends an end.
    pub fn end(&mut self, completion: Completion) {
        self.ended.push_back(completion);
    }

    /// Takes the first end.
    pub fn collect(&mut self) -> Option<Completion> {
        self.ended.pop_front()
    }
}
