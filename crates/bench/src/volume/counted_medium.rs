//! A file of the volume that counts what is written to it.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use halftrack_volume::FileMedium;
use halftrack_volume::medium::Medium;

/// A file whose written bytes are added to a counter.
#[derive(Debug)]
pub struct CountedMedium {
    medium: FileMedium,
    written_bytes: Rc<Cell<u64>>,
}

impl CountedMedium {
    /// Counts what is written to `medium`.
    pub fn new(medium: FileMedium, written_bytes: Rc<Cell<u64>>) -> Self {
        Self { medium, written_bytes }
    }
}

impl Medium for CountedMedium {
    fn len(&self) -> io::Result<u64> {
        self.medium.len()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.medium.read_at(offset, into)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.written_bytes.set(self.written_bytes.get() + bytes.len() as u64);
        self.medium.write_at(offset, bytes)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.medium.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.medium.sync()
    }

    fn salt(&self) -> io::Result<u64> {
        self.medium.salt()
    }

    fn mapped(&self) -> Option<&[u8]> {
        self.medium.mapped()
    }
}
