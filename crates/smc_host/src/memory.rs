//! Memory of one end, which the peer writes into.
//!
//! ```text
//! octet 0     mailbox       64 octets
//!       64    bell          armed by the owner, taken by the peer
//!       72    settlement    of the rendezvous
//!     4096    element       of the size that was agreed on
//! ```

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use halftrack_shared_memory::SealedMemory;
use halftrack_smc::buffer::{ElementSize, ElementSpan};

use crate::mailbox::{MAILBOX_WORDS, Mailbox};

/// Word of the bell.
const BELL_WORD: usize = 8;
/// Word in which the ends settle whether the connection has SMC-R, and what they put there first.
const SETTLEMENT_WORD: usize = 9;
const CONFIRMED: u64 = 1;
const WITHDRAWN: u64 = 2;
/// First octet of the element.
const ELEMENT_OFFSET: usize = 4096;
/// Name of the memory in tools.
pub const NAME: &str = "halftrack-smc-memory";

const _: () = assert!(MAILBOX_WORDS <= BELL_WORD);

/// Memory of one end.
#[derive(Debug)]
pub struct EndMemory {
    memory: SealedMemory,
    size: ElementSize,
}

impl EndMemory {
    /// Creates the memory of the own end, and returns the file for the peer, too.
    ///
    /// # Errors
    /// No memory, or no descriptor.
    pub fn create(size: ElementSize) -> io::Result<(Self, OwnedFd)> {
        let (memory, fd) = SealedMemory::create(NAME, length_bytes(size))?;
        Ok((Self { memory, size }, fd))
    }

    /// Maps the memory of an end.
    ///
    /// # Errors
    /// A file of another length, or one that could be cut.
    pub fn open(fd: OwnedFd, size: ElementSize) -> io::Result<Self> {
        Ok(Self { memory: SealedMemory::open(fd, length_bytes(size))?, size })
    }

    /// Returns the size of the element.
    #[must_use]
    pub const fn size(&self) -> ElementSize {
        self.size
    }

    /// Settles that the connection has SMC-R, as the client does in the server's memory before it confirms; false where the server
    /// has withdrawn.
    #[must_use]
    pub fn confirm(&self) -> bool {
        self.settle(CONFIRMED)
    }

    /// Settles that the connection stays with TCP, as the server does in its own memory; false where the client has confirmed.
    #[must_use]
    pub fn withdraw(&self) -> bool {
        self.settle(WITHDRAWN)
    }

    fn settle(&self, as_what: u64) -> bool {
        let word = &self.memory.words()[SETTLEMENT_WORD];
        let settled = word.compare_exchange(0, as_what, Ordering::AcqRel, Ordering::Acquire);
        settled.is_ok() || settled == Err(as_what)
    }

    pub(crate) fn mailbox(&self) -> Mailbox<'_> {
        Mailbox::new(&self.memory.words()[..MAILBOX_WORDS])
    }

    fn bell(&self) -> &AtomicU64 {
        &self.memory.words()[BELL_WORD]
    }

    /// Arms the bell of the own end. What the peer posts from now on rings it; what it posted before is there to be taken.
    pub(crate) fn arm(&self) {
        self.bell().store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Takes the bell back; false where the peer has rung it, or is about to.
    pub(crate) fn disarm(&self) -> bool {
        self.bell().swap(0, Ordering::AcqRel) == 1
    }

    /// Returns whether the owner of this memory is to be rung, behind a message that was posted; once for each time it is armed.
    pub(crate) fn is_to_be_rung(&self) -> bool {
        fence(Ordering::SeqCst);
        self.bell().load(Ordering::Relaxed) == 1 && self.bell().swap(0, Ordering::AcqRel) == 1
    }

    /// Copies the front of `octets` into a span of the element, and cuts it off.
    pub(crate) fn write(&self, span: ElementSpan, octets: &mut &[u8]) {
        let (now, later) = octets.split_at(span.length_bytes as usize);
        self.memory.store(ELEMENT_OFFSET + span.offset as usize, now);
        *octets = later;
    }

    /// Copies a span of the element to the front of `into`, and cuts that off.
    pub(crate) fn read(&self, span: ElementSpan, into: &mut &mut [u8]) {
        let (now, later) = std::mem::take(into).split_at_mut(span.length_bytes as usize);
        self.memory.load(ELEMENT_OFFSET + span.offset as usize, now);
        *into = later;
    }
}

const fn length_bytes(size: ElementSize) -> usize {
    ELEMENT_OFFSET + size.bytes() as usize
}
