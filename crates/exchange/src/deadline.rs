//! The one timer of an end: the next IU of the peer is to come in time.

use halftrack_base::{Span, Time};

/// A span that begins again with every IU of the peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    span: Span,
    since: Option<Time>,
}

impl Deadline {
    /// Returns a deadline that runs from `now` for `span_us` microseconds.
    pub(crate) fn new(span_us: u64, now: Time) -> Deadline {
        Deadline::of(Span::from_us(span_us), now)
    }

    /// Returns a deadline that runs from `now` for `span`.
    pub(crate) fn of(span: Span, now: Time) -> Deadline {
        Deadline { span, since: Some(now) }
    }

    /// Sets the span to `span_us` microseconds, counted from where the present one began.
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

    /// Stops the timer: nothing is waited for any more.
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
