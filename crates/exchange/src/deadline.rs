//! The one timer of an end: the peer is to be heard of in time.

use halftrack_engine::{SimDuration, SimTime};

/// A span that begins again whenever something is heard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    span: SimDuration,
    at: Option<SimTime>,
}

impl Deadline {
    /// Running from `now` for `span_us` microseconds.
    pub(crate) fn new(span_us: u64, now: SimTime) -> Deadline {
        let mut deadline = Deadline { span: SimDuration::from_us(span_us), at: None };
        deadline.restart(now);
        deadline
    }

    /// Begins the span again.
    pub(crate) fn restart(&mut self, now: SimTime) {
        self.at = Some(now.saturating_add(self.span));
    }

    /// Begins the span again, if something is waited for.
    pub(crate) fn extend(&mut self, now: SimTime) {
        if self.at.is_some() {
            self.restart(now);
        }
    }

    /// Nothing is waited for any more.
    pub(crate) fn stop(&mut self) {
        self.at = None;
    }

    /// When the span ends.
    pub(crate) fn at(&self) -> Option<SimTime> {
        self.at
    }

    /// True when the span has ended.
    pub(crate) fn is_due(&self, now: SimTime) -> bool {
        self.at.is_some_and(|at| at <= now)
    }
}
