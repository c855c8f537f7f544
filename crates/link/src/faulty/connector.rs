//! New links of a channel path over a line with faults.

use std::io;
use std::rc::Rc;

use super::line_faults::LineFaults;
use super::transport::FaultyTransport;
use crate::connector::Connector;

/// Opens links with faults, and none while the line is dark.
#[derive(Debug)]
pub struct FaultyConnector<C> {
    inner: C,
    line: Rc<LineFaults>,
}

impl<C> FaultyConnector<C> {
    /// Returns a connector of the line over what `inner` opens.
    pub fn new(inner: C, line: Rc<LineFaults>) -> Self {
        Self { inner, line }
    }
}

impl<C: Connector<Transport: Send + 'static>> Connector for FaultyConnector<C> {
    type Transport = FaultyTransport<C::Transport>;

    fn poll_connect(&mut self) -> Option<io::Result<Self::Transport>> {
        if self.line.down_until(self.line.now()).is_some() {
            return Some(Err(io::Error::new(io::ErrorKind::NotConnected, "no light (script of faults)")));
        }
        let opened = self.inner.poll_connect()?;
        Some(opened.map(|transport| FaultyTransport::new(transport, &self.line)))
    }
}
