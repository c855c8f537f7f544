//! End of SMC-R of a connection, with the descriptors that it needs after an `exec`.

use std::os::fd::{BorrowedFd, OwnedFd};

use halftrack_smc::connection::StreamError;
use halftrack_smc_host::SharedEnd;
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::own::Own;

/// Octet that rings the peer's bell.
const BELL: [u8; 1] = [0];

/// Carried connection.
#[derive(Debug)]
pub struct Carried {
    end: SharedEnd,
    /// Files of the state and of the memory of both ends.
    _files: [Own; 3],
}

impl Carried {
    /// Makes it of an end and its files.
    pub fn new(end: SharedEnd, files: [OwnedFd; 3]) -> Self {
        Self { end, _files: files.map(Own::new) }
    }

    /// Returns the end.
    #[inline]
    pub const fn end(&self) -> &SharedEnd {
        &self.end
    }

    /// Sends octets; returns how many the peer has room for.
    ///
    /// # Errors
    /// `PIPE` behind the own end or the peer's, `CONNRESET` where the connection ended abnormally.
    pub fn send(&self, fd: BorrowedFd<'_>, octets: &[u8]) -> Result<usize, Errno> {
        let (bytes, is_to_be_rung) = self.end.send(octets).map_err(error_of)?;
        ring(fd, is_to_be_rung);
        Ok(bytes)
    }

    /// Receives octets, and leaves them where `is_peek`; returns how many.
    ///
    /// # Errors
    /// `CONNRESET` where the connection ended abnormally.
    pub fn receive(&self, fd: BorrowedFd<'_>, into: &mut [u8], is_peek: bool) -> Result<usize, Errno> {
        if is_peek {
            return self.end.peek(into).map_err(error_of);
        }
        let (bytes, is_to_be_rung) = self.end.receive(into).map_err(error_of)?;
        ring(fd, is_to_be_rung);
        Ok(bytes)
    }

    /// Sends no more.
    pub fn shut_down_sending(&self, fd: BorrowedFd<'_>) {
        ring(fd, self.end.shut_down_sending());
    }

    /// Closes the connection, where this process is the last that has it.
    pub fn close(&self, fd: BorrowedFd<'_>) {
        if self.end.release() {
            ring(fd, self.end.close());
        }
    }
}

fn error_of(error: StreamError) -> Errno {
    match error {
        StreamError::Reset => Errno::CONNRESET,
        StreamError::ShutDown | StreamError::PeerClosed => Errno::PIPE,
    }
}

/// Rings the peer's bell over the TCP connection.
fn ring(fd: BorrowedFd<'_>, is_to_be_rung: bool) {
    if is_to_be_rung {
        // A buffer that is full has a bell that the peer has not heeded; a peer that is gone needs none.
        let _ = rustix::net::send(fd, &BELL, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    }
}
