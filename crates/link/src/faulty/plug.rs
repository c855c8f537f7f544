//! New links of a port over a line with faults.

use std::os::fd::BorrowedFd;
use std::rc::Rc;

use halftrack_base::Time;

use super::line_faults::LineFaults;
use super::transport::FaultyTransport;
use crate::plug::{Plug, PlugState, Plugged};

/// Plug that gives links with faults, and none while the line is dark.
#[derive(Debug)]
pub struct FaultyPlug<P> {
    inner: P,
    line: Rc<LineFaults>,
}

impl<P> FaultyPlug<P> {
    /// Returns a plug of the line over what `inner` gives.
    pub fn new(inner: P, line: Rc<LineFaults>) -> Self {
        Self { inner, line }
    }
}

impl<P: Plug<Transport: Send + 'static>> Plug for FaultyPlug<P> {
    type Transport = FaultyTransport<P::Transport>;

    fn poll(&mut self, now: Time) -> PlugState<Self::Transport> {
        if self.line.down_until(now).is_some() {
            while self.inner.turn_away().is_some() {}
            return PlugState::Waiting;
        }
        match self.inner.poll(now) {
            PlugState::New(Plugged { transport, opened }) => {
                PlugState::New(Plugged { transport: FaultyTransport::new(transport, &self.line), opened })
            }
            PlugState::Waiting => PlugState::Waiting,
            PlugState::Failed(error) => PlugState::Failed(error),
            PlugState::Spent => PlugState::Spent,
        }
    }

    fn is_listener(&self) -> bool {
        self.inner.is_listener()
    }

    fn turn_away(&mut self) -> Option<String> {
        self.inner.turn_away()
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inner.fd()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.line.down_until(self.line.now()).or_else(|| self.inner.poll_timeout())
    }
}
