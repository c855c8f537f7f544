//! End of SMC-R of a connection, with the descriptors that it needs after an `exec`.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use halftrack_smc::connection::StreamError;
use halftrack_smc_host::SharedEnd;
use halftrack_smc_udp::Bells;
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::own::{Own, Protected};

/// Octet that rings the peer's bell.
const BELL: [u8; 1] = [0];

/// Bell of the program, and the peer's.
#[derive(Debug)]
enum Bell {
    /// Octets over the TCP connection.
    Tcp,
    /// Events of this process, whose thread is the peer in memory.
    Events { _protected: [Protected; 2], bells: Bells },
}

/// Carried connection.
#[derive(Debug)]
pub struct Carried {
    end: Arc<SharedEnd>,
    bell: Bell,
    /// Files of the state and of the memory of both ends.
    _files: [Own; 3],
}

impl Carried {
    /// Makes it of an end and its files.
    pub fn new(end: SharedEnd, files: [OwnedFd; 3]) -> Self {
        Self { end: Arc::new(end), bell: Bell::Tcp, _files: files.map(Own::new) }
    }

    /// Makes it of an end whose peer is a thread of this process, and its files.
    pub fn relayed(end: Arc<SharedEnd>, files: [OwnedFd; 3], bells: Bells) -> Self {
        let protected = [Protected::new(&bells.driver.as_fd()), Protected::new(&bells.program.as_fd())];
        Self { end, bell: Bell::Events { _protected: protected, bells }, _files: files.map(Own::new) }
    }

    /// Returns the event that is the program's bell, where the TCP connection is none.
    pub fn event(&self) -> Option<BorrowedFd<'_>> {
        match &self.bell {
            Bell::Tcp => None,
            Bell::Events { bells, .. } => Some(bells.program.as_fd()),
        }
    }

    /// Takes back the event that rang.
    pub fn reset_event(&self) {
        if let Bell::Events { bells, .. } = &self.bell {
            bells.program.reset();
        }
    }

    /// Returns the end.
    #[inline]
    pub fn end(&self) -> &SharedEnd {
        &self.end
    }

    /// Sends octets; returns how many the peer has room for.
    ///
    /// # Errors
    /// `PIPE` behind the own end or the peer's, `CONNRESET` where the connection ended abnormally.
    pub fn send(&self, fd: BorrowedFd<'_>, octets: &[u8]) -> Result<usize, Errno> {
        let (bytes, is_to_be_rung) = self.end.send(octets).map_err(error_of)?;
        self.ring(fd, is_to_be_rung);
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
        self.ring(fd, is_to_be_rung);
        Ok(bytes)
    }

    /// Sends no more.
    pub fn shut_down_sending(&self, fd: BorrowedFd<'_>) {
        self.ring(fd, self.end.shut_down_sending());
    }

    /// Rings the peer's bell.
    fn ring(&self, fd: BorrowedFd<'_>, is_to_be_rung: bool) {
        match &self.bell {
            _ if !is_to_be_rung => {}
            Bell::Events { bells, .. } => bells.driver.set(),
            Bell::Tcp => {
                // A buffer that is full has a bell that the peer has not heeded; a peer that is gone needs none.
                let _ = rustix::net::send(fd, &BELL, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
            }
        }
    }

    /// Closes the connection, where this process is the last that has it.
    pub fn close(&self, fd: BorrowedFd<'_>) {
        if self.end.leave() {
            self.ring(fd, self.end.close());
        }
    }
}

fn error_of(error: StreamError) -> Errno {
    match error {
        StreamError::Reset => Errno::CONNRESET,
        StreamError::ShutDown | StreamError::PeerClosed => Errno::PIPE,
    }
}
