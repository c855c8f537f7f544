//! The thread of a volume that waits for the disk, so that the control unit goes on meanwhile.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use halftrack_shared_memory::Event;
use halftrack_volume::FileBarrier;

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
    pub fn start(waker: Arc<Event>) -> io::Result<Self> {
        let (barriers, requests) = mpsc::channel::<FileBarrier>();
        let (answers, results) = mpsc::channel();
        thread::Builder::new().name("barrier".to_owned()).spawn(move || {
            for barrier in requests {
                if answers.send(barrier.wait()).is_err() {
                    return;
                }
                waker.set();
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
