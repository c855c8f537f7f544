//! The wish of whoever started the process that it end: Ctrl-C, SIGTERM.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

/// Exit status of a process that gets a second signal and ends at once: 128 and the number of SIGINT.
const IMPATIENT_EXIT: i32 = 130;

/// Tells when the process, or one thread of it, is to end. A second signal ends the process at once.
#[derive(Debug)]
pub struct StopSignal {
    wished: Arc<AtomicBool>,
    pipe: UnixStream,
}

impl StopSignal {
    /// Begins to listen for SIGINT and SIGTERM.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn listen() -> io::Result<Self> {
        let wished = Arc::<AtomicBool>::default();
        let (reader, writer) = UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_shutdown(signal, IMPATIENT_EXIT, Arc::clone(&wished))?;
            flag::register(signal, Arc::clone(&wished))?;
            pipe::register(signal, writer.try_clone()?)?;
        }
        Ok(Self { wished, pipe: reader })
    }

    /// Listens to no signal but to its handle.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn by_hand() -> io::Result<(Self, StopHandle)> {
        let wished = Arc::<AtomicBool>::default();
        let (reader, writer) = UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        Ok((Self { wished: Arc::clone(&wished), pipe: reader }, StopHandle { wished, pipe: writer }))
    }

    /// Returns whether the process is to end.
    #[inline]
    #[must_use]
    pub fn is_wished(&self) -> bool {
        self.wished.load(Ordering::Relaxed)
    }

    /// Returns what becomes readable when the process is to end.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Forgets the octets that woke the process, so that it may sleep again while it ends its work.
    pub fn quiet(&mut self) {
        let mut octets = [0; 8];
        while matches!(self.pipe.read(&mut octets), Ok(count) if count == octets.len()) {}
    }
}

/// Wishes that a thread end, from another one.
#[derive(Debug)]
pub struct StopHandle {
    wished: Arc<AtomicBool>,
    pipe: UnixStream,
}

impl StopHandle {
    /// Wishes it.
    pub fn stop(&self) {
        self.wished.store(true, Ordering::Relaxed);
        // A thread that has ended already listens no more.
        let _ = (&self.pipe).write(&[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_a_wish_and_wakes() {
        let mut stop = StopSignal::listen().unwrap();
        assert!(!stop.is_wished());
        signal_hook::low_level::raise(SIGTERM).unwrap();
        assert!(stop.is_wished());
        let mut octets = [0; 8];
        assert_eq!(stop.pipe.read(&mut octets).unwrap(), 1);
        stop.quiet();
    }

    #[test]
    fn a_handle_is_heard_as_well() {
        let (mut stop, handle) = StopSignal::by_hand().unwrap();
        assert!(!stop.is_wished());
        handle.stop();
        assert!(stop.is_wished());
        stop.quiet();
    }
}
