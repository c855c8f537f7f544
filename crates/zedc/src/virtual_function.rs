//! A virtual function of a card: its owner, its queues, and its request at work.

use halftrack_base::{Span, Time};

use crate::answer::Answer;
use crate::counters::Counters;
use crate::engine::Engine;
use crate::execution::{Execution, Workspace};
use crate::function_state::{FunctionError, FunctionState};
use crate::queue_pair::QueuePair;
use crate::request::{Completion, Operation, PartitionId, Request, Spaces};

/// Request at work, and its times.
#[derive(Debug)]
pub struct Work {
    execution: Execution,
    queue_time: Span,
    execution_time: Span,
    /// Answer, once its last slice has begun.
    end: Option<Answer>,
}

/// Virtual function.
#[derive(Debug)]
pub struct VirtualFunction {
    pub(crate) owner: Option<PartitionId>,
    is_ending: bool,
    is_failed: bool,
    pub(crate) queues: QueuePair,
    pub(crate) work: Option<Work>,
    counters: Counters,
}

impl VirtualFunction {
    /// Makes a function that nobody uses, with queues of this many entries.
    pub fn new(depth: usize) -> Self {
        Self {
            owner: None,
            is_ending: false,
            is_failed: false,
            queues: QueuePair::new(depth),
            work: None,
            counters: Counters::default(),
        }
    }

    /// Returns the state, while the card works.
    pub const fn state(&self) -> FunctionState {
        match self.owner {
            _ if self.is_failed => FunctionState::InError,
            None => FunctionState::Configured,
            Some(_) if self.is_ending => FunctionState::DeallocatePending,
            Some(_) => FunctionState::Allocated,
        }
    }

    /// Returns the partition that uses it.
    pub const fn owner(&self) -> Option<PartitionId> {
        self.owner
    }

    /// Returns the counts.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns how many requests have not ended, or were not collected.
    pub fn entries(&self) -> usize {
        self.queues.entries() + usize::from(self.work.is_some())
    }

    /// Returns the octets of input of requests that have not ended.
    pub fn queued_bytes(&self) -> usize {
        let at_work = self.work.as_ref().map_or(0, |work| work.execution.request().input.length_bytes());
        self.queues.submitted_bytes() + at_work
    }

    /// Returns whether a request wants the engine.
    pub fn has_work(&self) -> bool {
        self.work.is_some() || self.queues.has_submitted()
    }

    /// Returns whether there is room for another request.
    pub fn has_room(&self) -> bool {
        self.queues.has_room(usize::from(self.work.is_some()))
    }

    /// Lets a partition use it; the caller has checked that nobody does.
    pub const fn allocate(&mut self, partition: PartitionId) {
        self.owner = Some(partition);
    }

    /// Takes it from its partition, once all requests have ended and were collected.
    pub fn deallocate(&mut self) {
        self.is_ending = true;
        self.end_allocation();
    }

    fn end_allocation(&mut self) {
        if self.is_ending && self.entries() == 0 {
            self.owner = None;
            self.is_ending = false;
        }
    }

    /// Takes a request that was submitted first at `submitted`; the caller has checked that there is room.
    pub fn submit(&mut self, request: Request, submitted: Time) {
        self.queues.submit(request, submitted);
    }

    /// Checks that a partition uses it.
    ///
    /// # Errors
    /// [`FunctionError::NotAllocated`].
    pub fn check_owner(&self, partition: PartitionId) -> Result<(), FunctionError> {
        if self.owner == Some(partition) { Ok(()) } else { Err(FunctionError::NotAllocated) }
    }

    /// Takes the first end that was not collected.
    pub fn collect(&mut self) -> Option<Completion> {
        let ended = self.queues.collect();
        self.end_allocation();
        ended
    }

    /// Does the next slice; returns the octets that it counts.
    pub fn step(
        &mut self,
        engine: &mut dyn Engine,
        spaces: &mut impl Spaces,
        workspace: &mut Workspace,
        now: Time,
    ) -> usize {
        let next = || {
            self.queues.next().map(|(request, submitted)| Work {
                execution: Execution::new(request),
                queue_time: now.saturating_since(submitted),
                execution_time: Span::ZERO,
                end: None,
            })
        };
        let Some(work) = self.work.take().or_else(next) else { return 0 };
        let work = self.work.insert(work);
        let step = work.execution.step(engine, spaces, workspace);
        work.end = step.end;
        step.charged_bytes
    }

    /// Ends the slice that took `span`, and the request with it when that was the last one.
    pub fn slice_done(&mut self, span: Span, workspace: &mut Workspace) {
        let Some(work) = &mut self.work else { return };
        work.execution_time += span;
        if let Some(answer) = work.end {
            self.end_work(answer, workspace);
        }
    }

    fn end_work(&mut self, answer: Answer, workspace: &mut Workspace) {
        if let Some(work) = self.work.take() {
            let operation = work.execution.request().operation;
            let times = (work.queue_time, work.execution_time);
            let completion = work.execution.end(answer, times, workspace);
            self.end(operation, completion);
        }
    }

    fn end(&mut self, operation: Operation, completion: Completion) {
        if completion.answer != Answer::DeviceLost {
            self.counters.count(operation, &completion);
        }
        self.queues.end(completion);
    }

    /// Ends every request that is `chosen` and has not ended. Nothing is stored for it any more.
    pub fn purge(
        &mut self,
        answer: Answer,
        chosen: impl Fn(&Request) -> bool,
        now: Time,
        workspace: &mut Workspace,
    ) {
        if self.work.as_ref().is_some_and(|work| chosen(work.execution.request())) {
            self.end_work(answer, workspace);
        }
        for (request, submitted) in self.queues.take(chosen) {
            let queue_time = now.saturating_since(submitted);
            let completion = Completion { queue_time, ..Completion::without_data(request.id, answer) };
            self.end(request.operation, completion);
        }
    }

    /// Stops working: requests are given back.
    pub fn fail(&mut self, now: Time, workspace: &mut Workspace) {
        self.is_failed = true;
        self.purge(Answer::DeviceLost, |_| true, now, workspace);
    }

    /// Begins to work again.
    pub const fn recover(&mut self) {
        self.is_failed = false;
    }
}
