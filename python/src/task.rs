//! Work on a thread of its own, while the thread of Python that wants it serves signals and shows progress.
//!
//! ```text
//! thread of Python ─► spawn ─► wait 20 ms, without the GIL ─► signals, messages ─┐
//!                       │            ▲                                           │
//!                       │            └───────────────────────────────────────────┘
//!                       └► work ─► stage of the work, may be cancelled ─► outcome
//! ```

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{mem, panic, thread};

use pyo3::prelude::*;

/// Longest time between two inspections of the signals: a fifth of the 100 ms within which a run ends after Ctrl-C.
const PERIOD: Duration = Duration::from_millis(20);
/// Time that cancelled work has to come to its end, so that what it writes is whole before the interpreter goes on.
const GRACE: Duration = Duration::from_millis(60);
/// Room for the stack of the work: as much as a process's first thread commonly has.
const STACK_BYTES: usize = 8 << 20;

/// Receiver of what work publishes, on the thread of Python.
pub(crate) trait Listener<M> {
    /// Takes in one message.
    ///
    /// # Errors
    /// An exception, which cancels the work.
    fn show(&mut self, py: Python<'_>, message: M) -> PyResult<()>;

    /// Ends, however the work ended.
    ///
    /// # Errors
    /// An exception in place of the outcome.
    fn end(&mut self, _py: Python<'_>) -> PyResult<()> {
        Ok(())
    }
}

/// Listener to work that publishes nothing.
impl Listener<Infallible> for () {
    fn show(&mut self, _py: Python<'_>, message: Infallible) -> PyResult<()> {
        match message {}
    }
}

/// State that the work shares with the thread that waits for it.
#[derive(Debug)]
pub(crate) struct Watch<M> {
    cancelled: AtomicBool,
    messages: Mutex<Vec<M>>,
}

impl<M> Watch<M> {
    /// Returns true when nobody waits for the work any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Publishes how far the work is. Returns whether it goes on.
    pub(crate) fn proceed(&self, message: M) -> ControlFlow<()> {
        self.publish(message);
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Publishes how far the work is, which goes on.
    pub(crate) fn publish(&self, message: M) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn take(&self) -> Vec<M> {
        mem::take(&mut self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Does `work` without the GIL, and gives what it publishes to `listener`, in order. Where a signal or the listener raises an
/// exception, the work is cancelled and its outcome dropped.
///
/// # Errors
/// The exception of a signal handler or of the listener; a thread that cannot be started.
pub(crate) fn apart<T: Send + 'static, M: Send + 'static>(
    py: Python<'_>,
    listener: &mut impl Listener<M>,
    work: impl FnOnce(&Watch<M>) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch { cancelled: AtomicBool::new(false), messages: Mutex::default() });
    let (sender, mut receiver) = channel();
    let shared = Arc::clone(&watch);
    let worker = thread::Builder::new().name("halftrack".to_owned()).stack_size(STACK_BYTES);
    let worker = worker.spawn(move || {
        // Nobody may wait for it any more.
        let _ = sender.send(work(&shared));
    })?;
    let mut serve = || {
        py.check_signals()?;
        watch.take().into_iter().try_for_each(|message| listener.show(py, message))
    };
    let outcome = loop {
        // A receiver is of one thread at a time: borrowed as changeable, it is here without the GIL.
        let next = wait(py, &mut receiver, PERIOD);
        if let Err(error) = serve() {
            watch.cancelled.store(true, Ordering::Relaxed);
            if next.is_err() {
                let _ = wait(py, &mut receiver, GRACE);
            }
            break Err(error);
        }
        match next {
            Ok(outcome) => break Ok(Some(outcome)),
            Err(RecvTimeoutError::Disconnected) => break Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    listener.end(py)?;
    match outcome? {
        Some(outcome) => Ok(outcome),
        None => match py.detach(|| worker.join()) {
            Err(panicked) => panic::resume_unwind(panicked),
            Ok(()) => unreachable!("work that ends without a panic has an outcome"),
        },
    }
}

/// Waits for the outcome without the GIL.
fn wait<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<T>,
    period: Duration,
) -> Result<T, RecvTimeoutError> {
    py.detach(move || receiver.recv_timeout(period))
}
