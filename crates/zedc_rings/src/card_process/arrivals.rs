//! Connections without a first message.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use halftrack_base::{Span, Time};
use halftrack_shared_memory::SocketPlace;

use crate::message::ToCard;

/// How long a connection may take for its first message.
const FIRST_MESSAGE: Span = Span::from_s(5);
/// Connections without a message, at most: the oldest one makes room.
const WAITING_MAX: usize = 64;

/// Connections without a first message.
#[derive(Debug)]
pub struct Arrivals {
    place: SocketPlace,
    waiting: Vec<(UnixStream, Time)>,
}

impl Arrivals {
    /// Accepts connections at `place`.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn new(place: SocketPlace) -> io::Result<Self> {
        place.listener().set_nonblocking(true)?;
        Ok(Self { place, waiting: Vec::new() })
    }

    /// Accepts connections, and closes those that took too long.
    pub fn accept(&mut self, now: Time) {
        while let Ok((stream, _)) = self.place.listener().accept() {
            if stream.set_nonblocking(true).is_ok() {
                self.waiting.push((stream, now.saturating_add(FIRST_MESSAGE)));
            }
            if self.waiting.len() > WAITING_MAX {
                self.waiting.remove(0);
            }
        }
        self.waiting.retain(|(_, until)| now < *until);
    }

    /// Takes a connection with its first message. One that has sent something else is closed.
    pub fn next(&mut self) -> Option<(UnixStream, ToCard)> {
        let mut at = 0;
        while let Some((stream, _)) = self.waiting.get(at) {
            match ToCard::receive(stream) {
                Ok(None) => at += 1,
                Ok(Some((message, _))) => return Some((self.waiting.remove(at).0, message)),
                Err(_) => drop(self.waiting.remove(at)),
            }
        }
        None
    }

    /// Returns what becomes readable when there is something to do.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let waiting = self.waiting.iter().map(|(stream, _)| stream.as_fd());
        std::iter::once(self.place.listener().as_fd()).chain(waiting)
    }
}
