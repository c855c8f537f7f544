//! Descriptor of this library, which the program can neither close nor see closed.

use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use crate::table::{self, Entry};

/// Descriptor of this library.
#[derive(Debug)]
pub struct Own(OwnedFd);

impl Own {
    /// Keeps a descriptor from the program.
    pub fn new(fd: OwnedFd) -> Self {
        table::put(fd.as_raw_fd(), Arc::new(Entry::Own));
        Self(fd)
    }
}

impl AsFd for Own {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        table::take(self.0.as_raw_fd());
    }
}
