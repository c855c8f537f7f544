//! Transport of the octets of a link to its other end.

use std::io;
use std::os::fd::BorrowedFd;

use halftrack_base::Time;

use crate::buffers::{InBuffer, OutBuffer};

/// Result of an attempt to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// So many octets came; there may be more.
    Octets(usize),
    /// Nothing has come.
    Nothing,
    /// The other end has closed; nothing comes any more.
    Closed,
}

/// A reliable stream of octets both ways between the two ends of a link. No call waits.
pub trait Transport {
    /// Sends of `out` what the other end has room for; the rest stays in it.
    ///
    /// # Errors
    /// An error of the operating system; the stream is of no use afterwards.
    fn send(&mut self, out: &mut OutBuffer) -> io::Result<()>;

    /// Takes what has come.
    ///
    /// # Errors
    /// An error of the operating system; the stream is of no use afterwards.
    fn receive(&mut self, into: &mut InBuffer) -> io::Result<Received>;

    /// Returns what becomes readable when octets come.
    fn fd(&self) -> BorrowedFd<'_>;

    /// Returns whether the last [`Transport::send`] left something for want of room: [`Transport::fd`] is then also waited for
    /// until it can be written.
    fn is_full(&self) -> bool {
        false
    }

    /// Returns whether the other end has closed, though what it sent before may not have been received yet.
    fn is_given_up(&self) -> bool {
        false
    }

    /// Prepares to sleep until [`Transport::fd`] is readable. False when something came in the meantime, so
    /// that it must not.
    fn before_sleep(&mut self) -> bool {
        true
    }

    /// Ends a sleep, or the preparation of one that did not follow.
    fn after_sleep(&mut self) {}

    /// Returns when something is to be done though [`Transport::fd`] does not become readable.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// Returns who is at the other end, for messages.
    fn peer(&self) -> String;
}
