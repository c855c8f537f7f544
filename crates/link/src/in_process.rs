//! A link between two threads of one process: batches of octets change hands without being copied.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use rtrb::{Consumer, Producer, RingBuffer};

use crate::buffers::{InBuffer, OutBuffer};
use crate::transport::{Received, Transport};

/// Batches on their way in one direction, at most.
const BATCHES: usize = 16;

/// One end of a link within the process.
#[derive(Debug)]
pub struct InProcessTransport {
    outgoing: Producer<Vec<u8>>,
    incoming: Consumer<Vec<u8>>,
    /// Memory of batches that the other end has used up.
    returned: Consumer<Vec<u8>>,
    returning: Producer<Vec<u8>>,
    /// Set by this end before it sleeps, by the other end read before it wakes this one.
    asleep: Arc<AtomicBool>,
    other_asleep: Arc<AtomicBool>,
    /// An octet through it wakes the thread at the other end.
    bell: UnixStream,
}

impl InProcessTransport {
    /// Returns the two ends of a link, each to be moved to the thread that works it.
    ///
    /// # Errors
    /// An error of the operating system for the sockets through which a sleeping end is woken.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (near_bell, far_bell) = UnixStream::pair()?;
        near_bell.set_nonblocking(true)?;
        far_bell.set_nonblocking(true)?;
        let (near_out, far_in) = RingBuffer::new(BATCHES);
        let (far_out, near_in) = RingBuffer::new(BATCHES);
        let (near_returning, far_returned) = RingBuffer::new(BATCHES);
        let (far_returning, near_returned) = RingBuffer::new(BATCHES);
        let (near_asleep, far_asleep) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let near = Self {
            outgoing: near_out,
            incoming: near_in,
            returned: near_returned,
            returning: near_returning,
            asleep: Arc::clone(&near_asleep),
            other_asleep: Arc::clone(&far_asleep),
            bell: near_bell,
        };
        let far = Self {
            outgoing: far_out,
            incoming: far_in,
            returned: far_returned,
            returning: far_returning,
            asleep: far_asleep,
            other_asleep: near_asleep,
            bell: far_bell,
        };
        Ok((near, far))
    }

    /// Wakes the other end if it sleeps.
    fn ring(&mut self) -> io::Result<()> {
        // With the fence in `before_sleep`: either the other end sees the batch, or this end sees that it sleeps.
        fence(Ordering::SeqCst);
        if !self.other_asleep.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        match self.bell.write(&[1]) {
            Ok(_) => Ok(()),
            // Full of octets that nobody read yet: the other end is awake or about to be.
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            // Gone: frames that it sent before may still have to be received, and the receiver detects the end.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Transport for InProcessTransport {
    fn send(&mut self, out: &mut OutBuffer) -> io::Result<()> {
        if out.is_empty() || self.outgoing.is_full() {
            return Ok(());
        }
        let memory = self.returned.pop().unwrap_or_default();
        let batch = out.take_batch(memory);
        // There is room, for nobody else puts batches there.
        if self.outgoing.push(batch).is_err() {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.ring()
    }

    fn receive(&mut self, into: &mut InBuffer) -> io::Result<Received> {
        let Ok(batch) = self.incoming.pop() else {
            // The order matters: whoever left may have sent a batch just before.
            let gone = self.incoming.is_abandoned() && self.incoming.is_empty();
            return Ok(if gone { Received::Closed } else { Received::Nothing });
        };
        let count = batch.len();
        let memory = into.take_batch(batch);
        // Without room at the other end the memory goes back to the allocator.
        drop(self.returning.push(memory));
        Ok(Received::Octets(count))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Returns false always: the bell can always be written, so that a full end polls again at once. The other end is another thread of
    /// this process, and busy.
    fn is_full(&self) -> bool {
        self.outgoing.is_full()
    }

    fn before_sleep(&mut self) -> bool {
        self.asleep.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.incoming.is_empty() && !self.incoming.is_abandoned()
    }

    fn after_sleep(&mut self) {
        self.asleep.store(false, Ordering::Relaxed);
        let mut octets = [0; 16];
        while matches!(self.bell.read(&mut octets), Ok(count) if count == octets.len()) {}
    }

    fn is_given_up(&self) -> bool {
        self.incoming.is_abandoned()
    }

    fn peer(&self) -> String {
        "this process".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_change_hands_and_their_memory_comes_back() {
        let (mut near, mut far) = InProcessTransport::pair().unwrap();
        let (mut out, mut input) = (OutBuffer::new(64), InBuffer::new(0));
        let mut addresses = Vec::new();
        for number in 0..6 {
            out.tail().extend_from_slice(&[number; 8]);
            addresses.push(out.unsent().as_ptr());
            near.send(&mut out).unwrap();
            assert_eq!(far.receive(&mut input).unwrap(), Received::Octets(8));
            assert_eq!(
                (input.as_slice(), input.as_slice().as_ptr()),
                (&[number; 8][..], addresses[usize::from(number)])
            );
            input.consume(8);
        }
        assert!(
            addresses[3..].iter().all(|address| addresses[..3].contains(address)),
            "memory is used again"
        );
        assert_eq!(far.receive(&mut input).unwrap(), Received::Nothing);
    }

    #[test]
    fn what_was_sent_before_the_end_left_is_received() {
        let (mut near, mut far) = InProcessTransport::pair().unwrap();
        let (mut out, mut input) = (OutBuffer::new(0), InBuffer::new(0));
        for _ in 0..BATCHES + 4 {
            out.tail().push(7);
            near.send(&mut out).unwrap();
        }
        assert_eq!(out.len(), 4, "batches that the other end has no room for stay");
        drop(near);
        let ends: Vec<_> = (0..=BATCHES).map(|_| far.receive(&mut input).unwrap()).collect();
        assert_eq!((ends[0], ends[BATCHES]), (Received::Octets(1), Received::Closed));
        assert!(!far.before_sleep(), "nobody would wake it");
    }

    #[test]
    fn a_sleeper_is_woken_and_one_that_is_awake_is_not() {
        let (mut near, mut far) = InProcessTransport::pair().unwrap();
        let mut out = OutBuffer::new(0);
        out.tail().push(1);
        assert!(far.before_sleep());
        near.send(&mut out).unwrap();
        let mut octet = [0];
        assert_eq!(far.bell.read(&mut octet).unwrap(), 1);
        far.after_sleep();
        assert!(!far.before_sleep(), "a batch waits");
        far.after_sleep();
        out.tail().push(2);
        near.send(&mut out).unwrap();
        assert_eq!(far.bell.read(&mut octet).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}
