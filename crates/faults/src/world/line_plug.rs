//! The plug of a port that a line leads to.

use halftrack_base::{Span, Time};
use halftrack_link::driver::Connector;
use halftrack_link::plug::{Plug, PlugState, Plugged};

use super::line::{LineConnector, LineEnd, SharedLine};

/// How long after an attempt to open a link the next one begins, as over TCP.
const OPEN_AGAIN: Span = Span::from_s(1);

/// The plug of a port: links over a line that it opens, or that the other end does.
pub struct LinePlug {
    line: SharedLine,
    /// When it opens the next link, if it opens them.
    next: Option<Time>,
}

impl LinePlug {
    /// Returns the plug at the end that opens links.
    pub fn opening(line: SharedLine) -> Self {
        Self { line, next: Some(Time::ZERO) }
    }

    /// Returns the plug at the other end.
    pub fn accepting(line: SharedLine) -> Self {
        Self { line, next: None }
    }
}

impl Plug for LinePlug {
    type Transport = LineEnd;

    fn poll(&mut self, now: Time) -> PlugState<LineEnd> {
        let Some(next) = &mut self.next else {
            let offered = self.line.borrow_mut().take_offered();
            return offered.map_or(PlugState::Waiting, |transport| {
                PlugState::New(Plugged { transport, opened: false })
            });
        };
        if now < *next {
            return PlugState::Waiting;
        }
        *next = now.saturating_add(OPEN_AGAIN);
        match LineConnector(self.line.clone()).poll_connect() {
            Some(Ok(transport)) => PlugState::New(Plugged { transport, opened: true }),
            Some(Err(_)) | None => PlugState::Waiting,
        }
    }

    fn is_listener(&self) -> bool {
        self.next.is_none()
    }

    fn turn_away(&mut self) -> Option<String> {
        self.next.is_none().then(|| self.line.borrow_mut().take_offered())?.map(|_| "the line".to_owned())
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next
    }
}
