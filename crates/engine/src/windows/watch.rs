//! Observation of a run in progress.

use std::ops::ControlFlow;

use super::WindowError;
use halftrack_base::{Span, Time};

/// Observer that is shown the first process of a run about once a step, and can stop the run.
pub struct Watch<F> {
    next: Time,
    show: F,
}

impl<F> Watch<F> {
    /// Creates an observer that calls `show` first a `step` after `from`, with the time until which the process has run.
    /// `show` returns the step to its next call, or breaks the run off. A step of no length counts as one picosecond.
    pub fn new(from: Time, step: Span, show: F) -> Self {
        Self { next: from.saturating_add(step.max(Span::from_ps(1))), show }
    }

    /// Returns the time of the next call.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Shows the process `first`, which has run until `done`, if a step has passed.
    ///
    /// # Errors
    /// [`WindowError::Stopped`] when the observer breaks the run off.
    pub(super) fn observe<L>(&mut self, done: Time, first: &L) -> Result<(), WindowError>
    where
        F: FnMut(Time, &L) -> ControlFlow<(), Span>,
    {
        if done >= self.next {
            let ControlFlow::Continue(step) = (self.show)(done, first) else {
                return Err(WindowError::Stopped);
            };
            self.next = done.saturating_add(step.max(Span::from_ps(1)));
        }
        Ok(())
    }
}
