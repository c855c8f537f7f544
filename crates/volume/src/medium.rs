//! A file as the volume sees it: what is written is kept for certain only after a barrier.

use std::io;

/// A random-access file. Offsets and lengths are bytes.
///
/// Between two calls of [`Medium::sync`] writes may reach the disk in any order, in part, or not at all.
pub trait Medium {
    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn len(&self) -> io::Result<u64>;

    /// Returns whether the file has no byte.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|bytes| bytes == 0)
    }

    /// Reads exactly `into`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] past the end; those of the operating system.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()>;

    /// Writes all of `bytes`; the file grows as needed, zeros between.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts or extends the file to `bytes`.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn set_len(&mut self, bytes: u64) -> io::Result<()>;

    /// Orders writes: everything written before is on the disk before anything written after.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn sync(&mut self) -> io::Result<()>;

    /// Returns a number that no other file has and that this one has only until it is written next; 0 where there is none.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn salt(&self) -> io::Result<u64> {
        Ok(0)
    }

    /// Returns the bytes of the file in memory, when the medium is mapped or in memory. They are as long as the file
    /// was when it was mapped.
    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    /// Returns whether [`Medium::mapped`] has the bytes, unless somebody has cut the file since.
    fn is_mapped(&self) -> bool {
        self.mapped().is_some()
    }
}
