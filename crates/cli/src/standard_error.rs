//! Standard error, whose reader may close it early.

use std::io::{self, StderrLock, Write};

/// Standard error. Text is dropped once its reader has closed the pipe (`halftrack check STUDY 2>&1 | head`): neither the
/// work of a command nor its exit code depends on that.
pub struct StandardError(StderrLock<'static>);

/// Locks standard error for this thread.
pub fn standard_error() -> StandardError {
    StandardError(io::stderr().lock())
}

/// Writes `text` to standard error, as far as that takes it.
pub fn print(text: &str) {
    let _ = standard_error().write_all(text.as_bytes());
}

/// Returns the outcome of writing to a pipe, without the error that its reader has closed it.
pub fn unless_closed<T>(outcome: io::Result<T>, otherwise: T) -> io::Result<T> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(otherwise),
        outcome => outcome,
    }
}

impl Write for StandardError {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(octets), octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}
