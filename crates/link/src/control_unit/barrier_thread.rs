//! The thread of a volume that waits for the disk, so that the control unit goes on meanwhile.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use halftrack_volume::FileBarrier;
use rustix::event::{EventfdFlags, eventfd};

/// Octets of the counter of an event file descriptor (eventfd(2)).
const COUNTER_BYTES: usize = 8;

/// File descriptor that becomes readable when a barrier is over.
#[derive(Debug, Clone)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    /// Creates a waker.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn new() -> io::Result<Self> {
        let fd = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Self(Arc::new(fd)))
    }

    /// Makes the descriptor readable.
    fn wake(&self) {
        // A counter that is full is readable already.
        let _ = rustix::io::write(&*self.0, &1u64.to_ne_bytes());
    }

    /// Makes the descriptor unreadable, until the next barrier is over.
    pub fn quiet(&self) {
        // Nothing to be read is as quiet.
        let _ = rustix::io::read(&*self.0, &mut [0; COUNTER_BYTES]);
    }

    /// Returns the descriptor.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A thread that does the barriers of one volume, one after the other.
#[derive(Debug)]
pub struct BarrierThread {
    barriers: Sender<FileBarrier>,
    results: Receiver<io::Result<()>>,
}

impl BarrierThread {
    /// Starts the thread, which wakes the control unit after each barrier.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn start(waker: Waker) -> io::Result<Self> {
        let (barriers, requests) = mpsc::channel::<FileBarrier>();
        let (answers, results) = mpsc::channel();
        thread::Builder::new().name("barrier".to_owned()).spawn(move || {
            for barrier in requests {
                if answers.send(barrier.wait()).is_err() {
                    return;
                }
                waker.wake();
            }
        })?;
        Ok(Self { barriers, results })
    }

    /// Begins a barrier, which comes back when the thread is gone.
    pub fn begin(&self, barrier: FileBarrier) -> Result<(), FileBarrier> {
        self.barriers.send(barrier).map_err(|error| error.0)
    }

    /// Returns the result of the barrier under way, when it is over.
    pub fn poll(&self) -> Option<io::Result<()>> {
        match self.results.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(gone())),
        }
    }

    /// Waits for the barrier under way.
    ///
    /// # Errors
    /// The barrier failed.
    pub fn wait(&self) -> io::Result<()> {
        self.results.recv().unwrap_or_else(|_| Err(gone()))
    }
}

/// Returns the failure of a barrier of which nothing is certain.
fn gone() -> io::Error {
    io::Error::other("the thread of the volume's barriers has ended")
}
