//! The one timer of an end: the peer is to be heard of in time.

use halftrack_base::{Span, Time};

/// A span that begins again whenever something is heard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    span: Span,
    since: Option<Time>,
}

impl Deadline {
    /// Returns the running from `now` for `span_us` microseconds.
    pub(crate) fn new(span_us: u64, now: Time) -> Deadline {
        Deadline { span: Span::from_us(span_us), since: Some(now) }
    }

    /// Something else is waited for, from what was heard last on: for `span_us` microseconds.
    pub(crate) fn set_span(&mut self, span_us: u64) {
        self.span = Span::from_us(span_us);
    }

    /// Begins the span again.
    pub(crate) fn restart(&mut self, now: Time) {
        self.since = Some(now);
    }

    /// Begins the span again, if something is waited for.
    pub(crate) fn extend(&mut self, now: Time) {
        if self.since.is_some() {
            self.restart(now);
        }
    }

    /// Nothing is waited for any more.
    pub(crate) fn stop(&mut self) {
        self.since = None;
    }

    /// Returns the time at which the span ends.
    pub(crate) fn at(&self) -> Option<Time> {
        self.since.map(|since| since.saturating_add(self.span))
    }

    /// Returns true when the span has ended.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.at().is_some_and(|at| at <= now)
    }
}
