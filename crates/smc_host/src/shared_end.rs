//! An end that several processes have: a program and its children, and what it became by `exec`.
//!
//! Its state lies in memory of its own, under a lock. It is read at the start of each operation and written at its end, so that nothing of
//! it is in one process alone. Methods that may post a message return whether the peer is to be rung. Where a process died in the middle of an operation, the connection ends abnormally.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use halftrack_shared_memory::{Held, Pause, ProcessLock, SealedMemory};
use halftrack_smc::buffer::ElementSize;
use halftrack_smc::connection::{Connection, IMAGE_WORDS, Settings, StreamError};

use crate::about::{ABOUT_WORDS, About};
use crate::end::{End, Readiness};
use crate::holders::{HOLDER_WORDS, Holders};
use crate::link_status::LinkStatus;
use crate::memory::EndMemory;

/// Half word of the lock.
const LOCK: usize = 0;
/// Words of the numbers of the last message posted and taken, and first word of the connection.
const POSTED: usize = 1;
const TAKEN: usize = 2;
const CONNECTION: usize = 3;
/// Octets of the state.
const STATE_BYTES: usize = 4096;
/// First word of the processes that have the end.
const HOLDERS: usize = CONNECTION + IMAGE_WORDS;
/// First word of the names.
const ABOUT: usize = HOLDERS + HOLDER_WORDS;
/// Words of the links, and of the ports that an operator has taken away, a bit each.
const LINKS: usize = ABOUT + ABOUT_WORDS;
const PORTS_DOWN: usize = LINKS + 1;
/// Name of the memory in tools.
pub const STATE_NAME: &str = "halftrack-smc-end";

const _: () = assert!((PORTS_DOWN + 1) * size_of::<u64>() <= STATE_BYTES);

/// Returns the names and the connection from the octets of a state, which its owners may be changing; none where they are others.
pub(crate) fn state_of(octets: &[u8]) -> Option<(About, Connection, LinkStatus)> {
    let words: Vec<u64> = octets.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    if octets.len() != STATE_BYTES {
        return None;
    }
    let about = About::of_words(words[ABOUT..].first_chunk()?)?;
    let connection = Connection::of_image(words[CONNECTION..].first_chunk()?)?;
    Some((about, connection, LinkStatus::of_word(words[LINKS])))
}

/// Takes ports of a connection away, or gives them back, a bit each, in its state.
///
/// # Errors
/// A file of another length, or that could be cut; the state of none.
pub(crate) fn set_ports_down(state: OwnedFd, ports: u64, are_down: bool) -> io::Result<()> {
    let state = SealedMemory::open(state, STATE_BYTES)?;
    let word = &state.words()[PORTS_DOWN];
    if are_down {
        word.fetch_or(ports, Ordering::AcqRel)
    } else {
        word.fetch_and(!ports, Ordering::AcqRel)
    };
    Ok(())
}

/// End of several processes.
#[derive(Debug)]
pub struct SharedEnd {
    state: SealedMemory,
    own: EndMemory,
    peer: EndMemory,
    /// Pause of whoever waits for the lock, made once: to find out how many processors there are takes long.
    pause: Pause,
}

impl SharedEnd {
    /// Makes an end of a connection without octets, which this process has, and returns the file of its state, too.
    ///
    /// # Errors
    /// No memory, or no descriptor.
    pub fn create(
        settings: Settings,
        own: EndMemory,
        peer: EndMemory,
        about: &About,
    ) -> io::Result<(Self, OwnedFd)> {
        let (state, fd) = SealedMemory::create(STATE_NAME, STATE_BYTES)?;
        let end = Self { state, own, peer, pause: Pause::default() };
        end.put(&Connection::new(settings), (0, 0));
        for (at, word) in about.words().into_iter().enumerate() {
            end.word(ABOUT + at).store(word, Ordering::Relaxed);
        }
        end.enter(false);
        Ok((end, fd))
    }

    /// Maps the state of an end that another process, or this one before an `exec`, has made.
    ///
    /// # Errors
    /// A file of another length, or one that could be cut; a state that is none of these elements.
    ///
    /// `memory_of` opens the own memory and that of the peer by their inodes.
    pub fn open(
        state: OwnedFd,
        memory_of: impl Fn(u64, ElementSize) -> io::Result<EndMemory>,
    ) -> io::Result<(Self, About)> {
        let state = SealedMemory::open(state, STATE_BYTES)?;
        let mut octets = vec![0; STATE_BYTES];
        state.load(0, &mut octets);
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "not the state of an end");
        let (about, connection, _) = state_of(&octets).ok_or_else(invalid)?;
        let Settings { size, peer_size, .. } = *connection.settings();
        let (own, peer) = (memory_of(about.own_inode, size)?, memory_of(about.peer_inode, peer_size)?);
        Ok((Self { state, own, peer, pause: Pause::default() }, about))
    }

    /// Settles with the peer that the connection has SMC-R; false where it has withdrawn.
    #[must_use]
    pub fn confirm(&self) -> bool {
        self.peer.confirm()
    }

    /// Stores the status of the links.
    pub fn set_links(&self, status: LinkStatus) {
        self.word(LINKS).store(status.word(), Ordering::Relaxed);
    }

    /// Returns the status of the links.
    #[must_use]
    pub fn links(&self) -> LinkStatus {
        LinkStatus::of_word(self.word(LINKS).load(Ordering::Relaxed))
    }

    /// Returns the ports that an operator has taken away, a bit each.
    #[must_use]
    pub fn ports_down(&self) -> u64 {
        self.word(PORTS_DOWN).load(Ordering::Relaxed)
    }

    /// Counts a child of this process that is to come, before a fork.
    pub fn expect_child(&self) {
        self.holders().expect_child();
    }

    /// Lists this process among those that have the end, as the child that was to come where `is_child`.
    pub fn enter(&self, is_child: bool) {
        self.holders().enter(is_child);
    }

    /// Takes this process from those that have the end; returns whether it was the last one.
    pub fn leave(&self) -> bool {
        self.holders().leave()
    }

    /// Returns whether other processes have the end, too.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.holders().has_others()
    }

    fn holders(&self) -> Holders<'_> {
        Holders::new(&self.state.words()[HOLDERS..HOLDERS + HOLDER_WORDS])
    }

    /// Sends as many octets as the peer's element has room for; returns how many, and whether the peer is to be rung.
    ///
    /// # Errors
    /// The connection is shut down or was reset.
    pub fn send(&self, octets: &[u8]) -> Result<(usize, bool), StreamError> {
        self.with(|end| end.send(octets))
    }

    /// Copies octets that have come; returns how many, and whether the peer is to be rung. None stands for the end of the stream
    /// where [`Readiness::is_end`], and else for nothing yet.
    ///
    /// # Errors
    /// The connection was reset.
    pub fn receive(&self, into: &mut [u8]) -> Result<(usize, bool), StreamError> {
        self.with(|end| end.receive(into))
    }

    /// Copies octets that have come, and leaves them; returns how many.
    ///
    /// # Errors
    /// The connection was reset.
    pub fn peek(&self, into: &mut [u8]) -> Result<usize, StreamError> {
        self.with(|end| end.peek(into))
    }

    /// Sends no more; returns whether the peer is to be rung.
    pub fn shut_down_sending(&self) -> bool {
        self.with(|end| end.shut_down_sending())
    }

    /// Closes the connection: abnormally where octets were not read. Returns whether the peer is to be rung.
    pub fn close(&self) -> bool {
        self.with(|end| end.close())
    }

    /// Ends the connection abnormally; returns whether the peer is to be rung.
    pub fn abort(&self) -> bool {
        self.with(|end| end.abort())
    }

    /// Returns what the end is ready for.
    pub fn readiness(&self) -> Readiness {
        self.with(|end| end.readiness())
    }

    /// Returns whether the peer has posted something, without the lock.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.own.mailbox().has_other(self.word(TAKEN).load(Ordering::Relaxed))
    }

    /// Arms the bell before a sleep, and returns what the end is ready for then. Whoever finds nothing that it waits for can sleep:
    /// all that comes later rings.
    #[must_use]
    pub fn arm(&self) -> Readiness {
        self.own.arm();
        self.readiness()
    }

    /// Takes the bell back behind a sleep, or in place of one; false where the peer has rung it, or is about to.
    pub fn disarm(&self) -> bool {
        self.own.disarm()
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        &self.state.words()[at]
    }

    /// Does an operation on the end under its lock.
    fn with<R>(&self, operation: impl FnOnce(&mut End<'_>) -> R) -> R {
        let held: Held<'_> = ProcessLock::new(&self.state.half_words()[LOCK]).take(self.pause);
        let numbers = (self.word(POSTED).load(Ordering::Relaxed), self.word(TAKEN).load(Ordering::Relaxed));
        let connection = self.connection();
        let is_whole = connection.is_some() && !held.was_abandoned;
        let connection = connection.unwrap_or_else(|| {
            let (size, peer_size) = (self.own.size(), self.peer.size());
            Connection::new(Settings { size, peer_size, ..Settings::default() })
        });
        let mut end = End::of(connection, (&self.own, &self.peer), numbers);
        if !is_whole {
            end.abort();
        }
        let result = operation(&mut end);
        let (connection, numbers) = end.into_parts();
        self.put(&connection, numbers);
        result
    }

    fn connection(&self) -> Option<Connection> {
        let mut image = [0; IMAGE_WORDS];
        for (at, word) in image.iter_mut().enumerate() {
            *word = self.word(CONNECTION + at).load(Ordering::Relaxed);
        }
        Connection::of_image(&image)
    }

    fn put(&self, connection: &Connection, (posted, taken): (u64, u64)) {
        self.word(POSTED).store(posted, Ordering::Relaxed);
        self.word(TAKEN).store(taken, Ordering::Relaxed);
        let image = connection.image().expect("every message is complete when it is posted");
        for (at, word) in image.into_iter().enumerate() {
            self.word(CONNECTION + at).store(word, Ordering::Relaxed);
        }
    }
}

/// Messages for tests.
#[cfg(test)]
impl SharedEnd {
    /// Posts a message that the protocol has not made.
    pub(crate) fn post_foreign(&self, message: &halftrack_smc::message::LinkMessage) {
        self.with(|end| end.post_foreign(message));
    }
}
