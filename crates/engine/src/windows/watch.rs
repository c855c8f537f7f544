//! Who watches a run on its way.

use crate::{SimDuration, SimTime};

/// Something that is shown the first process of a run about once a step.
pub struct Watch<F> {
    next: SimTime,
    step: SimDuration,
    show: F,
}

impl<F> Watch<F> {
    /// Calls `show` with the time until which the process has run, when that is a `step` beyond `from`, and then whenever it
    /// is a step beyond the last time. A step of no length is one of a picosecond.
    pub fn new(from: SimTime, step: SimDuration, show: F) -> Self {
        let step = step.max(SimDuration::from_ps(1));
        Self { next: from.saturating_add(step), step, show }
    }

    /// Returns the time at which it wants to be shown something next.
    pub(super) fn next(&self) -> SimTime {
        self.next
    }

    /// Shows it the process `first`, which has run until `done`, if that is far enough.
    pub(super) fn look<L>(&mut self, done: SimTime, first: &L)
    where
        F: FnMut(SimTime, &L),
    {
        if done >= self.next {
            (self.show)(done, first);
            self.next = done.saturating_add(self.step);
        }
    }
}
