//! Descriptors of this library, which the program can neither close nor see closed.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;

use crate::table::{self, Entry};

/// Protection of a descriptor that something else closes, behind this.
#[derive(Debug)]
pub struct Protected(RawFd);

impl Protected {
    /// Keeps a descriptor from the program.
    pub fn new(fd: &impl AsRawFd) -> Self {
        table::put(fd.as_raw_fd(), Arc::new(Entry::Own));
        Self(fd.as_raw_fd())
    }
}

impl Drop for Protected {
    fn drop(&mut self) {
        table::take(self.0);
    }
}

/// Descriptor of this library.
#[derive(Debug)]
pub struct Own {
    // Dropped first.
    _protected: Protected,
    fd: OwnedFd,
}

impl Own {
    /// Keeps a descriptor from the program.
    pub fn new(fd: OwnedFd) -> Self {
        Self { _protected: Protected::new(&fd), fd }
    }
}

impl AsFd for Own {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
