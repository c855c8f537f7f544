//! Work of the library while the interpreter is left to others, cancelled by Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Time between two inspections of the signals: Ctrl-C ends a run within 100 ms.
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// Does `work` on a thread of its own and returns its result. `work` gets a flag, which a signal that raises sets, and sends to
/// `progress`. The interpreter is left to others meanwhile.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&AtomicBool, Sender<f64>) -> T + Send + 'static,
) -> PyResult<T> {
    let is_cancelled = Arc::new(AtomicBool::new(false));
    let (sender, received) = channel();
    let flag = Arc::clone(&is_cancelled);
    let worker = thread::spawn(move || work(&flag, sender));
    let received = Mutex::new(received);
    let mut raised = Ok(());
    loop {
        let next =
            py.detach(|| received.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(BETWEEN_LOOKS));
        if raised.is_ok() {
            raised = py.check_signals();
        }
        match (next, &progress, &raised) {
            (Ok(cost), Some(progress), Ok(())) => raised = progress.call1(py, (cost,)).map(drop),
            (Err(RecvTimeoutError::Disconnected), ..) => break,
            _ => {}
        }
        is_cancelled.fetch_or(raised.is_err(), Ordering::Relaxed);
    }
    let result = py.detach(|| worker.join());
    raised?;
    result.map_err(|_| PyRuntimeError::new_err("the simulator stopped at a fault of its own"))
}
