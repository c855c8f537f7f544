//! Observation of a run in progress.

use crate::{SimDuration, SimTime};

/// Observer that is shown the first process of a run about once a step.
pub struct Watch<F> {
    next: SimTime,
    step: SimDuration,
    show: F,
}

impl<F> Watch<F> {
    /// Creates an observer that calls `show` about once a `step`, first a step after `from`, with the time until which the
    /// process has run. A step of no length counts as one picosecond.
    pub fn new(from: SimTime, step: SimDuration, show: F) -> Self {
        let step = step.max(SimDuration::from_ps(1));
        Self { next: from.saturating_add(step), step, show }
    }

    /// Returns the time of the next call.
    pub(super) fn next(&self) -> SimTime {
        self.next
    }

    /// Shows the process `first`, which has run until `done`, if a step has passed.
    pub(super) fn observe<L>(&mut self, done: SimTime, first: &L)
    where
        F: FnMut(SimTime, &L),
    {
        if done >= self.next {
            (self.show)(done, first);
            self.next = done.saturating_add(self.step);
        }
    }
}
