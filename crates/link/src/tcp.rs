//! A link over TCP.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use std::sync::Arc;

use crate::access::{Attached, Guard, LinkAccess};
use crate::buffers::{InBuffer, OutBuffer};
use crate::transport::{Received, Transport};

/// Least room offered to the operating system for octets that came, bytes: a few dozen frames, so that a call is shared
/// by many and what is read stays in the processor's cache.
pub(crate) const READ_BYTES: usize = 128 * 1024;

/// A TCP connection that never waits.
#[derive(Debug)]
pub struct TcpTransport {
    stream: TcpStream,
    peer: String,
    full: bool,
    /// Proof of identity and encryption, where they are required.
    guard: Option<Box<Guard>>,
}

impl TcpTransport {
    /// Takes over a connection; small segments go out at once.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let peer = stream.peer_addr()?.to_string();
        Ok(Self { stream, peer, full: false, guard: None })
    }

    /// Takes over a connection that this end opened or accepted. Nothing passes over it before the other end has
    /// proven its name as `access` requires.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn guarded(stream: TcpStream, access: Option<&Arc<LinkAccess>>, is_opener: bool) -> io::Result<Self> {
        let mut transport = Self::new(stream)?;
        if let Some(access) = access.filter(|access| access.is_protected()) {
            transport.guard = Some(Box::new(Guard::begin(access, is_opener)?));
        }
        Ok(transport)
    }
}

/// Returns whether a call would have had to wait, or was interrupted: neither is a fault.
pub(crate) fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Sends of `out` what there is room for; true when the connection is full.
pub(crate) fn send_plain(stream: &mut TcpStream, out: &mut OutBuffer) -> io::Result<bool> {
    while !out.is_empty() {
        match stream.write(out.unsent()) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => out.sent(count),
            Err(error) if is_later(&error) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Takes what has come.
pub(crate) fn receive_plain(stream: &mut TcpStream, into: &mut InBuffer) -> io::Result<Received> {
    match stream.read(into.room(READ_BYTES)) {
        Ok(0) => Ok(Received::Closed),
        Ok(count) => {
            into.filled(count);
            Ok(Received::Octets(count))
        }
        Err(error) if is_later(&error) => Ok(Received::Nothing),
        Err(error) => Err(error),
    }
}

impl Transport for TcpTransport {
    #[inline]
    fn send(&mut self, out: &mut OutBuffer) -> io::Result<()> {
        self.full = match &mut self.guard {
            None => send_plain(&mut self.stream, out)?,
            Some(guard) => guard.send(&mut self.stream, out)?,
        };
        Ok(())
    }

    #[inline]
    fn receive(&mut self, into: &mut InBuffer) -> io::Result<Received> {
        let Some(guard) = &mut self.guard else { return receive_plain(&mut self.stream, into) };
        let (received, full) = guard.receive(&mut self.stream, into)?;
        self.full = full;
        Ok(received)
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    fn is_full(&self) -> bool {
        self.full
    }

    fn is_given_up(&self) -> bool {
        let mut fds = [PollFd::new(&self.stream, PollFlags::RDHUP)];
        let gone = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok() && fds[0].revents().intersects(gone)
    }

    fn peer(&self) -> String {
        self.peer.clone()
    }

    fn attached(&self) -> Option<&Attached> {
        self.guard.as_ref()?.attached()
    }

    fn is_protected(&self) -> bool {
        self.guard.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    fn pair() -> (TcpTransport, TcpTransport) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let far = listener.accept().unwrap().0;
        (TcpTransport::new(near).unwrap(), TcpTransport::new(far).unwrap())
    }

    #[test]
    fn more_than_the_sockets_hold_is_kept_and_comes_whole() {
        let (mut near, mut far) = pair();
        let (mut out, mut input) = (OutBuffer::new(0), InBuffer::new(0));
        let octets: Vec<u8> = (0..24_000_000_u32).map(|number| number as u8 ^ (number >> 9) as u8).collect();
        out.tail().extend_from_slice(&octets);
        near.send(&mut out).unwrap();
        assert!(!out.is_empty() && near.is_full(), "no socket holds so much");
        let mut came = Vec::new();
        while came.len() < octets.len() {
            near.send(&mut out).unwrap();
            far.receive(&mut input).unwrap();
            came.extend_from_slice(input.as_slice());
            input.consume(usize::MAX);
        }
        assert!(came == octets && !near.is_full());
        assert_eq!(far.receive(&mut input).unwrap(), Received::Nothing);
    }

    #[test]
    fn a_connection_that_the_other_end_gave_up_is_seen_before_what_it_sent_last() {
        let (mut near, mut far) = pair();
        let (mut out, mut input) = (OutBuffer::new(0), InBuffer::new(0));
        out.tail().extend_from_slice(b"late");
        near.send(&mut out).unwrap();
        assert!(!far.is_given_up());
        drop(near);
        while !far.is_given_up() {}
        assert_eq!(far.receive(&mut input).unwrap(), Received::Octets(4));
    }

    #[test]
    fn a_closed_connection_is_told() {
        let (near, mut far) = pair();
        drop(near);
        let mut input = InBuffer::new(0);
        let ends = std::iter::repeat_with(|| far.receive(&mut input).unwrap());
        assert_eq!(ends.take(1_000_000).find(|end| *end != Received::Nothing), Some(Received::Closed));
    }
}
