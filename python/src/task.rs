//! Work on a thread of its own, while the thread of Python that wants it serves signals and shows progress.
//!
//! ```text
//! thread of Python ─► spawn ─► wait 20 ms, without the GIL ─► signals, progress ─┐
//!                       │            ▲                                           │
//!                       │            └───────────────────────────────────────────┘
//!                       └► work ─► stage of the work, may be cancelled ─► outcome
//! ```

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::progress::{Observer, Stage};

/// Longest time between two inspections of the signals: a fifth of the 100 ms within which a run ends after Ctrl-C.
const PERIOD: Duration = Duration::from_millis(20);
/// Room for the stack of the work: as much as a process's first thread commonly has.
const STACK_BYTES: usize = 8 << 20;

/// State that the work shares with the thread that waits for it.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    cancelled: AtomicBool,
    stage: Mutex<Option<Stage>>,
}

impl Watch {
    /// Returns true when nobody waits for the work any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Publishes how far the work is.
    pub(crate) fn publish(&self, stage: Stage) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
    }

    fn take(&self) -> Option<Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Does `work` without the GIL, and shows its progress to `observer`. Where a signal or the observer raises an exception, the
/// work is cancelled and its outcome dropped.
///
/// # Errors
/// The exception of a signal handler or of the observer; a thread that cannot be started.
pub(crate) fn apart<T: Send + 'static>(
    py: Python<'_>,
    observer: &mut Observer,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let (sender, mut receiver) = channel();
    let shared = Arc::clone(&watch);
    let worker = thread::Builder::new().name("halftrack".to_owned()).stack_size(STACK_BYTES);
    let worker = worker.spawn(move || {
        // Nobody may wait for it any more.
        let _ = sender.send(work(&shared));
    })?;
    let mut serve = || {
        py.check_signals()?;
        watch.take().map_or(Ok(()), |stage| observer.show(py, stage))
    };
    let outcome = loop {
        // A receiver is of one thread at a time: borrowed as changeable, it is here without the GIL.
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(PERIOD)) {
            Ok(outcome) => break serve().map(|()| Some(outcome)),
            Err(RecvTimeoutError::Disconnected) => break Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = serve() {
                    watch.cancelled.store(true, Ordering::Relaxed);
                    break Err(error);
                }
            }
        }
    };
    observer.end(py)?;
    match outcome? {
        Some(outcome) => Ok(outcome),
        None => match py.detach(|| worker.join()) {
            Err(panicked) => panic::resume_unwind(panicked),
            Ok(()) => unreachable!("work that ends without a panic has an outcome"),
        },
    }
}
