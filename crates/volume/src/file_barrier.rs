//! The barrier of a file, which another thread may wait for.

use std::fs::File;
use std::io;

/// A barrier of a file that is to be done. It shares the opening of its file, so that an error of the disk is reported to
/// it or to the next barrier of the file, and to one of them only (`fsync(2)`).
#[derive(Debug)]
pub struct FileBarrier(pub(crate) File);

impl FileBarrier {
    /// Waits until everything written before is on the disk (`fdatasync(2)`).
    ///
    /// # Errors
    /// Errors of the operating system: what was written before is not safe, and never will be by another barrier.
    pub fn wait(self) -> io::Result<()> {
        self.0.sync_data()
    }
}
