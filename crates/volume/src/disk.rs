//! The disk under files, where something stands between them and the operating system: faults of a disk are injected so.

use std::fmt;
use std::io;

use crate::file_medium::FileMedium;

/// Disk that admits each change of a file; what it refuses is not done. Without one a file costs no more than a test of
/// a pointer for every write and barrier, and nothing for a read.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Admits a write of `bytes` at `offset` of a file.
    ///
    /// # Errors
    /// The error that the write ends with.
    fn admit_write(&self, file: &FileMedium, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Admits a change of a file's length.
    ///
    /// # Errors
    /// The error that the change ends with.
    fn admit_length(&self, file: &FileMedium, bytes: u64) -> io::Result<()>;

    /// Admits a barrier: after it all that was written to the file before is safe.
    ///
    /// # Errors
    /// The error that the barrier ends with.
    fn admit_barrier(&self, file: &FileMedium) -> io::Result<()>;
}
