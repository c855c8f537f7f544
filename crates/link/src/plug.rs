//! Where the fibre of a port comes from.

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use halftrack_base::{Span, Time};

use crate::access::LinkAccess;
use crate::connector::{Connector, TcpConnector};
use crate::tcp::TcpTransport;
use crate::transport::Transport;

/// How long after an attempt to connect the next one begins.
const CONNECT_AGAIN: Span = Span::from_s(1);
/// Interval at which an attempt to connect is polled.
const CONNECT_LOOK: Span = Span::from_ms(10);

/// A new fibre.
#[derive(Debug)]
pub struct Plugged<T> {
    /// Its transport.
    pub transport: T,
    /// This end opened the connection.
    pub opened: bool,
}

/// Result of a poll of a plug.
#[derive(Debug)]
pub enum PlugState<T> {
    /// A fibre.
    New(Plugged<T>),
    /// None yet.
    Waiting,
    /// An attempt failed; there will be another.
    Failed(io::Error),
    /// There will be none any more.
    Spent,
}

/// Source of the fibre of a port, and of another one when that is gone.
pub trait Plug {
    /// Transport of its fibres.
    type Transport: Transport;

    /// Polls for a fibre; no call waits.
    fn poll(&mut self, now: Time) -> PlugState<Self::Transport>;

    /// Returns whether others connect to it: several may at a time.
    fn is_listener(&self) -> bool {
        false
    }

    /// Turns away another connection while the port has one. Returns where it came from.
    fn turn_away(&mut self) -> Option<String> {
        None
    }

    /// Returns what becomes readable when a fibre comes.
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Returns the time of the next poll though nothing became readable.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }
}

/// The plug of a port over TCP.
#[derive(Debug)]
pub enum TcpPlug {
    /// A channel, or a director's port, connects to it.
    Listening {
        /// Socket that accepts connections.
        listener: TcpListener,
        /// Requirements of the other end.
        access: Option<Arc<LinkAccess>>,
    },
    /// It connects to a director's port.
    Connecting {
        /// Makes the connection.
        connector: TcpConnector,
        /// Time of the next poll or attempt.
        next: Time,
    },
}

impl TcpPlug {
    /// Listens for connections.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn listen(listener: TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self::Listening { listener, access: None })
    }

    /// Connects to `place`, host and port, again and again.
    #[must_use]
    pub fn connect(place: &str) -> Self {
        Self::Connecting { connector: TcpConnector::new(place), next: Time::ZERO }
    }

    /// Requires of the other end what `access` has.
    #[must_use]
    pub fn with_access(self, access: Option<Arc<LinkAccess>>) -> Self {
        match self {
            Self::Listening { listener, .. } => Self::Listening { listener, access },
            Self::Connecting { connector, next } => {
                Self::Connecting { connector: connector.with_access(access), next }
            }
        }
    }
}

impl Plug for TcpPlug {
    type Transport = TcpTransport;

    fn poll(&mut self, now: Time) -> PlugState<TcpTransport> {
        match self {
            Self::Listening { listener, access } => match listener.accept() {
                Ok((stream, _)) => match TcpTransport::guarded(stream, access.as_ref(), false) {
                    Ok(transport) => PlugState::New(Plugged { transport, opened: false }),
                    // Gone before it was polled.
                    Err(_) => PlugState::Waiting,
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => PlugState::Waiting,
                Err(error) => PlugState::Failed(error),
            },
            Self::Connecting { connector, next } => {
                if *next > now {
                    return PlugState::Waiting;
                }
                match connector.poll_connect() {
                    None => {
                        *next = now.saturating_add(CONNECT_LOOK);
                        PlugState::Waiting
                    }
                    Some(result) => {
                        *next = now.saturating_add(CONNECT_AGAIN);
                        match result {
                            Ok(transport) => PlugState::New(Plugged { transport, opened: true }),
                            Err(error) => PlugState::Failed(error),
                        }
                    }
                }
            }
        }
    }

    fn is_listener(&self) -> bool {
        matches!(self, Self::Listening { .. })
    }

    fn turn_away(&mut self) -> Option<String> {
        let Self::Listening { listener, .. } = self else { return None };
        listener.accept().ok().map(|(_, address)| address.to_string())
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Listening { listener, .. } => Some(listener.as_fd()),
            Self::Connecting { .. } => None,
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Listening { .. } => None,
            Self::Connecting { next, .. } => Some(*next),
        }
    }
}

/// A fibre that is there from the start and is the only one.
#[derive(Debug)]
pub struct OneFibre<T>(pub Option<T>);

impl<T: Transport> Plug for OneFibre<T> {
    type Transport = T;

    fn poll(&mut self, _: Time) -> PlugState<T> {
        match self.0.take() {
            Some(transport) => PlugState::New(Plugged { transport, opened: false }),
            None => PlugState::Spent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plug_that_connects_looks_and_tries_again_after_a_while() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        drop(listener);
        let mut plug = TcpPlug::connect(&place);
        let mut now = Time::ZERO;
        let mut failed = false;
        while !failed {
            assert!(plug.poll_timeout().unwrap() <= now);
            failed = matches!(plug.poll(now), PlugState::Failed(_));
            let wait = if failed { CONNECT_AGAIN } else { CONNECT_LOOK };
            assert_eq!(plug.poll_timeout(), Some(now.saturating_add(wait)));
            assert!(matches!(plug.poll(now), PlugState::Waiting), "not before the time");
            now = now.saturating_add(wait);
            std::thread::yield_now();
        }
    }
}
