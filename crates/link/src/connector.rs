//! How a channel path gets its link, and gets it again.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use crate::access::LinkAccess;
use crate::{TcpTransport, Transport};

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens the link of a channel path.
pub trait Connector {
    /// Transport that it opens.
    type Transport: Transport;

    /// Begins to connect, or polls the attempt; nothing while it is not decided. No call waits.
    fn poll_connect(&mut self) -> Option<io::Result<Self::Transport>>;
}

/// Connects over TCP.
#[derive(Debug)]
pub struct TcpConnector {
    place: String,
    access: Option<Arc<LinkAccess>>,
    /// Looking up a name and connecting may take long, and the loop of the channel has to go on.
    attempt: Option<Receiver<io::Result<TcpStream>>>,
}

impl TcpConnector {
    /// Connects to `place`, host and port.
    pub fn new(place: &str) -> Self {
        Self { place: place.to_owned(), access: None, attempt: None }
    }

    /// Requires of the other end what `access` has.
    #[must_use]
    pub fn with_access(self, access: Option<Arc<LinkAccess>>) -> Self {
        Self { access, ..self }
    }
}

impl Connector for TcpConnector {
    type Transport = TcpTransport;

    fn poll_connect(&mut self) -> Option<io::Result<TcpTransport>> {
        let attempt = self.attempt.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let place = self.place.clone();
            // Nobody listens any more when the channel has ended meanwhile.
            thread::spawn(move || drop(sender.send(connect(&place))));
            receiver
        });
        let result = match attempt.try_recv() {
            Ok(result) => result.and_then(|stream| TcpTransport::guarded(stream, self.access.as_ref(), true)),
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Err(io::ErrorKind::NotConnected.into()),
        };
        self.attempt = None;
        Some(result)
    }
}

fn connect(place: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in place.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A link that is there and is not opened again: within the process, or a test's.
#[derive(Debug)]
pub struct SingleConnector<T>(pub Option<T>);

impl<T: Transport> Connector for SingleConnector<T> {
    type Transport = T;

    fn poll_connect(&mut self) -> Option<io::Result<T>> {
        self.0.take().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn decided(connector: &mut TcpConnector) -> io::Result<TcpTransport> {
        loop {
            if let Some(result) = connector.poll_connect() {
                return result;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn a_link_comes_about_and_again_and_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let mut connector = TcpConnector::new(&place);
        assert_eq!(decided(&mut connector).unwrap().peer(), place);
        decided(&mut connector).unwrap();
        drop(listener);
        assert!(decided(&mut connector).is_err());
    }
}
